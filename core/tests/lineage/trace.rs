//! Random traces of everything that reaches the index, and what the gate shows of a state.

use circinus_core::action::{Action, Flag, Flags, Slot, SlotValue, Tier};
use circinus_core::effect::Effect;
use circinus_core::evidence::Level;
use circinus_core::gate::Decision;
use circinus_core::id::{ArtifactId, SessionId};
use circinus_core::index::Snapshot;
use circinus_core::operand::{Kind, Operand};
use circinus_core::origin::Origin;
use circinus_core::policy::{Profile, origin_row};
use proptest::prelude::*;

use super::log::{Log, Seen, action, decide_on, operand, slot, whole};

pub(super) const SESSIONS: [(&str, &str, &str); 4] =
    [("s", "s", "/w"), ("child", "s", "/w"), ("later", "later", "/w"), ("elsewhere", "elsewhere", "/other")];
pub(super) const FILES: [&str; 3] = ["/w/a.sh", "/w/b.sh", "/w/c.sh"];
pub(super) const URLS: [&str; 3] =
    ["https://get.parts-shop.dev/one", "https://get.parts-shop.dev/two", "https://cdn.other-shop.dev/three"];
/// The same words hidden, so that only a view shows the URL.
pub(super) const HIDDEN: &str = "get%2Eparts-shop%2Edev and https:\\u002f\\u002fget.parts-shop.dev\\u002fone";

/// One step of a trace.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// Content of an origin is read that names a URL.
    Read { session: usize, origin: Origin, url: usize, level: Level },
    /// The agent composes a file that names a URL.
    Write { session: usize, file: usize, url: usize },
    /// A file is fetched from another machine.
    Fetch { session: usize, file: usize, url: usize },
    /// A file is copied, moved, linked or checked out as another one: a mechanical step over recorded bytes.
    Copy { session: usize, from: usize, to: usize },
    /// A file is read back.
    ReadBack { session: usize, file: usize },
    /// The conversation is summed up.
    Compact { session: usize, url: usize },
    /// A subagent or a tool whose inputs were not seen returns something.
    Unobserved { session: usize, url: usize },
}

impl Act {
    /// Whether it is an ingestion of a root, which alone may change what is granted.
    pub(super) fn is_root(&self) -> bool {
        match self {
            Self::Read { origin, .. } => origin_row(*origin).root,
            Self::Fetch { .. } => origin_row(Origin::CmdRemote).root,
            _ => false,
        }
    }
}

pub(super) fn level() -> impl Strategy<Value = Level> {
    prop::sample::select(vec![
        Level::Benign,
        Level::Pending,
        Level::Failed,
        Level::Suspicious,
        Level::Adverse,
    ])
}

pub(super) fn act() -> impl Strategy<Value = Act> {
    let session = 0..SESSIONS.len();
    let (file, url) = (0..FILES.len(), 0..URLS.len());
    // What the agent composes enters as a file, not as something read.
    let origins: Vec<_> = Origin::ALL.into_iter().filter(|origin| *origin != Origin::AgentText).collect();
    prop_oneof![
        4 => (session.clone(), prop::sample::select(origins), url.clone(), level())
            .prop_map(|(session, origin, url, level)| Act::Read { session, origin, url, level }),
        2 => (session.clone(), file.clone(), url.clone())
            .prop_map(|(session, file, url)| Act::Write { session, file, url }),
        1 => (session.clone(), file.clone(), url.clone())
            .prop_map(|(session, file, url)| Act::Fetch { session, file, url }),
        2 => (session.clone(), file.clone(), file.clone())
            .prop_map(|(session, from, to)| Act::Copy { session, from, to }),
        1 => (session.clone(), file).prop_map(|(session, file)| Act::ReadBack { session, file }),
        1 => (session.clone(), url.clone()).prop_map(|(session, url)| Act::Compact { session, url }),
        1 => (session, url).prop_map(|(session, url)| Act::Unobserved { session, url }),
    ]
}

pub(super) fn trace() -> impl Strategy<Value = Vec<Act>> {
    prop::collection::vec(act(), 0..14)
}

pub(super) fn start() -> Log {
    let mut log = Log::new();
    SESSIONS.iter().skip(1).for_each(|(session, root, workspace)| log.open_in(session, root, workspace));
    log
}

/// The origin that copies and read-backs are labelled with: the user's own file, so that only their parents
/// keep them from being a root.
const LABELLED: Origin = Origin::WsTracked;

pub(super) fn bound(log: &Log, file: usize) -> Option<ArtifactId> {
    log.snapshot.binding(&operand(Kind::Path, FILES[file])).map(|bound| bound.artifact)
}

/// What a file is bound to, and if it is to nothing yet, once it has been written.
pub(super) fn written(log: &mut Log, by: usize, file: usize) -> ArtifactId {
    let before = bound(log, file);
    before.or_else(|| play(log, &Act::Write { session: by, file, url: 0 })).unwrap()
}

pub(super) fn text_of(log: &Log, id: ArtifactId) -> String {
    use circinus_core::port::Texts as _;
    log.texts.text(&log.snapshot.artifact(id).unwrap().content).unwrap().to_string()
}

pub(super) fn play(log: &mut Log, act: &Act) -> Option<ArtifactId> {
    let number = log.events.len();
    let naming = |url: usize| format!("note {number}: see {} there", URLS[url]);
    let session = |at: usize| SESSIONS[at].0;
    match act {
        Act::Read { session: by, origin, url, level } => {
            let text = naming(*url);
            let id = log.record(Seen { session: session(*by), ..Seen::new(*origin, &text) });
            if *level != Level::Pending {
                log.judge_last(*level);
            }
            Some(id)
        }
        Act::Write { session: by, file, url } | Act::Fetch { session: by, file, url } => {
            let text = naming(*url);
            let fetched = matches!(act, Act::Fetch { .. });
            let origin = if fetched { Origin::CmdRemote } else { Origin::AgentText };
            let file = Some(FILES[*file]);
            let seen = Seen { session: session(*by), derived: !fetched, file, ..Seen::new(origin, &text) };
            Some(log.record(seen))
        }
        Act::Copy { session: by, from, to } => {
            let source = bound(log, *from)?;
            let text = text_of(log, source);
            let seen = Seen {
                session: session(*by),
                derived: true,
                parents: whole(source),
                file: Some(FILES[*to]),
                ..Seen::new(LABELLED, &text)
            };
            Some(log.record(seen))
        }
        Act::ReadBack { session: by, file } => {
            let source = bound(log, *file)?;
            let text = text_of(log, source);
            Some(log.record(Seen {
                session: session(*by),
                parents: whole(source),
                ..Seen::new(LABELLED, &text)
            }))
        }
        Act::Compact { session: by, url } => {
            let text = naming(*url);
            Some(log.record(Seen {
                session: session(*by),
                derived: true,
                ..Seen::new(Origin::AgentText, &text)
            }))
        }
        Act::Unobserved { session: by, url } => {
            let text = naming(*url);
            Some(log.record(Seen {
                session: session(*by),
                derived: true,
                ..Seen::new(Origin::Opaque, &text)
            }))
        }
    }
}

pub(super) fn played(trace: &[Act]) -> Log {
    let mut log = start();
    trace.iter().for_each(|act| {
        play(&mut log, act);
    });
    log
}

pub(super) fn url(at: usize) -> Operand {
    operand(Kind::Url, URLS[at])
}

/// G as it shows: whether each effect on each URL is granted to a session, read off the gate itself.
pub(super) fn granted(snapshot: &Snapshot, session: &str) -> Vec<bool> {
    let mut all = Vec::new();
    for at in 0..URLS.len() {
        for effect in Effect::ALL {
            // The flag is set exactly when the value's own grant does not cover the effect.
            let place = Slot {
                flags_unless_granted: Flags::of([Flag::PersistWs]),
                ..slot(effect, SlotValue::Operands(vec![url(at)]))
            };
            let asked = Action { session: SessionId::new(session), ..action(Tier::T1, vec![place]) };
            let decision = decide_on(snapshot, &asked, Profile::Balanced);
            let flags = decision.explanation().flags;
            all.push(!flags.contains(Flag::PersistWs));
        }
    }
    all
}

pub(super) fn all_granted(snapshot: &Snapshot) -> Vec<Vec<bool>> {
    SESSIONS.iter().map(|(session, _, _)| granted(snapshot, session)).collect()
}

/// Actions that look at everything a trace touches.
pub(super) fn actions(session: &str) -> Vec<Action> {
    let mut all = Vec::new();
    for at in 0..URLS.len() {
        for effect in [Effect::Send, Effect::Install, Effect::Fetch] {
            let place = Slot { tier_on_gap: Tier::T2, ..slot(effect, SlotValue::Operands(url(at).expand())) };
            all.push(action(Tier::T2, vec![place]));
        }
    }
    for file in FILES {
        for effect in [Effect::Exec, Effect::Persist] {
            let value = SlotValue::File(operand(Kind::Path, file));
            all.push(action(Tier::T1, vec![Slot { tier_on_gap: Tier::T3, ..slot(effect, value) }]));
        }
    }
    all.into_iter().map(|action| Action { session: SessionId::new(session), ..action }).collect()
}

pub(super) fn decisions(snapshot: &Snapshot, profile: Profile) -> Vec<Decision> {
    let sessions = SESSIONS.iter().map(|(session, _, _)| *session);
    sessions.flat_map(actions).map(|action| decide_on(snapshot, &action, profile)).collect()
}

pub(super) fn profile() -> impl Strategy<Value = Profile> {
    prop::sample::select(Profile::ALL.to_vec())
}
