//! A recorded session as a defence without memory sees it: calls with their tier, results with their level.

use circinus::adapter::claude_code::event;
use circinus::host::{AnnouncedCall, HostEvent, HostEventKind, Outcome};
use circinus_analyzer::call::{Source, Understanding, Who, understand};
use circinus_analyzer::{Surroundings, content};
use circinus_core::action::{Slot, Tier};
use circinus_core::evidence::Level;
use circinus_core::operand::PathContext;

use super::QualityError;
use crate::replay::carried::carried;
use crate::replay::describe::describe;
use crate::replay::format::{Event, Label, Session};
use crate::replay::host_json::host_json;

/// Where content came from, as a rule of thumb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The agent's own text comes back.
    Agent,
    /// A file, or the output of a local command.
    Local,
    /// A page, a remote command, a tool server, or a tool that is not known.
    Outside,
}

/// A call that asks to run.
#[derive(Debug)]
pub struct Asked {
    /// Id of the call in the recording.
    pub call: String,
    /// The call in one line.
    pub text: String,
    /// The corpus's word.
    pub label: Option<Label>,
    /// What is at stake.
    pub tier: Tier,
    /// What it acts on.
    pub slots: Vec<Slot>,
}

/// A result.
#[derive(Debug)]
pub struct Came {
    /// Id of the call in the recording.
    pub call: String,
    /// Where it came from.
    pub from: From,
    /// What the content analyser says.
    pub level: Level,
    /// What the agent reads.
    pub text: Box<str>,
}

/// One thing that happens in a session.
#[derive(Debug)]
pub enum Moment {
    /// A call.
    Asked(Box<Asked>),
    /// Its result.
    Came(Came),
}

/// A whole session.
#[derive(Debug)]
pub struct Reading {
    /// Its suite.
    pub suite: String,
    /// Its id in the recording.
    pub id: String,
    /// Whether it holds an attack.
    pub attack: bool,
    /// Whether an attack call carries something that had been read.
    pub carried: bool,
    /// The corpus's reason.
    pub why: String,
    /// Calls and results in order.
    pub moments: Vec<Moment>,
}

impl Reading {
    /// Reads a recorded session.
    ///
    /// # Errors
    /// When the host adapter refuses an event.
    pub fn of(session: &Session) -> Result<Reading, QualityError> {
        let attack = session.is_attack();
        let start = session.events.first().and_then(|event| event.label.as_ref());
        let mut moments = Vec::new();
        for event in &session.events {
            let read = event::parse(&host_json(event, &session.id)).map_err(|error| QualityError::Event {
                session: session.id.clone(),
                reason: error.to_string(),
            })?;
            moments.extend(moment(event, &read));
        }
        Ok(Reading {
            suite: session.suite.clone(),
            id: session.id.clone(),
            attack,
            carried: attack && carried(&session.events),
            why: start.map(|label| label.why.clone()).unwrap_or_default(),
            moments,
        })
    }
}

fn moment(event: &Event, read: &HostEvent) -> Option<Moment> {
    match &read.kind {
        HostEventKind::BeforeCall(call) => {
            let action = understood(read, call).action;
            Some(Moment::Asked(Box::new(Asked {
                call: event.tool_use_id.clone().unwrap_or_default(),
                text: describe(event),
                label: event.label.clone(),
                tier: action.tier,
                slots: action.slots,
            })))
        }
        HostEventKind::AfterCall { call, outcome } => Some(Moment::Came(came(event, read, call, outcome))),
        _ => None,
    }
}

fn came(event: &Event, read: &HostEvent, call: &AnnouncedCall, outcome: &Outcome) -> Came {
    let from = match understood(read, call).source {
        Source::Agent => From::Agent,
        Source::Local | Source::File => From::Local,
        Source::Remote(_) | Source::WebFetch | Source::WebSearch | Source::Mcp(_) | Source::Unobserved => {
            From::Outside
        }
    };
    Came {
        call: event.tool_use_id.clone().unwrap_or_default(),
        from,
        level: content::judge(outcome.output.as_bytes()).level,
        text: outcome.output.clone(),
    }
}

fn understood(read: &HostEvent, call: &AnnouncedCall) -> Understanding {
    let who = Who {
        session: read.session.clone(),
        agent: read.agent.clone(),
        call: call.id.clone(),
        tool: call.tool.clone(),
    };
    understand(&call.call, who, &around(&read.cwd))
}

/// The recorded folder is the workspace, and homes lie where they lie on the recorded systems.
fn around(cwd: &str) -> Surroundings {
    let home = match cwd.split('/').nth(2) {
        Some(name) if cwd.starts_with("/home/") || cwd.starts_with("/Users/") => {
            cwd.get(..cwd.len() - cwd.splitn(4, '/').nth(3).map_or(0, |rest| rest.len() + 1)).unwrap_or(name)
        }
        _ => "/root",
    };
    Surroundings {
        paths: PathContext {
            cwd: cwd.into(),
            home: home.into(),
            workspace: cwd.into(),
            case_sensitive: true,
        },
        circinus_home: format!("{home}/.circinus").into(),
        host_config_dirs: vec![format!("{home}/.claude").into()],
        temp_dirs: vec!["/tmp".into()],
        overlay: std::sync::Arc::default(),
        real: None,
    }
}
