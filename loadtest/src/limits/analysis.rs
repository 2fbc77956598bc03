//! L15: understanding commands, usual ones and the worst.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use circinus_analyzer::{Surroundings, command};
use serde::Deserialize;

use super::promise::all;
use super::sample::{Sample, in_words};
use super::{LimitsError, Row, Setting};
use crate::replay::zstd::Frames;
use crate::workload::commands::{USUAL, around, pathological};

/// Names a folder with the corpora; without it commands of our own stand for what agents run.
const CORPUS: &str = "CIRCINUS_TEST_CORPUS";

#[derive(Deserialize)]
struct Line {
    command: String,
}

/// Measures L15.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Row>, LimitsError> {
    let around = around();
    let corpus = std::env::var_os(CORPUS).map(PathBuf::from);
    let (usual, from) = match &corpus {
        Some(folder) => (recorded(&folder.join("commands/real_sessions.jsonl.zst"))?, "recorded commands"),
        None => (USUAL.map(str::to_owned).to_vec(), "commands of our own, no corpus given"),
    };
    let repeats = setting.rounds(3, 1).max(setting.rounds(20_000, 4_000) / usual.len().max(1));
    let mut times = Vec::new();
    for _ in 0..repeats {
        times.extend(usual.iter().map(|text| timed(text, &around)));
    }
    let usual_times = Sample::new(times);
    let mut worst = (0.0, "");
    for (name, text) in pathological() {
        let times = (0..setting.rounds(9, 3)).map(|_| timed(&text, &around)).collect();
        let took = Sample::new(times).p50();
        if took > worst.0 {
            worst = (took, name);
        }
    }
    let told = format!("{} {from}, p50 {}", usual.len(), in_words(usual_times.p50()));
    Ok(vec![
        Row::of(all::L15_USUAL, usual_times.p99() * 1e6, told),
        Row::of(all::L15_WORST, worst.0 * 1e3, format!("of {}: {}", pathological().len(), worst.1)),
    ])
}

fn timed(text: &str, around: &Surroundings) -> Duration {
    let began = Instant::now();
    drop(black_box(command::analyze(black_box(text), around)));
    began.elapsed()
}

fn recorded(path: &Path) -> Result<Vec<String>, LimitsError> {
    let file = File::open(path).map_err(LimitsError::io("open", path))?;
    let lines = BufReader::new(Frames::new(BufReader::new(file))).lines();
    let mut commands = Vec::new();
    for line in lines {
        let line = line.map_err(LimitsError::io("read", path))?;
        commands.push(serde_json::from_str::<Line>(&line)?.command);
    }
    Ok(commands)
}
