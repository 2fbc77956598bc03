//! Command lines of PowerShell and `cmd`, by the words that only they have.

/// Verbs of PowerShell's commands, which are spelled `Verb-Noun`.
const VERBS: &[&str] = &[
    "add",
    "clear",
    "compress",
    "connect",
    "convert",
    "convertfrom",
    "convertto",
    "copy",
    "disable",
    "enable",
    "enter",
    "exit",
    "expand",
    "export",
    "find",
    "foreach",
    "format",
    "get",
    "group",
    "import",
    "install",
    "invoke",
    "join",
    "measure",
    "mount",
    "move",
    "new",
    "out",
    "publish",
    "read",
    "register",
    "remove",
    "rename",
    "reset",
    "resolve",
    "restart",
    "restore",
    "resume",
    "save",
    "select",
    "send",
    "set",
    "show",
    "sort",
    "split",
    "start",
    "stop",
    "suspend",
    "tee",
    "test",
    "uninstall",
    "unregister",
    "update",
    "wait",
    "where",
    "write",
];
/// Programs and builtins of Windows, and short names of PowerShell's commands, that mean nothing elsewhere.
const WORDS: &[&str] = &[
    "bcdedit",
    "bitsadmin",
    "certutil",
    "cscript",
    "del",
    "diskpart",
    "erase",
    "icacls",
    "iex",
    "irm",
    "iwr",
    "mshta",
    "rd",
    "reg.exe",
    "regsvr32",
    "robocopy",
    "rundll32",
    "schtasks",
    "setx",
    "takeown",
    "vssadmin",
    "wevtutil",
    "wmic",
    "wscript",
    "xcopy",
];

/// Whether a command word is one of another system's shell.
pub(super) fn is_foreign(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let word = lower.strip_suffix(".exe").unwrap_or(&lower);
    let is_cmdlet = || {
        let (verb, noun) = name.split_once('-')?;
        let cased = noun.starts_with(|c: char| c.is_ascii_uppercase());
        (cased && noun.bytes().all(|b| b.is_ascii_alphanumeric()))
            .then(|| VERBS.contains(&verb.to_ascii_lowercase().as_str()))
    };
    WORDS.contains(&word) || is_cmdlet().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::is_foreign;

    #[test]
    fn words_of_other_shells_are_known_and_programs_with_a_dash_are_not_taken_for_them() {
        for name in ["Remove-Item", "Invoke-WebRequest", "iex", "DEL", "schtasks.exe"] {
            assert!(is_foreign(name), "{name}");
        }
        for name in ["apt-get", "add-apt-repository", "get-iplayer", "rd2md", "Set", "xdg-open"] {
            assert!(!is_foreign(name), "{name}");
        }
    }
}
