//! An index of a given size, and an action that looks things up in it.

use circinus_core::action::{Action, Facts, Flags, Role, Slot, SlotValue, Tier};
use circinus_core::artifact::Artifact;
use circinus_core::authority::{Authority, Secrecy};
use circinus_core::digest::Digest;
use circinus_core::effect::{Effect, Effects};
use circinus_core::event::{Event, Recorded, SessionOpened};
use circinus_core::id::{EventSeq, SessionId, WorkspaceId};
use circinus_core::index::Snapshot;
use circinus_core::operand::{Hit, Kind, Operand, PathContext};
use circinus_core::origin::Origin;
use circinus_core::policy::origin_row;
use circinus_core::time::UnixMillis;
use circinus_core::view::ViewChain;

/// Operands per artifact: about what a tool result of 4 KB holds.
const OPERANDS_PER_ARTIFACT: usize = 20;

fn session() -> SessionId {
    SessionId::new("bench")
}

/// The `number`th URL.
///
/// # Panics
///
/// Never: the text is a URL.
pub fn url(number: usize) -> Vec<Operand> {
    let paths =
        PathContext { cwd: "/w".into(), home: "/h".into(), workspace: "/w".into(), case_sensitive: true };
    let text = format!("https://host-{}.example-bench.dev/path/{number}", number % 5_000);
    Operand::parse(Kind::Url, &text, &paths).map(|url| url.expand()).unwrap_or_default()
}

/// An index over `operands` distinct URLs of web pages that one session read.
#[must_use]
pub fn snapshot(operands: usize) -> Snapshot {
    let mut snapshot = Snapshot::new([]);
    events(operands).iter().for_each(|event| snapshot.apply(event));
    snapshot
}

/// What such an index is made of.
#[must_use]
pub fn events(operands: usize) -> Vec<Recorded> {
    let opened = SessionOpened {
        session: session(),
        root: session(),
        workspace: WorkspaceId::new("/w"),
        host_version: None,
        repository: None,
    };
    let mut events =
        vec![Recorded { seq: EventSeq(1), at: UnixMillis(1), event: Event::SessionOpened(opened) }];
    let numbers: Vec<usize> = (0..operands).collect();
    for (chunk, seq) in numbers.chunks(OPERANDS_PER_ARTIFACT).zip(2_u64..) {
        let hits = chunk.iter().filter_map(|number| url(*number).into_iter().next());
        let hits = hits.map(|operand| Hit { operand, views: ViewChain::default(), start: 0, end: 1 });
        let event = Event::Ingested(Box::new(page(hits.collect(), seq)));
        events.push(Recorded { seq: EventSeq(seq), at: UnixMillis(seq), event });
    }
    events
}

fn page(operands: Vec<Hit>, number: u64) -> Artifact {
    let row = origin_row(Origin::WebFetch);
    Artifact {
        session: session(),
        agent: None,
        call: None,
        origin: Origin::WebFetch,
        root: row.root,
        authority: Authority::new(row.effects),
        secrecy: Secrecy::Public,
        label: "page".into(),
        content: Digest::of(&number.to_le_bytes()),
        bytes: 4_096,
        observed: Vec::new(),
        inferred: Vec::new(),
        prints: Vec::new(),
        operands,
        bindings: Vec::new(),
        read_from: None,
        analysed: true,
    }
}

/// An action whose slots name `urls`, as an argument of about 1 KB with that many URLs would.
pub fn action(urls: impl IntoIterator<Item = usize>) -> Action {
    let slot = |number| Slot {
        role: Role::Designator,
        effect: Effect::Send,
        value: SlotValue::Operands(url(number)),
        tier_on_gap: Tier::T2,
        flags_unless_granted: Flags::NONE,
        place: "bench".into(),
    };
    Action {
        session: session(),
        agent: None,
        call: None,
        tool: "Bash".into(),
        summary: "bench".into(),
        identity: Digest::of(b""),
        tier: Tier::T2,
        effects: Effects::NONE,
        flags: Flags::NONE,
        slots: urls.into_iter().map(slot).collect(),
        facts: Facts::default(),
    }
}
