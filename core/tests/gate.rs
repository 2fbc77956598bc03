//! The gate over a log of events: lineage, grants, first arrival, and the verdicts that follow.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails the test"
)]

use circinus_core::action::{Action, Facts, Flag, Flags, Role, Sighting, Slot, SlotValue, Tier};
use circinus_core::artifact::{Artifact, Binding};
use circinus_core::authority::{Authority, Secrecy};
use circinus_core::digest::Digest;
use circinus_core::effect::{Effect, Effects};
use circinus_core::event::{Event, Recorded, SessionOpened};
use circinus_core::evidence::{Judgement, Level};
use circinus_core::gate::{Circumstances, Decision, Weighed, decide};
use circinus_core::id::{ArtifactId, EventSeq, SessionId, WorkspaceId};
use circinus_core::index::{Required, Snapshot};
use circinus_core::lineage::{Inferred, Observed, Step};
use circinus_core::operand::{Hit, Kind, Operand, PathContext};
use circinus_core::origin::Origin;
use circinus_core::policy::{Profile, Verdict, origin_row};
use circinus_core::time::UnixMillis;
use circinus_core::view::{View, ViewChain};

const PAGE_URL: &str = "https://cdn.setup-tool.dev/i.sh";

/// A log that is folded as it grows.
struct Log {
    snapshot: Snapshot,
    next: u64,
}

fn cheap() -> Required {
    Required { analyser: "cheap".into(), version: 1, config: Digest::of(b"") }
}

fn paths() -> PathContext {
    PathContext { cwd: "/w".into(), home: "/home/u".into(), workspace: "/w".into(), case_sensitive: true }
}

fn operand(kind: Kind, text: &str) -> Operand {
    Operand::parse(kind, text, &paths()).unwrap()
}

fn url() -> Operand {
    operand(Kind::Url, PAGE_URL)
}

fn hit(operand: &Operand) -> Hit {
    Hit { operand: operand.clone(), views: ViewChain::default(), start: 3, end: 9 }
}

impl Log {
    fn new() -> Self {
        let mut log = Self { snapshot: Snapshot::new([cheap()]), next: 1 };
        log.open("s", "s");
        log
    }

    fn event(&mut self, event: Event) -> EventSeq {
        let seq = EventSeq(self.next);
        self.next += 1;
        self.snapshot.apply(&Recorded { seq, at: UnixMillis(seq.0), event });
        seq
    }

    fn open(&mut self, session: &str, root: &str) {
        self.event(Event::SessionOpened(SessionOpened {
            session: SessionId::new(session),
            root: SessionId::new(root),
            workspace: WorkspaceId::new("/w"),
            host_version: None,
            repository: None,
        }));
    }

    /// Ingests content of an origin that holds the operands, judged at `level` (not at all when pending).
    fn ingest(&mut self, origin: Origin, text: &str, operands: &[Hit], level: Level) -> ArtifactId {
        self.ingest_with(origin, text, operands, level, |_| {})
    }

    fn ingest_with(
        &mut self,
        origin: Origin,
        text: &str,
        operands: &[Hit],
        level: Level,
        change: impl FnOnce(&mut Artifact),
    ) -> ArtifactId {
        let row = origin_row(origin);
        let mut artifact = Artifact {
            session: SessionId::new("s"),
            agent: None,
            call: None,
            origin,
            root: row.root,
            authority: Authority::new(row.effects),
            secrecy: Secrecy::Public,
            label: text.into(),
            content: Digest::of(text.as_bytes()),
            bytes: text.len() as u64,
            observed: Vec::new(),
            inferred: Vec::new(),
            prints: Vec::new(),
            operands: operands.to_vec(),
            bindings: Vec::new(),
            read_from: None,
            analysed: true,
        };
        change(&mut artifact);
        let id = ArtifactId(self.event(Event::Ingested(Box::new(artifact))));
        if level != Level::Pending {
            self.judge(text, level);
        }
        id
    }

    fn judge(&mut self, text: &str, level: Level) {
        let key = cheap().key(Digest::of(text.as_bytes()));
        let judgement = Judgement { key, level, findings: Vec::new(), reason: "".into() };
        self.event(Event::Judged { judgement, routing: None });
    }

    fn decide(&self, action: &Action, profile: Profile) -> Decision {
        decide(action, &self.snapshot, Circumstances { profile, store_up: true, now: UnixMillis(self.next) })
    }

    fn verdict(&self, action: &Action, profile: Profile) -> (Verdict, String) {
        let decision = self.decide(action, profile);
        let rules: Vec<_> = decision.explanation().fired.iter().map(|fired| fired.rule.to_string()).collect();
        (decision.verdict(), rules.join(" "))
    }
}

fn slot(effect: Effect, value: SlotValue) -> Slot {
    Slot {
        role: Role::Designator,
        effect,
        value,
        tier_on_gap: Tier::T0,
        flags_unless_granted: Flags::NONE,
        place: "test".into(),
    }
}

fn action(tier: Tier, slots: Vec<Slot>) -> Action {
    Action {
        session: SessionId::new("s"),
        agent: None,
        call: None,
        tool: "Bash".into(),
        summary: "test".into(),
        identity: Digest::of(b""),
        tier,
        effects: Effects::NONE,
        flags: Flags::NONE,
        slots,
        facts: Facts::default(),
    }
}

fn send_to_page() -> Action {
    action(Tier::T2, vec![slot(Effect::Send, SlotValue::Operands(vec![url()]))])
}

fn pipe_from_page() -> Action {
    action(Tier::T2, vec![slot(Effect::Exec, SlotValue::Remote(vec![url()]))])
}

#[test]
fn a_hostile_page_that_names_the_target_blocks_and_one_that_does_not_changes_nothing() {
    let mut log = Log::new();
    log.ingest(Origin::WebFetch, "page", &[hit(&url())], Level::Adverse);
    assert_eq!(log.verdict(&pipe_from_page(), Profile::Balanced), (Verdict::Block, "E2 E1 E3 A1".into()));
    let other = action(
        Tier::T2,
        vec![slot(Effect::Send, SlotValue::Operands(vec![operand(Kind::Host, "api.acme.io")]))],
    );
    assert_eq!(log.verdict(&other, Profile::Balanced).0, Verdict::Allow, "the page did not touch this");
}

#[test]
fn what_the_user_named_first_has_no_gap_and_no_influence() {
    let mut log = Log::new();
    log.ingest(Origin::UserPrompt, "prompt", &[hit(&url())], Level::Benign);
    log.ingest(Origin::WebFetch, "page", &[hit(&url())], Level::Adverse);
    let decision = log.decide(&pipe_from_page(), Profile::Strict);
    assert_eq!(decision.verdict(), Verdict::Allow);
    assert!(decision.explanation().influences.is_empty(), "{:?}", decision.explanation());
}

#[test]
fn a_host_that_the_user_named_first_may_be_read_and_not_run() {
    let (host, link) = (operand(Kind::Host, "cdn.setup-tool.dev"), url());
    let fetch =
        action(Tier::T1, vec![slot(Effect::Fetch, SlotValue::Operands(vec![link.clone(), host.clone()]))]);
    let page = [hit(&link), hit(&host)];
    let mut log = Log::new();
    log.ingest(Origin::UserPrompt, "prompt", &[hit(&host)], Level::Benign);
    log.ingest(Origin::WebFetch, "page", &page, Level::Adverse);
    assert_eq!(log.verdict(&fetch, Profile::Strict).0, Verdict::Allow);
    assert_eq!(log.verdict(&pipe_from_page(), Profile::Balanced).0, Verdict::Block);
    let mut other = Log::new();
    other.ingest(Origin::WebFetch, "page", &page, Level::Adverse);
    other.ingest(Origin::UserPrompt, "prompt", &[hit(&host)], Level::Benign);
    assert_eq!(other.verdict(&fetch, Profile::Balanced), (Verdict::Review, "E1".into()), "an echo");
}

#[test]
fn an_echo_grants_but_keeps_the_evidence_of_what_came_first() {
    let mut log = Log::new();
    log.ingest(Origin::WebFetch, "page", &[hit(&url())], Level::Suspicious);
    log.ingest(Origin::UserPrompt, "prompt", &[hit(&url())], Level::Benign);
    assert_eq!(log.verdict(&send_to_page(), Profile::Balanced), (Verdict::Review, "E3".into()));
}

#[test]
fn a_benign_page_is_flagged_in_balanced_and_asked_about_in_strict() {
    let mut log = Log::new();
    log.ingest(Origin::WebFetch, "page", &[hit(&url())], Level::Benign);
    let decision = log.decide(&send_to_page(), Profile::Balanced);
    assert_eq!(decision.verdict(), Verdict::Allow);
    assert!(decision.is_flagged());
    assert_eq!(log.verdict(&send_to_page(), Profile::Strict), (Verdict::Review, "A2".into()));
}

#[test]
fn a_pending_page_is_waited_for_at_t2_and_never_at_t1() {
    let mut log = Log::new();
    log.ingest(Origin::WebFetch, "page", &[hit(&url())], Level::Pending);
    let decision = log.decide(&send_to_page(), Profile::Balanced);
    assert_eq!(decision.pending(), [Digest::of(b"page")]);
    assert_eq!(decision.verdict(), Verdict::Review, "pending is not permission");
    assert_eq!(log.verdict(&send_to_page(), Profile::Critical).0, Verdict::Block);
    let fetch = action(Tier::T1, vec![slot(Effect::Fetch, SlotValue::Operands(vec![url()]))]);
    let light = log.decide(&fetch, Profile::Balanced);
    assert!(light.pending().is_empty());
    assert_eq!(light.verdict(), Verdict::Allow);
    log.judge("page", Level::Benign);
    assert!(log.decide(&send_to_page(), Profile::Balanced).pending().is_empty());
}

/// A decoded hit influences; it never grants.
#[test]
fn p7_a_view_influences_and_never_grants() {
    let mut log = Log::new();
    let decoded = Hit { views: ViewChain(Box::new([View::Base64])), ..hit(&url()) };
    log.ingest(Origin::UserPrompt, "prompt", std::slice::from_ref(&decoded), Level::Benign);
    log.ingest(Origin::WebFetch, "page", &[decoded], Level::Benign);
    assert_eq!(log.verdict(&send_to_page(), Profile::Strict), (Verdict::Review, "A2".into()));
}

#[test]
fn a_downloaded_file_that_runs_has_an_observed_gap_also_after_copies_and_in_another_session() {
    let mut log = Log::new();
    let (first, copy) = (operand(Kind::Path, "/w/i.sh"), operand(Kind::Path, "/w/sub/j.sh"));
    let bound =
        |path: &Operand| Binding { path: path.clone(), content: Some(Digest::of(b"#!")), tree: false };
    let download = log.ingest_with(Origin::CmdRemote, "#!", &[], Level::Benign, |artifact| {
        artifact.bindings = vec![bound(&first)]
    });
    log.ingest_with(Origin::AgentText, "#!", &[], Level::Benign, |artifact| {
        artifact.bindings = vec![bound(&copy)];
        artifact.observed = vec![Observed { parent: download, step: Step::Whole }];
        artifact.authority = Authority::new(origin_row(Origin::CmdRemote).effects);
    });
    log.open("later", "later");
    for path in [first, copy] {
        let mut run = action(
            Tier::T1,
            vec![Slot { tier_on_gap: Tier::T2, ..slot(Effect::Exec, SlotValue::File(path)) }],
        );
        assert_eq!(log.verdict(&run, Profile::Balanced), (Verdict::Review, "A1".into()));
        run.session = SessionId::new("later");
        assert_eq!(log.verdict(&run, Profile::Balanced), (Verdict::Review, "A1".into()), "cross-session");
    }
}

#[test]
fn a_file_below_a_cloned_tree_is_the_clone() {
    let mut log = Log::new();
    log.ingest_with(Origin::CmdRemote, "", &[], Level::Benign, |artifact| {
        let tree = Binding { path: operand(Kind::Path, "/w/tool"), content: None, tree: true };
        artifact.bindings = vec![tree];
        artifact.analysed = false;
    });
    let run = |path: &str| {
        let value = SlotValue::File(operand(Kind::Path, path));
        action(Tier::T1, vec![Slot { tier_on_gap: Tier::T2, ..slot(Effect::Exec, value) }])
    };
    assert_eq!(log.verdict(&run("/w/tool/bin/install"), Profile::Balanced), (Verdict::Review, "A1".into()));
    assert_eq!(log.verdict(&run("/w/toolbox/install"), Profile::Balanced).0, Verdict::Allow);
}

#[test]
fn what_a_script_quotes_counts_as_evidence_when_it_runs() {
    let mut log = Log::new();
    let page = log.ingest(Origin::WebFetch, "page", &[hit(&url())], Level::Suspicious);
    let script = operand(Kind::Path, "/w/s.sh");
    log.ingest_with(Origin::AgentText, "script", &[hit(&url())], Level::Benign, |artifact| {
        artifact.bindings = vec![Binding { path: script.clone(), content: None, tree: false }];
        artifact.inferred = vec![Inferred { parent: page, quote: hit(&url()) }];
    });
    let value = SlotValue::File(script);
    let run = action(Tier::T1, vec![Slot { tier_on_gap: Tier::T2, ..slot(Effect::Exec, value) }]);
    assert_eq!(log.verdict(&run, Profile::Balanced).0, Verdict::Allow, "an ordinary operand raises no tier");
    assert_eq!(log.verdict(&run, Profile::Strict), (Verdict::Review, "E5".into()));
}

#[test]
fn a_plain_value_counts_where_it_was_sighted() {
    let value = Operand::value("payroll-internal").unwrap();
    let mut log = Log::new();
    let issue = log.ingest(Origin::Mcp, "issue", &[], Level::Adverse);
    let mut read = action(Tier::T1, vec![slot(Effect::Read, SlotValue::Operands(vec![value.clone()]))]);
    assert_eq!(log.verdict(&read, Profile::Balanced).0, Verdict::Allow, "nothing holds the value");
    read.facts.sightings = vec![Sighting { artifact: issue, hit: hit(&value) }];
    assert_eq!(log.verdict(&read, Profile::Balanced), (Verdict::Review, "E1".into()));
    let prompt = log.ingest(Origin::UserPrompt, "prompt", &[], Level::Benign);
    let send = Action {
        facts: Facts { sightings: vec![Sighting { artifact: prompt, hit: hit(&value) }], ..Facts::default() },
        ..action(Tier::T2, vec![slot(Effect::Send, SlotValue::Operands(vec![value.clone()]))])
    };
    assert_eq!(log.verdict(&send, Profile::Strict).0, Verdict::Allow, "the user named it");
}

#[test]
fn a_slot_flag_holds_unless_a_root_grants_the_effect() {
    let path = operand(Kind::Path, "/home/u/.bashrc");
    let persist = action(
        Tier::T3,
        vec![Slot {
            flags_unless_granted: Flags::of([Flag::PersistHost]),
            ..slot(Effect::Persist, SlotValue::Operands(vec![path.clone()]))
        }],
    );
    let mut log = Log::new();
    assert_eq!(log.verdict(&persist, Profile::Balanced), (Verdict::Review, "S2".into()));
    log.ingest(Origin::UserPrompt, "prompt", &[hit(&path)], Level::Benign);
    assert_eq!(log.verdict(&persist, Profile::Balanced).0, Verdict::Allow);
}

#[test]
fn a_listing_does_not_choose_a_file_that_was_there_before_and_a_page_does() {
    let path = operand(Kind::Path, "/w/.github/workflows/ci.yml");
    let value = SlotValue::Operands(vec![path.clone()]);
    let mut edit = action(Tier::T1, vec![Slot { tier_on_gap: Tier::T3, ..slot(Effect::Persist, value) }]);
    let mut log = Log::new();
    log.ingest(Origin::CmdLocal, "listing", &[hit(&path)], Level::Benign);
    assert_eq!(log.verdict(&edit, Profile::Balanced), (Verdict::Review, "A3".into()), "a file that is new");
    edit.facts.settled = vec![path.clone()];
    assert_eq!(log.verdict(&edit, Profile::Balanced).0, Verdict::Allow);
    log.ingest(Origin::Mcp, "issue", &[hit(&path)], Level::Benign);
    assert_eq!(log.verdict(&edit, Profile::Balanced), (Verdict::Review, "A3".into()));
}

#[test]
fn another_sessions_pages_are_not_visible_and_its_prompts_grant_nothing() {
    let mut log = Log::new();
    log.open("other", "other");
    log.ingest_with(Origin::WebFetch, "page", &[hit(&url())], Level::Adverse, |artifact| {
        artifact.session = SessionId::new("other");
    });
    assert_eq!(log.verdict(&send_to_page(), Profile::Balanced).0, Verdict::Allow);
    log.ingest(Origin::WebFetch, "own page", &[hit(&url())], Level::Benign);
    log.ingest_with(Origin::UserPrompt, "prompt", &[hit(&url())], Level::Benign, |artifact| {
        artifact.session = SessionId::new("other");
    });
    assert_eq!(log.verdict(&send_to_page(), Profile::Strict), (Verdict::Review, "A2".into()));
}

#[test]
fn a_resumed_session_shares_visibility_with_its_root() {
    let mut log = Log::new();
    log.open("child", "s");
    log.ingest(Origin::WebFetch, "page", &[hit(&url())], Level::Adverse);
    let child = Action { session: SessionId::new("child"), ..send_to_page() };
    assert_eq!(log.verdict(&child, Profile::Balanced).0, Verdict::Block);
}

#[test]
fn a_target_from_nowhere_is_flagged_and_asked_about_in_strict() {
    let log = Log::new();
    let decision = log.decide(&send_to_page(), Profile::Balanced);
    assert_eq!(decision.verdict(), Verdict::Allow);
    assert!(decision.explanation().flags.contains(Flag::Unexplained));
    assert_eq!(log.verdict(&send_to_page(), Profile::Strict), (Verdict::Review, "S4".into()));
}

#[test]
fn this_machine_needs_no_source() {
    let log = Log::new();
    let own = operand(Kind::Url, "http://localhost:5000/orders");
    let call = action(Tier::T2, vec![slot(Effect::Send, SlotValue::Operands(own.expand()))]);
    assert_eq!(log.verdict(&call, Profile::Strict).0, Verdict::Allow);
}

#[test]
fn a_store_that_is_down_never_means_allow_at_t2() {
    let log = Log::new();
    for profile in Profile::ALL {
        let down = Circumstances { profile, store_up: false, now: UnixMillis(0) };
        assert!(decide(&send_to_page(), &log.snapshot, down).verdict() > Verdict::Allow, "{profile}");
        let light = action(Tier::T1, vec![]);
        assert_eq!(decide(&light, &log.snapshot, down).verdict(), Verdict::Allow, "{profile}");
    }
}

/// Only light decisions are answered before they are recorded.
#[test]
fn what_weighs_has_no_answer_without_a_receipt() {
    let log = Log::new();
    let Weighed::Heavy(heavy) = log.decide(&send_to_page(), Profile::Balanced).weigh() else {
        panic!("a T2 action weighs");
    };
    assert!(heavy.refuse().is_err(), "an ALLOW cannot do without its record");
    assert!(matches!(log.decide(&action(Tier::T1, vec![]), Profile::Balanced).weigh(), Weighed::Light(_)));
}

/// P8, P9, P11 over every order in which up to four artifacts of all origins and levels can arrive.
#[test]
fn more_influence_or_worse_evidence_never_relaxes() {
    let origins =
        [Origin::WebFetch, Origin::WsUnexplained, Origin::AgentText, Origin::CmdLocal, Origin::FileOutside];
    let levels = [Level::Benign, Level::Pending, Level::Suspicious, Level::Adverse];
    for profile in Profile::ALL {
        for origin in origins {
            for (place, level) in levels.iter().enumerate() {
                for with_prompt in [false, true] {
                    let build = |level: Option<Level>| {
                        let mut log = Log::new();
                        if let Some(level) = level {
                            log.ingest_with(origin, "x", &[hit(&url())], level, |artifact| {
                                artifact.root = false
                            });
                        }
                        if with_prompt {
                            log.ingest(Origin::UserPrompt, "prompt", &[hit(&url())], Level::Benign);
                        }
                        [send_to_page(), pipe_from_page()].map(|action| log.decide(&action, profile))
                    };
                    let here = build(Some(*level));
                    assert_eq!(here, build(Some(*level)), "a decision is a function");
                    let less = build(place.checked_sub(1).map(|less| levels[less]));
                    for (here, less) in here.iter().zip(&less) {
                        // The first arrival of the artifact takes `unexplained` away, which only strict asks about.
                        let explained = less.explanation().flags.contains(Flag::Unexplained);
                        assert!(
                            here.verdict() >= less.verdict() || explained,
                            "{origin} {level} {profile} prompt {with_prompt}: {:?} < {:?}",
                            here.verdict(),
                            less.verdict()
                        );
                    }
                }
            }
        }
    }
}
