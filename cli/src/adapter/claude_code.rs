//! Claude Code: its hook events, answers and settings.

mod call;
pub mod event;
mod json;
mod output;
pub mod response;
pub mod settings;
pub mod settings_change;
