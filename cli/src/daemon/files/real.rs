//! The real name of a path: where it leads when every symbolic link on it is followed.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of a path; the kernel takes no longer one (PATH_MAX, limits.h(0p)).
const PATH_BYTES_MAX: usize = 4_096;

/// Links followed one after the other that lead to nothing; the kernel stops there (path_resolution(7)).
const LINKS_MAX: usize = 40;

/// The real name of an absolute path. What is not there yet keeps its name below the nearest folder that is; a
/// link to something that is not there yet is that thing.
///
/// None below `/proc` and `/dev`, whose links lead every process elsewhere, and where a path leads in a circle.
pub fn real_name(path: &str) -> Option<String> {
    let elsewhere = ["/proc", "/dev"].iter().any(|folder| super::is_inside(path, folder));
    if elsewhere || !path.starts_with('/') || path.len() > PATH_BYTES_MAX {
        return None;
    }
    let mut known = PathBuf::from(path);
    let mut missing: Vec<PathBuf> = Vec::new();
    let mut links = 0;
    loop {
        if let Ok(real) = fs::canonicalize(&known) {
            let full = missing.iter().rev().fold(real, |place, part| place.join(part));
            return full.into_os_string().into_string().ok();
        }
        let folder = known.parent().map(Path::to_owned)?;
        if let Ok(target) = fs::read_link(&known) {
            links += 1;
            known = (links <= LINKS_MAX).then(|| folder.join(target))?;
        } else {
            // Nothing has `..` as its name: a path that leads up from what is not there leads nowhere.
            missing.push(known.file_name()?.into());
            known = folder;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_what_is_and_to_what_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(folder.path()).unwrap();
        let name = |name: &str| top.join(name).to_str().unwrap().to_owned();
        fs::create_dir_all(name("a/b")).unwrap();
        for (target, link) in [("a/b", "folder"), ("a/missing", "dangling"), ("round", "round")] {
            symlink(target, name(link)).unwrap();
        }
        for (path, real) in [
            ("folder", "a/b"),
            ("folder/x/y", "a/b/x/y"),
            ("folder/../z", "a/z"),
            ("dangling", "a/missing"),
            ("plain/x", "plain/x"),
        ] {
            assert_eq!(real_name(&name(path)), Some(name(real)), "{path}");
        }
        for path in [&*name("round"), &name("none/../x"), "relative", "/proc/self/cwd", "/dev/fd/0"] {
            assert_eq!(real_name(path), None, "{path}");
        }
    }
}
