//! The ways from a host event to the answer that the host would get.

pub mod spawn;

pub use circinus::replay::gate::*;
