//! What persons stated, as the gate looks it up.

use imbl::{HashMap, HashSet, OrdMap};

use super::identity;
use crate::digest::Digest;
use crate::endorsement::{
    Acknowledgement, Act, Approval, Confirmation, Endorsement, Scope, Statement, Subject,
};
use crate::evidence::Level;
use crate::id::{ActId, EventSeq, SessionId, WorkspaceId};
use crate::operand::Operand;
use crate::policy::Profile;
use crate::time::UnixMillis;

/// Who looks, and when.
#[derive(Clone, Copy, Debug)]
pub struct Viewpoint<'a> {
    /// The root of the session that acts.
    pub root: &'a SessionId,
    /// The workspace it acts in; none when the session is not known.
    pub workspace: Option<&'a WorkspaceId>,
    /// The present time.
    pub now: UnixMillis,
}

/// An endorsement in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InForce<'a> {
    /// Its id.
    pub id: ActId,
    /// What was endorsed.
    pub endorsement: &'a Endorsement,
}

/// Everything that was stated and not revoked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Acts {
    statements: OrdMap<ActId, Statement>,
    by_operand: HashMap<Operand, Vec<ActId>>,
    by_content: HashMap<Digest, Vec<ActId>>,
    directories: Vec<ActId>,
    approvals: HashMap<(SessionId, Digest), Vec<ActId>>,
    confirmed: HashMap<(SessionId, Digest), ActId>,
    acknowledged: HashMap<Digest, Vec<ActId>>,
    spent: HashSet<ActId>,
    profile: Option<Profile>,
}

impl Acts {
    pub(super) fn state(&mut self, id: ActId, statement: &Statement) {
        match &statement.act {
            Act::Revoked { act } => {
                self.statements.remove(act);
                return;
            }
            Act::ProfileChanged { profile } => self.profile = *profile,
            Act::Endorsed(Endorsement { subject: Subject::Operand(operand), .. }) => {
                self.by_operand.entry(operand.clone()).or_default().push(id);
            }
            Act::Endorsed(Endorsement { subject: Subject::Content(content), .. }) => {
                self.by_content.entry(*content).or_default().push(id);
            }
            Act::Endorsed(Endorsement { subject: Subject::Directory(_), .. }) => self.directories.push(id),
            Act::Acknowledged(Acknowledgement { content, .. }) => {
                self.acknowledged.entry(*content).or_default().push(id);
            }
            Act::Approved(Approval { session, identity, .. }) => {
                self.approvals.entry((session.clone(), *identity)).or_default().push(id);
            }
            Act::Confirmed(Confirmation { session, questions, .. }) => {
                for question in questions {
                    self.confirmed.insert((session.clone(), *question), id);
                }
            }
        }
        self.statements.insert(id, statement.clone());
    }

    /// See [`super::Snapshot::identity`].
    pub(super) fn identity(&self) -> Digest {
        let Self {
            statements,
            by_operand,
            by_content,
            directories,
            approvals,
            confirmed,
            acknowledged,
            spent,
            profile,
        } = self;
        identity::of_all([
            identity::of((statements, directories, profile)),
            identity::of_unordered(by_operand),
            identity::of_unordered(by_content),
            identity::of_unordered(approvals),
            identity::of_unordered(confirmed),
            identity::of_unordered(acknowledged),
            identity::of_unordered(spent),
        ])
    }

    /// Takes what a decision used up out of force.
    pub(super) fn spend(&mut self, id: ActId) {
        self.spent.insert(id);
    }

    /// Everything in force or waiting to be used, oldest first.
    pub(super) fn standing(&self) -> impl Iterator<Item = (ActId, &Statement)> {
        self.statements.iter().filter(|(id, _)| !self.spent.contains(id)).map(|(id, stated)| (*id, stated))
    }

    pub(super) fn is_standing(&self, id: ActId) -> bool {
        self.statements.contains_key(&id) && !self.spent.contains(&id)
    }

    pub(super) const fn profile(&self) -> Option<Profile> {
        self.profile
    }

    fn endorsement(&self, id: ActId, at: Viewpoint<'_>) -> Option<InForce<'_>> {
        let Act::Endorsed(endorsement) = &self.statements.get(&id)?.act else { return None };
        let covered = match &endorsement.scope {
            Scope::Once(workspace) => Some(workspace) == at.workspace && !self.spent.contains(&id),
            Scope::Workspace(workspace) => Some(workspace) == at.workspace,
            Scope::Session(root) => root == at.root,
        };
        (covered && !endorsement.has_expired(at.now)).then_some(InForce { id, endorsement })
    }

    /// Endorsements of a value that hold from there.
    pub(super) fn of_operand<'a>(&'a self, operand: &Operand, at: Viewpoint<'_>) -> Vec<InForce<'a>> {
        self.in_force(self.by_operand.get(operand), at)
    }

    /// Endorsements of these bytes that hold from there.
    pub(super) fn of_content<'a>(&'a self, content: &Digest, at: Viewpoint<'_>) -> Vec<InForce<'a>> {
        self.in_force(self.by_content.get(content), at)
    }

    fn in_force<'a>(&'a self, ids: Option<&Vec<ActId>>, at: Viewpoint<'_>) -> Vec<InForce<'a>> {
        ids.into_iter().flatten().filter_map(|id| self.endorsement(*id, at)).collect()
    }

    /// The newest trust in a directory that holds `path`. Trust holds for whoever looks: the directory is its
    /// scope.
    pub(super) fn trust(&self, path: &Operand, now: UnixMillis) -> Option<InForce<'_>> {
        self.directories.iter().rev().find_map(|id| {
            let Act::Endorsed(endorsement) = &self.statements.get(id)?.act else { return None };
            let Subject::Directory(directory) = &endorsement.subject else { return None };
            let inside = is_below(path.canonical(), directory.canonical());
            (inside && !endorsement.has_expired(now)).then_some(InForce { id: *id, endorsement })
        })
    }

    /// The approval or confirmation that answers a question about an action.
    pub(super) fn answer(
        &self,
        question: &Digest,
        identity: &Digest,
        at: Viewpoint<'_>,
    ) -> Option<(ActId, bool)> {
        let approvals = self.approvals.get(&(at.root.clone(), *identity));
        let approved = approvals.into_iter().flatten().copied().find(|id| {
            let approval = self.statements.get(id).map(|stated| &stated.act);
            matches!(approval, Some(Act::Approved(approval))
                if approval.expires > at.now && approval.questions.contains(question))
                && !self.spent.contains(id)
        });
        let confirmed = self.confirmed.get(&(at.root.clone(), *question)).copied();
        let confirmed = confirmed.filter(|id| self.statements.contains_key(id));
        confirmed.map(|id| (id, false)).or_else(|| approved.map(|id| (id, true)))
    }

    /// What a person accepted about a content in a workspace: evidence up to there counts as benign.
    pub(super) fn accepted(&self, content: &Digest, workspace: Option<&WorkspaceId>) -> Option<Level> {
        let workspace = workspace?;
        let ids = self.acknowledged.get(content);
        let levels = ids.into_iter().flatten().filter_map(|id| match &self.statements.get(id)?.act {
            Act::Acknowledged(one) if one.workspace == *workspace => Some(one.level),
            _ => None,
        });
        levels.max()
    }
}

fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        || directory == "/"
}

/// The place of a statement in the log.
pub(crate) const fn stated_at(id: ActId) -> EventSeq {
    id.0
}
