//! What the batch of calls and the host's transcript add to what the events of single calls said.
//!
//! INVARIANT (transcript-never-grants): what only a batch or the transcript shows is no root: a file that
//! others may write cannot add authority, it can only add influence.

use std::borrow::Cow;

use circinus_analyzer::call::understand;
use circinus_core::artifact::Binding;
use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event};
use circinus_core::origin::Origin;

use super::{Recorder, Seen};
use crate::daemon::files;
use crate::daemon::gatekeeper::who;
use crate::host::{AnnouncedCall, Entry, Outcome, TranscriptEntry};

/// Newest artifacts that are looked through for another part of the same call, or for the same content.
const LOOKED_THROUGH_MAX: usize = 256;

impl Recorder<'_> {
    /// The result of a call as its batch gives it: exactly what the agent received.
    ///
    /// A call that no event of its own reported did not run, or its event was lost: its text is recorded with
    /// the least authority, and no file of it. Of a reported call only what holds something new is recorded.
    pub(in crate::daemon) fn batched(&self, call: &AnnouncedCall, outcome: &Outcome) -> Vec<Commit> {
        let known =
            call.id.as_ref().is_some_and(|id| self.snapshot.produced_by(&self.event.session, id).is_some());
        if outcome.output.is_empty() || (!known && super::is_inert(call)) {
            return Vec::new();
        }
        let commit = self.unreported(call, &outcome.output, self.kept(outcome));
        let brings = !known || self.adds_operand(call, &commit) || has_binding(&commit);
        if brings { vec![commit] } else { Vec::new() }
    }

    /// A result of which only the text is known.
    pub(in crate::daemon) fn unreported(
        &self,
        call: &AnnouncedCall,
        text: &str,
        bindings: Vec<Binding>,
    ) -> Commit {
        let summary = understand(&call.call, who(self.event, call), self.around).action.summary;
        let label = format!("{} {summary} (as the agent received it)", call.tool);
        self.commit(Some(call), Seen { bindings, derived: true, ..Seen::text(&label, text, Origin::Opaque) })
    }

    /// Files in which the host keeps output of a call; a path that something recorded explains stays as it is.
    pub(super) fn kept(&self, outcome: &Outcome) -> Vec<Binding> {
        let paths = outcome.kept_in.iter().filter_map(|path| self.path(path));
        paths
            .filter(|path| !files::is_inside(path.canonical(), &self.around.paths.workspace))
            .filter(|path| self.snapshot.binding(path).is_none())
            .map(|path| files::bind_file(&path))
            .collect()
    }

    fn adds_operand(&self, call: &AnnouncedCall, commit: &Commit) -> bool {
        let Event::Ingested(artifact) = &commit.event else { return false };
        let parts: Vec<_> = self
            .snapshot
            .seen(&self.event.session)
            .take(LOOKED_THROUGH_MAX)
            .filter(|(_, other)| other.call == call.id)
            .flat_map(|(_, other)| other.operands.iter().map(|hit| &hit.operand))
            .collect();
        artifact.operands.iter().any(|hit| !parts.contains(&&hit.operand))
    }

    /// A text that reached the agent past every hook; `None` where the same content is recorded already.
    pub(in crate::daemon) fn entered(
        &self,
        entry: &TranscriptEntry,
        place: usize,
        by: &Entry,
        text: &str,
    ) -> Option<Commit> {
        let content = Digest::of(text.as_bytes());
        let mut recent = self.snapshot.seen(&self.event.session).take(LOOKED_THROUGH_MAX);
        if recent.any(|(_, artifact)| artifact.content == content) {
            return None;
        }
        let derived = |label: &'static str, origin| Seen { derived: true, ..Seen::text(label, text, origin) };
        let mut commit = match by {
            Entry::Command => self.commit(None, derived("!command of the user", Origin::CmdLocal)),
            Entry::Body => self.commit(None, derived("body of a command or skill", Origin::CmdLocal)),
            Entry::Context => {
                self.commit(None, derived("context added by a hook or server", Origin::HookContext))
            }
            Entry::File(path) => {
                let label = format!("attached {path}");
                let explained = self.path(path).map(|path| self.explain(&path));
                let seen = match explained {
                    Some(files::Explained { origin, parents, secrecy, .. }) => {
                        Seen { parents, secrecy, derived: true, ..Seen::text(&label, text, origin) }
                    }
                    None => Seen { derived: true, ..Seen::text(&label, text, Origin::Opaque) },
                };
                self.commit(None, seen)
            }
        };
        // The same entry is read again after a restart, and in a fork that continues the conversation.
        commit.delivery = Some(Digest::of_parts([
            b"transcript".as_slice(),
            entry.id.as_deref().unwrap_or_default().as_bytes(),
            place.to_string().as_bytes(),
            content.0.as_slice(),
        ]));
        Some(commit)
    }

    /// The body of a command or skill that was called by name: its file, from the workspace or the user's own.
    pub(in crate::daemon) fn body(&self, name: &str, of_user: bool) -> Vec<Commit> {
        let own = self.around.host_config_dirs.iter().map(|dir| Cow::Borrowed(&**dir));
        let workspace = format!("{}/.claude", self.around.paths.workspace);
        let here = format!("{}/.claude", self.around.paths.cwd);
        let of_workspace = [workspace, here].map(Cow::<str>::Owned).into_iter();
        let folders: Vec<_> = if of_user { own.collect() } else { of_workspace.collect() };
        // A name is a path of plain components; colons part the folders of a namespace.
        let inside = name.replace(':', "/");
        if inside.split('/').any(|part| part.is_empty() || part.starts_with('.')) {
            return Vec::new();
        }
        let places = folders.iter().flat_map(|folder| {
            [format!("{folder}/commands/{inside}.md"), format!("{folder}/skills/{inside}/SKILL.md")]
        });
        places
            .map(|path| self.instructions(&path, of_user))
            .find(|commits| !commits.is_empty())
            .unwrap_or_default()
    }
}

fn has_binding(commit: &Commit) -> bool {
    matches!(&commit.event, Event::Ingested(artifact) if !artifact.bindings.is_empty())
}
