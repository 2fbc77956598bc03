//! The binary `circinus` as a library: commands, host adapter and daemon.
#![forbid(unsafe_code)]

pub mod adapter;
pub mod clock;
pub mod command;
pub mod config;
pub mod daemon;
pub mod exit;
pub mod export;
pub mod hook_process;
pub mod host;
pub mod process;
pub mod reason;
pub mod replay;
pub mod stated;
pub mod telemetry;
pub mod ui;
pub mod watch;
