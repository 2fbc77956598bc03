//! Where the socket lives, and whether that place is ours alone.

mod home;
mod place;
mod private;

pub use home::{Environment, HomeDir, HomeError};
pub use place::{LocateError, SocketPlace};
pub use private::PlaceError;
