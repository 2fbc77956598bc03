//! Our entries in the host's settings files: put in, taken out, looked at.
//!
//! A settings file belongs to its user. Every byte outside our entries stays as it is, whatever its white space,
//! order or line ends, and taking our entries out gives back the text from before.

mod edit;
mod entry;
mod file;
mod inspect;
mod invalid;
mod json;
mod layout;
mod survey;
mod version;

use thiserror::Error;

use crate::ui::SourceSpan;

pub use edit::{Change, Edited, install, remove};
pub use entry::{EVENTS, Event, HOOK_BINARY_NAME, Registration, events};
pub use file::{ReadSettingsError, SettingsFile, WriteSettingsError, Written};
pub use inspect::{Installed, Problem, accepts, inspect};
pub use survey::{Finding, Protection, Scope, Severity, Source, Survey, SurveyPaths, is_root_owned, survey};
pub use version::{HostVersion, ON_FAILURE_SINCE, limitations};

/// Why a settings text cannot be edited; nothing has been written.
#[derive(Debug, Error)]
pub enum EditError {
    /// The text is no JSON.
    #[error(
        "not JSON, line {} column {}: {problem}\n{place}\nhint: the host ignores the whole file until that is mended",
        place.line(), place.column()
    )]
    Syntax {
        /// What is wrong there.
        problem: &'static str,
        /// Where.
        place: SourceSpan,
    },
    /// A value that holds our entries has the wrong type.
    #[error(
        "{what} must be {wanted} and is {found}, line {} column {}\n{place}\nhint: mend or remove it, then try again",
        place.line(), place.column()
    )]
    WrongType {
        /// Which value.
        what: String,
        /// The type it must have.
        wanted: &'static str,
        /// The type it has.
        found: &'static str,
        /// Where.
        place: SourceSpan,
    },
    /// The host would drop hooks of this file for something that has nothing to do with ours.
    #[error(
        "{what}, line {} column {}\n{place}\nhint: the host would drop the hooks for it; mend that line, then run setup again",
        place.line(), place.column()
    )]
    Ignored {
        /// What the host does not accept.
        what: String,
        /// Where.
        place: SourceSpan,
    },
    /// A key stands twice where our entries go, and only the last one counts for the host.
    #[error(
        "key {key} is there twice, line {} column {}\n{place}\nhint: the host reads only the last; remove one of them",
        place.line(), place.column()
    )]
    Repeated {
        /// The key.
        key: String,
        /// The second of them.
        place: SourceSpan,
    },
    /// The text is far larger than settings are.
    #[error("{bytes} bytes are too many for settings; hint: is it the right file?")]
    TooLarge {
        /// Bytes of the text.
        bytes: usize,
    },
    /// JSON cannot name the hook binary.
    #[error(
        "the path of the hook binary is not UTF-8; hint: install circinus into a folder with a plain name"
    )]
    PathNotUtf8,
    /// The edit could not be undone byte for byte, so it was not made.
    #[error("the edit could not be undone exactly; hint: this is a defect of circinus, please report it")]
    Irreversible,
}
