//! Commits as the daemon makes them: one artifact with its body and its operands.

use circinus_core::artifact::Artifact;
use circinus_core::authority::{Authority, Secrecy};
use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event};
use circinus_core::id::{CallId, SessionId};
use circinus_core::operand::{Hit, Kind, Operand, PathContext};
use circinus_core::origin::Origin;
use circinus_core::policy::origin_row;
use circinus_core::view::ViewChain;

/// Bytes of one body: a tool result of middling length.
pub const BODY_BYTES: usize = 4_096;

/// Operands of one artifact: about what such a result holds.
pub const OPERANDS: usize = 20;

/// The `number`th ingest: a web page of [`BODY_BYTES`] with [`OPERANDS`] links, no two alike.
#[must_use]
pub fn ingest(number: u64) -> Commit {
    let mut body = number.to_le_bytes().to_vec();
    body.resize(BODY_BYTES, b' ');
    let links = (0..OPERANDS).filter_map(|link| link_operand(number, link));
    let hits = links.map(|operand| Hit { operand, views: ViewChain::default(), start: 300, end: 340 });
    let row = origin_row(Origin::WebFetch);
    let artifact = Artifact {
        session: SessionId::new("7f1c9f0e-52a5-4ad7-9f0b-0b6f4f7a2c11"),
        agent: None,
        call: Some(CallId::new(format!("toolu_{number:024}"))),
        origin: Origin::WebFetch,
        root: row.root,
        authority: Authority::new(row.effects),
        secrecy: Secrecy::Public,
        label: "WebFetch https://docs.circinus-load.dev/".into(),
        content: Digest::of(&body),
        bytes: body.len() as u64,
        observed: Vec::new(),
        inferred: Vec::new(),
        prints: Vec::new(),
        operands: hits.collect(),
        bindings: Vec::new(),
        read_from: None,
        analysed: true,
    };
    Commit {
        event: Event::Ingested(Box::new(artifact)),
        body: Some(body.into()),
        delivery: Some(Digest::of(&number.to_be_bytes())),
    }
}

fn link_operand(number: u64, link: usize) -> Option<Operand> {
    let paths =
        PathContext { cwd: "/w".into(), home: "/h".into(), workspace: "/w".into(), case_sensitive: true };
    Operand::parse(Kind::Url, &format!("https://docs-{link}.circinus-load.dev/guide/{number}/page"), &paths)
}

/// Bytes that a commit means: its body, and its operands as text with their places.
#[must_use]
pub fn logical_bytes(commit: &Commit) -> usize {
    /// Start and end of a hit, and its kind.
    const PLACE_BYTES: usize = 9;
    let body = commit.body.as_ref().map_or(0, |body| body.len());
    let operands = match &commit.event {
        Event::Ingested(artifact) => {
            artifact.operands.iter().map(|hit| hit.operand.canonical().len() + PLACE_BYTES).sum()
        }
        _ => 0,
    };
    body + operands
}
