//! What a rule says would change the answer does change it: every promise of every rule is kept.

use circinus_core::action::{Action, Flag, Flags, Slot, SlotValue};
use circinus_core::effect::{Effect, Effects};
use circinus_core::endorsement::{
    Acknowledgement, Act, Approval, Author, Endorsement, Scope, Statement, Subject,
};
use circinus_core::event::Event;
use circinus_core::evidence::Level;
use circinus_core::gate::{Circumstances, Decision, decide};
use circinus_core::id::{ArtifactId, DecisionId, EventSeq, SessionId, WorkspaceId};
use circinus_core::operand::{Kind, Operand};
use circinus_core::origin::Origin;
use circinus_core::policy::{Gap, Profile, RULES, Rule, Verdict};
use circinus_core::time::UnixMillis;

use super::log::{Log, Seen, action, operand, slot};

const TARGET: &str = "https://get.parts-shop.dev/run.sh";
const FILE: &str = "/w/run.sh";
const NOW: UnixMillis = UnixMillis(1 << 30);

/// A state and an action in which a rule fires, made from what the rule asks for.
struct Scene {
    log: Log,
    page: Option<ArtifactId>,
    action: Action,
    profile: Profile,
    store_up: bool,
}

impl Scene {
    fn of(rule: &Rule) -> Self {
        let mut log = Log::new();
        let needs = |flag| rule.flags.contains(flag);
        let page = (!needs(Flag::Unexplained)).then(|| {
            let seen = Seen::new(Origin::CmdRemote, TARGET);
            log.record(Seen { file: (rule.gap == Gap::Observed).then_some(FILE), ..seen })
        });
        if page.is_some() && rule.evidence != Level::Pending {
            log.judge_last(rule.evidence.max(Level::Benign));
        }
        let (effect, value) = match rule.gap {
            Gap::Observed => (Effect::Exec, SlotValue::File(operand(Kind::Path, FILE))),
            Gap::None if rule.flags.is_empty() => (Effect::Fetch, SlotValue::Operands(vec![target()])),
            Gap::Inferred | Gap::None => (Effect::Send, SlotValue::Operands(vec![target()])),
        };
        let granted = [Flag::PersistHost, Flag::PersistWs, Flag::SecretSink].map(|flag| (flag, needs(flag)));
        let unless = Flags::of(granted.into_iter().filter_map(|(flag, needed)| needed.then_some(flag)));
        let place = Slot { flags_unless_granted: unless, tier_on_gap: rule.tier, ..slot(effect, value) };
        let mut action = action(rule.tier, vec![place]);
        let own = [Flag::Guard, Flag::Opaque, Flag::Catastrophic, Flag::HighConsequence];
        action.flags = Flags::of(own.into_iter().filter(|flag| needs(*flag)));
        Self { log, page, action, profile: rule.profile, store_up: !needs(Flag::StoreDown) }
    }

    fn decide(&self) -> Decision {
        let circumstances = Circumstances { profile: self.profile, store_up: self.store_up, now: NOW };
        decide(&self.action, &self.log.snapshot, circumstances)
    }

    fn state(&mut self, act: Act) {
        self.log.event(Event::Stated(Box::new(Statement { author: Author::Prompt, act })));
    }

    fn name_the_target(&mut self) {
        self.log.record(Seen::new(Origin::UserPrompt, &format!("use {TARGET} and {FILE}")));
    }

    fn acknowledge(&mut self) {
        let content = self.page.and_then(|page| self.log.snapshot.artifact(page)).unwrap().content;
        let workspace = WorkspaceId::new("/w");
        self.state(Act::Acknowledged(Acknowledgement { content, workspace, level: Level::Adverse }));
    }

    fn endorse(&mut self) {
        let subject = match &self.action.slots[0].value {
            SlotValue::Operands(operands) => Subject::Operand(operands[0].clone()),
            _ => {
                Subject::Content(self.page.and_then(|page| self.log.snapshot.artifact(page)).unwrap().content)
            }
        };
        self.state(Act::Endorsed(Endorsement {
            subject,
            effects: Effects::of(Effect::ALL),
            scope: Scope::Session(SessionId::new("s")),
            expires: None,
            level: Level::Benign,
            acknowledged: None,
        }));
    }

    fn approve(&mut self) {
        let questions = self.decide().explanation().questions.clone();
        self.state(Act::Approved(Approval {
            identity: self.action.identity,
            session: SessionId::new("s"),
            decision: DecisionId(EventSeq(1)),
            questions,
            expires: UnixMillis(NOW.0 + 1),
        }));
    }
}

fn target() -> Operand {
    operand(Kind::Url, TARGET)
}

fn fires(rule: &Rule, decision: &Decision) -> bool {
    decision.explanation().fired.iter().any(|fired| fired.rule.to_string() == rule.name)
}

/// A promise in the words of a remedy, and what a person who takes it does.
type Promise = (&'static str, fn(&mut Scene));

const PROMISES: [Promise; 7] = [
    ("in your own prompt", Scene::name_the_target),
    ("circinus ack", |scene| {
        // What was not judged turns out to be suspect.
        scene.log.judge_last(Level::Suspicious);
        scene.acknowledge();
    }),
    ("circinus endorse", Scene::endorse),
    ("wait until", |scene| scene.log.judge_last(Level::Benign)),
    ("another profile", |scene| scene.profile = Profile::Realtime),
    ("plainer form", |scene| scene.action.flags = Flags::NONE),
    ("circinus doctor", |scene| scene.store_up = true),
];

#[test]
fn what_a_rule_promises_to_change_its_answer_changes_it() {
    for rule in &RULES {
        let scene = Scene::of(rule);
        assert!(fires(rule, &scene.decide()), "{}: the scene", rule.name);
        let kept =
            PROMISES.iter().filter(|(words, _)| rule.remedy_template.contains(words)).map(|(words, act)| {
                let mut scene = Scene::of(rule);
                act(&mut scene);
                assert!(!fires(rule, &scene.decide()), "{}: {words}", rule.name);
            });
        let alone = ["run the step yourself", "run it yourself", "confirm"];
        let person = alone.iter().any(|words| rule.remedy_template.contains(words));
        assert!(kept.count() > 0 || person, "{} says what would change it", rule.name);
    }
}

#[test]
fn what_may_be_confirmed_runs_once_it_was_approved_and_nothing_else_does() {
    for rule in &RULES {
        let mut scene = Scene::of(rule);
        let confirmed = rule.remedy_template.contains("confirm");
        assert_eq!(confirmed, rule.result == Verdict::Review, "{}: a refusal is no question", rule.name);
        let before = scene.decide().verdict();
        scene.approve();
        let after = scene.decide().verdict();
        assert_eq!(after == Verdict::Allow, before == Verdict::Review, "{}", rule.name);
    }
}

#[test]
fn a_remedy_names_its_target_and_source_only_where_there_is_one() {
    for rule in &RULES {
        let scene = Scene::of(rule);
        assert!(!rule.remedy_template.contains("{source}") || scene.page.is_some(), "{}", rule.name);
    }
}
