//! The commands as a person meets them, and the laws of what they write.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails the test"
)]

mod cli {
    mod analyze;
    mod color;
    mod config;
    mod documents;
    mod errors;
    mod managed;
    mod packaging;
    mod process;
    mod settings_file;
    mod settings_files;
    mod settings_laws;
    mod setup;
    mod survey;
    mod world;
}
