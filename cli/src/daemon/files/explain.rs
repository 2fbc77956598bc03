//! What explains the bytes of a file.

use std::cell::OnceCell;
use std::fs;
use std::path::Path;

use circinus_core::authority::Secrecy;
use circinus_core::id::{ArtifactId, EventSeq};
use circinus_core::index::{Bound, Session, Snapshot};
use circinus_core::lineage::{Observed, Step};
use circinus_core::operand::{Kind, Operand, PathContext};
use circinus_core::origin::Origin;
use circinus_core::policy;

use super::fingerprint::{self, Fingerprint};
use super::listings::{Listings, Tracked};
use super::{changed_at, is_credential, is_inside, real_name};
use crate::clock;

/// How a file's bytes are explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Explained {
    /// Where they came from.
    pub(crate) origin: Origin,
    /// Artifacts that they were copied from.
    pub(crate) parents: Vec<Observed>,
    /// Whether they are a copy of something and so no root, although nothing recorded says of what.
    pub(crate) derived: bool,
    /// Whether a record explains them to the last byte, so that the parents alone decide what they may cause.
    pub(crate) recorded: bool,
    /// Whether they are confidential.
    pub(crate) secrecy: Secrecy,
}

impl Explained {
    /// Bytes of an origin that were computed from nothing recorded.
    pub(crate) fn of(origin: Origin) -> Self {
        Self { origin, parents: Vec::new(), derived: true, recorded: false, secrecy: Secrecy::Public }
    }
}

/// Everything that an explanation looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    /// How paths are read, and where the workspace is.
    pub(crate) paths: &'a PathContext,
    /// The session that asks.
    pub(crate) session: Option<&'a Session>,
    /// What is recorded.
    pub(crate) snapshot: &'a Snapshot,
    /// What the repositories track.
    pub(crate) listings: &'a Listings,
}

/// Explains the bytes that a file has now, strictest first: a binding of the path; what was recorded of the
/// same bytes elsewhere before the session began; the state of the workspace when the session began; later
/// records of the same bytes. What nothing explains is unexplained.
///
/// INVARIANT (read-back-cannot-launder): records are consulted before the file's age, in every session, and
/// what was once bound at a path stays an ancestor of whatever is found there.
pub(crate) fn explain(path: &Operand, scene: &Scene<'_>) -> Explained {
    let file = File::at(path, scene);
    let real = Operand::parse(Kind::Path, &file.real, scene.paths);
    let secret = is_credential(path) || real.as_ref().is_some_and(is_credential);
    let secrecy = if secret { Secrecy::Secret } else { Secrecy::Public };
    // Reached through a link, a file is bound under its own name.
    let bound = scene.snapshot.binding(path).or_else(|| scene.snapshot.binding(real.as_ref()?));
    if let Some(bound) = &bound
        && file.is_unchanged_since(bound)
    {
        // What was there when a person trusted the directory is theirs; what came later is what is recorded.
        let explained = match file.trust {
            Some(trust) if bound.artifact.0 < trust => File::plain(Origin::WsTracked, false),
            _ => file.recorded(bound.artifact),
        };
        return Explained { secrecy, ..explained };
    }
    let mut explained = file.unbound();
    if let Some(bound) = bound {
        explained.parents.push(Observed { parent: bound.artifact, step: Step::Whole });
        explained.recorded = false;
    }
    Explained { secrecy, ..explained }
}

/// The lesser of two origins; where each allows something that the other does not, what is unexplained.
pub(crate) fn lesser(one: Origin, other: Origin) -> Origin {
    let [first, second] = [one, other].map(|origin| policy::origin_row(origin).effects);
    match (first.is_subset(second), second.is_subset(first)) {
        (true, _) => one,
        (false, true) => other,
        (false, false) => Origin::WsUnexplained,
    }
}

/// One file as it is now.
struct File<'a> {
    scene: &'a Scene<'a>,
    /// Its path without symbolic links.
    real: String,
    /// Its path below the top of the workspace; none outside.
    below: Option<String>,
    tracked: Tracked,
    /// When a person trusted a directory above it, if that holds.
    trust: Option<EventSeq>,
    print: OnceCell<Option<Fingerprint>>,
}

impl<'a> File<'a> {
    fn at(path: &Operand, scene: &'a Scene<'a>) -> Self {
        let resolve = |path: &str| real_name(path).unwrap_or_else(|| path.to_owned());
        let real = resolve(path.canonical());
        let top = resolve(&scene.paths.workspace);
        let below = is_inside(&real, &top)
            .then(|| real.get(top.len()..).unwrap_or_default().trim_start_matches('/').to_owned());
        let tracked = scene.session.map_or(Tracked::Unknown, |session| scene.listings.of(session));
        let trust = scene.snapshot.trust(path, clock::now()).map(|trust| trust.id.0);
        Self { scene, real, below, tracked, trust, print: OnceCell::new() }
    }

    /// Looked at only where the bytes decide.
    fn print(&self) -> Option<&Fingerprint> {
        let format = match &self.tracked {
            Tracked::Listed(listing) => Some(listing.format()),
            Tracked::Loading | Tracked::Unknown => None,
        };
        self.print.get_or_init(|| fingerprint::of_file(&self.real, format).ok()).as_ref()
    }

    fn is_unchanged_since(&self, bound: &Bound) -> bool {
        if bound.tree {
            let metadata = fs::metadata(&self.real).ok();
            return metadata.and_then(|metadata| changed_at(&metadata)).is_some_and(|at| at <= bound.at);
        }
        self.print().is_some_and(|print| bound.content == Some(print.content))
    }

    fn recorded(&self, artifact: ArtifactId) -> Explained {
        let origin = self.scene.snapshot.artifact(artifact).map_or(Origin::Opaque, |known| known.origin);
        let parents = vec![Observed { parent: artifact, step: Step::Whole }];
        Explained { origin, parents, derived: true, recorded: true, secrecy: Secrecy::Public }
    }

    fn plain(origin: Origin, derived: bool) -> Explained {
        Explained { derived, ..Explained::of(origin) }
    }

    /// The explanation without a binding of the path.
    fn unbound(&self) -> Explained {
        let holder = self.holder();
        let before = holder.filter(|holder| {
            self.scene.session.is_none_or(|session| holder.0 < session.since)
                && !self.is_copy_of_the_own(*holder)
        });
        if let Some(before) = before {
            return self.recorded(before);
        }
        if let Some(origin) = self.at_session_start() {
            return Self::plain(origin, false);
        }
        if let Some(holder) = holder {
            return self.recorded(holder);
        }
        if self.is_tracked_elsewhere() {
            return Self::plain(self.tracked_origin(), true);
        }
        Self::plain(Origin::WsUnexplained, true)
    }

    /// The artifact that first held these bytes as a file.
    fn holder(&self) -> Option<ArtifactId> {
        self.print().and_then(|print| self.scene.snapshot.holding(&print.content))
    }

    /// Whether an artifact is a copy of a workspace file from before its session, and of nothing else. That
    /// the agent copied it takes nothing from the file itself.
    fn is_copy_of_the_own(&self, holder: ArtifactId) -> bool {
        let artifact = self.scene.snapshot.artifact(holder);
        artifact.is_some_and(|artifact| {
            let own = policy::origin_row(artifact.origin).effects;
            artifact.origin.is_workspace_file() && artifact.authority.effects() == own
        })
    }

    /// What the file was when the session began, if it is that still.
    fn at_session_start(&self) -> Option<Origin> {
        let old = self.predates();
        let Some(below) = &self.below else {
            let origin = match (self.trust, is_dependency(&self.real)) {
                (_, true) => Origin::DepTree,
                (Some(_), false) => Origin::WsTracked,
                (None, false) => Origin::FileOutside,
            };
            return old.then_some(origin);
        };
        if is_dependency(below) {
            return old.then_some(Origin::DepTree);
        }
        if self.is_of_another_repository(below) {
            let origin = if self.trust.is_some() { Origin::WsTracked } else { Origin::WsForeign };
            return old.then_some(origin);
        }
        if let (Tracked::Listed(listing), Some(blob)) =
            (&self.tracked, self.print().and_then(|print| print.blob))
            && listing.holds_at(below, blob)
        {
            return Some(self.tracked_origin());
        }
        // Where it cannot be told whether a file is tracked, it is the lesser of what it may be.
        let known = matches!(self.tracked, Tracked::Listed(_)) || self.repository_is(|head, _| !head);
        let foreign = self.trust.is_none() && self.repository_is(|_, own| !own);
        let loading = matches!(self.tracked, Tracked::Loading);
        let origin = if loading || foreign && !known { Origin::WsForeign } else { Origin::WsUntracked };
        old.then_some(origin)
    }

    fn repository_is(&self, what: impl Fn(bool, bool) -> bool) -> bool {
        let repository = self.scene.session.and_then(|session| session.repository.as_ref());
        repository.is_some_and(|repository| what(repository.head.is_some(), repository.own))
    }

    fn tracked_origin(&self) -> Origin {
        if self.trust.is_some() || self.repository_is(|_, own| own) {
            Origin::WsTracked
        } else {
            Origin::WsForeign
        }
    }

    fn is_tracked_elsewhere(&self) -> bool {
        let (Tracked::Listed(listing), Some(print)) = (&self.tracked, self.print()) else { return false };
        print.blob.is_some_and(|blob| listing.holds(blob))
    }

    /// A submodule or a clone inside the workspace: somebody else's, as far as the workspace's own log tells.
    fn is_of_another_repository(&self, below: &str) -> bool {
        let Some(top) = self.real.strip_suffix(below) else { return true };
        let folders = below.char_indices().filter(|(_, c)| *c == '/').filter_map(|(end, _)| below.get(..end));
        folders.map(|folder| format!("{top}{folder}/.git")).any(|git| fs::symlink_metadata(git).is_ok())
    }

    /// Whether the file has not changed since before the session.
    fn predates(&self) -> bool {
        let metadata = fs::metadata(&self.real).ok();
        let changed = metadata.and_then(|metadata| changed_at(&metadata));
        self.scene.session.is_some_and(|session| changed.is_some_and(|changed| changed <= session.opened))
    }
}

/// Whether a path lies where package managers put what they install.
fn is_dependency(path: &str) -> bool {
    let parts: Vec<&str> = Path::new(path).iter().filter_map(|part| part.to_str()).collect();
    let names = ["node_modules", "site-packages", "vendor", ".venv", "venv", "bower_components", "Pods"];
    parts.iter().any(|part| names.contains(part))
        || parts.windows(2).any(|pair| matches!(pair, [".cargo", "registry" | "git"] | ["pkg", "mod"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lesser_of_two_origins_allows_what_both_allow() {
        for one in Origin::ALL {
            for other in Origin::ALL {
                let both = policy::origin_row(one).effects.intersection(policy::origin_row(other).effects);
                assert!(policy::origin_row(lesser(one, other)).effects.is_subset(both), "{one} {other}");
            }
        }
    }

    #[test]
    fn dependencies_lie_in_folders_of_package_managers() {
        for path in ["node_modules/a/b.js", "x/vendor/y.go", "/h/.cargo/registry/src/a.rs", "/go/pkg/mod/a"] {
            assert!(is_dependency(path), "{path}");
        }
        for path in ["src/registry/a.rs", "vendors/a", "pkg/a", "src/venv.rs"] {
            assert!(!is_dependency(path), "{path}");
        }
    }
}
