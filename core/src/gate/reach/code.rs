//! Copied code in what runs or persists: in a file, in the call itself, or wherever a runner finds it.

use super::{Cover, Reach, Viewer};
use crate::artifact::Artifact;
use crate::copied::may_run;
use crate::effect::Effect;
use crate::explain::Path;
use crate::id::ArtifactId;
use crate::limits;
use crate::lineage::Inferred;
use crate::operand::Operand;
use crate::origin::Origin;
use crate::policy::Gap;

impl Viewer<'_> {
    /// Code that the agent copied into a file when it wrote it.
    pub(super) fn copied_by(
        &self,
        by: ArtifactId,
        artifact: &Artifact,
        file: &Operand,
        cover: &Cover,
        reach: &mut Reach,
    ) {
        for edge in self.snapshot.copies(artifact) {
            self.copy(edge, Some((file.clone(), by)), cover, reach);
        }
    }

    /// Copied code needs the authority to run, whether it runs now or is made to run later: what the
    /// workspace may run already may also be named in its own files.
    fn copy(&self, edge: &Inferred, file: Option<(Operand, ArtifactId)>, cover: &Cover, reach: &mut Reach) {
        let Some(source) = self.snapshot.artifact(edge.parent) else { return };
        let own = self.snapshot.endorsements(&edge.quote.operand, self.at);
        let own = Cover::of(own.into_iter().collect(), Effect::Exec);
        let level = self.level(source);
        if cover.accepts(level) || own.accepts(level) {
            return;
        }
        let rooted = self.grant(&self.seen(&edge.quote.operand)).allows(Effect::Exec);
        let gap = if rooted || cover.grants() || own.grants() { Gap::None } else { Gap::Inferred };
        reach.lacking.extend((gap == Gap::Inferred).then(|| edge.quote.operand.clone()));
        let path = Path::Copied { file, quote: edge.quote.clone() };
        reach.endorsed.extend(own.acts);
        reach.add(self.influence((edge.parent, source), gap, level, path));
    }

    /// Inline code, or content that persists: the code that it copies.
    pub(super) fn text(&self) -> Reach {
        let mut reach = Reach { found: true, ..Reach::NOTHING };
        let none = Cover::of(Vec::new(), self.effect);
        let copies = self.action.facts.copies.iter().filter(|(place, _)| *place == self.place);
        copies.for_each(|(_, edge)| self.copy(edge, None, &none, &mut reach));
        reach
    }

    /// Whether the source of copied code is a file that a build or test tool runs as it stands, was printed
    /// from such files, or is what the agent made of one: copying it within the workspace makes nothing run
    /// that would not run already. What else the agent put in has an edge of its own.
    fn may_be_picked_up(&self, id: ArtifactId) -> bool {
        let Some(source) = self.snapshot.artifact(id) else { return false };
        let made_from: Vec<ArtifactId> = match source.origin {
            Origin::CmdLocal => source.observed.iter().map(|edge| edge.parent).collect(),
            Origin::AgentText => self.snapshot.whole_ancestors(id),
            _ => Vec::new(),
        };
        let of_agent = source.origin == Origin::AgentText;
        let harmless = |one: &Artifact| {
            self.runs_already(one)
                || one.authority.allows(Effect::Exec)
                || of_agent && one.origin == Origin::AgentText
        };
        let mut parents = made_from.iter().filter_map(|id| self.snapshot.artifact(*id));
        let from_such = parents.clone().any(|parent| self.runs_already(parent));
        let all_known = made_from.len() < limits::ANCESTORS_MAX;
        self.runs_already(source) || from_such && all_known && parents.all(harmless)
    }

    /// Whether an artifact is a file of the workspace, or a part of one, that nothing explains and that the
    /// workspace's tools run.
    fn runs_already(&self, artifact: &Artifact) -> bool {
        let Some(workspace) = self.at.workspace else { return false };
        let bound = artifact.bindings.iter().filter(|binding| !binding.tree).map(|binding| &binding.path);
        let mut files = bound.chain(&artifact.read_from);
        artifact.origin == Origin::WsUnexplained && files.any(|file| may_run(file, workspace))
    }

    /// What a build or test tool may pick up: every file of the workspace that recorded steps wrote with
    /// copied code, and that nobody endorsed.
    pub(super) fn workspace(&self) -> Reach {
        let mut reach = Reach { granted: true, found: true, ..Reach::NOTHING };
        let files = self.snapshot.copied_files(&self.action.session);
        let there = files.filter(|file| !self.action.facts.gone.contains(file));
        for file in there.take(limits::RUNNER_FILES_MAX) {
            let Some(bound) = self.snapshot.binding(file) else { continue };
            let Some(own) = self.snapshot.artifact(bound.artifact) else { continue };
            let cover = self.cover_of_whole(file, bound.artifact, own);
            for id in std::iter::once(bound.artifact).chain(self.snapshot.whole_ancestors(bound.artifact)) {
                let Some(artifact) = self.snapshot.artifact(id) else { continue };
                let copies = self.snapshot.copies(artifact);
                for edge in copies.filter(|edge| !self.may_be_picked_up(edge.parent)) {
                    self.copy(edge, Some((file.clone(), id)), &cover, &mut reach);
                }
            }
            reach.endorsed.extend(cover.acts);
        }
        reach
    }
}
