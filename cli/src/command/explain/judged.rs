//! Who judged a source of a decision, in which version, and whether the verdict was there in time.

use circinus_core::evidence::EvidenceKey;
use circinus_core::id::ArtifactId;
use circinus_store::query::{Decision, Evidence};

/// What is shown of the judgements of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Judged {
    /// One entry for each analyser.
    pub(super) by: Vec<String>,
    /// Whether a model was asked.
    pub(super) asked_a_model: bool,
}

impl Judged {
    /// Reads the judgements of the content of `artifact` as `decision` found them.
    pub(super) fn of(evidence: &[Evidence], artifact: ArtifactId, decision: &Decision) -> Self {
        let mut by: Vec<_> = evidence.iter().map(|row| entry(row, artifact, decision)).collect();
        let asked: Option<&EvidenceKey> = evidence
            .iter()
            .rev()
            .find_map(|row| row.routing.as_ref())
            .and_then(|routing| routing.key.as_ref());
        if let Some(key) = asked.filter(|key| evidence.iter().all(|row| row.judgement.key != **key)) {
            by.push(format!("{}: no verdict", who(key)));
        }
        Self { by, asked_a_model: asked.is_some() }
    }
}

fn entry(row: &Evidence, artifact: ArtifactId, decision: &Decision) -> String {
    let waited_from = decision.at.0.saturating_sub(decision.record.waited_ms.into());
    let ready = if row.seq > decision.id.0 {
        "not ready"
    } else if decision.record.waited_ms > 0 && row.at.0 >= waited_from {
        "ready after a wait"
    } else {
        "ready"
    };
    // The same bytes were judged once, wherever they came from first.
    let reused = if row.seq < artifact.0 { "reused" } else { "fresh" };
    format!("{} {}, {ready}, {reused}", who(&row.judgement.key), row.judgement.level)
}

fn who(key: &EvidenceKey) -> String {
    format!("{} v{} ({})", key.analyser, key.version, key.config.short())
}

/// How the analysis of a decision's sources was done, in words.
pub(super) fn in_words<'a>(judged: impl IntoIterator<Item = &'a Judged>) -> &'static str {
    if judged.into_iter().any(|judged| judged.asked_a_model) {
        "deterministic and model"
    } else {
        "deterministic-only"
    }
}
