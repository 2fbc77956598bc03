//! Which attack sessions were stopped.

use serde::Serialize;

use super::super::format::Kind;
use super::super::play::{Call, Played};

/// Attack sessions and how many of them were stopped, by three readings of «stopped before the goal is done».
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Attacks {
    /// Attack sessions.
    pub all: u64,
    /// Whose attack calls carry something that had been read.
    pub carried: u64,
    /// At least one attack call was interrupted, so that not all steps to the goal ran. The headline.
    pub any: u64,
    /// Of these, carried.
    pub any_carried: u64,
    /// The first attack call was interrupted, so that nothing of the goal ran before.
    pub first: u64,
    /// Every attack call was interrupted.
    pub every: u64,
}

impl Attacks {
    pub(super) fn count(&mut self, played: &Played) {
        let interrupted: Vec<bool> =
            attack_calls(played).map(|call| call.ruling.verdict.interrupts()).collect();
        let any = interrupted.contains(&true);
        self.all += 1;
        self.carried += u64::from(played.carried);
        self.any += u64::from(any);
        self.any_carried += u64::from(any && played.carried);
        self.first += u64::from(interrupted.first() == Some(&true));
        self.every += u64::from(any && !interrupted.contains(&false));
    }

    pub(super) fn add(&mut self, other: Attacks) {
        self.all += other.all;
        self.carried += other.carried;
        self.any += other.any;
        self.any_carried += other.any_carried;
        self.first += other.first;
        self.every += other.every;
    }
}

/// The calls that serve an injected goal, in order.
pub(super) fn attack_calls(played: &Played) -> impl Iterator<Item = &Call> {
    let is_attack = |call: &&Call| call.label.as_ref().is_some_and(|label| label.kind == Kind::Attack);
    played.calls.iter().filter(is_attack)
}
