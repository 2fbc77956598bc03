//! Where a path lies, and what touching it means.

mod glob;
mod lists;
mod real;

use circinus_core::action::{Flag, Tier};
use circinus_core::operand::{Kind, Operand};

use crate::Surroundings;

/// The part of the machine that a path lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Inside the workspace.
    Workspace,
    /// Inside a directory for scratch files.
    Temp,
    /// `/dev/null` and the standard streams: nothing is lost there.
    Sink,
    /// A block device or raw disk.
    Device,
    /// Anywhere else, or not known.
    Outside,
}

/// What is known of a path.
#[derive(Clone, Debug)]
pub struct Place {
    /// The path as a designator, when it stands for one path.
    pub operand: Option<Operand>,
    /// Absolute and lexically clean; a pattern is cut back to the directory that holds all it matches.
    pub path: Option<String>,
    /// It was a pattern.
    pub pattern: bool,
    /// A secret that the pattern can stand for.
    pub matched: Option<Operand>,
    /// Where it lies.
    pub region: Region,
    /// What persists by it (`PersistHost` or `PersistWs`), if anything does.
    pub persists: Option<Flag>,
    /// It holds a secret.
    pub secret: bool,
    /// It is a directory outside the workspace below which secrets lie, by convention.
    pub holds_secrets: bool,
    /// It belongs to Circinus.
    pub guard: bool,
    /// It is, or holds, the settings of the host in which our hooks stand.
    pub hooks: bool,
    /// Losing all of it is a catastrophe: the root, a home, a system directory, keys, backups.
    pub vital: bool,
    /// It is the root of the workspace.
    pub root: bool,
}

impl Place {
    /// Takes over what the lists say of a name of the place, where that is worse than what is known.
    fn worsen(&mut self, path: &str, probe: &str, around: &Surroundings) {
        self.persists = match (self.persists, persists(probe, around)) {
            (Some(Flag::PersistHost), _) | (_, None) => self.persists,
            (_, listed) => listed,
        };
        self.secret |= lists::is_secret(probe, around.home());
        self.holds_secrets |= region(path, around) != Region::Workspace
            && lists::secrets_in_home(around.home()).any(|secret| is_within(&secret, path));
        // A project may have a file of that name; what is installed lies outside.
        let installed = region(path, around) == Region::Outside && lists::is_guard_name(probe);
        self.guard |= is_within(path, &around.circinus_home) || installed;
        let user = around.host_config_dirs.iter().map(|directory| directory.trim_end_matches('/'));
        let mut user = user.filter(|directory| !directory.is_empty());
        self.hooks |= is_within(path, lists::MANAGED)
            || user.any(|directory| path == directory || below(path, directory) == Some("settings.json"));
    }

    /// Whether writing there is a command to the kernel.
    fn is_kernel(&self) -> bool {
        self.path.as_deref().is_some_and(|path| path.starts_with("/proc/") || path.starts_with("/sys/"))
    }

    /// Whether the path is all of the workspace or of a directory for scratch files.
    pub(crate) fn is_region_root(&self, path: &str) -> bool {
        lists::TEMP.contains(&path) || self.root
    }

    /// Whether it is, or lies in, what a build makes again, by the conventions for its name.
    pub(crate) fn is_built(&self) -> bool {
        self.path.as_deref().is_some_and(|path| path.split('/').any(lists::is_built_name))
    }

    /// Whether it is a part of a repository's own store, without which its history is lost.
    pub(crate) fn is_history(&self) -> bool {
        let inside = self.path.as_deref().and_then(|path| path.split_once("/.git/"));
        inside.is_some_and(|(_, inside)| {
            ["objects", "refs", "HEAD", "packed-refs", "logs"].iter().any(|part| is_within(inside, part))
        })
    }

    /// Whether it is a key of a user's own.
    pub(crate) fn is_key(&self) -> bool {
        let is_private = |path: &str| path.contains("/.ssh/id_") && !path.ends_with(".pub");
        self.vital && self.path.as_deref().is_some_and(is_private)
    }

    /// The tier of writing there, and the tier when content without authority named it.
    pub fn write_tiers(&self) -> (Tier, Tier) {
        match (self.persists, self.region) {
            (Some(Flag::PersistHost), _) => (Tier::T3, Tier::T3),
            (Some(_), _) => (Tier::T1, Tier::T3),
            (None, Region::Device) => (Tier::T2, Tier::T2),
            (None, Region::Sink) => (Tier::T0, Tier::T0),
            (None, Region::Outside) if self.is_kernel() => (Tier::T2, Tier::T2),
            (None, _) => (Tier::T1, Tier::T1),
        }
    }
}

/// What is known of `raw`, seen from the working directory `cwd` (`None`: not known).
pub fn locate(raw: &str, cwd: Option<&str>, around: &Surroundings) -> Place {
    let pattern_at = raw.find(['*', '?', '[']).filter(|_| !raw.contains("://"));
    let base = match pattern_at {
        Some(at) => {
            raw.get(..at).map_or("", |head| head.rsplit_once('/').map_or("", |(directory, _)| directory))
        }
        None => raw,
    };
    let base = match (base, pattern_at) {
        ("", Some(_)) if raw.starts_with('/') => "/",
        ("", Some(_)) => ".",
        _ => base,
    };
    let mut context = around.paths_at(cwd);
    let parsed = Operand::parse(Kind::Path, base, &context);
    // The lists are compared without regard to case, the regions with it: the stricter way for both.
    context.case_sensitive = true;
    let path = Operand::parse(Kind::Path, base, &context).map(|operand| operand.canonical().to_owned());
    let mut place = Place {
        operand: parsed.filter(|_| pattern_at.is_none()),
        path: None,
        pattern: pattern_at.is_some(),
        matched: None,
        region: Region::Outside,
        persists: None,
        secret: false,
        holds_secrets: false,
        guard: false,
        hooks: false,
        vital: false,
        root: false,
    };
    let Some(path) = path else {
        // A path that is not known could still end in the name of a secret.
        place.secret = lists::is_secret_name(raw);
        return place;
    };
    let last = pattern_at.and(raw.rsplit('/').next());
    let probe = probe(&path, last);
    place.region = region(&path, around);
    if pattern_at.is_some() {
        let full = match raw.strip_prefix("~/") {
            Some(rest) => format!("{}/{rest}", around.home()),
            None if raw.starts_with('/') => raw.to_owned(),
            None => format!("{}/{raw}", cwd.unwrap_or_default()),
        };
        let secret = lists::secrets(&full, around.home()).find(|secret| glob::matches(&full, secret));
        place.matched = secret.and_then(|secret| Operand::parse(Kind::Path, &secret, &context));
        place.guard = lists::guards(&full, &around.circinus_home).any(|guard| glob::matches(&full, &guard));
    }
    place.worsen(&path, &probe, around);
    place.secret |= place.matched.is_some();
    real::names(base, cwd, around, |path, around| place.worsen(path, &self::probe(path, last), around));
    place.root = path == around.workspace().trim_end_matches('/');
    place.vital = is_vital(&path, place.pattern, around);
    place.path = Some(path);
    place
}

/// What the lists are asked about: the path, with the last part of a pattern behind it.
fn probe(path: &str, last: Option<&str>) -> String {
    last.map_or_else(|| path.to_owned(), |last| format!("{}/{last}", path.trim_end_matches('/')))
}

fn region(path: &str, around: &Surroundings) -> Region {
    if lists::SINKS.contains(&path) || path.starts_with("/dev/fd/") || path.starts_with("/dev/shm/") {
        return Region::Sink;
    }
    if path.starts_with("/dev/") || path == "/dev" {
        return Region::Device;
    }
    if is_within(path, around.workspace()) {
        return Region::Workspace;
    }
    let temp = around.temp_dirs.iter().map(AsRef::as_ref).chain(lists::TEMP.iter().copied());
    if temp.into_iter().any(|directory| is_within(path, directory)) {
        return Region::Temp;
    }
    Region::Outside
}

/// Whether `path` is `directory` or lies below it.
pub(crate) fn is_within(path: &str, directory: &str) -> bool {
    let directory = directory.trim_end_matches('/');
    !directory.is_empty()
        && path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The part of `path` below `directory`, without the slash.
fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    path.strip_prefix(directory.trim_end_matches('/'))?.strip_prefix('/')
}

fn persists(path: &str, around: &Surroundings) -> Option<Flag> {
    if let Some(inside) = below(path, around.workspace()) {
        return lists::persists_in_workspace(inside).then_some(Flag::PersistWs);
    }
    let in_host_config = around
        .host_config_dirs
        .iter()
        .filter_map(|directory| below(path, directory))
        .any(lists::persists_in_host_config);
    let in_home = below(path, around.home()).is_some_and(lists::persists_in_home);
    // A file of another checkout makes the agent or the user's tools do things there, too.
    let elsewhere = lists::persists_in_system(path) || path.contains("/.git/hooks/");
    (in_host_config || in_home || elsewhere).then_some(Flag::PersistHost)
}

fn is_vital(path: &str, pattern: bool, around: &Surroundings) -> bool {
    let home = around.home().trim_end_matches('/');
    let workspace = around.workspace().trim_end_matches('/');
    // Deleting what lies around the workspace deletes the workspace; a home is one whoever's it is.
    let is_home = path == home && home != workspace || lists::is_home(path) && path != workspace;
    let is_parent = !workspace.is_empty() && workspace != path && is_within(home, path);
    if path == "/" || is_home || is_parent || lists::SYSTEM.contains(&path) {
        return true;
    }
    let keys = below(path, home).is_some_and(|inside| lists::is_keys_or_backups(inside, pattern));
    keys || lists::BACKUPS.contains(&path)
}

/// Whether a path is that of a secret, seen from a home.
pub(crate) fn is_secret(path: &str, home: &str) -> bool {
    lists::is_secret(path, home)
}
