//! The simpler defences, as good as their idea allows: they understand calls and judge texts with Circinus's
//! own code and differ in what they conclude only.

use circinus_core::action::Tier;
use circinus_core::evidence::Level;

use super::reading::{From, Moment, Reading};
use super::unplayed;
use crate::replay::answer::Ruling;
use crate::replay::format::Verdict;
use crate::replay::play::{Call, Played};

/// A defence that knows no lineage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arm {
    /// After the first content from outside the workspace, every action that cannot be undone is a question.
    Taint,
    /// The same after the first content that the agent did not write, workspace files and local output included.
    TaintFiles,
    /// After the first text that the analyzer calls suspicious or worse, everything that does more than read is
    /// a question.
    Scan,
}

impl Arm {
    /// All of them.
    pub const ALL: [Arm; 3] = [Arm::Taint, Arm::TaintFiles, Arm::Scan];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Arm::Taint => "session taint (outside content)",
            Arm::TaintFiles => "session taint (any result)",
            Arm::Scan => "content scan alone",
        }
    }

    /// Plays a recorded session: as in a replay, what was interrupted did not run and brings nothing.
    pub fn play(self, reading: &Reading) -> Played {
        let mut played = unplayed(reading);
        let mut alarmed = false;
        let mut interrupted = std::collections::HashSet::new();
        for moment in &reading.moments {
            match moment {
                Moment::Asked(asked) => {
                    let stops = alarmed && asked.tier >= self.tier();
                    if stops {
                        interrupted.insert(asked.call.as_str());
                    }
                    played.calls.push(Call {
                        id: asked.call.clone(),
                        text: asked.text.clone(),
                        label: asked.label.clone(),
                        ruling: self.ruling(stops),
                    });
                }
                Moment::Came(came) if !interrupted.contains(came.call.as_str()) => {
                    alarmed |= self.alarms(came.from, came.level);
                }
                Moment::Came(_) => {}
            }
        }
        played
    }

    fn tier(self) -> Tier {
        match self {
            Arm::Taint | Arm::TaintFiles => Tier::T2,
            Arm::Scan => Tier::T1,
        }
    }

    fn alarms(self, from: From, level: Level) -> bool {
        match self {
            Arm::Taint => from == From::Outside,
            Arm::TaintFiles => from != From::Agent,
            Arm::Scan => level >= Level::Suspicious,
        }
    }

    fn ruling(self, stops: bool) -> Ruling {
        let rule = match self {
            _ if !stops => "",
            Arm::Taint | Arm::TaintFiles => "taint",
            Arm::Scan => "scan",
        };
        let verdict = if stops { Verdict::Review } else { Verdict::Allow };
        Ruling { verdict, rule: rule.to_owned(), decision: None }
    }
}
