//! `circinus explain [ID|last]`: a sentence, the chain from source to sink, the rule, and what would change
//! the answer. Everything shown was recorded by the evaluation that gave the verdict.

mod dot;
mod graph;
mod html;
mod judged;
mod svg;

use circinus_core::action::Rooted;
use circinus_core::explain::{Explanation, Fired, Influence, Path};
use circinus_core::id::DecisionId;
use circinus_core::operand::{Hit, Kind, masked};
use circinus_core::policy::{self, Gap, Verdict};
use circinus_store::query::Decision;
use circinus_store::{OpenError, QueryError, Reader};
use clap::Args;
use serde_json::{Value, json};
use thiserror::Error;

use self::graph::Graph;
use self::judged::Judged;
use super::Context;
use super::daemon::{ask, place};
use crate::daemon::{ControlReply, ControlRequest, Coverage};
use crate::exit::Exit;
use crate::reason;
use crate::ui::{Style, Tree, Ui, escape_untrusted};

/// Arguments of `circinus explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
JSON (schema 1; fields are only added): schema, decision, at_ms, session, tool,
summary, verdict, profile, tier, flags, effects, rules (id, result, reason,
remedy), waited_ms, analysis, coverage, influences (artifact, source, origin,
place, effect, gap, edge, operand, bytes, evidence, signals, analysers), found.")]
pub struct ExplainArgs {
    /// The decision: an id such as d42, or `last`.
    #[arg(default_value = "last")]
    id: String,
    /// Print one JSON object.
    #[arg(long, group = "form")]
    json: bool,
    /// Print one HTML page that needs nothing else, with the lineage as a drawing.
    #[arg(long, group = "form")]
    html: bool,
    /// Print the lineage as a graph for Graphviz.
    #[arg(long, group = "form")]
    dot: bool,
}

impl ExplainArgs {
    /// To explain one decision for people.
    #[must_use]
    pub const fn of(id: String) -> Self {
        Self { id, json: false, html: false, dot: false }
    }
}

/// Why there is no explanation.
#[derive(Debug, Error)]
enum ExplainError {
    #[error("`{0}` is no decision id; hint: use an id such as d42, or `last`")]
    NotAnId(String),
    #[error("there is no decision {0}; hint: `circinus log` lists the recorded ones")]
    Unknown(DecisionId),
    #[error("no decision is recorded yet; hint: allowed calls that nothing touched leave no record")]
    NoneYet,
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// Runs the command.
pub fn run(args: &ExplainArgs, context: &Context, ui: &mut Ui) -> Exit {
    match explain(args, context, ui) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            ui.error(&error);
            match error {
                ExplainError::NotAnId(_) => Exit::Refused,
                _ => Exit::Findings,
            }
        }
    }
}

fn explain(args: &ExplainArgs, context: &Context, ui: &mut Ui) -> Result<(), ExplainError> {
    let reader = Reader::open(&context.places.database)?;
    let decision = find(&args.id, &reader)?;
    let sources =
        decision.record.explanation.influences.iter().map(|it| Source::read(it, &decision, &reader));
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    let coverage = coverage(&decision, context);
    let graph = || Graph::of(&decision, &sources);
    if args.json {
        ui.line(as_json(&decision, &sources, coverage));
    } else if args.html {
        ui.raw(html::render(&decision, &sources, &graph()));
    } else if args.dot {
        ui.raw(dot::render(&graph()));
    } else {
        show(&decision, &sources, ui);
        let known = coverage.map_or_else(|| "unknown".to_owned(), |coverage| coverage.to_string());
        ui.paragraph(&format!("Coverage of the session: {known}."), Style::Dim);
    }
    Ok(())
}

/// How much of what the session read is accounted for; only a running daemon that followed it can tell.
fn coverage(decision: &Decision, context: &Context) -> Option<Coverage> {
    let Ok(ControlReply::Status(status)) = ask(&place(context), &ControlRequest::Status) else { return None };
    let session = decision.record.session.as_str();
    status.coverage.into_iter().find(|other| other.session == session).map(|found| found.coverage)
}

fn find(id: &str, reader: &Reader) -> Result<Decision, ExplainError> {
    if id == "last" {
        return reader.last_decision(None)?.ok_or(ExplainError::NoneYet);
    }
    let id: DecisionId = id.parse().map_err(|_| ExplainError::NotAnId(escape_untrusted(id)))?;
    reader.decision(id)?.ok_or(ExplainError::Unknown(id))
}

/// Longest spelling of a quote that is shown, in bytes.
const SPELLED_BYTES_MAX: usize = 120;

/// Influences that people are shown; they come with the weightiest first.
const BRANCHES_MAX: usize = 5;

/// One influence with what the store knows of its artifact.
struct Source {
    influence: Influence,
    label: String,
    judged: Judged,
    /// How long before the decision it was recorded, in milliseconds.
    earlier_ms: Option<u64>,
    /// What stands in the artifact at the place of the quote, where it is not the canonical form.
    spelled: Option<String>,
}

impl Source {
    fn read(influence: &Influence, decision: &Decision, reader: &Reader) -> Result<Self, QueryError> {
        let stored = influence.artifact.map(|id| reader.artifact(id)).transpose()?.flatten();
        let mut judged = Judged::default();
        let earlier_ms = stored.as_ref().map(|stored| decision.at.0.saturating_sub(stored.at.0));
        let mut spelled = None;
        let mut label = influence.origin.describe().to_owned();
        if let Some(stored) = stored {
            label = format!("{label} ({}, {})", stored.id, escape_untrusted(&stored.artifact.label));
            if let Some(hit) = quote(&influence.path) {
                spelled = reader.body(stored.artifact.content)?.and_then(|body| spelling(hit, &body));
            }
            judged = Judged::of(&reader.evidence(stored.artifact.content)?, stored.id, decision);
        }
        Ok(Self { influence: influence.clone(), label, judged, earlier_ms, spelled })
    }
}

/// The quote that an influence rests on.
const fn quote(path: &Path) -> Option<&Hit> {
    match path {
        Path::Quote(hit) | Path::Copied { quote: hit, .. } => Some(hit),
        Path::Whole { .. } | Path::Remote(_) => None,
    }
}

/// How an artifact spells what it is quoted with, if otherwise than the canonical form. Neither a secret nor
/// prose: a token stays sealed, and a span is too long.
fn spelling(hit: &Hit, body: &[u8]) -> Option<String> {
    if matches!(hit.operand.kind(), Kind::Token | Kind::Span) {
        return None;
    }
    let range = usize::try_from(hit.start).ok()?..usize::try_from(hit.end).ok()?;
    let text = std::str::from_utf8(body.get(range)?).ok()?;
    let shown = text.len() <= SPELLED_BYTES_MAX && text != hit.operand.canonical();
    shown.then(|| escape_untrusted(&masked(text)))
}

fn show(decision: &Decision, sources: &[Source], ui: &mut Ui) {
    let explanation = &decision.record.explanation;
    let style = match explanation.verdict {
        Verdict::Allow => Style::Good,
        Verdict::Review => Style::Warning,
        Verdict::Block => Style::Bad,
    };
    let call = format!("{} {}", decision.record.tool, decision.record.summary);
    ui.paragraph(&format!("{} {}: {}", decision.id, explanation.verdict, escape_untrusted(&call)), style);
    ui.paragraph(&sentence(decision, sources), Style::Plain);
    ui.line("");
    ui.tree(&chain(decision, sources));
    ui.line("");
    for fired in &explanation.fired {
        let Some(rule) = fired.rule.rule() else { continue };
        ui.paragraph(&format!("{} {}: {}.", rule.name, rule.result, rule.reason), Style::Plain);
    }
    for line in changes(explanation) {
        ui.paragraph(&format!("What would change the answer: {line}."), Style::Plain);
    }
    ui.paragraph(
        &format!(
            "Profile {}, tier {}, flags: {}. Analysis: {}. Waited {} ms for evidence.",
            explanation.profile,
            explanation.tier,
            if explanation.flags.is_empty() { "none".to_owned() } else { explanation.flags.to_string() },
            judged::in_words(sources.iter().map(|source| &source.judged)),
            decision.record.waited_ms
        ),
        Style::Dim,
    );
}

/// What, from where, why, with every source named as the store knows it.
fn sentence(decision: &Decision, sources: &[Source]) -> String {
    let label = |influence: &Influence| {
        let known = sources.iter().find(|source| source.influence == *influence);
        known.map_or_else(|| influence.origin.describe().to_owned(), |source| source.label.clone())
    };
    reason::sentence(&decision.record.explanation, &decision.record.tool, label)
}

/// What would change the answer, once for each rule that the answer rests on.
fn changes(explanation: &Explanation) -> Vec<String> {
    let decisive = explanation
        .fired
        .iter()
        .filter(|fired| fired.rule.rule().is_some_and(|rule| rule.result == explanation.verdict));
    let mut lines: Vec<String> = decisive.filter_map(|fired| reason::remedy(*fired, explanation)).collect();
    lines.dedup();
    lines
}

fn chain(decision: &Decision, sources: &[Source]) -> Tree {
    let call = format!("{} {}", decision.record.tool, decision.record.summary);
    let mut tree = Tree::new(escape_untrusted(&call), Style::Strong);
    for source in sources.iter().take(BRANCHES_MAX) {
        tree.push(branch(source));
    }
    if let Some(more) = sources.len().checked_sub(BRANCHES_MAX).filter(|more| *more > 0) {
        tree.push(Tree::new(format!("and {more} more that weigh no more; `--json` has all"), Style::Dim));
    }
    for found in &decision.record.explanation.rooted {
        tree.push(rooted(found));
    }
    if sources.is_empty() {
        tree.push(Tree::new("no recorded source reached it", Style::Dim));
    }
    tree
}

fn rooted(found: &Rooted) -> Tree {
    let (operand, file) = (reason::operand(&found.operand), reason::operand(&found.file));
    let row = policy::origin_row(found.origin);
    let head = format!("`{operand}` stands in `{file}` since before the session");
    let grants = format!("found by a search; {} grants {}", found.origin.describe(), row.effects);
    Tree::new(head, Style::Good).with(Tree::new(grants, Style::Plain))
}

fn branch(source: &Source) -> Tree {
    let Source { influence, label, judged, earlier_ms, spelled } = source;
    let gap = match influence.gap {
        Gap::None => "granted".to_owned(),
        gap => format!("gap {gap}: no root grants {} for it", influence.effect),
    };
    let head = format!("{} at `{}`, {gap}", influence.effect, escape_untrusted(&influence.place));
    let way = match &influence.path {
        Path::Quote(hit) => format!("inferred: {}", quoted(hit)),
        Path::Whole { file, hops } => {
            let hops: Vec<_> = hops.iter().map(ToString::to_string).collect();
            format!("observed: `{}`, copied from it over {}", reason::operand(file), hops.join(", "))
        }
        Path::Copied { file: Some((file, by)), quote } => {
            format!("inferred: {}, retyped into `{}` ({by})", quoted(quote), reason::operand(file))
        }
        Path::Copied { file: None, quote } => format!("inferred: {}, retyped into the call", quoted(quote)),
        Path::Remote(from) => format!("observed: bytes straight from `{}`", reason::operand(from)),
    };
    let mut evidence = format!("evidence {}", influence.level);
    if !influence.signals.is_empty() {
        evidence += &format!(", signals {}", influence.signals.join(" "));
    }
    if !judged.by.is_empty() {
        evidence += &format!(", by {}", judged.by.join("; "));
    }
    let style = if influence.gap > Gap::None { Style::Warning } else { Style::Plain };
    let when = earlier_ms.map_or_else(String::new, |ms| format!(", {} before", elapsed(ms)));
    let mut way = Tree::new(way, Style::Plain);
    if let Some(spelled) = spelled {
        way.push(Tree::new(format!("written there as `{spelled}`"), Style::Plain));
    }
    way.push(Tree::new(format!("from {label}{when}"), Style::Plain));
    Tree::new(head, style).with(way).with(Tree::new(evidence, Style::Plain))
}

/// A time span in its greatest whole unit.
fn elapsed(ms: u64) -> String {
    match ms / 1_000 {
        0 => format!("{ms} ms"),
        seconds @ 1..120 => format!("{seconds} s"),
        seconds @ 120..7_200 => format!("{} min", seconds / 60),
        seconds @ 7_200..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    }
}

fn quoted(hit: &Hit) -> String {
    let views = views(hit);
    let through = if views.is_empty() { String::new() } else { format!(" through {}", views.join(", ")) };
    let kind = format!("{:?}", hit.operand.kind()).to_lowercase();
    format!("{kind} `{}` stands at bytes {}..{}{through}", reason::operand(&hit.operand), hit.start, hit.end)
}

/// The views that showed a quote, outermost first.
fn views(hit: &Hit) -> Vec<String> {
    hit.views.0.iter().map(|view| format!("{view:?}").to_lowercase()).collect()
}

/// Schema 1: fields are only added.
fn as_json(decision: &Decision, sources: &[Source], coverage: Option<Coverage>) -> Value {
    let explanation = &decision.record.explanation;
    let rule = |fired: &Fired| {
        fired.rule.rule().map_or(Value::Null, |rule| {
            let remedy = reason::remedy(*fired, explanation);
            json!({ "id": rule.name, "result": rule.result.name(), "reason": rule.reason, "remedy": remedy })
        })
    };
    json!({
        "schema": 1,
        "decision": decision.id.to_string(),
        "at_ms": decision.at.0,
        "session": decision.record.session.as_str(),
        "tool": &*decision.record.tool,
        "summary": &*decision.record.summary,
        "verdict": explanation.verdict.name(),
        "profile": explanation.profile.name(),
        "tier": explanation.tier.to_string(),
        "flags": explanation.flags.iter().map(|flag| flag.name()).collect::<Vec<_>>(),
        "effects": explanation.effects.iter().map(|effect| effect.name()).collect::<Vec<_>>(),
        "rules": explanation.fired.iter().map(rule).collect::<Vec<_>>(),
        "waited_ms": decision.record.waited_ms,
        "analysis": judged::in_words(sources.iter().map(|source| &source.judged)),
        "coverage": coverage,
        "influences": sources.iter().map(influence_json).collect::<Vec<_>>(),
        "found": explanation.rooted.iter().map(|found| json!({
            "operand": reason::operand(&found.operand),
            "file": reason::operand(&found.file),
            "origin": found.origin.name(),
        })).collect::<Vec<_>>(),
    })
}

fn influence_json(source: &Source) -> Value {
    let influence = &source.influence;
    let (edge, operand) = match &influence.path {
        Path::Quote(hit) | Path::Copied { quote: hit, .. } => ("inferred", reason::operand(&hit.operand)),
        Path::Whole { file, .. } => ("observed", reason::operand(file)),
        Path::Remote(from) => ("observed", reason::operand(from)),
    };
    let quote = quote(&influence.path);
    let (hops, file) = match &influence.path {
        Path::Whole { file, hops } => (hops.iter().map(ToString::to_string).collect(), Some(file)),
        Path::Copied { file: Some((file, by)), .. } => (vec![by.to_string()], Some(file)),
        _ => (Vec::new(), None),
    };
    json!({
        "artifact": influence.artifact.map(|id| id.to_string()),
        "source": source.label,
        "origin": influence.origin.name(),
        "place": &*influence.place,
        "effect": influence.effect.name(),
        "gap": influence.gap.name(),
        "edge": edge,
        "operand": operand,
        "bytes": quote.map(|hit| [hit.start, hit.end]),
        "views": quote.map(views),
        "written": source.spelled,
        "file": file.map(reason::operand),
        "hops": hops,
        "earlier_ms": source.earlier_ms,
        "evidence": influence.level.name(),
        "signals": influence.signals,
        "analysers": source.judged.by,
    })
}
