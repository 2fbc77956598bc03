//! Copied code: command lines and long verbatim spans of earlier content in what the agent composed.
//!
//! An agent can retype a script that it read. No file was copied then, and yet what runs is somebody else's
//! code. Content that may not cause execution is fingerprinted when it arrives; what the agent composes is
//! compared with it when it is written or about to run, and a shared span is verified byte by byte.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use memchr::memmem;

use crate::artifact::Artifact;
use crate::effect::Effect;
use crate::id::{ArtifactId, SessionId, WorkspaceId};
use crate::index::Snapshot;
use crate::limits::{
    COMPARED_ARTIFACTS_MAX, EXTRACT_BYTES_MAX, PRINTS_PER_ARTIFACT_MAX, QUOTES_PER_ARTIFACT_MAX,
    SPAN_BYTES_MIN,
};
use crate::lineage::Inferred;
use crate::operand::{Hit, Kind, Operand};
use crate::origin::Origin;
use crate::port::Texts;
use crate::view::{self, View, ViewChain, Viewed};

mod normal;
mod winnow;

use self::normal::Normal;

/// Views in which code is read besides its plain form: pages hold it as HTML, structured results as JSON.
const READINGS: [View; 2] = [View::Html, View::Escape];

/// Places of one fingerprint in a composed text that are tried. Code that repeats itself more often is found
/// at its other fingerprints.
const PLACES_MAX: usize = 64;

/// Text that the agent composed and that runs or may run.
#[derive(Clone, Copy, Debug)]
pub struct Code<'a> {
    /// The text.
    pub text: &'a str,
    /// The command lines in it.
    pub commands: &'a [Hit],
}

/// The fingerprints of a text that came from outside, sorted, each once.
pub fn prints(text: &str) -> Vec<u32> {
    let mut values: Vec<u32> = readings(text)
        .flat_map(|reading| winnow::prints(reading.normal.text.as_bytes()))
        .map(|print| print.value)
        .collect();
    values.sort_unstable();
    values.dedup();
    values.truncate(PRINTS_PER_ARTIFACT_MAX);
    values
}

/// Whether an artifact may be the source of copied code: it may not cause execution itself.
///
/// What a local command printed brings nothing that what it read did not bring: most of it is the
/// workspace's own text, seen through `cat`, `sed -n` or a build.
pub fn brings(artifact: &Artifact, snapshot: &Snapshot) -> bool {
    let lacks = |artifact: &Artifact| !artifact.authority.allows(Effect::Exec);
    match artifact.origin {
        Origin::CmdLocal => {
            let parents = artifact.observed.iter().filter_map(|edge| snapshot.artifact(edge.parent));
            parents.filter(|parent| parent.origin != Origin::CmdLocal).any(lacks)
        }
        _ => lacks(artifact),
    }
}

/// Suffixes of files that no build or test tool runs: prose, data, pictures.
const INERT: [&str; 22] = [
    "md", "mdx", "markdown", "rst", "txt", "adoc", "tex", "csv", "tsv", "json", "jsonl", "ndjson", "xml",
    "html", "htm", "css", "svg", "png", "jpg", "pdf", "lock", "log",
];

/// Data files by their suffix that hold commands all the same.
const MANIFESTS: [&str; 3] = ["package.json", "composer.json", "deno.json"];

/// Whether a build or test tool of a workspace may run a file of it.
pub fn may_run(path: &Operand, workspace: &WorkspaceId) -> bool {
    let path = path.canonical();
    let inside = path.strip_prefix(workspace.as_str()).is_some_and(|rest| rest.starts_with('/'));
    let name = path.rsplit('/').next().unwrap_or_default();
    let suffix = name.rsplit_once('.').map_or("", |(_, suffix)| suffix);
    let inert = INERT.iter().any(|inert| inert.eq_ignore_ascii_case(suffix));
    inside && (!inert || MANIFESTS.contains(&name))
}

/// Whether an inferred edge says that code was copied.
pub fn is_copy(edge: &Inferred) -> bool {
    matches!(edge.quote.operand.kind(), Kind::Command | Kind::Span)
}

/// Earlier artifacts whose code stands in what the agent composed, each once, as inferred edges. A span that a
/// root with the authority for it holds as well was not brought by another.
pub fn edges(code: Code<'_>, session: &SessionId, snapshot: &Snapshot, texts: &dyn Texts) -> Vec<Inferred> {
    let mut edges = BTreeMap::new();
    for hit in code.commands.iter().filter(|hit| hit.operand.kind() == Kind::Command) {
        for occurrence in snapshot.visible(&hit.operand, session) {
            if edges.len() < QUOTES_PER_ARTIFACT_MAX && brings(occurrence.artifact, snapshot) {
                let edge = Inferred { parent: occurrence.id, quote: occurrence.hit.clone() };
                edges.entry(occurrence.id).or_insert(edge);
            }
        }
    }
    for edge in spans(code.text, session, snapshot, texts) {
        if edges.len() < QUOTES_PER_ARTIFACT_MAX {
            edges.entry(edge.parent).or_insert(edge);
        }
    }
    edges.into_values().collect()
}

fn spans(text: &str, session: &SessionId, snapshot: &Snapshot, texts: &dyn Texts) -> Vec<Inferred> {
    let composed = Normal::of(text).text;
    let prints = winnow::prints(composed.as_bytes());
    if prints.is_empty() {
        return Vec::new();
    }
    let values: HashSet<u32> = prints.into_iter().map(|print| print.value).collect();
    let mut shared = snapshot.sharing(&values, session);
    shared.truncate(COMPARED_ARTIFACTS_MAX);
    let candidates = shared.iter().filter_map(|(id, count)| Some((*id, *count, snapshot.artifact(*id)?)));
    let (bringing, granting): (Vec<_>, Vec<_>) =
        candidates.partition(|(_, _, artifact)| brings(artifact, snapshot));
    let granted: Vec<Normal> = granting
        .iter()
        .filter(|(_, _, artifact)| artifact.root && !bringing.is_empty())
        .filter_map(|(_, _, artifact)| texts.text(&artifact.content))
        .map(|text| Normal::of(&text))
        .collect();
    let edge = |(id, count, artifact): (ArtifactId, usize, &Artifact)| match texts.text(&artifact.content) {
        Some(source) => {
            shared_span(&composed, &values, &source, &granted).map(|quote| Inferred { parent: id, quote })
        }
        // It cannot be verified any more. One fingerprint may be chance, two are taken for a copy.
        None => (count > 1).then(|| unverified(id, artifact)).flatten(),
    };
    bringing.into_iter().filter_map(edge).collect()
}

/// A span that a source shares with the composed text and that nothing granted holds.
fn shared_span(composed: &str, values: &HashSet<u32>, source: &str, granted: &[Normal]) -> Option<Hit> {
    readings(source).find_map(|reading| {
        let theirs = winnow::prints(reading.normal.text.as_bytes());
        let wanted = theirs.iter().map(|print| print.value).filter(|value| values.contains(value)).collect();
        let mut ours: HashMap<u32, Vec<usize>> = HashMap::new();
        for run in winnow::runs(composed.as_bytes(), &wanted) {
            let places = ours.entry(run.value).or_default();
            if places.len() < PLACES_MAX {
                places.push(run.at);
            }
        }
        let pairs = theirs
            .iter()
            .flat_map(|print| ours.get(&print.value).into_iter().flatten().map(|place| (*place, print.at)));
        pairs.filter_map(|(mine, its)| common(composed, mine, &reading.normal.text, its)).find_map(|range| {
            let span = reading.normal.text.get(range.clone())?;
            // The first and the last word may go on differently on either side by chance.
            let inner = span
                .split_once(' ')
                .and_then(|(_, rest)| rest.rsplit_once(' '))
                .map_or(span, |(inner, _)| inner);
            let known =
                granted.iter().any(|normal| memmem::find(normal.text.as_bytes(), inner.as_bytes()).is_some());
            if known { None } else { reading.hit(span, &range) }
        })
    })
}

/// The range in `right` around `at_right` that equals what is around `at_left` in `left`, if it is a span.
fn common(left: &str, at_left: usize, right: &str, at_right: usize) -> Option<Range<usize>> {
    let (before_left, after_left) = left.as_bytes().split_at_checked(at_left)?;
    let (before_right, after_right) = right.as_bytes().split_at_checked(at_right)?;
    let ahead = after_left.iter().zip(after_right).take_while(|(a, b)| a == b).count();
    let behind = before_left.iter().rev().zip(before_right.iter().rev()).take_while(|(a, b)| a == b).count();
    let mut range = at_right - behind..at_right + ahead;
    while !right.is_char_boundary(range.start) {
        range.start += 1;
    }
    while !right.is_char_boundary(range.end) {
        range.end -= 1;
    }
    (range.start + SPAN_BYTES_MIN <= range.end).then_some(range)
}

fn unverified(id: ArtifactId, artifact: &Artifact) -> Option<Inferred> {
    let operand = Operand::span(&artifact.content.to_string())?;
    let end = u32::try_from(artifact.bytes).unwrap_or(u32::MAX);
    Some(Inferred { parent: id, quote: Hit { operand, views: ViewChain::default(), start: 0, end } })
}

/// One way to read a text that came from outside.
struct Reading {
    view: Option<(View, Viewed)>,
    normal: Normal,
}

impl Reading {
    fn hit(&self, span: &str, range: &Range<usize>) -> Option<Hit> {
        let lines = self.normal.original(range);
        let (views, range) = match &self.view {
            Some((view, viewed)) => (ViewChain(Box::new([*view])), viewed.map.original(lines)),
            None => (ViewChain::default(), lines),
        };
        Some(Hit {
            operand: Operand::span(span)?,
            views,
            start: u32::try_from(range.start).ok()?,
            end: u32::try_from(range.end).ok()?,
        })
    }
}

fn readings(text: &str) -> impl Iterator<Item = Reading> + '_ {
    let mut end = text.len().min(EXTRACT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or_default();
    let plain = Reading { view: None, normal: Normal::of(text) };
    let viewed = READINGS.into_iter().filter_map(move |view| {
        let viewed = view::apply(view, text)?;
        Some(Reading { normal: Normal::of(&viewed.text), view: Some((view, viewed)) })
    });
    std::iter::once(plain).chain(viewed)
}
