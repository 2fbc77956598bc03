//! L11: what the exact tier occupies, in a process of its own so that nothing else is counted.

use std::path::Path;
use std::process::Command;

use circinus_core::event::Event;
use circinus_core::index::Snapshot;

use super::promise::all;
use super::{LimitsError, Row, Setting};
use crate::proc;
use crate::workload::index;

/// What a process is to hold besides the artifacts themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Held {
    /// A second copy of the artifacts and nothing else.
    Copies,
    /// An index, which holds such a copy.
    Index,
}

/// Makes artifacts with so many operands and what is to be held beside them; gives what this process has resident
/// then, and the bytes of the operands' text.
///
/// # Errors
/// When the system does not say what is resident.
pub fn probe(held: Held, operands: usize) -> Result<(u64, u64), LimitsError> {
    let events = index::events(operands);
    let mut copies = Vec::new();
    let mut snapshot = Snapshot::new([]);
    match held {
        Held::Copies => copies.extend(events.iter().cloned()),
        Held::Index => events.iter().for_each(|event| snapshot.apply(event)),
    }
    let resident = proc::resident_bytes(std::process::id())?;
    let text = events.iter().flat_map(|event| match &event.event {
        Event::Ingested(artifact) => artifact.operands.as_slice(),
        _ => &[],
    });
    let text = text.map(|hit| hit.operand.canonical().len() as u64).sum();
    std::hint::black_box((copies, snapshot));
    Ok((resident, text))
}

/// Measures L11: two processes that differ by the index alone, so that what making the artifacts left behind is in both.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Row>, LimitsError> {
    let operands = setting.rounds(1_000_000, 200_000);
    let (nothing, _) = in_a_process("copies", 0)?;
    let (copies, _) = in_a_process("copies", operands)?;
    let (index, text) = in_a_process("index", operands)?;
    let each = |bytes: f64| bytes / operands as f64;
    let told = format!("{} k operands, {:.0} B of text each", operands / 1_000, each(text));
    // Half of what the copies are: one of the two belongs to the measurement.
    let record = (copies - nothing) / 2.0;
    let all_of_it = "apart: resident bytes per operand beyond its text, its record included";
    Ok(vec![
        Row::of(all::L11, each(index - copies), told),
        Row::figure_of("L11", all_of_it, each(index - copies + record - text), super::Unit::Bytes),
    ])
}

fn in_a_process(held: &str, operands: usize) -> Result<(f64, f64), LimitsError> {
    let own = std::env::current_exe().map_err(LimitsError::io("find", Path::new("this program")))?;
    let output = Command::new(&own).args(["probe", "memory", held, &operands.to_string()]).output();
    let output = output.map_err(LimitsError::io("start", &own))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let figures: Vec<f64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [resident, text] = figures.as_slice() else { return Err(LimitsError::Lost) };
    Ok((*resident, *text))
}
