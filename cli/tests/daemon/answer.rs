//! What a program left behind, and what a hook's answer means to the host.

use std::process::Output;

use serde_json::Value;

/// Exit code and both streams of a program that ended by itself.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) code: i32,
    pub(super) out: String,
    pub(super) err: String,
}

impl Ran {
    pub(super) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("a program prints UTF-8");
        let code = output.status.code().unwrap_or_else(|| panic!("ended by a signal: {}", output.status));
        Self { code, out: text(output.stdout), err: text(output.stderr) }
    }

    /// Ended well without a word on standard error; gives standard output.
    #[track_caller]
    pub(super) fn good(self) -> String {
        assert!(self.code == 0 && self.err.is_empty(), "{self:?}");
        self.out
    }

    /// Each line of standard output as one JSON object.
    #[track_caller]
    pub(super) fn objects(self) -> Vec<Value> {
        let parsed =
            self.good().lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>();
        assert!(parsed.iter().all(Value::is_object));
        parsed
    }
}

/// What the host understands.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// No opinion, nothing printed.
    Silent,
    /// The person is asked; the reason.
    Asks(String),
    /// The call is refused; the reason that the agent reads.
    Denies(String),
    /// A changed configuration is not taken; the reason.
    Keeps(String),
    /// The person is told something; nothing else happens.
    Tells(String),
    /// Exit code 2 and one line on standard error.
    Refuses(String),
    /// Exit code 1 and one line on standard error: the host goes on.
    Reports(String),
}

impl Answer {
    /// Reads a hook's answer; anything that the host would not understand fails the test.
    #[track_caller]
    pub(super) fn of(ran: &Ran) -> Self {
        let one_line = || {
            assert!(ran.out.is_empty(), "{ran:?}");
            assert!(ran.err.starts_with("circinus: ") && ran.err.ends_with('\n'), "{ran:?}");
            assert_eq!(ran.err.matches('\n').count(), 1, "{ran:?}");
            ran.err.trim_end().to_owned()
        };
        match ran.code {
            0 if ran.out.is_empty() => {
                assert!(ran.err.is_empty(), "a pass says nothing: {ran:?}");
                Self::Silent
            }
            0 => Self::of_json(&ran.out),
            1 => Self::Reports(one_line()),
            2 => Self::Refuses(one_line()),
            _ => panic!("the host lets a tool run on this: {ran:?}"),
        }
    }

    #[track_caller]
    fn of_json(out: &str) -> Self {
        assert!(!out.trim_end_matches('\n').contains('\n'), "one single line: {out:?}");
        let answer: Value = serde_json::from_str(out).unwrap_or_else(|error| panic!("{error}: {out:?}"));
        if answer["decision"] == "block" {
            return Self::Keeps(answer["reason"].as_str().unwrap().to_owned());
        }
        if let Some(told) = answer["systemMessage"].as_str() {
            assert_eq!(answer.as_object().unwrap().len(), 1, "{out}");
            return Self::Tells(told.to_owned());
        }
        let specific = &answer["hookSpecificOutput"];
        let gates = ["PreToolUse", "PreSkillShellCommand"];
        assert!(gates.contains(&specific["hookEventName"].as_str().unwrap()), "{out}");
        let reason = specific["permissionDecisionReason"].as_str().unwrap().to_owned();
        assert!(!reason.is_empty());
        match specific["permissionDecision"].as_str() {
            Some("ask") => Self::Asks(reason),
            Some("deny") => Self::Denies(reason),
            other => panic!("{other:?} is no decision of ours"),
        }
    }

    /// The reason for which the call does not simply run.
    #[track_caller]
    pub(super) fn stopped(self) -> String {
        match self {
            Self::Asks(reason) | Self::Denies(reason) | Self::Refuses(reason) => reason,
            other => panic!("the call would run: {other:?}"),
        }
    }

    pub(super) fn stops(&self) -> bool {
        matches!(self, Self::Asks(_) | Self::Denies(_) | Self::Refuses(_))
    }
}
