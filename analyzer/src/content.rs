//! What a text is: the cheap tier of analysis, deterministic and linear.
//!
//! The judgement is a function of the bytes alone. One pass over the words of a text finds anchors and
//! the parts in which a rule can match; bounded-gap rules and linear patterns look only there, over the text
//! and over views that undo one way of hiding; a table turns the signals into a level.

mod anchors;
mod decoy;
pub(crate) mod encoded;
mod fold;
mod grammar;
mod hidden;
mod level;
mod lexer;
mod lexicon;
mod reader;
mod scan;
mod source;
mod surface;
mod survey;
mod vocabulary;
#[cfg(test)]
mod work;

use circinus_core::digest::Digest;
use circinus_core::evidence::{EvidenceKey, Finding, Judgement, Level};

use survey::Survey;

/// Name of this analyser in evidence keys.
pub const ANALYSER: &str = "cheap";

/// Version of the code of this analyser; its data are covered by the configuration digest.
pub const VERSION: u32 = 1;

/// Bytes of one content that are judged; of a longer one the rest is uncovered and the level is at least
/// `failed`. It is the bound to which operands are extracted, so nothing is indexed that is not judged.
pub const JUDGED_BYTES_MAX: usize = circinus_core::limits::EXTRACT_BYTES_MAX;

/// Findings kept of one signal, first in the text; all of them count for the level.
pub const FINDINGS_PER_SIGNAL_MAX: usize = 8;

/// Name, version and configuration of this analyser: what a required key has besides the content.
pub fn analyser() -> (&'static str, u32, Digest) {
    (ANALYSER, VERSION, lexicon::config())
}

/// The key under which this analyser's judgement of `content` is found.
pub fn key(content: Digest) -> EvidenceKey {
    let (name, version, config) = analyser();
    EvidenceKey { content, analyser: name.into(), version, config }
}

/// Judges `bytes`.
///
/// Deterministic, total, and linear in the length. Findings are in order of position and name ranges of
/// `bytes`; of one signal at most [`FINDINGS_PER_SIGNAL_MAX`] are kept. Signals that stand alone as notes are
/// reported with level `benign`.
///
/// INVARIANT (evidence-is-origin-blind): the bytes are the only input.
pub fn judge(bytes: &[u8]) -> Judgement {
    let key = key(Digest::of(bytes));
    let lexicon = match lexicon::lexicon() {
        Ok(lexicon) => lexicon,
        Err(error) => return failed(key, &error.to_string()),
    };
    let survey = Survey::of(lexicon, bytes);
    let (level, why) = survey.groups.level();
    let mut findings = survey.findings;
    findings.sort_unstable_by(|a, b| (a.start, a.end, &a.signal).cmp(&(b.start, b.end, &b.signal)));
    findings.dedup();
    let reason = reason(level, why, &findings);
    Judgement { key, level, findings: bounded(findings), reason }
}

/// A judgement that says that there is none, with the reason.
pub fn failed(key: EvidenceKey, why: &str) -> Judgement {
    Judgement { key, level: Level::Failed, findings: Vec::new(), reason: format!("failed: {why}").into() }
}

fn reason(level: Level, why: &str, findings: &[Finding]) -> Box<str> {
    let mut signals: Vec<&str> = findings.iter().map(|finding| &*finding.signal).collect();
    signals.sort_unstable();
    signals.dedup();
    if signals.is_empty() {
        return format!("{level}: {why}").into();
    }
    format!("{level}: {why} ({})", signals.join(", ")).into()
}

/// Keeps the first findings of every signal.
fn bounded(findings: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        if kept.iter().filter(|known| known.signal == finding.signal).count() < FINDINGS_PER_SIGNAL_MAX {
            kept.push(finding);
        }
    }
    kept
}
