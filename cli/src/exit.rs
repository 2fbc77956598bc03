//! Exit codes: one enum, one table, for every command a person runs.
//!
//! The two commands the host runs as hooks (`circinus-hook`, `circinus fail-safe`) answer with
//! [`Exit::Ok`] or [`Exit::Refused`] only: to the host, 2 is the one code that blocks.

use std::process::{ExitCode, Termination};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
#[repr(u8)]
pub enum Exit {
    /// Done, or nothing to do.
    Ok = 0,
    /// It ran to its end and found something wrong (`doctor`, `verify`, a failed check).
    Findings = 1,
    /// Wrong usage, a file a person must mend first, or an answer of no.
    Refused = 2,
    /// The command needs the daemon, and none is running.
    NotRunning = 3,
    /// The file, folder or database it must write cannot be written.
    CannotWrite = 4,
    /// A defect of Circinus itself (`EX_SOFTWARE` of BSD sysexits.h).
    Internal = 70,
}

impl Exit {
    /// All of them, lowest code first.
    pub const ALL: [Self; 6] =
        [Self::Ok, Self::Findings, Self::Refused, Self::NotRunning, Self::CannotWrite, Self::Internal];

    /// The code the process ends with.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// What the code means, as the help text and the reference print it.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Ok => "done, or nothing to do",
            Self::Findings => "a check failed or something was found",
            Self::Refused => "wrong usage, an invalid file, or refused",
            Self::NotRunning => "the daemon is not running",
            Self::CannotWrite => "a file or folder cannot be written",
            Self::Internal => "a defect in circinus",
        }
    }

    /// The exit-code table, one line per code, for `--help` and the reference.
    pub fn table() -> String {
        let mut table = String::from("Exit codes:\n");
        for exit in Self::ALL {
            table.push_str(&format!("  {:>2}  {}\n", exit.code(), exit.meaning()));
        }
        table
    }

    /// The worse of two ends: a command over several files ends with the worst of them.
    pub fn and(self, other: Self) -> Self {
        if other.code() > self.code() { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_the_documented_ones() {
        let codes: Vec<u8> = Exit::ALL.iter().map(|exit| exit.code()).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 70]);
    }

    #[test]
    fn table_holds_every_code_once() {
        let table = Exit::table();
        for exit in Exit::ALL {
            assert_eq!(table.matches(exit.meaning()).count(), 1, "{exit:?}");
        }
    }

    #[test]
    fn the_worse_end_wins() {
        assert_eq!(Exit::Ok.and(Exit::CannotWrite), Exit::CannotWrite);
        assert_eq!(Exit::CannotWrite.and(Exit::Refused), Exit::CannotWrite);
    }
}
