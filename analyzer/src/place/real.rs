//! Other names of a place: through the process file system (proc(5)), and without symbolic links.

use circinus_core::operand::{Kind, Operand};

use crate::Surroundings;

/// Roots and working directories of processes that a path leads through one after the other; what comes behind
/// is seen as it stands.
const HOPS_MAX: usize = 8;

/// Calls `told` with every other name of `raw`, absolute and lexically clean, and the surroundings in which it is
/// that name.
pub(super) fn names(
    raw: &str,
    cwd: Option<&str>,
    around: &Surroundings,
    mut told: impl FnMut(&str, &Surroundings),
) {
    let Some(mut path) = absolute(raw, cwd, around) else { return };
    for _ in 0..HOPS_MAX {
        let Some(behind) = behind_proc(&path, cwd) else { break };
        path = behind;
        let mut context = around.paths_at(cwd);
        context.case_sensitive = true;
        if let Some(clean) = Operand::parse(Kind::Path, &path, &context) {
            told(clean.canonical(), around);
        }
    }
    if let Some(real) = &around.real
        && let Some(path) = (real.resolve)(&path)
    {
        told(&path, &real.around);
    }
}

/// The path from the root, with its links and `..` as they are: a link counts before what leads up from it.
fn absolute(raw: &str, cwd: Option<&str>, around: &Surroundings) -> Option<String> {
    if raw.starts_with('/') {
        return Some(raw.to_owned());
    }
    if let Some(rest) = raw.strip_prefix('~') {
        return (rest.is_empty() || rest.starts_with('/')).then(|| format!("{}{rest}", around.home()));
    }
    Some(format!("{}/{raw}", cwd?))
}

/// What a path through the root or the working directory of a process is without it. Which process it is does
/// not matter: those of an agent have its root, and mostly its working directory.
fn behind_proc(path: &str, cwd: Option<&str>) -> Option<String> {
    let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    if parts.next()? != "proc" {
        return None;
    }
    parts.next()?;
    let mut link = parts.next()?;
    if link == "task" {
        parts.next()?;
        link = parts.next()?;
    }
    let base = match link {
        "root" => "",
        "cwd" => cwd?,
        _ => return None,
    };
    Some(format!("{base}/{}", parts.collect::<Vec<_>>().join("/")))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, LazyLock};

    use crate::place::locate;
    use crate::surroundings::{Real, sample};

    #[test]
    fn a_path_through_a_process_is_the_place_behind_it() {
        let around = sample();
        for raw in [
            "/proc/self/root/home/kim/.ssh/id_rsa",
            "/proc/self/cwd/../../.ssh/id_rsa",
            "/proc/thread-self/root/proc/1/root/home/kim/.ssh/id_rsa",
            "/proc/4711/task/4712/cwd/../../.ssh/id_rsa",
            "//proc/./self//root/home/kim/.ssh/id_rsa",
        ] {
            assert!(locate(raw, Some(&around.paths.cwd), &around).secret, "{raw}");
        }
        for raw in ["/proc/self/status", "/proc/self/root/home/kim/work/app/src/a.rs", "/proc/meminfo"] {
            assert!(!locate(raw, Some(&around.paths.cwd), &around).secret, "{raw}");
        }
    }

    #[test]
    fn the_worse_of_two_names_counts() {
        let mut around = sample();
        fn resolve(path: &str) -> Option<String> {
            let rest = path.strip_prefix("/home/kim/work/app/link")?;
            Some(format!("/home/kim{rest}"))
        }
        around.real = Some(Arc::new(Real { around: LazyLock::new(Box::new(sample)), resolve }));
        let place = |raw| locate(raw, Some("/home/kim/work/app"), &around);
        assert!(place("link/.ssh/id_rsa").secret && place("./link/.aws/credentials").secret);
        assert_eq!(place("link/.bashrc").persists, Some(circinus_core::action::Flag::PersistHost));
        assert!(place("link/.local/share/circinus/x").guard);
        assert!(place("link/.ssh/id_*").secret);
        let plain = place("link/notes.md");
        assert!(!plain.secret && !plain.guard && plain.persists.is_none());
    }
}
