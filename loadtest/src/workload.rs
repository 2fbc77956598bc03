//! What the measurements do to the product: events of a host, commits, indexes and actions of a given size.

pub mod commands;
pub mod commits;
pub mod events;
pub mod index;
