//! What a call left at a place that it wrote, as bindings.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use circinus_core::action::{FileWrite, WriteSource};
use circinus_core::artifact::Binding;
use circinus_core::operand::{Kind, Operand, PathContext};
use circinus_core::time::UnixMillis;

use super::fingerprint;
use super::prior::{Place, Prior};
use super::{changed_at, created_at};

/// Entries looked at below a folder that was there before. Beyond it the whole folder is bound: more is then
/// held to come from the call than did.
const ENTRIES_MAX: usize = 10_000;

/// Bindings of one write; beyond it the whole folder is bound.
const BINDINGS_MAX: usize = 1_024;

/// How much earlier than the clock a file system may date a change: it uses the time of the last tick.
const TICK_MS_MAX: u64 = 20;

/// What a write left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// The paths that it explains.
    pub(crate) bindings: Vec<Binding>,
    /// The content, where it is one file that can be read; cut at the bound of [`super::read`].
    pub(crate) bytes: Option<Vec<u8>>,
}

impl Written {
    fn name(path: &Operand, tree: bool) -> Self {
        Self { bindings: vec![Binding { path: path.clone(), content: None, tree }], bytes: None }
    }
}

/// Looks at what lies now where a call wrote. `opened` is when the session began: the call is no older.
///
/// A folder that was there before is never bound as a whole: only what changed in it since the call began. A
/// place where nothing can be read is bound by its name, so that nothing explains bytes found there later.
pub(crate) fn look(
    write: &FileWrite,
    prior: Option<&Prior>,
    opened: UnixMillis,
    paths: &PathContext,
) -> Written {
    let path = write.path.canonical();
    let Ok(metadata) = fs::metadata(path) else { return Written::name(&write.path, write.tree) };
    if !metadata.is_dir() {
        let bytes = super::read(path).ok();
        return Written { bindings: vec![bind_file(&write.path)], bytes };
    }
    let began = UnixMillis(prior.map_or(opened, |prior| prior.began).0.saturating_sub(TICK_MS_MAX));
    let was_there = match prior.and_then(|prior| prior.at(&write.path)) {
        Some(Place::Folder(_)) => true,
        Some(Place::Absent | Place::File(_)) => false,
        None => !is_new(&metadata, began),
    };
    if !was_there {
        return Written::name(&write.path, true);
    }
    if let Some(bindings) = copied_into(write, prior, began, paths) {
        return Written { bindings, bytes: None };
    }
    let mut walk = Walk { began, paths, entries: 0, bindings: Vec::new() };
    match walk.folder(Path::new(path)) {
        Ok(()) => Written { bindings: walk.bindings, bytes: None },
        Err(TooMuch) => Written::name(&write.path, true),
    }
}

/// The binding of one file, by the bytes that it has now.
pub(crate) fn bind_file(path: &Operand) -> Binding {
    let content = fingerprint::of_file(path.canonical(), None).ok().map(|print| print.content);
    Binding { path: path.clone(), content, tree: false }
}

/// The copies of the sources in the folder, if each is there by its name and came with this call. What is
/// unpacked has names of its own.
fn copied_into(
    write: &FileWrite,
    prior: Option<&Prior>,
    began: UnixMillis,
    paths: &PathContext,
) -> Option<Vec<Binding>> {
    let WriteSource::Files(sources) = &write.from else { return None };
    if write.tree {
        return None;
    }
    let copies = sources.iter().map(|source| {
        let name = source.canonical().rsplit('/').next()?;
        let copy = Operand::parse(Kind::Path, &format!("{}/{name}", write.path.canonical()), paths)?;
        let metadata = fs::metadata(copy.canonical()).ok()?;
        if !metadata.is_dir() {
            return is_changed(&metadata, began).then(|| bind_file(&copy));
        }
        // A folder that was moved keeps its dates.
        let new = prior?.at(&copy) == Some(&Place::Absent);
        new.then(|| Binding { path: copy.clone(), content: None, tree: true })
    });
    copies.collect()
}

/// There is more to look at than is looked at.
struct TooMuch;

/// A walk over a folder that was there before a call.
struct Walk<'a> {
    began: UnixMillis,
    paths: &'a PathContext,
    entries: usize,
    bindings: Vec<Binding>,
}

impl Walk<'_> {
    fn folder(&mut self, top: &Path) -> Result<(), TooMuch> {
        let mut folders: Vec<PathBuf> = vec![top.to_owned()];
        while let Some(folder) = folders.pop() {
            // What cannot be listed was not written by a call with the same rights.
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
                self.entries += 1;
                if self.entries > ENTRIES_MAX || self.bindings.len() >= BINDINGS_MAX {
                    return Err(TooMuch);
                }
                // Not following links: they may lead anywhere, or in a circle.
                let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
                let new = is_new(&metadata, self.began);
                if metadata.is_dir() && !new {
                    folders.push(path);
                } else if new || metadata.is_file() && is_changed(&metadata, self.began) {
                    self.bind(&path, metadata.is_dir());
                }
            }
        }
        Ok(())
    }

    fn bind(&mut self, path: &Path, tree: bool) {
        let path = path.to_str().and_then(|path| Operand::parse(Kind::Path, path, self.paths));
        self.bindings.extend(path.map(|path| match tree {
            true => Binding { path, content: None, tree },
            false => bind_file(&path),
        }));
    }
}

fn is_changed(metadata: &Metadata, began: UnixMillis) -> bool {
    changed_at(metadata).is_some_and(|at| at >= began)
}

/// Whether something was made after `began`, as far as the file system dates it. A folder of unknown age is
/// looked into.
fn is_new(metadata: &Metadata, began: UnixMillis) -> bool {
    created_at(metadata).is_some_and(|made| made >= began)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Folder, now_after};
    use super::*;

    fn look(
        folder: &Folder,
        path: &str,
        from: WriteSource,
        tree: bool,
        prior: &Prior,
    ) -> Vec<(String, bool)> {
        let write = FileWrite { path: folder.path(path), from, tree };
        let written = super::look(&write, Some(prior), UnixMillis(0), &folder.context());
        let root = format!("{}/", folder.context().workspace);
        let name = |binding: &Binding| binding.path.canonical().strip_prefix(&root).unwrap().to_owned();
        let mut found: Vec<_> =
            written.bindings.iter().map(|binding| (name(binding), binding.tree)).collect();
        found.sort();
        found
    }

    fn named(names: &[(&str, bool)]) -> Vec<(String, bool)> {
        names.iter().map(|(name, tree)| ((*name).to_owned(), *tree)).collect()
    }

    #[test]
    fn a_folder_that_was_there_is_not_bound_but_what_came_into_it() {
        let folder = Folder::with(&["w/old/a", "w/src/b"]);
        let target = FileWrite { path: folder.path("old"), from: WriteSource::Local, tree: true };
        let prior = folder.prior(&[target], now_after(&folder, "w/old/a"));
        folder.write("w/old/new/c");
        folder.write("w/old/d");
        let found = look(&folder, "old", WriteSource::Local, true, &prior);
        let expected = named(&[("old/d", false), ("old/new", true)]);
        // Where the file system keeps no birth times, the new folder's files are bound one by one.
        let without_birth = named(&[("old/d", false), ("old/new/c", false)]);
        assert!(found == expected || found == without_birth, "{found:?}");
    }

    #[test]
    fn a_copy_into_a_folder_binds_the_copy() {
        let folder = Folder::with(&["w/old/a", "w/b"]);
        let from = WriteSource::Files(vec![folder.path("b")]);
        let target = FileWrite { path: folder.path("old"), from: from.clone(), tree: false };
        let prior = folder.prior(&[target], now_after(&folder, "w/b"));
        folder.write("w/old/b");
        assert_eq!(look(&folder, "old", from, false, &prior), named(&[("old/b", false)]));
    }

    #[test]
    fn an_archive_in_the_folder_that_it_is_unpacked_into_is_no_copy() {
        let folder = Folder::with(&["w/a.tgz"]);
        let from = WriteSource::Files(vec![folder.path("a.tgz")]);
        let target = FileWrite { path: folder.path("."), from: from.clone(), tree: true };
        let prior = folder.prior(&[target], now_after(&folder, "w/a.tgz"));
        folder.write("w/b");
        assert_eq!(look(&folder, ".", from, true, &prior), named(&[("b", false)]));
    }

    #[test]
    fn a_new_folder_is_a_tree_and_what_is_missing_a_name() {
        let folder = Folder::with(&["w/b"]);
        let write = |path: &str| FileWrite { path: folder.path(path), from: WriteSource::Local, tree: false };
        let prior = folder.prior(&[write("new"), write("gone")], now_after(&folder, "w/b"));
        folder.write("w/new/c");
        assert_eq!(look(&folder, "new", WriteSource::Local, false, &prior), named(&[("new", true)]));
        assert_eq!(look(&folder, "gone", WriteSource::Local, false, &prior), named(&[("gone", false)]));
    }
}
