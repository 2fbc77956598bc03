//! Bounded lists of what is worth showing.

use serde::Serialize;

/// Entries of each list in the report of one suite; what is beyond is counted only.
pub const LISTED_MAX: usize = 2000;

/// The least entries by their order, at most [`LISTED_MAX`], and the number of all.
#[derive(Clone, Debug, Serialize)]
pub struct Listed<T> {
    /// How many there were.
    pub total: u64,
    /// The least of them, in order.
    pub first: Vec<T>,
}

impl<T: Ord + Clone> Listed<T> {
    pub(super) fn new() -> Listed<T> {
        Listed { total: 0, first: Vec::new() }
    }

    pub(super) fn insert(&mut self, entry: T) {
        self.total += 1;
        let place = self.first.partition_point(|known| *known < entry);
        if place < LISTED_MAX {
            self.first.insert(place, entry);
            self.first.truncate(LISTED_MAX);
        }
    }

    pub(super) fn add(&mut self, other: &Listed<T>) {
        let total = self.total + other.total;
        other.first.iter().for_each(|entry| self.insert(entry.clone()));
        self.total = total;
    }
}
