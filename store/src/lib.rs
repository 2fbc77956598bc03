//! The durability tier: nothing acknowledged is lost.
//!
//! One SQLite file holds an append-only, hash-chained log of events and the few projections that cannot be
//! kept in memory (bodies, packed operands, evidence keys, queued analysis). One thread writes it:
//! commits that wait together share one transaction, and an acknowledgement exists only as a
//! [`Durable`] value, which this crate alone can make and makes only after COMMIT returned.
//!
//! Whoever starts up calls [`Store::open`], folds [`Store::replay`] into its own index, and hands the store
//! to [`Writer::start`]; everyone else reads through a [`Reader`].
#![forbid(unsafe_code)]

mod append;
mod chain;
mod codec;
mod copy;
mod durable;
pub mod limits;
mod open;
mod prepare;
pub mod query;
mod recover;
mod retain;
mod row;
mod schema;
mod sqlite;
pub mod verify;
mod writer;

#[cfg(test)]
#[path = "../tests/store/sample.rs"]
mod sample;

pub use codec::CodecError;
pub use copy::{CopyError, backup, restore};
pub use durable::{Acknowledged, Durable};
pub use open::{OpenError, Recovered, Store};
pub use prepare::Invalid;
pub use query::{QueryError, Reader};
pub use recover::{ReplayError, Task};
pub use retain::Retention;
pub use writer::{Ack, AppendError, Observer, StartError, Step, SubmitError, Watch, Writer};
