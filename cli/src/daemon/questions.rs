//! Questions that were put to the host and not answered yet, and what the answer teaches.
//!
//! The host tells nobody how a question was answered. That the call ran says so: if the host showed its
//! prompt and the call ran after a time in which a person can read and press a key, a person said yes. If it
//! ran at once and no prompt was shown, nobody was asked.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use circinus_analyzer::call::understand;
use circinus_core::digest::Digest;
use circinus_core::endorsement::{Act, Author, Confirmation, Statement};
use circinus_core::event::{Commit, Event};
use circinus_core::gate::Permit;
use circinus_core::id::{CallId, DecisionId, SessionId};
use circinus_core::index::Snapshot;
use circinus_core::policy::Verdict;

use super::gatekeeper::{Asked, who};
use super::hosts::Voice;
use super::service::Service;
use crate::host::{AnnouncedCall, Asks, HostEvent, HostEventKind};

/// Questions kept; the oldest is forgotten first, and its answer then teaches nothing.
const OPEN_MAX: usize = 256;

/// What a call takes besides its own duration when nobody is asked.
const AT_ONCE: Duration = Duration::from_millis(400);

/// The least time in which a person reads a question and answers it.
const HUMAN_MIN: Duration = Duration::from_millis(1_000);

/// A question that was put to the host.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// The session that asked.
    pub session: SessionId,
    /// The call.
    pub call: CallId,
    /// What is called: digest of tool and canonical arguments.
    pub identity: Digest,
    /// The decision.
    pub decision: DecisionId,
    /// What it asked.
    pub asked: Vec<Digest>,
    /// When the answer left.
    pub at: Instant,
    /// Whether the host has shown its prompt.
    pub shown: bool,
}

/// What the end of a call says about its question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lesson {
    /// A person said yes.
    Confirmed,
    /// Nobody was asked.
    Unasked,
    /// Neither can be told.
    Nothing,
}

/// Questions without an answer.
#[derive(Debug, Default)]
pub(super) struct Questions {
    open: Mutex<VecDeque<Question>>,
}

impl Questions {
    /// Remembers a question as its answer leaves.
    pub(super) fn put(&self, question: Question) {
        let mut open = self.lock();
        if open.len() >= OPEN_MAX {
            open.pop_front();
        }
        open.push_back(question);
    }

    /// The host has shown a prompt for a call; it names the call only by what is called.
    pub(super) fn shown(&self, session: &SessionId, identity: &Digest) {
        let mut open = self.lock();
        let asked = open.iter_mut().filter(|question| question.session == *session);
        asked.filter(|question| question.identity == *identity).for_each(|question| question.shown = true);
    }

    /// The call has run: takes its question out, with what that teaches.
    pub(super) fn ran(
        &self,
        session: &SessionId,
        call: &CallId,
        took: Option<Duration>,
    ) -> Option<(Question, Lesson)> {
        let mut open = self.lock();
        let place = open.iter().position(|asked| asked.session == *session && asked.call == *call)?;
        let question = open.remove(place)?;
        let lesson = lesson(question.shown, question.at.elapsed(), took);
        Some((question, lesson))
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Question>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Service {
    /// Remembers what the host is about to ask a person.
    pub(super) fn remember_question(&self, asked: &Asked, permit: &Permit, snapshot: &Snapshot) {
        let asks = permit.verdict() == Verdict::Review && asked.asks_in(snapshot) == Asks::Yes;
        let (Some(decision), Some(call)) = (permit.id().filter(|_| asks), asked.action.call.clone()) else {
            return;
        };
        self.questions.put(Question {
            session: asked.action.session.clone(),
            call,
            identity: asked.action.identity,
            decision,
            asked: permit.explanation().questions.clone(),
            at: Instant::now(),
            shown: false,
        });
    }

    /// The host shows its prompt.
    pub(super) fn prompted(&self, event: &HostEvent, call: &AnnouncedCall, voice: &Voice) {
        if voice.is_a_persons() {
            let around = self.around(event, &self.hot.load());
            let identity = understand(&call.call, who(event, call), &around).action.identity;
            self.questions.shown(&event.session, &identity);
        }
    }

    /// What the end of a call says about the question that it was.
    pub(super) fn learn(&self, event: &HostEvent, voice: &Voice) -> Option<Commit> {
        let HostEventKind::AfterCall { call, outcome } = &event.kind else { return None };
        if !voice.is_a_persons() {
            return None;
        }
        let (question, lesson) = self.questions.ran(&event.session, call.id.as_ref()?, outcome.took)?;
        let snapshot = self.hot.load();
        let decision = question.decision;
        let event = match lesson {
            Lesson::Nothing => return None,
            Lesson::Confirmed => {
                let (session, questions) = (snapshot.root_of(&event.session).clone(), question.asked);
                let act = Act::Confirmed(Confirmation { session, decision, questions });
                Event::Stated(Box::new(Statement { author: Author::Prompt, act }))
            }
            Lesson::Unasked => {
                let program = snapshot.session(&event.session)?.hosts.last()?.program.clone();
                Event::AskUnreliable { program, decision }
            }
        };
        Some(Commit { event, body: None, delivery: None })
    }
}

fn lesson(shown: bool, passed: Duration, took: Option<Duration>) -> Lesson {
    let Some(took) = took else { return Lesson::Nothing };
    let thought = passed.saturating_sub(took);
    match shown {
        true if thought >= HUMAN_MIN => Lesson::Confirmed,
        false if thought <= AT_ONCE => Lesson::Unasked,
        _ => Lesson::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_shown_prompt_and_a_persons_time_confirm() {
        let ms = Duration::from_millis;
        for (shown, passed, took, taught) in [
            (true, 1_500, Some(100), Lesson::Confirmed),
            (true, 1_050, Some(100), Lesson::Nothing),
            (true, 200, Some(100), Lesson::Nothing),
            (false, 450, Some(100), Lesson::Unasked),
            (false, 90_000, Some(100), Lesson::Nothing),
            (false, 60_300, Some(60_000), Lesson::Unasked),
            (true, 90_000, None, Lesson::Nothing),
            (false, 10, None, Lesson::Nothing),
        ] {
            assert_eq!(lesson(shown, ms(passed), took.map(ms)), taught, "{shown} {passed} {took:?}");
        }
    }

    #[test]
    fn the_oldest_of_too_many_questions_is_forgotten() {
        let questions = Questions::default();
        let (session, name) = (SessionId::new("s"), |place: usize| CallId::new(format!("c{place}")));
        for place in 0..=OPEN_MAX {
            questions.put(Question {
                session: session.clone(),
                call: name(place),
                identity: Digest::of(b"call"),
                decision: DecisionId(circinus_core::id::EventSeq(1)),
                asked: Vec::new(),
                at: Instant::now(),
                shown: false,
            });
        }
        assert!(questions.ran(&session, &name(0), None).is_none());
        assert!(questions.ran(&session, &name(1), None).is_some());
        assert!(questions.ran(&session, &name(1), None).is_none(), "a question is answered once");
    }
}
