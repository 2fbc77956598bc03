use super::*;
use crate::enquiry::RouteReason;
use crate::id::EventSeq;

const ID: EvidenceId = EvidenceId(EventSeq(1));
const PAGE: ArtifactId = ArtifactId(EventSeq(7));

fn text() -> Digest {
    Digest::of(b"text")
}

fn of(analyser: &str, version: u32) -> Required {
    Required { analyser: analyser.into(), version, config: Digest::of(b"") }
}

fn cheap(version: u32) -> Required {
    of("cheap", version)
}

fn judged(by: &Required, level: Level) -> Judgement {
    Judgement { key: by.key(text()), level, findings: Vec::new(), reason: "".into() }
}

fn routed(to: &Required) -> Routing {
    Routing { reason: RouteReason::Noted, key: Some(to.key(text())), artifact: PAGE }
}

fn standing(version: u32, strong: Option<Required>) -> Standing {
    Standing::new([cheap(version)].into(), strong)
}

/// A state in which the cheap tier said `level` and the strong one, in the first version, was asked.
fn asked(level: Level, strong: Option<Required>) -> Standing {
    let mut standing = standing(1, strong);
    standing.expect(PAGE, text());
    standing.record(ID, &judged(&cheap(1), level), Some(&routed(&of("strong", 1))));
    standing
}

fn fails(standing: &mut Standing, cause: Cause) {
    standing.unanswered(&Unanswered { key: of("strong", 1).key(text()), cause });
}

#[test]
fn the_first_verdict_for_a_key_wins() {
    let mut standing = standing(1, None);
    standing.record(ID, &judged(&cheap(1), Level::Suspicious), None);
    standing.record(ID, &judged(&cheap(1), Level::Benign), None);
    assert_eq!(standing.level(&text()), Level::Suspicious);
}

#[test]
fn an_upgrade_never_relaxes_in_between() {
    for old in Level::ALL {
        let mut standing = standing(2, None);
        standing.expect(PAGE, text());
        standing.record(ID, &judged(&cheap(1), old), None);
        assert!(standing.level(&text()) >= old.max(Level::Pending), "{old}");
        assert_eq!(standing.unjudged().count(), 1, "the new version owes a verdict");
        standing.record(ID, &judged(&cheap(2), Level::Benign), None);
        assert_eq!(standing.level(&text()), Level::Benign);
        assert_eq!(standing.unjudged().count(), 0);
    }
}

#[test]
fn an_upgrade_of_the_model_never_relaxes_in_between() {
    for old in Level::ALL {
        let mut standing = asked(Level::Benign, Some(of("strong", 2)));
        standing.record(ID, &judged(&of("strong", 1), old), None);
        assert!(standing.level(&text()) >= old.max(Level::Pending), "{old}");
        assert_eq!(standing.owed().count(), 1, "the new model owes a verdict");
        standing.record(ID, &judged(&of("strong", 2), Level::Benign), None);
        assert_eq!(standing.level(&text()), Level::Benign);
        assert_eq!(standing.owed().count(), 0);
    }
}

#[test]
fn nothing_judged_is_pending() {
    assert_eq!(standing(1, None).level(&Digest::of(b"x")), Level::Pending);
}

#[test]
fn what_was_put_to_a_model_is_pending_until_it_answers() {
    let mut standing = asked(Level::Benign, Some(of("strong", 1)));
    assert_eq!(standing.level(&text()), Level::Pending);
    standing.record(ID, &judged(&of("strong", 1), Level::Benign), None);
    assert_eq!(standing.level(&text()), Level::Benign);
}

#[test]
fn a_model_never_lowers_the_level() {
    for (cheap, strong) in Level::ALL.into_iter().flat_map(|a| Level::ALL.map(|b| (a, b))) {
        let mut standing = asked(cheap, Some(of("strong", 1)));
        standing.record(ID, &judged(&of("strong", 1), strong), None);
        assert_eq!(standing.level(&text()), cheap.max(strong), "{cheap} {strong}");
    }
}

#[test]
fn no_answer_counts_as_failed_and_is_asked_again_three_times() {
    let mut standing = asked(Level::Benign, Some(of("strong", 1)));
    for round in 1..=TRIES_MAX {
        assert_eq!(standing.owed().count(), 1, "round {round}");
        fails(&mut standing, Cause::Overloaded);
        assert_eq!(standing.level(&text()), Level::Failed);
        assert_eq!(standing.cause(&text()), Some(Cause::Overloaded));
    }
    assert_eq!(standing.owed().count(), 0, "it is not asked a fourth time");
    assert_eq!(standing.level(&text()), Level::Failed);
}

#[test]
fn what_was_not_sent_is_no_try() {
    let mut standing = asked(Level::Benign, Some(of("strong", 1)));
    for _ in 0..10 {
        fails(&mut standing, Cause::DaySpent);
    }
    assert_eq!(standing.level(&text()), Level::Failed);
    assert_eq!(standing.owed().count(), 1, "it is asked when there is a budget again");
    standing.record(ID, &judged(&of("strong", 1), Level::Suspicious), None);
    assert_eq!((standing.level(&text()), standing.cause(&text())), (Level::Suspicious, None));
}

#[test]
fn a_failure_never_lowers_what_the_cheap_tier_said() {
    for cause in Cause::ALL {
        for cheap in Level::ALL {
            let mut standing = asked(cheap, None);
            fails(&mut standing, cause);
            assert_eq!(standing.level(&text()), cheap.max(Level::Failed), "{cause:?}");
        }
    }
}

#[test]
fn the_newest_routing_counts() {
    let mut standing = asked(Level::Benign, Some(of("strong", 1)));
    let plain = Routing { reason: RouteReason::Plain, key: None, artifact: PAGE };
    standing.record(ID, &judged(&cheap(2), Level::Benign), Some(&plain));
    assert_eq!((standing.owed().count(), standing.level(&text())), (0, Level::Benign));
}
