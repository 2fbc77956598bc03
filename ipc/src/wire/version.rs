//! Version of the wire. The header layout and the `Error` frame never change, so that two versions that do not
//! understand each other can still say so.

/// First two bytes of every frame.
pub const MAGIC: [u8; 2] = *b"CI";

/// The one version that this build speaks; the third byte of every frame.
pub const VERSION: u8 = 1;

/// The line that a peer of another version reads; it names both.
pub(crate) fn mismatch(theirs: u8) -> String {
    format!(
        "wire version {theirs} is not spoken here, this side speaks {VERSION}; \
         hint: restart the daemon with `circinus daemon stop`, so that hook and daemon are of one release"
    )
}
