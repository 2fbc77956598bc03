//! The terminal view of what happens: a model that reads the log, and a drawing of it.

pub mod model;
pub mod row;
pub mod view;

pub use model::{Key, Model, Wish};
pub use row::Row;
