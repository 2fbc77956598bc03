//! Claude Code: its hook events, answers and settings.

mod call;
mod envelope;
pub mod event;
mod json;
mod output;
pub mod past;
pub mod process;
pub mod response;
pub mod settings;
pub mod settings_change;
pub mod transcript;
