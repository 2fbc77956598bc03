//! How a hook process, the command line and the daemon of one user talk: a unix socket, framed messages, bounds.
//!
//! # Frames (wire version 1)
//!
//! | offset | bytes | meaning |
//! |---|---|---|
//! | 0 | 2 | magic, `CI` |
//! | 2 | 1 | version, 1 |
//! | 3 | 1 | kind |
//! | 4 | 4 | body length, little endian |
//! | 8 | length | body |
//!
//! | kind | direction | body |
//! |---|---|---|
//! | `0x01` Hook | request | the host's event, raw; at most 64 MiB + 64 KiB |
//! | `0x02` Control | request | JSON, opaque here; the same cap |
//! | `0x81` Answer | reply | exit code (1), length of stdout (4), length of stderr (4), stdout, stderr; at most 8 MiB |
//! | `0x82` Control | reply | JSON, opaque here; at most 8 MiB |
//! | `0x83` Error | reply | code (1), one line of UTF-8; at most 1 KiB of text |
//!
//! Requests of one connection are answered in order, one outstanding at a time. A frame that cannot be read is
//! answered by an `Error` and the connection is closed. The header and the `Error` frame are the same in every
//! version, so that two versions can always tell each other which they are.
//!
//! # Invariants
//!
//! | name | what holds | upheld in | test |
//! |---|---|---|---|
//! | every-request-answered | a request handed to a worker is answered, if only by `Internal` | [`queue::Responder`] | `queue::tests`, `tests/ipc/server.rs` |
//! | same-user-only | nothing of another user's connection is read | `reactor`, [`client`] | `reactor::tests`, `client::tests` |
//! | one-daemon | the socket belongs to the holder of the lock | [`server::Server::bind`] | `tests/ipc/place.rs` |
//! | no-silent-pass | a gate event passes by an answer, or as a tool that only reads | [`hook`] | `hook::tests`, `tests/ipc/hook.rs` |
//!
//! # Rooms
//!
//! [`wire`] and [`session`] do no input or output. [`server`] binds a [`path::SocketPlace`] and runs the reactor,
//! which hands complete requests to the daemon's workers through [`queue`]. [`client`] is the other end. [`hook`] is
//! the logic of the binary `circinus-hook`. Every bound is in [`limits`].
#![forbid(unsafe_code)]

pub mod client;
pub mod hook;
pub mod limits;
pub mod path;
pub mod peer;
pub mod queue;
mod reactor;
pub mod server;
pub mod session;
pub mod wire;

pub use client::{CallError, Client};
pub use crossbeam_channel::Receiver;
pub use limits::Limits;
pub use path::{HomeDir, SocketPlace};
pub use peer::Peer;
pub use queue::{Job, Responder};
pub use server::{BindError, Server, ServerHandle};
pub use wire::{ErrorCode, Reply, Request};
