//! The last look before an interruption: whether files from before the session name what would be asked about.
//!
//! The index knows of the workspace what the agent has read. A package that stands in a manifest which nobody
//! opened was named by the user all the same, and asking about it would be noise. The search costs time only
//! where a person would be interrupted, and is bounded in time, files and bytes: what it does not reach stays a
//! question.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use aho_corasick::AhoCorasick;
use circinus_analyzer::command::ShellGrammar;
use circinus_core::action::Rooted;
use circinus_core::operand::{self, Kind, Operand, PathContext};
use circinus_core::origin::Origin;
use circinus_core::policy::{Profile, origin_row};

use super::files::{self, Scene};

/// Time of one search in milliseconds; less in a profile that waits less for evidence.
const SEARCH_MS_MAX: u32 = 200;

/// Searches at a time: two of the four workers go on answering. An action beyond it is asked about unsearched.
const SEARCHES_MAX: usize = 2;

/// Files and folders looked at in one search; a large workspace has about ten thousand.
const ENTRIES_MAX: usize = 20_000;

/// Folders of what a repository keeps for itself, of what was installed and of what was built.
const SKIPPED: [&str; 8] =
    [".git", "node_modules", "site-packages", ".venv", "venv", "bower_components", "Pods", "target"];

/// Bytes of one file. Manifests and lock files are shorter; data that is longer names no targets for people.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Searches of this daemon.
#[derive(Debug, Default)]
pub(super) struct Searches {
    running: AtomicUsize,
}

impl Searches {
    /// The wanted operands, in the form that the index holds, that files from before the session hold exactly.
    pub(super) fn run(&self, wanted: &[Operand], scene: &Scene<'_>, profile: Profile) -> Vec<Rooted> {
        let budget = Duration::from_millis(profile.wait_ms_max().min(SEARCH_MS_MAX).into());
        let found = match self.running.fetch_add(1, Ordering::Relaxed) {
            running if running < SEARCHES_MAX => search(wanted, scene, Instant::now() + budget),
            _ => Vec::new(),
        };
        self.running.fetch_sub(1, Ordering::Relaxed);
        found
    }
}

fn search(wanted: &[Operand], scene: &Scene<'_>, deadline: Instant) -> Vec<Rooted> {
    // What a file names by a relative path is meant from the top of the workspace.
    let paths = PathContext { cwd: scene.paths.workspace.clone(), ..scene.paths.clone() };
    let scene = Scene { paths: &paths, ..*scene };
    let Some(mut wanted) = Wanted::of(wanted) else { return Vec::new() };
    let mut found: Vec<Rooted> = Vec::new();
    for path in Files::below(Path::new(&*paths.workspace)) {
        if wanted.operands.is_empty() || Instant::now() >= deadline {
            break;
        }
        let held = text(&path).map(|text| wanted.held_by(&text, &paths)).unwrap_or_default();
        let root = if held.is_empty() { None } else { root(&path, &scene) };
        let Some((file, origin)) = root else { continue };
        for operand in held {
            let known = found.iter().any(|rooted| rooted.operand == *operand && rooted.origin == origin);
            if !known {
                found.push(Rooted { operand: operand.clone(), file: file.clone(), origin });
            }
            // No file of a workspace grants more than one that its repository tracks.
            if origin == Origin::WsTracked {
                wanted.operands.retain(|other| *other != operand);
            }
        }
    }
    found
}

/// The file and its origin, where its bytes are a root: nothing recorded explains them.
fn root(file: &Path, scene: &Scene<'_>) -> Option<(Operand, Origin)> {
    let file = Operand::parse(Kind::Path, file.to_str()?, scene.paths)?;
    let explained = files::explain(&file, scene);
    let root = explained.parents.is_empty() && !explained.derived && origin_row(explained.origin).root;
    root.then_some((file, explained.origin))
}

/// What is still looked for.
struct Wanted<'a> {
    operands: Vec<&'a Operand>,
    /// A piece of each: most texts hold none of them and are done with.
    needles: AhoCorasick,
}

impl<'a> Wanted<'a> {
    fn of(operands: &'a [Operand]) -> Option<Self> {
        let sought = operands.iter().filter_map(|operand| Some((operand, needle(operand)?)));
        let (operands, needles): (Vec<_>, Vec<_>) = sought.unzip();
        let needles = AhoCorasick::builder().ascii_case_insensitive(true).build(needles).ok()?;
        Some(Self { operands, needles })
    }

    /// The operands that a text holds exactly.
    fn held_by(&self, text: &str, paths: &PathContext) -> Vec<&'a Operand> {
        if !self.needles.is_match(text) {
            return Vec::new();
        }
        let mut held: BTreeSet<Operand> =
            operand::extract(text, paths).into_iter().map(|hit| hit.operand).collect();
        if self.operands.iter().any(|operand| operand.kind() == Kind::Command) {
            held.extend(operand::command_lines(text, &ShellGrammar).into_iter().map(|hit| hit.operand));
        }
        let stands = |operand: &&Operand| held.contains(*operand) || operand.value_in(text).is_some();
        self.operands.iter().copied().filter(stands).collect()
    }
}

/// The longest piece of an operand between separators, which stands in every text that spells it as it is mostly
/// spelled. Where it is spelled otherwise it is missed, and the question asked.
fn needle(operand: &Operand) -> Option<String> {
    let canonical = operand.canonical();
    let name = match operand.kind() {
        Kind::Package => canonical.split_once(':')?.1,
        // The index holds only their digests.
        Kind::Token | Kind::Span => return None,
        _ => canonical,
    };
    let pieces = name.split(|c: char| !c.is_alphanumeric()).filter(|piece| !piece.is_empty());
    pieces.max_by_key(|piece| piece.len()).map(str::to_owned)
}

/// The text of a file; none when it is long or no text.
fn text(file: &Path) -> Option<String> {
    let length = fs::symlink_metadata(file).ok()?.len();
    let bytes = (length <= FILE_BYTES_MAX).then(|| files::read(file.to_str()?).ok())??;
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// The files of a workspace, those near the top first. Links are not followed.
struct Files {
    folders: VecDeque<PathBuf>,
    files: VecDeque<PathBuf>,
    seen: usize,
}

impl Files {
    fn below(workspace: &Path) -> Self {
        Self { folders: VecDeque::from([workspace.to_owned()]), files: VecDeque::new(), seen: 0 }
    }

    fn open(&mut self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut entries: Vec<_> = entries.flatten().take(ENTRIES_MAX.saturating_sub(self.seen)).collect();
        self.seen += entries.len();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_file() {
                self.files.push_back(entry.path());
            } else if kind.is_dir() && !is_skipped(&entry) {
                self.folders.push_back(entry.path());
            }
        }
    }
}

fn is_skipped(folder: &fs::DirEntry) -> bool {
    folder.file_name().to_str().is_none_or(|name| SKIPPED.contains(&name))
}

impl Iterator for Files {
    type Item = PathBuf;

    fn next(&mut self) -> Option<PathBuf> {
        while self.files.is_empty() {
            let folder = self.folders.pop_front()?;
            self.open(&folder);
        }
        self.files.pop_front()
    }
}
