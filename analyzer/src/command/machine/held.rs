//! What this very call put into files and directories before somebody reads or runs them.

use circinus_core::action::{SlotValue, Tier};
use circinus_core::effect::Effect;

use super::super::guard;
use super::super::value::{Arg, Stream, Taint};
use super::{Machine, source_of};
use crate::place::{Region, is_within};

/// Directories filled in one call that are kept; beyond it the action is opaque.
const TREES_MAX: usize = 64;

impl Machine<'_> {
    /// What this call put at a path: a file that it wrote, or one that lies in a directory that it filled.
    pub(in super::super) fn held(&self, path: &str) -> Option<Stream> {
        let in_tree = || {
            let around = self.trees.iter().filter(|(directory, _)| is_within(path, directory));
            let nearest = around.max_by_key(|(directory, _)| directory.len());
            nearest.map(|(_, taint)| Stream::unknown(taint.clone()))
        };
        self.files.get(path).cloned().or_else(in_tree)
    }

    /// Fills a directory with files that come from `stream`.
    pub(in super::super) fn fill_tree(&mut self, by: &str, target: &Arg, stream: &Stream) {
        let place = self.place(target);
        self.found.writes_place(by, &place, source_of(stream), true);
        let Some(directory) = place.path.filter(|_| stream.taint != Taint::default()) else { return };
        if self.trees.len() < TREES_MAX {
            self.trees.push((directory, stream.taint.clone()));
        } else {
            self.found.opaque_by("fills too many directories");
        }
    }

    /// It runs code that it finds by itself where it works: the workspace's, or what this call put there.
    pub(in super::super) fn runs_workspace(&mut self, by: &str) {
        self.found.slot(by, Effect::Exec, SlotValue::Workspace, Tier::T2);
        let place = self.place(&Arg::literal("."));
        if place.region != Region::Workspace {
            // Another project is an everyday matter; what lies in scratch space is nobody's.
            if place.region == Region::Temp {
                self.found.by_rule("runs what lies in scratch space", |found| found.raise(Tier::T2));
            }
            if let Some(directory) = place.operand {
                self.found.slot(by, Effect::Exec, SlotValue::Operands(directory.expand()), Tier::T2);
            }
        }
        let texts = self.files.values().filter_map(|stream| stream.text.as_deref());
        if texts.into_iter().any(guard::speaks) {
            self.found.guard();
        }
        let here = self.env.cwd.as_deref().and_then(|cwd| self.held(cwd));
        if let Some(held) = here {
            super::super::code::runs_remote(self, by, &held.taint);
        }
    }
}
