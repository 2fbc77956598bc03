//! Prompts: the user's own words, what was pasted into them, and what a machine wrote in their place.

use std::borrow::Cow;
use std::ops::Range;

use circinus_core::action::ToolCall;
use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event};
use circinus_core::id::{ArtifactId, CallId};
use circinus_core::lineage::{Observed, Step};
use circinus_core::origin::Origin;

use super::{Recorder, Seen};
use crate::daemon::pasted::{self, PROMPT_BYTES_MAX, Prompt};
use crate::daemon::texts::Texts;
use crate::host::{AnnouncedCall, Author, Worker};

/// Bytes of earlier texts that a prompt is compared with, newest first: about 20 ms once per prompt.
const COMPARED_BYTES_MAX: usize = 16 << 20;

/// Artifacts of one subagent that its report is derived from; beyond it the report counts as opaque.
const INGESTED_MAX: usize = 256;

impl Recorder<'_> {
    /// A prompt, and the files that it mentions.
    ///
    /// What a person typed is found again by the id of the prompt: the transcript may tell that none did.
    pub(in crate::daemon) fn prompt(
        &self,
        text: &str,
        author: &Author,
        id: Option<&CallId>,
        texts: &Texts,
    ) -> Vec<Commit> {
        match author {
            Author::User if !self.voice.is_a_persons() => {
                vec![self.commit(None, Seen::text("prompt", text, Origin::Opaque))]
            }
            Author::User if self.was_composed(text) => {
                let derived = Seen::text("prompt that the agent composed", text.trim(), Origin::AgentText);
                vec![self.commit(None, Seen { derived: true, ..derived })]
            }
            Author::User => {
                let mut commits = self.typed(text, id, texts);
                commits.extend(super::mentions(text).filter_map(|path| self.file(path, "attached")));
                commits
            }
            Author::Host(worker) => {
                let (origin, parents) =
                    worker.as_ref().map_or((Origin::Opaque, Vec::new()), |worker| self.report(worker));
                let seen = Seen { parents, derived: true, ..Seen::text("notification", text, origin) };
                vec![self.commit(None, seen)]
            }
        }
    }

    /// Prompts that an unknown tool is given to submit later, as the user's prompts come.
    pub(super) fn scheduled(&self, call: &AnnouncedCall) -> Vec<Commit> {
        let ToolCall::Other { arguments, .. } = &call.call else { return Vec::new() };
        let prompts = arguments.iter().filter(|argument| &*argument.name == "prompt");
        let label = format!("{} prompt for later", call.tool);
        let seen = |text: &str| {
            self.commit(
                Some(call),
                Seen { derived: true, ..Seen::text(&label, text.trim(), Origin::AgentText) },
            )
        };
        prompts.map(|argument| seen(&argument.text)).collect()
    }

    /// Whether the agent wrote exactly this text, in any session: a schedule outlives the one that made it.
    fn was_composed(&self, text: &str) -> bool {
        let content = Digest::of(text.trim().as_bytes());
        self.snapshot.artifacts().any(|(_, it)| it.content == content && it.origin == Origin::AgentText)
    }

    /// What the user typed, apart from what they pasted: a pasted span is derived from where it stood before
    /// and grants nothing.
    fn typed(&self, text: &str, id: Option<&CallId>, texts: &Texts) -> Vec<Commit> {
        let own = |text: &str| {
            let mut commit = self.commit(None, Seen::text("prompt", text, Origin::UserPrompt));
            if let Event::Ingested(artifact) = &mut commit.event {
                artifact.call = id.cloned();
            }
            commit
        };
        let mut spans = self.pasted(text, texts);
        let compared = text.floor_char_boundary(PROMPT_BYTES_MAX);
        if compared < text.len() {
            spans.push((compared..text.len(), None));
        }
        if spans.is_empty() {
            return vec![own(text)];
        }
        let mut commits = vec![own(&without(text, spans.iter().map(|(span, _)| span.clone()).collect()))];
        for (span, source) in spans {
            let Some(pasted) = text.get(span) else { continue };
            let origin =
                source.and_then(|id| self.snapshot.artifact(id)).map_or(Origin::Opaque, |it| it.origin);
            let parents = source.map(|parent| Observed { parent, step: Step::Whole }).into_iter().collect();
            let seen =
                Seen { parents, derived: true, ..Seen::text("pasted into the prompt", pasted, origin) };
            commits.push(self.commit(None, seen));
        }
        commits
    }

    /// Spans of a prompt that stood in something read earlier, each with the artifact that had it.
    fn pasted(&self, text: &str, texts: &Texts) -> Vec<(Range<usize>, Option<ArtifactId>)> {
        let Some(prompt) = Prompt::of(text) else { return Vec::new() };
        let mut found: Vec<(Range<usize>, Option<ArtifactId>)> = Vec::new();
        let mut compared = 0;
        for (id, artifact) in self.snapshot.seen(&self.event.session) {
            if matches!(artifact.origin, Origin::UserPrompt | Origin::HumanCli | Origin::UserConfig) {
                continue;
            }
            let Some(earlier) = texts.held(&artifact.content) else { continue };
            compared += earlier.len();
            if compared > COMPARED_BYTES_MAX {
                break;
            }
            for span in prompt.spans_in(&earlier) {
                let start = text.floor_char_boundary(span.start);
                let span = start..text.ceil_char_boundary(span.end);
                if !found.iter().any(|(known, _)| known.start <= span.start && span.end <= known.end) {
                    found.push((span, Some(id)));
                }
            }
        }
        found
    }

    /// What a subagent's report is: derived from everything that was recorded under its id, and opaque where
    /// that is not everything that it did.
    pub(super) fn report(&self, worker: &Worker) -> (Origin, Vec<Observed>) {
        let mut parents = Vec::new();
        let mut calls = std::collections::BTreeSet::new();
        let ingested = self
            .snapshot
            .seen(&self.event.session)
            .filter(|(_, artifact)| artifact.agent.as_ref() == Some(&worker.agent));
        for (parent, artifact) in ingested {
            calls.extend(artifact.call.as_ref().map(|call| call.as_str()));
            // What the subagent wrote itself is as good as what it had read.
            if artifact.origin != Origin::AgentText {
                parents.push(Observed { parent, step: Step::Whole });
            }
        }
        let all_seen =
            worker.calls.is_some_and(|made| made <= calls.len() as u64) && parents.len() <= INGESTED_MAX;
        parents.truncate(INGESTED_MAX);
        (if all_seen { Origin::AgentText } else { Origin::Opaque }, parents)
    }
}

/// The text without some spans; a line feed keeps what stood around them apart.
fn without(text: &str, spans: Vec<Range<usize>>) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in pasted::joined(spans) {
        out.push_str(text.get(at..span.start).unwrap_or_default());
        out.push('\n');
        at = span.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}
