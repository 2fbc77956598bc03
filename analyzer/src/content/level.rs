//! From signals to a level: the one table.

use circinus_core::evidence::Level;

/// Which groups of signals a content shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Groups {
    /// M: an instruction to the model.
    pub(super) model: bool,
    /// R: the marker of a turn or role.
    pub(super) role: bool,
    /// X: an action payload.
    pub(super) payload: bool,
    /// X2: decoded text handed to an interpreter.
    pub(super) decoded_payload: bool,
    /// S: secrecy.
    pub(super) secrecy: bool,
    /// H1–H4, H6, H7: a hidden channel that holds M, R or X.
    pub(super) hidden: bool,
    /// H5: tag characters.
    pub(super) tags: bool,
    /// H8: a hidden imperative with an address.
    pub(super) hidden_imperative: bool,
    /// H9: a run of zero-width characters.
    pub(super) zero_width: bool,
    /// D: a decoy address.
    pub(super) decoy: bool,
    /// Whether the text also speaks about attacks.
    pub(super) discusses: bool,
    /// Whether part of the content could not be read.
    pub(super) unread: bool,
}

impl Groups {
    /// Counts one signal by its id.
    pub(super) fn count(&mut self, signal: &str) {
        match signal.as_bytes() {
            [b'M', ..] => self.model = true,
            [b'R', ..] => self.role = true,
            [b'X', kind, ..] => {
                self.payload = true;
                self.decoded_payload |= *kind == b'2';
            }
            [b'S', ..] => self.secrecy = true,
            [b'H', b'5'] => self.tags = true,
            [b'H', b'8'] => self.hidden_imperative = true,
            [b'H', b'9'] => self.zero_width = true,
            [b'H', ..] => self.hidden = true,
            [b'D', ..] => self.decoy = true,
            _ => {}
        }
    }

    /// The level, and the cell of the table that gave it.
    pub(super) fn level(&self) -> (Level, &'static str) {
        if self.tags {
            return (Level::Adverse, "text smuggled in tag characters");
        }
        if self.hidden {
            return (Level::Adverse, "a hidden channel holds an instruction, a role marker or a payload");
        }
        let adverse = if self.model && self.payload {
            Some("an instruction to the model together with a payload")
        } else if self.model && self.secrecy {
            Some("an instruction to the model together with a demand for secrecy")
        } else if self.role && self.payload {
            Some("a role marker together with a payload")
        } else {
            None
        };
        match adverse {
            Some(_) if self.discusses => {
                (Level::Suspicious, "attack signals in a text that discusses attacks")
            }
            Some(why) => (Level::Adverse, why),
            None => self.below_adverse(),
        }
    }

    fn below_adverse(&self) -> (Level, &'static str) {
        if self.model {
            (Level::Suspicious, "an instruction to the model")
        } else if self.role && self.secrecy {
            (Level::Suspicious, "a role marker together with a demand for secrecy")
        } else if self.decoded_payload {
            (Level::Suspicious, "decoded text handed to an interpreter")
        } else if self.decoy && self.payload {
            (Level::Suspicious, "a decoy address together with a payload")
        } else if self.zero_width && self.payload {
            (Level::Suspicious, "zero-width characters together with a payload")
        } else if self.hidden_imperative {
            (Level::Suspicious, "a hidden imperative with an address")
        } else if self.unread {
            (Level::Failed, "part of the content could not be read")
        } else {
            (Level::Benign, "no signal, or only notes")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(signals: &[&str]) -> Level {
        let mut groups = Groups::default();
        signals.iter().for_each(|signal| groups.count(signal));
        groups.level().0
    }

    #[test]
    fn the_table_holds_cell_by_cell() {
        for (signals, level) in [
            (&["X1"][..], Level::Benign),
            (&["X3", "X4"], Level::Benign),
            (&["R1"], Level::Benign),
            (&["S2"], Level::Benign),
            (&["H9"], Level::Benign),
            (&["D1"], Level::Benign),
            (&["M1"], Level::Suspicious),
            (&["R1", "S1"], Level::Suspicious),
            (&["X2"], Level::Suspicious),
            (&["D2", "X1"], Level::Suspicious),
            (&["H9", "X1"], Level::Suspicious),
            (&["H8"], Level::Suspicious),
            (&["M2", "X1"], Level::Adverse),
            (&["M2", "S1"], Level::Adverse),
            (&["R2", "X4"], Level::Adverse),
            (&["H1"], Level::Adverse),
            (&["H5"], Level::Adverse),
        ] {
            assert_eq!(of(signals), level, "{signals:?}");
        }
    }

    #[test]
    fn demotion_lowers_to_suspicious_and_never_for_a_hidden_channel() {
        let adverse = Groups { model: true, payload: true, discusses: true, ..Groups::default() };
        assert_eq!(adverse.level().0, Level::Suspicious);
        assert_eq!(Groups { hidden: true, ..adverse }.level().0, Level::Adverse);
        assert_eq!(Groups { tags: true, ..adverse }.level().0, Level::Adverse);
    }

    #[test]
    fn more_signals_never_lower_the_level() {
        let ids = ["M1", "R1", "X1", "X2", "S1", "H1", "H5", "H8", "H9", "D1"];
        for subset in 0_u32..1 << ids.len() {
            let chosen: Vec<&str> =
                (0..ids.len()).filter(|bit| subset >> bit & 1 == 1).map(|bit| ids[bit]).collect();
            for extra in ids {
                let more: Vec<&str> = chosen.iter().copied().chain([extra]).collect();
                assert!(of(&more) >= of(&chosen), "{chosen:?} + {extra}");
            }
        }
    }
}
