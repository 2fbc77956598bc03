//! From what a host reports to what is committed: one observation per artifact.

mod copied;
mod prompt;
mod told;

use std::borrow::Cow;
use std::collections::BTreeSet;

use circinus_analyzer::Surroundings;
use circinus_analyzer::call::{Source, Understanding, understand};
use circinus_analyzer::command::ShellGrammar;
use circinus_core::action::{FileWrite, ToolCall, WriteSource};
use circinus_core::artifact::Binding;
use circinus_core::authority::Secrecy;
use circinus_core::effect::Effect;
use circinus_core::event::Commit;
use circinus_core::id::{ArtifactId, CallId};
use circinus_core::index::Snapshot;
use circinus_core::ingest::{self, Observation};
use circinus_core::lineage::{Observed, Step};
use circinus_core::operand::{Kind, Operand};
use circinus_core::origin::Origin;

use super::files::{self, Announced, Explained, Listings, Prior, Scene};
use super::gatekeeper::who;
use super::hosts::Voice;
use super::texts::Texts;
use crate::host::{AnnouncedCall, HostEvent, Outcome};

/// What every observation of one event shares.
pub(super) struct Recorder<'a> {
    /// The event.
    pub event: &'a HostEvent,
    /// Who sent it.
    pub voice: &'a Voice,
    /// Where it happened.
    pub around: &'a Surroundings,
    /// The state before it.
    pub snapshot: &'a Snapshot,
    /// The local key that seals secrets.
    pub seal: &'a [u8; 32],
    /// Texts of what was recorded before.
    pub texts: &'a Texts,
    /// What the repositories track.
    pub listings: &'a Listings,
    /// What lay at the places of the announced calls.
    pub announced: &'a Announced,
}

/// One content with where it came from.
struct Seen<'a> {
    label: &'a str,
    bytes: Cow<'a, [u8]>,
    origin: Origin,
    derived: bool,
    secrecy: Secrecy,
    parents: Vec<Observed>,
    bindings: Vec<Binding>,
    read_from: Option<Operand>,
    analysed: bool,
    /// What the agent composed of it in this call, if not all.
    composed: Option<&'a str>,
}

impl<'a> Seen<'a> {
    fn text(label: &'a str, text: &'a str, origin: Origin) -> Self {
        Self {
            label,
            bytes: Cow::Borrowed(text.as_bytes()),
            origin,
            derived: false,
            secrecy: Secrecy::Public,
            parents: Vec::new(),
            bindings: Vec::new(),
            read_from: None,
            analysed: true,
            composed: None,
        }
    }
}

impl Recorder<'_> {
    /// An instruction file that the host loaded.
    pub(super) fn instructions(&self, path: &str, of_user: bool) -> Vec<Commit> {
        let mut commits: Vec<_> = self.file(path, "instructions").into_iter().collect();
        if of_user && self.voice.is_a_hosts() {
            // Only a file that nothing recorded wrote is the user's own configuration.
            let written = self.path(path).is_some_and(|path| self.snapshot.binding(&path).is_some());
            if !written && let Ok(bytes) = files::read(path) {
                let label = format!("instructions {path}");
                let seen = Seen { bytes: Cow::Owned(bytes), ..Seen::text(&label, "", Origin::UserConfig) };
                commits = vec![self.commit(None, seen)];
            }
        }
        commits
    }

    /// A summary that replaces the conversation: derived, never a root.
    pub(super) fn summary(&self, summary: &str) -> Vec<Commit> {
        vec![self.commit(None, Seen::text("summary of the conversation", summary, Origin::AgentText))]
    }

    /// The outcome of a call: what the agent read of it, and the files it wrote.
    ///
    /// INVARIANT (every-call-leaves-a-trace): a call that ran has an artifact, if only an empty one, unless it
    /// touched nothing but the agent's own notes.
    pub(super) fn outcome(&self, call: &AnnouncedCall, outcome: &Outcome) -> Vec<Commit> {
        let understood = understand(&call.call, who(self.event, call), self.around);
        let mut commits: Vec<_> = self.output(call, &understood, outcome).into_iter().collect();
        let prior = self.announced.of(&self.event.session, call.id.as_ref());
        let prior = prior.as_deref();
        let made = self.made(call, &understood.writes, prior);
        let writes = understood.writes.iter().zip(made);
        commits.extend(writes.filter_map(|(write, made)| self.write(call, write, made, prior)));
        if understood.action.effects.contains(Effect::Install) {
            commits.extend(self.installed(call));
        }
        if let Some(name) = &outcome.loaded {
            let bodies = [false, true].map(|of_user| self.body(name, of_user));
            commits.extend(bodies.into_iter().find(|found| !found.is_empty()).unwrap_or_default());
        }
        commits.extend(self.scheduled(call));
        if commits.is_empty() && !is_inert(call) {
            let label = format!("{} {} (no output)", call.tool, understood.action.summary);
            let seen = Seen { analysed: false, derived: true, ..Seen::text(&label, "", Origin::CmdLocal) };
            commits.push(self.commit(Some(call), seen));
        }
        commits
    }

    fn output(&self, call: &AnnouncedCall, understood: &Understanding, outcome: &Outcome) -> Option<Commit> {
        let output = &*outcome.output;
        let mut label = format!("{} {}", call.tool, understood.action.summary);
        let (mut parents, secrecy) = self.inputs(&understood.reads);
        let origin = match (&call.call, &understood.source) {
            (ToolCall::Inert { .. } | ToolCall::WriteFile { .. } | ToolCall::EditFile { .. }, _) => {
                return None;
            }
            (ToolCall::ReadFile { path }, _) => return self.read(call, path, &label, output),
            (ToolCall::Fetch { .. }, _) => {
                label += " (as the host's model retold it)";
                Origin::WebFetch
            }
            (ToolCall::WebSearch { .. }, _) => Origin::WebSearch,
            (ToolCall::Mcp { .. }, _) => Origin::Mcp,
            (ToolCall::Spawn { .. }, _) => match &outcome.worker {
                Some(worker) => {
                    let (origin, ingested) = self.report(worker);
                    parents.extend(ingested);
                    origin
                }
                None => Origin::Opaque,
            },
            (ToolCall::Collect { .. } | ToolCall::Other { .. }, _) => Origin::Opaque,
            (ToolCall::Shell { .. }, Source::Remote(_)) => Origin::CmdRemote,
            (ToolCall::Shell { .. } | ToolCall::Search { .. }, _) => Origin::CmdLocal,
        };
        let bindings = self.kept(outcome);
        if output.is_empty() && bindings.is_empty() {
            return None;
        }
        let derived = matches!(call.call, ToolCall::Spawn { .. });
        let seen = Seen { parents, secrecy, bindings, derived, ..Seen::text(&label, output, origin) };
        Some(self.commit(Some(call), seen))
    }

    /// A file as the agent read it; the part that was read is what counts as content.
    fn read(&self, call: &AnnouncedCall, path: &str, label: &str, output: &str) -> Option<Commit> {
        if output.is_empty() {
            return None;
        }
        let seen = match self.path(path) {
            Some(path) => {
                let Explained { origin, parents, derived, secrecy, .. } = self.explain(&path);
                Seen { parents, derived, secrecy, read_from: Some(path), ..Seen::text(label, output, origin) }
            }
            None => Seen::text(label, output, Origin::Opaque),
        };
        Some(self.commit(Some(call), seen))
    }

    /// A file that entered the context without a call.
    fn file(&self, path: &str, how: &str) -> Option<Commit> {
        let path = self.path(path)?;
        let bytes = files::read(path.canonical()).ok()?;
        let Explained { origin, parents, derived, secrecy, .. } = self.explain(&path);
        let label = format!("{how} {path}");
        let read_from = Some(path);
        let text = Seen::text(&label, "", origin);
        let seen = Seen { bytes: Cow::Owned(bytes), parents, derived, secrecy, read_from, ..text };
        Some(self.commit(None, seen))
    }

    fn explain(&self, path: &Operand) -> Explained {
        let session = self.snapshot.session(&self.event.session);
        let scene =
            Scene { paths: &self.around.paths, session, snapshot: self.snapshot, listings: self.listings };
        files::explain(path, &scene)
    }

    /// A file that a call wrote, bound to what explains its bytes; none when nothing of it is there.
    fn write(
        &self,
        call: &AnnouncedCall,
        write: &FileWrite,
        mut made: Explained,
        prior: Option<&Prior>,
    ) -> Option<Commit> {
        let opened = self.snapshot.session(&self.event.session).map(|session| session.opened);
        let written = files::look_at_written(write, prior, opened.unwrap_or_default(), &self.around.paths);
        if written.bindings.is_empty() {
            return None;
        }
        let mut earlier = self.earlier(&written.bindings);
        earlier.retain(|id| made.parents.iter().all(|known| known.parent != *id));
        made.parents.extend(earlier.into_iter().map(|parent| Observed { parent, step: Step::Whole }));
        let label = format!("{} wrote {}", call.tool, write.path);
        let seen = Seen {
            derived: !matches!(write.from, WriteSource::Remote(_)),
            secrecy: made.secrecy,
            parents: made.parents,
            bindings: written.bindings,
            analysed: written.bytes.is_some(),
            bytes: Cow::Owned(written.bytes.unwrap_or_default()),
            composed: match &call.call {
                ToolCall::EditFile { new, .. } => Some(&**new),
                _ => None,
            },
            ..Seen::text(&label, "", made.origin)
        };
        Some(self.commit(Some(call), seen))
    }

    /// What was recorded of the same bytes before. That a command would write a place does not say that it did,
    /// and an agent can type what it has downloaded.
    fn earlier(&self, bindings: &[Binding]) -> BTreeSet<ArtifactId> {
        let contents = bindings.iter().filter_map(|binding| binding.content);
        contents.filter_map(|content| self.snapshot.holding(&content)).collect()
    }

    /// The trees of dependencies that an install made or changed, as far as they lie where it ran.
    fn installed(&self, call: &AnnouncedCall) -> Option<Commit> {
        let places = [&*self.around.paths.cwd, &*self.around.paths.workspace];
        let trees = files::installed_in(&places);
        let bindings: Vec<_> = trees
            .iter()
            .filter_map(|tree| self.path(tree))
            .map(|path| Binding { path, content: None, tree: true })
            .collect();
        let label = format!("{} installed {}", call.tool, trees.join(" "));
        let seen =
            Seen { derived: true, bindings, analysed: false, ..Seen::text(&label, "", Origin::DepTree) };
        (!seen.bindings.is_empty()).then(|| self.commit(Some(call), seen))
    }

    /// Recorded artifacts behind the files that flowed into something, and whether any is confidential.
    fn inputs(&self, sources: &[Operand]) -> (Vec<Observed>, Secrecy) {
        let mut parents = Vec::new();
        let mut secrecy = Secrecy::Public;
        for source in sources {
            let bound = self.snapshot.binding(source);
            parents.extend(bound.map(|bound| Observed { parent: bound.artifact, step: Step::Whole }));
            if files::is_credential(source) {
                secrecy = Secrecy::Secret;
            }
        }
        (parents, secrecy)
    }

    fn path(&self, text: &str) -> Option<Operand> {
        Operand::parse(Kind::Path, text, &self.around.paths)
    }

    fn commit(&self, call: Option<&AnnouncedCall>, seen: Seen<'_>) -> Commit {
        let text = String::from_utf8_lossy(&seen.bytes);
        // What a process reports that is not the host may be anything: it grants nothing and explains nothing.
        let foreign = self.voice.is_foreign();
        let observation = Observation {
            session: &self.event.session,
            agent: self.event.agent.as_ref(),
            call: call.and_then(|call| call.id.as_ref()),
            event: delivery_kind(&self.event.name),
            origin: if foreign { Origin::Opaque } else { seen.origin },
            label: seen.label,
            bytes: &seen.bytes,
            text: &text,
            derived: seen.derived,
            parents: &seen.parents,
            bindings: seen.bindings,
            read_from: seen.read_from,
            secrecy: seen.secrecy,
            seal: self.seal,
            paths: &self.around.paths,
            analysed: seen.analysed,
            grammar: &ShellGrammar,
            composed: seen.composed,
            texts: self.texts,
        };
        let commit = ingest::admit(observation, self.snapshot);
        // What the host itself delivers is never taken for a repetition of something foreign.
        if foreign { Commit { delivery: None, ..commit } } else { commit }
    }
}

/// Whether a call touches nothing but the agent's own notes.
pub(super) fn is_inert(call: &AnnouncedCall) -> bool {
    matches!(call.call, ToolCall::Inert { .. })
}

/// A call of which only the id is known.
pub(super) fn unknown_call(id: &CallId) -> AnnouncedCall {
    let call = ToolCall::Other { tool: "unknown".into(), arguments: Vec::new() };
    AnnouncedCall { id: Some(id.clone()), tool: "unknown tool".into(), call }
}

/// The result of a call may be delivered by its own event and again with its batch: one delivery.
fn delivery_kind(event: &str) -> &str {
    match event {
        "PostToolUse" | "PostToolUseFailure" | "PostToolBatch" | "transcript" => "result",
        other => other,
    }
}

/// Paths that a prompt attaches: words that begin with `@` and look like a path.
fn mentions(prompt: &str) -> impl Iterator<Item = &str> {
    const MENTIONS_MAX: usize = 64;
    let words = prompt.split_whitespace().filter_map(|word| word.strip_prefix('@'));
    words
        .map(|path| path.trim_matches('"').trim_end_matches([',', '.', ';', ':', ')', '?', '!']))
        .filter(|path| path.contains(['/', '.']))
        .take(MENTIONS_MAX)
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn a_mentioned_path_is_found_and_a_handle_is_not() {
        let found: Vec<_> = mentions("see @src/a.rs, and @b.txt. Thanks @anna!").collect();
        assert_eq!(found, ["src/a.rs", "b.txt"]);
    }
}
