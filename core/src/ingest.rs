//! Ingestion: from something observed to the artifact that is committed.

use std::collections::BTreeMap;

use crate::artifact::{Artifact, Binding};
use crate::authority::{Authority, Secrecy};
use crate::copied::{self, Code};
use crate::digest::Digest;
use crate::event::{Commit, Event};
use crate::id::{AgentId, ArtifactId, CallId, SessionId};
use crate::index::Snapshot;
use crate::limits;
use crate::lineage::{Inferred, Observed, Step};
use crate::operand::{self, Hit, Operand, PathContext};
use crate::origin::Origin;
use crate::policy;
use crate::port::{Grammar, Texts};

/// Something that was seen at a watched boundary.
#[derive(Clone, Debug)]
pub struct Observation<'a> {
    /// Which session saw it.
    pub session: &'a SessionId,
    /// Which subagent saw it, if one did.
    pub agent: Option<&'a AgentId>,
    /// Which call produced it, if one did.
    pub call: Option<&'a CallId>,
    /// Name of the event that carried it; part of the delivery's identity.
    pub event: &'a str,
    /// Where it came from.
    pub origin: Origin,
    /// What it is, for people.
    pub label: &'a str,
    /// Its exact bytes.
    pub bytes: &'a [u8],
    /// Its bytes as text, lossily where they are not UTF-8.
    pub text: &'a str,
    /// Whether it was computed from what came earlier, recorded or not, and so is no root.
    pub derived: bool,
    /// Observed parents.
    pub parents: &'a [Observed],
    /// Files whose bytes it is.
    pub bindings: Vec<Binding>,
    /// The file that it was read from.
    pub read_from: Option<Operand>,
    /// Whether it is confidential by itself (read from a credential store).
    pub secrecy: Secrecy,
    /// What the local key is, for sealing secrets.
    pub seal: &'a [u8; 32],
    /// How relative paths are read.
    pub paths: &'a PathContext,
    /// Whether there is text to analyse; a directory tree has none.
    pub analysed: bool,
    /// What finds command lines.
    pub grammar: &'a dyn Grammar,
    /// The part of the text that the agent composed in this very call, where it is not all of it: an edit.
    pub composed: Option<&'a str>,
    /// Texts of earlier artifacts, for comparing.
    pub texts: &'a dyn Texts,
}

/// The artifact of an observation, ready to be committed.
///
/// INVARIANT (derive-never-raises): authority is the meet of the origin's row and of every whole parent, and
/// anything derived, or with a whole parent, is no root.
pub fn admit(observation: Observation<'_>, snapshot: &Snapshot) -> Commit {
    let row = policy::origin_row(observation.origin);
    let parents: Vec<&Artifact> = observation
        .parents
        .iter()
        .filter(|edge| edge.step == Step::Whole)
        .filter_map(|edge| snapshot.artifact(edge.parent))
        .collect();
    let authority =
        parents.iter().fold(Authority::new(row.effects), |all, parent| all.meet(parent.authority));
    let secrecy = parents.iter().fold(observation.secrecy, |all, parent| all.max(parent.secrecy));
    let operands = operands(&observation);
    let inferred = quotes(&observation, &operands, snapshot);
    let content = Digest::of(observation.bytes);
    let delivery = Digest::of_parts([
        observation.session.as_str().as_bytes(),
        observation.call.map_or("", CallId::as_str).as_bytes(),
        observation.event.as_bytes(),
        observation.label.as_bytes(),
        content.0.as_slice(),
    ]);
    let mut artifact = Artifact {
        session: observation.session.clone(),
        agent: observation.agent.cloned(),
        call: observation.call.cloned(),
        origin: observation.origin,
        root: row.root && parents.is_empty() && !observation.derived,
        authority,
        secrecy,
        label: operand::masked(observation.label)
            .chars()
            .take(limits::LABEL_CHARS_MAX)
            .collect::<String>()
            .into(),
        content,
        bytes: observation.bytes.len() as u64,
        observed: observation.parents.to_vec(),
        inferred,
        operands,
        prints: Vec::new(),
        bindings: observation.bindings,
        read_from: observation.read_from,
        analysed: observation.analysed,
    };
    if artifact.analysed && (artifact.root || copied::brings(&artifact, snapshot)) {
        artifact.prints = copied::prints(observation.text);
    }
    // A prompt that repeats is said again: only what a call produced can be delivered twice.
    let delivery = observation.call.map(|_| delivery);
    Commit {
        event: Event::Ingested(Box::new(artifact)),
        body: Some(observation.text.as_bytes().into()),
        delivery,
    }
}

fn operands(observation: &Observation<'_>) -> Vec<Hit> {
    let mut hits = operand::extract_with_views(observation.text, observation.paths, observation.grammar);
    for hit in &mut hits {
        hit.operand = hit.operand.sealed(observation.seal);
    }
    hits
}

/// Inferred edges of what the agent composed: the earlier artifacts whose code it copied, then those that its
/// operands stand in, each once.
fn quotes(observation: &Observation<'_>, operands: &[Hit], snapshot: &Snapshot) -> Vec<Inferred> {
    if observation.origin != Origin::AgentText && observation.composed.is_none() {
        return Vec::new();
    }
    let code = Code { text: observation.composed.unwrap_or(observation.text), commands: operands };
    let copied = copied::edges(code, observation.session, snapshot, observation.texts);
    let mut edges: BTreeMap<ArtifactId, Inferred> =
        copied.into_iter().map(|edge| (edge.parent, edge)).collect();
    for hit in operands {
        let sources = snapshot
            .visible(&hit.operand, observation.session)
            .into_iter()
            .filter(|occurrence| occurrence.artifact.origin != Origin::AgentText);
        for occurrence in sources {
            if edges.len() < limits::QUOTES_PER_ARTIFACT_MAX {
                let edge = Inferred { parent: occurrence.id, quote: occurrence.hit.clone() };
                edges.entry(occurrence.id).or_insert(edge);
            }
        }
    }
    edges.into_values().collect()
}
