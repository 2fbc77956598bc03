//! What can be checked and encoded before the writer is involved, on the caller's own thread.

use circinus_core::artifact::Artifact;
use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event};
use circinus_core::limits::{LABEL_CHARS_MAX, OPERANDS_PER_ARTIFACT_MAX, PRINTS_PER_ARTIFACT_MAX};

use crate::codec::{self, CodecError, Encoded};
use crate::limits;

/// Why a commit can never be stored, whatever the state of the disk.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// Only an artifact has a body.
    #[error("a body came with an event that is not an artifact")]
    BodyWithoutArtifact,
    /// The body is not the content that the artifact speaks of.
    #[error("the body ({bytes} bytes, {found:?}) is not the artifact's content ({wanted:?})")]
    BodyMismatch {
        /// What the artifact says.
        wanted: Digest,
        /// What the bytes are.
        found: Digest,
        /// How many bytes there are.
        bytes: usize,
    },
    /// A bound of the store or of the core is exceeded.
    #[error("{what} of {found} is above the bound of {max}")]
    TooLarge {
        /// What was counted.
        what: &'static str,
        /// The count.
        found: usize,
        /// The bound.
        max: usize,
    },
    /// The event cannot be encoded.
    #[error(transparent)]
    Codec(#[from] CodecError),
}

/// A commit that only needs its place in the log.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) event: Event,
    pub(crate) encoded: Encoded,
    pub(crate) body: Option<Box<[u8]>>,
    pub(crate) delivery: Option<Digest>,
}

impl Prepared {
    /// Checks and encodes `commit`.
    pub(crate) fn new(commit: Commit) -> Result<Self, Invalid> {
        let Commit { mut event, body, delivery } = commit;
        match (&event, &body) {
            (Event::Ingested(artifact), body) => check_artifact(artifact, body.as_deref())?,
            (_, Some(_)) => return Err(Invalid::BodyWithoutArtifact),
            (_, None) => {}
        }
        let encoded = codec::encode(&mut event)?;
        at_most("event size in bytes", encoded.payload.len(), limits::PAYLOAD_BYTES_MAX)?;
        let operands_bytes = encoded.operands.as_ref().map_or(0, Vec::len);
        at_most("size of the packed operands in bytes", operands_bytes, limits::OPERANDS_BYTES_MAX)?;
        Ok(Self { event, encoded, body, delivery })
    }

    /// Bytes that it occupies while it waits; the decoded event is counted by its encoded size.
    pub(crate) fn bytes(&self) -> usize {
        let operands = self.encoded.operands.as_ref().map_or(0, Vec::len);
        self.body.as_ref().map_or(0, |body| body.len()) + 2 * (self.encoded.payload.len() + operands)
    }
}

fn check_artifact(artifact: &Artifact, body: Option<&[u8]>) -> Result<(), Invalid> {
    at_most("label length in characters", artifact.label.chars().count(), LABEL_CHARS_MAX)?;
    at_most("number of operands", artifact.operands.len(), OPERANDS_PER_ARTIFACT_MAX)?;
    at_most("number of fingerprints", artifact.prints.len(), PRINTS_PER_ARTIFACT_MAX)?;
    let Some(body) = body else { return Ok(()) };
    at_most("body size in bytes", body.len(), limits::BODY_BYTES_MAX)?;
    let found = Digest::of(body);
    if found == artifact.content && body.len() as u64 == artifact.bytes {
        Ok(())
    } else {
        Err(Invalid::BodyMismatch { wanted: artifact.content, found, bytes: body.len() })
    }
}

fn at_most(what: &'static str, found: usize, max: usize) -> Result<(), Invalid> {
    if found <= max { Ok(()) } else { Err(Invalid::TooLarge { what, found, max }) }
}
