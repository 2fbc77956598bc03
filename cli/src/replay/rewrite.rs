//! Moves a recording into its scratch folders: recorded folders at the head of a path become scratch folders,
//! wherever they stand in an event's strings.

use std::path::{Path, PathBuf};

use aho_corasick::{AhoCorasick, BuildError, Match};
use serde_json::Value;

use super::format::{Event, Session};

/// Recorded folders and where each of them is now.
#[derive(Clone, Debug)]
pub struct Rewriter {
    prefixes: AhoCorasick,
    moves: Vec<(String, PathBuf)>,
}

impl Rewriter {
    /// Moves every working directory of the session to a folder of its own below `workspaces`, and the rest of the
    /// recorded home, if a working directory lies in one, to `home`.
    ///
    /// # Errors
    /// When the folders' names do not fit an automaton.
    pub fn for_session(session: &Session, workspaces: &Path, home: &Path) -> Result<Rewriter, BuildError> {
        let mut moves = Vec::new();
        let roots = workspace_roots(session);
        for (index, root) in roots.iter().enumerate() {
            let name = Path::new(root).file_name().unwrap_or_default();
            // The first keeps its plain name; others could have the same one.
            let parent = if index == 0 { workspaces.to_owned() } else { workspaces.join(index.to_string()) };
            moves.push(((*root).to_owned(), parent.join(name)));
        }
        if let Some(recorded) = roots.iter().find_map(|root| home_of(root))
            && !roots.contains(&recorded)
        {
            moves.push((recorded.to_owned(), home.to_owned()));
        }
        Rewriter::new(moves)
    }

    /// Moves each first folder to the second; both absolute, without a slash at the end.
    ///
    /// # Errors
    /// When the folders' names do not fit an automaton.
    pub fn new(moves: Vec<(String, PathBuf)>) -> Result<Rewriter, BuildError> {
        let prefixes = AhoCorasick::new(moves.iter().map(|(from, _)| from))?;
        Ok(Rewriter { prefixes, moves })
    }

    /// The way back: scratch folders become the recorded ones.
    ///
    /// # Errors
    /// When the folders' names do not fit an automaton.
    pub fn back(&self) -> Result<Rewriter, BuildError> {
        let back = |(from, to): &(String, PathBuf)| (to.to_string_lossy().into_owned(), PathBuf::from(from));
        Rewriter::new(self.moves.iter().map(back).collect())
    }

    /// The scratch folders, in the order of the moves.
    pub fn targets(&self) -> impl Iterator<Item = &Path> {
        self.moves.iter().map(|(_, to)| to.as_path())
    }

    /// The text with every recorded folder moved that stands there as a path or the head of one; nothing when there
    /// is none.
    #[must_use]
    pub fn text(&self, text: &str) -> Option<String> {
        // The longest folder at a place wins, among those that are a whole head there: `/h/ann` in `/h/ann/shops`
        // when `/h/ann/shop` is a folder, too.
        let mut heads: Vec<Match> = Vec::new();
        for found in self.prefixes.find_overlapping_iter(text) {
            if is_path_head(text, found.start(), found.end()) {
                heads.pop_if(|shorter| shorter.start() == found.start());
                heads.push(found);
            }
        }
        let (mut moved, mut copied) = (String::new(), 0);
        for head in heads {
            let (_, to) = self.moves.get(head.pattern().as_usize())?;
            moved.push_str(text.get(copied..head.start())?);
            moved.push_str(&to.to_string_lossy());
            copied = head.end();
        }
        if copied == 0 {
            return None;
        }
        moved.push_str(text.get(copied..)?);
        Some(moved)
    }

    fn string(&self, text: &mut String) {
        if let Some(moved) = self.text(text) {
            *text = moved;
        }
    }

    /// Rewrites all strings of a JSON value; member names stay.
    pub fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.string(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(members) => members.values_mut().for_each(|member| self.value(member)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Rewrites all strings of an event but its names and ids.
    pub fn event(&self, event: &mut Event) {
        self.string(&mut event.cwd);
        if let Some(prompt) = &mut event.prompt {
            self.string(prompt);
        }
        for value in [&mut event.tool_input, &mut event.tool_response].into_iter().flatten() {
            self.value(value);
        }
        event.extra.values_mut().for_each(|member| self.value(member));
    }
}

/// `/w/shop` is not the head of `/w/shopping` or `/mnt/w/shop`, nor of a path inside a URL.
fn is_path_head(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).and_then(|head| head.chars().next_back());
    let after = text.get(end..).and_then(|tail| tail.chars().next());
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let ends = match after {
        // A dot ends a sentence, or goes on with the name: `/w/shop.bak`.
        Some('.') => !text.get(end + 1..).and_then(|tail| tail.chars().next()).is_some_and(in_name),
        Some(after) => !in_name(after),
        None => true,
    };
    ends && !before.is_some_and(|c| in_name(c) || c == '.')
}

/// The session's working directories without those that lie in another; the root directory is none, because every
/// absolute path would move.
fn workspace_roots(session: &Session) -> Vec<&str> {
    let mut roots: Vec<&str> = Vec::new();
    for event in &session.events {
        let cwd = event.cwd.trim_end_matches('/');
        if !cwd.starts_with('/') || roots.iter().any(|root| Path::new(cwd).starts_with(root)) {
            continue;
        }
        roots.retain(|root| !Path::new(root).starts_with(cwd));
        roots.push(cwd);
    }
    roots
}

/// The home folder that an absolute path lies in, by the two systems' customs.
fn home_of(path: &str) -> Option<&str> {
    if Path::new(path).starts_with("/root") {
        return path.get(.."/root".len());
    }
    let parent = ["/home/", "/Users/"].into_iter().find(|parent| path.starts_with(parent))?;
    let name = path.get(parent.len()..)?.split('/').next().filter(|name| !name.is_empty())?;
    path.get(..parent.len() + name.len())
}
