//! P1 to P9, P11, P13 and P14 over random traces.
//!
//! P10 (monotone in tier, gap, evidence, profile and flags) is checked on every cell in `policy_cells.rs`,
//! P12 (canonical forms are idempotent) in `operands.rs`.

use circinus_core::action::{Flag, Sighting, SlotValue, Tier};
use circinus_core::authority::Authority;
use circinus_core::effect::Effect;
use circinus_core::evidence::Level;
use circinus_core::gate::{Decision, Weighed};
use circinus_core::lineage::{Observed, Step};
use circinus_core::operand::{Hit, Operand};
use circinus_core::origin::Origin;
use circinus_core::policy::{Profile, Verdict, origin_row};
use circinus_core::view::{View, ViewChain};
use proptest::prelude::*;

use super::log::{Log, Seen, action, hit, slot};
use super::trace::{
    Act, FILES, HIDDEN, SESSIONS, URLS, act, all_granted, bound, decisions, granted, play, played, profile,
    start, trace, url, written,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// P1: only the ingestion of a root (or an endorsement, of which the trace has none) changes G.
    /// Making compaction, read-back, or any derived artifact a root breaks it.
    #[test]
    fn p1_only_roots_change_what_is_granted(trace in trace()) {
        let mut log = start();
        for act in &trace {
            let before = all_granted(&log.snapshot);
            play(&mut log, act);
            prop_assert!(act.is_root() || before == all_granted(&log.snapshot), "{act:?}");
        }
    }

    /// P2: whatever was copied from something may cause no more than it. Forgetting one parent in the meet
    /// breaks it.
    #[test]
    fn p2_a_whole_copy_may_cause_no_more_than_its_sources(trace in trace()) {
        let log = played(&trace);
        for (id, artifact) in log.snapshot.artifacts() {
            let ancestors = log.snapshot.whole_ancestors(id);
            for edge in artifact.observed.iter().filter(|edge| edge.step == Step::Whole) {
                prop_assert!(ancestors.contains(&edge.parent));
            }
            for ancestor in ancestors {
                prop_assert!(artifact.authority.leq(log.snapshot.artifact(ancestor).unwrap().authority));
            }
        }
    }

    /// P3: writing a file and reading it back, in any session and after a restart, gives no more authority and
    /// grants nothing. A binding that is lost in the fold, or a read-back that is a root, breaks it.
    #[test]
    fn p3_a_read_back_cannot_launder(trace in trace(), file in 0..FILES.len(), by in 0..SESSIONS.len()) {
        let mut log = played(&trace);
        let written = written(&mut log, by, file);
        let authority = log.snapshot.artifact(written).unwrap().authority;
        log.snapshot = log.replayed();
        prop_assert_eq!(bound(&log, file), Some(written));
        let before = all_granted(&log.snapshot);
        let read = play(&mut log, &Act::ReadBack { session: by, file }).unwrap();
        prop_assert!(log.snapshot.artifact(read).unwrap().authority.leq(authority));
        prop_assert_eq!(before, all_granted(&log.snapshot));
    }

    /// P4: the same through copies under other names. Dropping the whole edge of a copy breaks it.
    #[test]
    fn p4_neither_can_a_copy(trace in trace(), from in 0..FILES.len(), to in 0..FILES.len(), by in 0..SESSIONS.len()) {
        let mut log = played(&trace);
        let written = written(&mut log, by, from);
        let authority = log.snapshot.artifact(written).unwrap().authority;
        let before = all_granted(&log.snapshot);
        play(&mut log, &Act::Copy { session: by, from, to });
        let read = play(&mut log, &Act::ReadBack { session: by, file: to }).unwrap();
        prop_assert!(log.snapshot.artifact(read).unwrap().authority.leq(authority));
        prop_assert_eq!(before, all_granted(&log.snapshot));
    }

    /// P7: a hit through a view adds influence at most, and never grants. Letting a view count as exact breaks it.
    #[test]
    fn p7_a_view_never_grants_and_never_takes_influence_away(trace in trace(), by in 0..SESSIONS.len()) {
        let mut log = played(&trace);
        let before = all_granted(&log.snapshot);
        let influences = |log: &Log| -> Vec<usize> {
            decisions(&log.snapshot, Profile::Balanced).iter().map(|decision| decision.explanation().influences.len()).collect()
        };
        let fewer = influences(&log);
        log.record(Seen { session: SESSIONS[by].0, ..Seen::new(Origin::UserPrompt, HIDDEN) });
        prop_assert_eq!(before, all_granted(&log.snapshot));
        for (before, after) in fewer.into_iter().zip(influences(&log)) {
            prop_assert!(before <= after);
        }
    }

    /// P8 and the half of P9 that adds: an artifact that is no root never turns REVIEW or BLOCK into ALLOW,
    /// but for the question about a target from nowhere, which is answered by its being somewhere.
    #[test]
    fn p8_an_artifact_that_is_no_root_never_relaxes(trace in trace(), more in act(), profile in profile()) {
        let mut log = played(&trace);
        prop_assume!(!more.is_root() && !matches!(more, Act::Write { .. } | Act::Copy { .. }));
        let before = decisions(&log.snapshot, profile);
        play(&mut log, &more);
        for (before, after) in before.iter().zip(decisions(&log.snapshot, profile)) {
            let unexplained = before.explanation().flags.contains(Flag::Unexplained);
            prop_assert!(after.verdict() >= before.verdict() || unexplained, "{more:?}");
        }
    }

    /// P9: worse evidence of what influences never makes a decision more permissive; and, by first arrival,
    /// a root whose evidence is worse than benign clears nothing. Dropping the evidence bound of the first
    /// root breaks it.
    #[test]
    fn p9_worse_evidence_never_relaxes(trace in trace(), at in any::<prop::sample::Index>(), profile in profile()) {
        let reads: Vec<_> = (0..trace.len()).filter(|at| matches!(trace[*at], Act::Read { .. })).collect();
        prop_assume!(!reads.is_empty());
        let at = reads[at.index(reads.len())];
        let with = |level: Level| {
            let mut changed = trace.clone();
            if let Act::Read { level: known, .. } = &mut changed[at] {
                *known = level;
            }
            decisions(&played(&changed).snapshot, profile)
        };
        let ladder = [Level::Benign, Level::Pending, Level::Failed, Level::Suspicious, Level::Adverse];
        // The number of events differs with a judgement, ids with it: only verdicts are compared.
        let verdicts: Vec<Vec<Verdict>> = ladder
            .iter()
            .map(|level| with(*level).iter().map(Decision::verdict).collect())
            .collect();
        for pair in verdicts.windows(2) {
            prop_assert!(pair[0].iter().zip(&pair[1]).all(|(better, worse)| better <= worse));
        }
    }

    /// P11: a decision is a function of its arguments, and so is its explanation. A clock, a random seed or an
    /// order that depends on addresses breaks it.
    #[test]
    fn p11_a_decision_is_a_function(trace in trace(), profile in profile()) {
        let log = played(&trace);
        prop_assert_eq!(decisions(&log.snapshot, profile), decisions(&log.snapshot.clone(), profile));
    }

    /// The index is a fold of its log: grown event by event it is the one that a replay builds, and one event
    /// fewer is another. A part of the index that its identity leaves out, or that depends on a hash seed, breaks it.
    #[test]
    fn a_replay_builds_the_index_that_grew(trace in trace()) {
        let mut log = played(&trace);
        let (grown, replayed) = (log.snapshot.clone(), log.replayed());
        prop_assert!(grown == replayed);
        prop_assert_eq!(grown.identity(), replayed.identity());
        log.events.pop();
        prop_assert!(grown != log.replayed());
        prop_assert_ne!(grown.identity(), log.replayed().identity());
    }

    /// P13: compaction, and a restart with a resume under the same root, leave index and grants unchanged.
    #[test]
    fn p13_compaction_and_resume_change_nothing(trace in trace(), url in 0..URLS.len(), profile in profile()) {
        let mut log = played(&trace);
        let (grants, before) = (all_granted(&log.snapshot), decisions(&log.snapshot, profile));
        log.snapshot = log.replayed();
        prop_assert_eq!(&before, &decisions(&log.snapshot, profile));
        play(&mut log, &Act::Compact { session: 0, url });
        log.open_in("resumed", "s", "/w");
        prop_assert_eq!(&grants, &all_granted(&log.snapshot));
        prop_assert_eq!(granted(&log.snapshot, "resumed"), grants[0].clone());
    }

    /// P14: at T2 and above nothing that runs is answered without the receipt of its record, and at any tier what
    /// an influence or a gap touched leaves a row. Weighing by the verdict alone breaks it.
    #[test]
    fn p14_what_lineage_touched_is_recorded(trace in trace(), profile in profile()) {
        for decision in decisions(&played(&trace).snapshot, profile) {
            let explanation = decision.explanation().clone();
            prop_assert!(explanation.influences.is_empty() || decision.is_flagged());
            match decision.weigh() {
                Weighed::Light(permit) => {
                    prop_assert!(explanation.tier < Tier::T2 && permit.verdict() == Verdict::Allow);
                }
                Weighed::Heavy(heavy) => {
                    let refusal = heavy.refuse();
                    prop_assert_eq!(refusal.is_err(), explanation.verdict == Verdict::Allow);
                }
            }
        }
    }

    /// 13.22: what is granted in one session is never a union over other roots and other workspaces. A grant
    /// that is looked up without its scope breaks it.
    #[test]
    fn grants_stay_in_their_scope(trace in trace()) {
        let elsewhere = SESSIONS.iter().position(|(session, _, _)| *session == "elsewhere").unwrap();
        let of = |act: &Act| match act {
            Act::Read { session, .. } | Act::Write { session, .. } | Act::Fetch { session, .. }
            | Act::Copy { session, .. } | Act::ReadBack { session, .. } | Act::Compact { session, .. } | Act::Unobserved { session, .. } => *session,
        };
        let own: Vec<_> = trace.iter().filter(|act| of(act) == elsewhere).cloned().collect();
        let (all, alone) = (played(&trace), played(&own));
        // A file that comes over from another session brings its sources into view; without such a step the
        // others might as well not be there.
        prop_assume!(own.iter().all(|act| matches!(act, Act::Read { .. } | Act::Compact { .. } | Act::Unobserved { .. })));
        prop_assert_eq!(granted(&all.snapshot, "elsewhere"), granted(&alone.snapshot, "elsewhere"));
    }
}

/// P5: what was not observed may cause no more than what came from outside. Giving WsUnexplained or Opaque one
/// effect that a remote origin lacks breaks it.
#[test]
fn p5_the_unobserved_is_below_everything_remote() {
    let authority = |origin: Origin| Authority::new(origin_row(origin).effects);
    for remote in [Origin::CmdRemote, Origin::WebFetch, Origin::WebSearch, Origin::Mcp] {
        for floor in [Origin::WsUnexplained, Origin::Opaque] {
            assert!(authority(floor).leq(authority(remote)), "{floor} {remote}");
            assert!(!origin_row(floor).root, "{floor}");
        }
    }
}

/// P6: nothing but the user at their own terminal may change the guard.
#[test]
fn p6_guard_belongs_to_the_terminal() {
    for origin in Origin::ALL {
        assert_eq!(
            origin_row(origin).effects.contains(Effect::Guard),
            origin == Origin::HumanCli,
            "{origin}"
        );
    }
}

/// t*: as the evidence of the only clearing root gets worse, it clears nothing any more and what it cleared
/// counts again. Taking the first root whatever its evidence breaks it.
#[test]
fn first_arrival_moves_later_as_evidence_gets_worse() {
    let influences = |level: Level| {
        let mut log = start();
        // A workspace file is older than the session.
        play(&mut log, &Act::Read { session: 0, origin: Origin::WsTracked, url: 0, level });
        play(&mut log, &Act::Read { session: 0, origin: Origin::WebFetch, url: 0, level: Level::Benign });
        let place = slot(Effect::Exec, SlotValue::Operands(vec![url(0)]));
        log.decide(&action(Tier::T2, vec![place]), Profile::Balanced).explanation().influences.len()
    };
    assert_eq!(influences(Level::Benign), 0);
    for worse in [Level::Pending, Level::Failed, Level::Suspicious, Level::Adverse] {
        assert_eq!(influences(worse), 2, "{worse}");
    }
}

/// A plain value that a view shows is no more than one that the text holds.
#[test]
fn a_value_seen_through_a_view_grants_nothing() {
    let value = Operand::value("payroll-internal").unwrap();
    let mut log = start();
    let prompt = log.observe(Origin::UserPrompt, "pay it", None);
    let mut send = action(Tier::T2, vec![slot(Effect::Send, SlotValue::Operands(vec![value.clone()]))]);
    let page = log.observe(Origin::WebFetch, "page", None);
    log.judge_last(Level::Benign);
    let through = Hit { views: ViewChain(Box::new([View::Base64])), ..hit(&value) };
    send.facts.sightings =
        vec![Sighting { artifact: prompt, hit: through }, Sighting { artifact: page, hit: hit(&value) }];
    assert_eq!(log.decide(&send, Profile::Strict).verdict(), Verdict::Review);
    let used = Observed { parent: page, step: Step::Used };
    let id =
        log.record(Seen { parents: vec![used], ..Seen::new(Origin::UserPrompt, "pay payroll-internal") });
    send.facts.sightings.push(Sighting { artifact: id, hit: hit(&value) });
    assert_eq!(log.decide(&send, Profile::Strict).verdict(), Verdict::Allow, "named exactly");
}
