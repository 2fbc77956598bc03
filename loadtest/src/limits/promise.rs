//! The promises of speed, as data.

use serde::Serialize;

/// A bound that a figure keeps or breaks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Kept by figures up to this one.
    AtMost(f64),
    /// Kept by figures from this one on.
    AtLeast(f64),
}

impl Bound {
    /// Whether a figure keeps it. What is no number keeps nothing.
    #[must_use]
    pub fn is_kept_by(self, figure: f64) -> bool {
        match self {
            Bound::AtMost(bound) => figure <= bound,
            Bound::AtLeast(bound) => figure >= bound,
        }
    }

    /// In signs: `<= 2.5`.
    #[must_use]
    pub fn in_signs(self) -> String {
        match self {
            Bound::AtMost(bound) => format!("<= {bound}"),
            Bound::AtLeast(bound) => format!(">= {bound}"),
        }
    }
}

/// One figure that is promised.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Promise {
    /// Its number, such as `L1`.
    pub id: &'static str,
    /// What is measured, over what.
    pub what: &'static str,
    /// What the figure is a number of.
    pub unit: Unit,
    /// What is promised.
    pub target: Bound,
    /// What would be better still.
    pub stretch: Bound,
}

/// What a figure is a number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// One measurement over another of the same run.
    Ratio,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
    /// Bytes.
    Bytes,
    /// Megabytes, of 1,000,000 bytes.
    Megabytes,
    /// Seconds.
    Seconds,
    /// Hundredths.
    Percent,
    /// Events a minute.
    PerMinute,
}

impl Unit {
    /// As it stands behind a figure.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Unit::Ratio => "x",
            Unit::Ms => "ms",
            Unit::Us => "us",
            Unit::Bytes => "B",
            Unit::Megabytes => "MB",
            Unit::Seconds => "s",
            Unit::Percent => "%",
            Unit::PerMinute => "/min",
        }
    }
}

const fn most(id: &'static str, what: &'static str, unit: Unit, target: f64, stretch: f64) -> Promise {
    Promise { id, what, unit, target: Bound::AtMost(target), stretch: Bound::AtMost(stretch) }
}

const fn least(id: &'static str, what: &'static str, unit: Unit, target: f64, stretch: f64) -> Promise {
    Promise { id, what, unit, target: Bound::AtLeast(target), stretch: Bound::AtLeast(stretch) }
}

/// Every promise, each with its own measurement.
pub mod all {
    use super::{Promise, Unit, least, most};

    /// Absolute, on the machine at hand.
    pub const L0: Promise = most("L0", "whole hook, T2 with its durable decision, p95", Unit::Ms, 10.0, 2.0);
    /// Start-up of the process and the way to the daemon and back.
    pub const L1_P50: Promise =
        most("L1", "whole hook, T1, p50 / smallest static program", Unit::Ratio, 2.5, 1.8);
    /// The same at the tail.
    pub const L1_P95: Promise =
        most("L1", "whole hook, T1, p95 / smallest static program", Unit::Ratio, 2.5, 1.8);
    /// Cheaper than an ordinary program that does nothing.
    pub const L2: Promise = most("L2", "whole hook, T1, p50 / dynamic C no-op", Unit::Ratio, 0.8, 0.5);
    /// What hooks in an interpreter pay before their first line.
    pub const L3: Promise = least("L3", "node no-op p50 / whole hook p50", Unit::Ratio, 100.0, 200.0);
    /// Large results.
    pub const L4: Promise =
        most("L4", "whole hook with a 1 MB result / with 1 KB, p50", Unit::Ratio, 8.0, 4.0);
    /// The price of durability.
    pub const L5: Promise =
        most("L5", "durable ingest p50 / 4 KB write and fdatasync", Unit::Ratio, 3.5, 2.4);
    /// Its tail.
    pub const L6: Promise = most("L6", "durable ingest p99 / its own p50", Unit::Ratio, 4.0, 2.0);
    /// Group commit.
    pub const L7: Promise =
        least("L7", "ingests a second, 64 clients / one at a time", Unit::Ratio, 10.0, 17.0);
    /// Write amplification.
    pub const L8: Promise = most("L8", "log bytes per ingest / logical bytes", Unit::Ratio, 5.0, 3.0);
    /// Absolute: a decision over a large index.
    pub const L9: Promise = most("L9", "decision at 1 M operands, p99", Unit::Us, 50.0, 10.0);
    /// Growth of a decision with the index.
    pub const L10: Promise = most("L10", "decision at 1 M / at 10 k operands, p50", Unit::Ratio, 6.0, 2.0);
    /// Memory of the exact tier.
    pub const L11: Promise =
        most("L11", "bytes of the exact tier per operand, beyond its record", Unit::Bytes, 64.0, 40.0);
    /// Readers beside the writer.
    pub const L12: Promise =
        most("L12", "decision p99 while the writer runs / while it is idle", Unit::Ratio, 1.5, 1.2);
    /// The way back after a stop.
    pub const L13_RATIO: Promise =
        most("L13", "restart with 1 M operands / bare scan of the same rows", Unit::Ratio, 6.0, 2.0);
    /// The same, absolute.
    pub const L13_TIME: Promise = most("L13", "restart with 1 M operands", Unit::Seconds, 1.0, 0.5);
    /// Evidence ahead of the action.
    pub const L14: Promise = least("L14", "required evidence ready at the gate", Unit::Percent, 98.0, 99.5);
    /// Understanding commands.
    pub const L15_USUAL: Promise = most("L15", "command analysis p99", Unit::Us, 100.0, 30.0);
    /// The worst that an attacker can make it read.
    pub const L15_WORST: Promise =
        most("L15", "command analysis, worst pathological input", Unit::Ms, 20.0, 5.0);
    /// Doing nothing.
    pub const L16_WAKES: Promise =
        most("L16", "idle daemon: voluntary context switches", Unit::PerMinute, 1.0, 1.0);
    /// Holding nothing.
    pub const L16_MEMORY: Promise =
        most("L16", "idle daemon: resident memory, empty store", Unit::Megabytes, 15.0, 8.0);
    /// A machine that is busy with other things.
    pub const L17: Promise =
        most("L17", "whole hook p95 / no-op p95, two busy loops per core", Unit::Ratio, 2.0, 1.4);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_kept_at_its_edge_and_never_by_nothing() {
        assert!(Bound::AtMost(2.5).is_kept_by(2.5));
        assert!(!Bound::AtMost(2.5).is_kept_by(2.6));
        assert!(Bound::AtLeast(10.0).is_kept_by(10.0));
        assert!(!Bound::AtLeast(10.0).is_kept_by(9.9));
        assert!(!Bound::AtLeast(10.0).is_kept_by(f64::NAN) && !Bound::AtMost(10.0).is_kept_by(f64::NAN));
    }
}
