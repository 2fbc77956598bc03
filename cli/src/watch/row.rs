//! One recorded event as a row of the view.

use circinus_core::event::{Event, Recorded};
use circinus_core::evidence::Level;
use circinus_core::explain::Path;
use circinus_core::id::{ActId, ArtifactId, DecisionId, EvidenceId};
use circinus_core::policy::{Gap, Verdict};

use crate::ui::{Style, escape_untrusted};
use crate::{reason, stated};

/// A row. Nothing in its text can move a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Number of the event.
    pub seq: u64,
    /// When it was recorded, in milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// What kind of event, in one word.
    pub kind: &'static str,
    /// How it is shown.
    pub style: Style,
    /// What happened, in one line.
    pub text: String,
    /// More about it, one line each.
    pub details: Vec<String>,
    /// The session that it names.
    pub session: Option<String>,
    /// The decision, if it is one.
    pub decision: Option<DecisionId>,
    /// What an endorsement of the decision's first source would say: subject and effect.
    pub endorsable: Option<(String, &'static str)>,
}

impl Row {
    /// The row of an event.
    #[must_use]
    pub fn of(recorded: &Recorded) -> Self {
        let (kind, style, text, details) = told(recorded);
        let session =
            crate::export::session(&recorded.event).map(|session| escape_untrusted(session.as_str()));
        let decision = matches!(recorded.event, Event::Decided(_)).then_some(DecisionId(recorded.seq));
        Self {
            seq: recorded.seq.0,
            at_ms: recorded.at.0,
            kind,
            style,
            text: escape_untrusted(&text),
            details: details.iter().map(|line| escape_untrusted(line)).collect(),
            session,
            decision,
            endorsable: endorsable(&recorded.event),
        }
    }
}

fn told(recorded: &Recorded) -> (&'static str, Style, String, Vec<String>) {
    match &recorded.event {
        Event::SessionOpened(opened) => {
            ("session", Style::Dim, format!("{} opened in {}", opened.session, opened.workspace), Vec::new())
        }
        Event::SessionClosed { session } => ("session", Style::Dim, format!("{session} closed"), Vec::new()),
        Event::Ingested(artifact) => {
            let id = ArtifactId(recorded.seq);
            let details = vec![
                format!(
                    "{id}: {}, {} bytes, content {}",
                    artifact.origin.describe(),
                    artifact.bytes,
                    artifact.content.short()
                ),
                format!(
                    "may cause {}{}",
                    artifact.authority.effects(),
                    if artifact.root { ", a root" } else { "" }
                ),
                format!(
                    "{} operands, {} observed and {} inferred parents",
                    artifact.operands.len(),
                    artifact.observed.len(),
                    artifact.inferred.len()
                ),
            ];
            ("artifact", Style::Plain, format!("{id} {}: {}", artifact.origin, artifact.label), details)
        }
        Event::Judged { judgement, .. } => {
            let signals: Vec<_> = judgement.findings.iter().map(|finding| &*finding.signal).collect();
            let style = if judgement.level >= Level::Failed { Style::Warning } else { Style::Dim };
            let by = format!("{} v{}", judgement.key.analyser, judgement.key.version);
            let text = format!(
                "{} {} {} by {by}",
                EvidenceId(recorded.seq),
                judgement.key.content.short(),
                judgement.level
            );
            (
                "evidence",
                style,
                text,
                vec![judgement.reason.to_string(), format!("signals: {}", signals.join(" "))],
            )
        }
        Event::Decided(record) => {
            let explanation = &record.explanation;
            let style = match explanation.verdict {
                Verdict::Allow => Style::Plain,
                Verdict::Review => Style::Warning,
                Verdict::Block => Style::Bad,
            };
            let rules = reason::rules(explanation);
            let text = format!(
                "{} {} [{rules}] {} {}",
                DecisionId(recorded.seq),
                explanation.verdict,
                record.tool,
                record.summary
            );
            let sentence = reason::sentence(explanation, &record.tool, |influence| {
                let id = influence.artifact.map_or_else(String::new, |id| format!(" ({id})"));
                format!("{}{id}", influence.origin.describe())
            });
            let tier = format!(
                "tier {}, profile {}, waited {} ms for evidence",
                explanation.tier, explanation.profile, record.waited_ms
            );
            ("decision", style, text, vec![sentence, tier])
        }
        Event::Stated(statement) => {
            let text = format!(
                "{} {}, by {}",
                ActId(recorded.seq),
                stated::line(statement),
                stated::author(&statement.author)
            );
            ("stated", Style::Good, text, Vec::new())
        }
        Event::HostBound(bound) => {
            let text = format!("{} is process {} of {}", bound.session, bound.process.pid, bound.program);
            ("host", Style::Dim, text, Vec::new())
        }
        Event::Impersonated(event) => {
            let text = format!("{} in {} came from {}", event.event, event.session, event.program);
            ("intruder", Style::Bad, text, Vec::new())
        }
        Event::Requested(requested) => {
            let text = format!("{}: at most {}", requested.key.content.short(), requested.reserved);
            ("request", Style::Dim, text, Vec::new())
        }
        Event::Settled(settled) => {
            ("request", Style::Dim, format!("{} has cost {}", settled.request.0, settled.cost), Vec::new())
        }
        Event::Unanswered(unanswered) => {
            let text = format!("{} no verdict: {}", unanswered.key.content.short(), unanswered.cause);
            ("evidence", Style::Warning, text, Vec::new())
        }
        Event::AskUnreliable { program, decision } => {
            ("host", Style::Warning, format!("{program} answered {decision} by itself"), Vec::new())
        }
    }
}

/// The operand that the first gap of a decision rests on, where one operand can be endorsed for it.
fn endorsable(event: &Event) -> Option<(String, &'static str)> {
    let Event::Decided(record) = event else { return None };
    let influence = record.explanation.influences.iter().find(|influence| influence.gap > Gap::None)?;
    let operand = match &influence.path {
        Path::Quote(hit) => &hit.operand,
        Path::Whole { file, .. } => file,
        Path::Remote(from) => from,
        Path::Copied { .. } => return None,
    };
    (operand.kind() != circinus_core::operand::Kind::Token)
        .then(|| (operand.canonical().to_owned(), influence.effect.name()))
}
