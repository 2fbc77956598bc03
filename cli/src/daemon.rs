//! The daemon: composition of index, store, server, analysis and gate, and its life from start to stop.

mod compose;
mod control;
mod evidence;
mod facts;
pub mod files;
pub mod gatekeeper;
mod journal;
mod pasted;
mod reconcile;
mod recorder;
mod seal;
mod service;
mod stop;
pub mod texts;
pub mod unrecorded;
mod waiting;
mod wake;

pub use compose::{RunError, run};
pub use control::{ControlReply, ControlRequest, SessionCoverage, Status};
pub use reconcile::Coverage;
pub use service::Site;
