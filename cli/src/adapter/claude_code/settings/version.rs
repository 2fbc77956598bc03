//! Versions of the host, and what each can do. Only what was seen with the real client is stated.

use std::fmt;

/// A version of Claude Code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostVersion {
    major: u32,
    minor: u32,
    patch: u32,
}

/// First version that blocks a call when the hook itself fails (`"onFailure": "block"`).
pub const ON_FAILURE_SINCE: HostVersion = HostVersion::new(2, 1, 295);

/// First version seen with the event PreSkillShellCommand.
const SKILL_SHELL_SEEN: HostVersion = HostVersion::new(2, 1, 332);

/// Last version seen without it.
const SKILL_SHELL_ABSENT: HostVersion = HostVersion::new(2, 1, 197);

/// First version seen to drop only the event that holds an invalid entry, not all hooks of the file.
const INVALID_ENTRY_LOCAL_SEEN: HostVersion = HostVersion::new(2, 1, 332);

impl HostVersion {
    /// A version from its three numbers.
    #[must_use]
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// Reads what `claude --version` prints: `2.1.332 (Claude Code)`. A suffix such as `-beta` is ignored.
    #[must_use]
    pub fn parse(printed: &str) -> Option<Self> {
        let word = printed.split_whitespace().next()?;
        let numbers = word.split(['-', '+']).next()?;
        let mut parts = numbers.split('.').map(str::parse::<u32>);
        let mut next = || parts.next()?.ok();
        let version = Self { major: next()?, minor: next()?, patch: next()? };
        parts.next().is_none().then_some(version)
    }

    /// Whether `onFailure` is honoured.
    #[must_use]
    pub fn honors_on_failure(self) -> bool {
        self >= ON_FAILURE_SINCE
    }
}

impl fmt::Display for HostVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Whether `onFailure` is written. A version that is not known gets it too: versions without it ignore the
/// field, and one that has it must not run unprotected.
pub(super) fn writes_on_failure(host: Option<HostVersion>) -> bool {
    host.is_none_or(HostVersion::honors_on_failure)
}

/// Whether PreSkillShellCommand is registered: everywhere but in versions that were seen not to know it.
pub(super) fn knows_skill_shell(host: Option<HostVersion>) -> bool {
    host.is_none_or(|version| version > SKILL_SHELL_ABSENT)
}

/// Whether an invalid entry is known to switch off only its own event; otherwise it drops the whole file.
pub(super) fn drops_only_the_event(host: Option<HostVersion>) -> bool {
    host.is_some_and(|version| version >= INVALID_ENTRY_LOCAL_SEEN)
}

/// What this version of the host cannot do, one sentence each; empty when nothing is known to be missing.
#[must_use]
pub fn limitations(host: Option<HostVersion>) -> Vec<String> {
    let Some(version) = host else {
        return vec![
            "the host's version is unknown: whether a failed hook blocks, and whether shell commands in skills \
             are seen, is not known"
                .to_owned(),
        ];
    };
    let mut missing = Vec::new();
    if !version.honors_on_failure() {
        missing.push(format!(
            "Claude Code {version} runs the tool when the hook crashes, is missing or times out \
             ({ON_FAILURE_SINCE} and later block)"
        ));
    }
    if version <= SKILL_SHELL_ABSENT {
        missing
            .push(format!("Claude Code {version} runs shell commands in skills and slash commands unseen"));
    } else if version < SKILL_SHELL_SEEN {
        missing.push(format!(
            "whether Claude Code {version} shows shell commands in skills to hooks is not known"
        ));
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_host_prints() {
        assert_eq!(HostVersion::parse("2.1.332 (Claude Code)\n"), Some(HostVersion::new(2, 1, 332)));
        assert_eq!(HostVersion::parse("3.0.0-beta.1"), Some(HostVersion::new(3, 0, 0)));
        for text in ["", "claude", "2.1", "2.1.x", "2.1.3.4", "-1.0.0"] {
            assert_eq!(HostVersion::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn order_is_numeric() {
        assert!(HostVersion::new(2, 1, 9) < HostVersion::new(2, 1, 10));
        assert!(!HostVersion::new(2, 1, 294).honors_on_failure());
        assert!(ON_FAILURE_SINCE.honors_on_failure());
    }

    #[test]
    fn an_old_and_an_unknown_host_have_limits_and_a_new_one_none() {
        assert_eq!(limitations(Some(HostVersion::new(2, 1, 197))).len(), 2);
        assert_eq!(limitations(None).len(), 1);
        assert!(limitations(Some(HostVersion::new(2, 1, 332))).is_empty());
    }
}
