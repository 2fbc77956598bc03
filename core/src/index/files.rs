//! File bindings: which artifact explains the bytes at a path.

use imbl::HashMap;

use super::identity;
use crate::artifact::Binding;
use crate::digest::Digest;
use crate::id::ArtifactId;
use crate::operand::Operand;
use crate::time::UnixMillis;

/// One recorded state of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The artifact that explains it.
    pub artifact: ArtifactId,
    /// Digest of the bytes at that moment; none for a tree, and for a file that could not be read.
    pub content: Option<Digest>,
    /// Everything below the path is bound too.
    pub tree: bool,
    /// When it was recorded; what is below a tree and changed later is not explained by it.
    pub at: UnixMillis,
}

/// All bindings; the newest of a path counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    by_path: HashMap<Box<str>, Bound>,
    by_content: HashMap<Digest, ArtifactId>,
}

impl Files {
    pub(super) fn bind(&mut self, artifact: ArtifactId, binding: &Binding, at: UnixMillis) {
        let bound = Bound { artifact, content: binding.content, tree: binding.tree, at };
        self.by_path.insert(binding.path.canonical().into(), bound);
        if let Some(content) = binding.content.filter(|content| *content != Digest::of(b"")) {
            // The first explanation of some bytes stays: a later copy of them cannot launder them.
            self.by_content.entry(content).or_insert(artifact);
        }
    }

    /// The newest binding of the path itself, else of the nearest tree above it.
    pub(super) fn at(&self, path: &Operand) -> Option<Bound> {
        let mut place = path.canonical();
        if let Some(bound) = self.by_path.get(place) {
            return Some(*bound);
        }
        while let Some((above, _)) = place.rsplit_once('/') {
            if let Some(bound) = self.by_path.get(above).filter(|bound| bound.tree) {
                return Some(*bound);
            }
            place = above;
        }
        None
    }

    /// See [`super::Snapshot::identity`].
    pub(super) fn identity(&self) -> Digest {
        let Self { by_path, by_content } = self;
        identity::of_all([identity::of_unordered(by_path), identity::of_unordered(by_content)])
    }

    /// The artifact that first explained these bytes at any path. Nothing explains that a file is empty.
    pub(super) fn holding(&self, content: &Digest) -> Option<ArtifactId> {
        self.by_content.get(content).copied()
    }
}
