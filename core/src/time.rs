//! Time as plain integers; reading a clock is the caller's business.

use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch, UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UnixMillis(pub u64);

/// A source of the present time.
pub trait Clock: Send + Sync {
    /// The present time.
    fn now(&self) -> UnixMillis;
}
