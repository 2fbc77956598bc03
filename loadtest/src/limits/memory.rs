//! L11: what the exact tier occupies, in a process of its own so that nothing else is counted.

use std::process::Command;

use circinus_core::index::Snapshot;

use super::promise::all;
use super::{LimitsError, Row, Setting};
use crate::proc;
use crate::workload::index;

/// What an index of some operands occupies.
#[derive(Clone, Copy, Debug)]
pub struct Occupied {
    /// Resident bytes of the artifacts alone, with their operands and where these stand.
    pub artifacts: u64,
    /// Resident bytes of an index over as many artifacts, which it holds too.
    pub index: u64,
    /// Bytes of the operands' text.
    pub text: u64,
}

/// Makes the artifacts, then the index, and looks at what this process has resident each time.
///
/// # Errors
/// When the system does not say what is resident.
pub fn probe(operands: usize) -> Result<Occupied, LimitsError> {
    let resident = || proc::resident_bytes(std::process::id());
    let before = resident()?;
    let events = index::events(operands);
    let between = resident()?;
    // Each event is copied into the index: the artifacts are there twice now.
    let mut snapshot = Snapshot::new([]);
    events.iter().for_each(|event| snapshot.apply(event));
    let after = resident()?;
    let hits = snapshot.artifacts().flat_map(|(_, artifact)| &artifact.operands);
    let text = hits.map(|hit| hit.operand.canonical().len() as u64).sum();
    Ok(Occupied { artifacts: between.saturating_sub(before), index: after.saturating_sub(between), text })
}

/// Measures L11.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Row>, LimitsError> {
    let operands = setting.rounds(1_000_000, 200_000);
    let own =
        std::env::current_exe().map_err(LimitsError::io("find", std::path::Path::new("this program")))?;
    let output = Command::new(&own).args(["probe", "memory", &operands.to_string()]).output();
    let output = output.map_err(LimitsError::io("start", &own))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let figures: Vec<f64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [artifacts, index, text] = figures.as_slice() else { return Err(LimitsError::Lost) };
    let each = |bytes: f64| bytes / operands as f64;
    let told = format!("{} k operands, {:.0} B of text each", operands / 1_000, each(*text));
    let all_of_it = "apart: resident bytes per operand, its record included, beyond its text";
    Ok(vec![
        Row::of(all::L11, each(index - artifacts), told),
        Row::figure_of("L11", all_of_it, each(index - text), super::Unit::Bytes),
    ])
}
