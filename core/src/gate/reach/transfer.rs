//! Plain reads that carry something away.

use super::{Reach, Viewer};
use crate::action::Flag;
use crate::effect::Effect;
use crate::operand::Operand;
use crate::payload::Payload;

impl Viewer<'_> {
    /// A designator; a read that carries more than anything explains, or a secret to a place that is not its
    /// home, is looked at as a transfer.
    pub(super) fn designator(mut self, operands: &[Operand]) -> Reach {
        let payload = self.payload(operands);
        let leaks = self.effect == Effect::Fetch && self.slot.flags_unless_granted.contains(Flag::SecretSink);
        let sends = leaks || payload.as_ref().is_some_and(|payload| self.is_transfer(payload));
        if sends {
            self.effect = Effect::Send;
        }
        Reach { payload, sends, ..self.operands(operands) }
    }

    /// What a plain read carries beyond what anything explains, unless a root grants sending to the place.
    fn payload(&self, operands: &[Operand]) -> Option<Payload> {
        let mut payloads = self.action.facts.payloads.iter().filter(|(place, _)| *place == self.place);
        let payload = payloads.next().map(|(_, payload)| payload);
        let payload = payload.filter(|payload| self.effect == Effect::Fetch && !payload.pieces.is_empty())?;
        let granted = operands.iter().any(|operand| self.grant(&self.seen(operand)).allows(Effect::Send));
        (!granted).then(|| payload.clone())
    }

    fn is_transfer(&self, payload: &Payload) -> bool {
        let before = self.snapshot.carried(&payload.site, &self.action.session);
        payload.is_transfer(before.into_iter().flatten())
    }
}
