//! Provenance as PROV-JSON (W3C member submission, <https://www.w3.org/submissions/prov-json/>).
//!
//! Artifacts, verdicts of analysis and statements are entities; the call that brought an artifact and each decision
//! are activities; sessions and persons are agents. An inferred edge is a derivation of type `prov:Quotation`, so the
//! two kinds of edges stay apart.

use std::collections::HashSet;
use std::io::Write;

use circinus_core::artifact::Artifact;
use circinus_core::endorsement::Author;
use circinus_core::event::{Event, Recorded};
use circinus_core::id::{ArtifactId, DecisionId, SessionId};
use circinus_core::lineage::Step;
use serde_json::{Value, json};

use super::value::{self, effects};
use super::{ExportError, Log};
use crate::{clock, reason, stated};

/// The namespace of our own names.
const NAMESPACE: &str = "urn:circinus:";

/// One group of the document.
pub(super) struct Section {
    name: &'static str,
    /// What an event adds to it.
    statements: fn(&Recorded) -> Vec<Named>,
    /// Whether several events may make the same statement, which may stand there once.
    repeats: bool,
}

/// A statement with its identifier; without one it gets a blank one.
type Named = (Option<String>, Value);

/// The groups in the order of the document; the log is read once for each.
pub(super) const SECTIONS: [Section; 7] = [
    Section { name: "entity", statements: entities, repeats: false },
    Section { name: "activity", statements: activities, repeats: false },
    Section { name: "agent", statements: agents, repeats: true },
    Section { name: "wasGeneratedBy", statements: generations, repeats: false },
    Section { name: "used", statements: usages, repeats: false },
    Section { name: "wasDerivedFrom", statements: derivations, repeats: false },
    Section { name: "wasAttributedTo", statements: attributions, repeats: false },
];

/// Writes the document.
///
/// # Errors
/// [`ExportError`].
pub fn write(log: &Log<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
    write!(out, "{{\n\"prefix\": {}", json!({ "circinus": NAMESPACE }))?;
    let mut blank = 0_u64;
    for section in SECTIONS {
        write!(out, ",\n\"{}\": {{", section.name)?;
        // Only agents repeat, and there are few of them.
        let mut written = HashSet::new();
        let mut separator = "\n";
        log.each(|recorded| {
            for (name, statement) in (section.statements)(recorded) {
                let name = name.unwrap_or_else(|| {
                    blank += 1;
                    format!("_:n{blank}")
                });
                if section.repeats && !written.insert(name.clone()) {
                    continue;
                }
                write!(out, "{separator}{}: {statement}", Value::from(name))?;
                separator = ",\n";
            }
            Ok(())
        })?;
        write!(out, "}}")?;
    }
    Ok(out.write_all(b"\n}\n")?)
}

fn entities(recorded: &Recorded) -> Vec<Named> {
    let attributes = match &recorded.event {
        Event::Ingested(artifact) => json!({
            "prov:type": qualified("circinus:Artifact"),
            "prov:label": artifact.label,
            "circinus:origin": artifact.origin.name(),
            "circinus:root": artifact.root,
            "circinus:effects": effects(artifact.authority.effects()).join(" "),
            "circinus:content": artifact.content.to_string(),
            "circinus:bytes": artifact.bytes,
        }),
        Event::Judged { judgement, .. } => json!({
            "prov:type": qualified("circinus:Judgement"),
            "prov:label": judgement.reason,
            "circinus:level": judgement.level.name(),
            "circinus:content": judgement.key.content.to_string(),
            "circinus:analyser": format!("{} v{}", judgement.key.analyser, judgement.key.version),
        }),
        Event::Stated(statement) => json!({
            "prov:type": qualified("circinus:Statement"),
            "prov:label": stated::line(statement),
        }),
        _ => return Vec::new(),
    };
    own_name(recorded).map(|name| (Some(name), attributes)).into_iter().collect()
}

fn activities(recorded: &Recorded) -> Vec<Named> {
    let at = clock::rfc3339(recorded.at);
    match &recorded.event {
        Event::Ingested(artifact) => {
            let Some(call) = &artifact.call else { return Vec::new() };
            let attributes = json!({
                "prov:type": qualified("circinus:Call"),
                "prov:label": artifact.label,
                "prov:endTime": at,
                "circinus:call": call.as_str(),
            });
            vec![(Some(call_of(ArtifactId(recorded.seq))), attributes)]
        }
        Event::Decided(record) => {
            let attributes = json!({
                "prov:type": qualified("circinus:Decision"),
                "prov:label": format!("{} {} {}", record.explanation.verdict, record.tool, record.summary),
                "prov:startTime": at,
                "prov:endTime": at,
                "circinus:verdict": record.explanation.verdict.name(),
                "circinus:rules": reason::rules(&record.explanation),
                "circinus:tier": record.explanation.tier.to_string(),
                "circinus:profile": record.explanation.profile.name(),
                "circinus:session": record.session.as_str(),
            });
            vec![(Some(local(DecisionId(recorded.seq))), attributes)]
        }
        _ => Vec::new(),
    }
}

fn agents(recorded: &Recorded) -> Vec<Named> {
    match &recorded.event {
        Event::SessionOpened(opened) => vec![session_agent(&opened.session)],
        Event::Ingested(artifact) => vec![session_agent(&artifact.session)],
        Event::Stated(statement) => {
            let attributes = json!({ "prov:type": qualified("prov:Person"), "prov:label": stated::author(&statement.author) });
            vec![(Some(person(&statement.author)), attributes)]
        }
        _ => Vec::new(),
    }
}

fn session_agent(session: &SessionId) -> Named {
    let attributes = json!({ "prov:type": qualified("prov:SoftwareAgent"), "prov:label": session.as_str() });
    (Some(session_name(session)), attributes)
}

fn generations(recorded: &Recorded) -> Vec<Named> {
    let Event::Ingested(artifact) = &recorded.event else { return Vec::new() };
    if artifact.call.is_none() {
        return Vec::new();
    }
    let id = ArtifactId(recorded.seq);
    let statement = json!({
        "prov:entity": local(id), "prov:activity": call_of(id), "prov:time": clock::rfc3339(recorded.at),
    });
    vec![(None, statement)]
}

/// What a call had as its input, and what reached an action that was decided about.
fn usages(recorded: &Recorded) -> Vec<Named> {
    match &recorded.event {
        Event::Ingested(artifact) if artifact.call.is_some() => {
            let activity = call_of(ArtifactId(recorded.seq));
            let used = artifact.observed.iter().filter(|edge| edge.step == Step::Used);
            used.map(|edge| (None, json!({ "prov:activity": activity, "prov:entity": local(edge.parent) })))
                .collect()
        }
        Event::Decided(record) => {
            let activity = local(DecisionId(recorded.seq));
            let sources = record.explanation.influences.iter();
            let used = sources.filter_map(|source| {
                let statement = json!({
                    "prov:activity": activity,
                    "prov:entity": local(source.artifact?),
                    "prov:role": source.place,
                    "circinus:effect": source.effect.name(),
                    "circinus:gap": source.gap.name(),
                    "circinus:level": source.level.name(),
                });
                Some((None, statement))
            });
            used.collect()
        }
        _ => Vec::new(),
    }
}

fn derivations(recorded: &Recorded) -> Vec<Named> {
    let Event::Ingested(artifact) = &recorded.event else { return Vec::new() };
    let child = local(ArtifactId(recorded.seq));
    let copied = artifact.observed.iter().filter(|edge| edge.step == Step::Whole || artifact.call.is_none());
    let copied =
        copied.map(|edge| json!({ "prov:generatedEntity": child, "prov:usedEntity": local(edge.parent) }));
    copied.chain(quotations(artifact, &child)).map(|statement| (None, statement)).collect()
}

fn quotations<'a>(artifact: &'a Artifact, child: &'a str) -> impl Iterator<Item = Value> + 'a {
    artifact.inferred.iter().map(move |edge| {
        json!({
            "prov:generatedEntity": child,
            "prov:usedEntity": local(edge.parent),
            "prov:type": qualified("prov:Quotation"),
            "circinus:operand": reason::operand(&edge.quote.operand),
            "circinus:start": edge.quote.start,
            "circinus:end": edge.quote.end,
        })
    })
}

fn attributions(recorded: &Recorded) -> Vec<Named> {
    let agent = match &recorded.event {
        Event::Ingested(artifact) => session_name(&artifact.session),
        Event::Stated(statement) => person(&statement.author),
        _ => return Vec::new(),
    };
    let entity = own_name(recorded);
    entity.map(|entity| (None, json!({ "prov:entity": entity, "prov:agent": agent }))).into_iter().collect()
}

fn own_name(recorded: &Recorded) -> Option<String> {
    value::id(recorded).map(local)
}

fn call_of(artifact: ArtifactId) -> String {
    local(format_args!("{artifact}.call"))
}

fn session_name(session: &SessionId) -> String {
    local(format_args!("session.{}", escaped(session.as_str())))
}

fn person(author: &Author) -> String {
    match author {
        Author::Terminal { uid, .. } => local(format_args!("user.{uid}")),
        Author::Prompt => local("user"),
    }
}

fn local(name: impl std::fmt::Display) -> String {
    format!("circinus:{name}")
}

/// A value that is a qualified name, not a text that looks like one.
fn qualified(name: &str) -> Value {
    json!({ "$": name, "type": "prov:QUALIFIED_NAME" })
}

/// A host's own text as part of a qualified name: what is not plain there is written as `%XX` (PROV-N, PN_LOCAL).
fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
