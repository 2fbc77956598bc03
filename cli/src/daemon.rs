//! The daemon: composition of index, store, server, analysis and gate, and its life from start to stop.

mod batch;
mod compose;
mod control;
mod counters;
mod evidence;
mod facts;
pub mod files;
pub mod gatekeeper;
mod hosts;
mod journal;
mod latency;
mod outage;
mod pasted;
mod persons;
mod proposals;
mod questions;
pub mod rebuilt;
mod reconcile;
mod recorder;
mod reservations;
mod seal;
mod search;
mod service;
pub mod settings;
mod site;
mod stop;
mod strong;
pub mod texts;
pub mod unrecorded;
mod waiting;
mod wake;

pub use compose::{RunError, run, run_watched};
pub use control::{ControlReply, ControlRequest, ModelStatus, SessionCoverage, Status};
pub use proposals::Proposal;
pub use reconcile::Coverage;
pub use site::Site;
