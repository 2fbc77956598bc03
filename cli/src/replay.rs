//! Sessions played back: recorded events through a private daemon, in scratch folders in place of the recorded ones.
//!
//! No recorded command is ever run, and nothing of the user's is touched: the daemon has a home of its own, and the
//! files that the events speak of are laid down as far as the events show them.

pub mod answer;
pub mod carried;
pub mod daemon;
pub mod describe;
pub mod file_event;
pub mod format;
pub mod gate;
pub mod host_json;
pub mod interrupt;
pub mod past;
pub mod play;
pub mod profile;
pub mod reconstruct;
pub mod repository;
pub mod rewrite;
pub mod workspace;
