//! What the result of a file tool says about its file, as the host shapes it.

use serde_json::Value;

use super::format::Event;

/// Lines beyond this number are ignored: a recording must not make the replayer fill a disk with empty lines.
pub const LINES_MAX: usize = 1_000_000;

/// A change of some lines, from the `structuredPatch` of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// First line before the change, counted from 1.
    pub old_start: usize,
    /// First line after the change, counted from 1.
    pub new_start: usize,
    /// Lines before the change, context included.
    pub old: Vec<String>,
    /// Lines after the change, context included.
    pub new: Vec<String>,
}

/// One replacement of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The text that goes.
    pub old: String,
    /// The text that comes.
    pub new: String,
    /// Everywhere, not only at its first place.
    pub all: bool,
}

/// What a file tool did or saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileEvent {
    /// Lines of a file were read.
    Read {
        /// The file.
        path: String,
        /// Number of the first line, counted from 1.
        start: usize,
        /// The text from there on.
        content: String,
        /// Whether that is all of the file.
        whole: bool,
    },
    /// A file has new content.
    Write {
        /// The file.
        path: String,
        /// All of it.
        content: String,
        /// What was there before, where the host says so.
        original: Original,
    },
    /// Pieces of a file were replaced.
    Edit {
        /// The file.
        path: String,
        /// In their order.
        replacements: Vec<Replacement>,
        /// The same as changed lines; empty where the host does not say.
        hunks: Vec<Hunk>,
        /// What was there before, where the host says so.
        original: Original,
    },
}

/// What is known of a file before a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Original {
    /// There was no file.
    Absent,
    /// There was one, of this content.
    Text(String),
    /// Nothing.
    Unknown,
}

impl FileEvent {
    /// What a successful result says; nothing for other tools and for results without a file.
    #[must_use]
    pub fn of(event: &Event) -> Option<FileEvent> {
        if !event.is_post() || event.failed() {
            return None;
        }
        let input = event.tool_input.as_ref()?;
        let response = event.tool_response.as_ref()?;
        match event.tool() {
            "Read" => read(input, response),
            "Write" => write(input, response),
            "Edit" | "MultiEdit" => edit(input, response),
            "NotebookEdit" => Some(FileEvent::Write {
                path: string(response, "notebook_path").or_else(|| string(input, "notebook_path"))?,
                content: string(response, "updated_file")?,
                original: string(response, "original_file").map_or(Original::Unknown, Original::Text),
            }),
            _ => None,
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            FileEvent::Read { path, .. } | FileEvent::Write { path, .. } | FileEvent::Edit { path, .. } => {
                path
            }
        }
    }
}

fn string(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

fn number(value: &Value, name: &str) -> Option<usize> {
    usize::try_from(value.get(name)?.as_u64()?).ok()
}

fn read(input: &Value, response: &Value) -> Option<FileEvent> {
    let file = response.get("file")?;
    let content = string(file, "content")?;
    let start = number(file, "startLine").unwrap_or(1).max(1);
    let lines = content.split('\n').count();
    // Recordings without `totalLines` hold whole files.
    let whole = start == 1 && number(file, "totalLines").is_none_or(|total| lines >= total);
    let path = string(file, "filePath").or_else(|| string(input, "file_path"))?;
    Some(FileEvent::Read { path, start, content, whole })
}

fn write(input: &Value, response: &Value) -> Option<FileEvent> {
    let original = match (response.get("originalFile"), response.get("type").and_then(Value::as_str)) {
        (Some(Value::String(text)), _) => Original::Text(text.clone()),
        (_, Some("create")) => Original::Absent,
        _ => Original::Unknown,
    };
    let path = string(response, "filePath").or_else(|| string(input, "file_path"))?;
    let content = string(response, "content").or_else(|| string(input, "content"))?;
    Some(FileEvent::Write { path, content, original })
}

fn edit(input: &Value, response: &Value) -> Option<FileEvent> {
    let path = string(response, "filePath").or_else(|| string(input, "file_path"))?;
    let steps = match input.get("edits").and_then(Value::as_array) {
        Some(edits) => edits.iter().collect(),
        None => vec![input],
    };
    let replacements = steps.into_iter().filter_map(|step| {
        Some(Replacement {
            old: string(step, "old_string")?,
            new: string(step, "new_string")?,
            all: step.get("replace_all").and_then(Value::as_bool).unwrap_or(false),
        })
    });
    let replacements: Vec<_> = replacements.collect();
    let patch = response.get("structuredPatch").and_then(Value::as_array);
    let original = match string(response, "originalFile") {
        Some(text) => Original::Text(text),
        // An edit that replaces nothing makes the file.
        None if replacements.first().is_some_and(|first| first.old.is_empty()) => Original::Absent,
        None => Original::Unknown,
    };
    let hunks = patch.map(|hunks| hunks.iter().filter_map(hunk).collect()).unwrap_or_default();
    Some(FileEvent::Edit { path, replacements, hunks, original })
}

fn hunk(value: &Value) -> Option<Hunk> {
    let side = |skipped: char| {
        let lines = value.get("lines")?.as_array()?.iter().filter_map(Value::as_str);
        let kept = lines.filter(|line| !line.starts_with(skipped) && !line.starts_with('\\'));
        Some(kept.map(|line| line.get(1..).unwrap_or_default().to_owned()).collect())
    };
    Some(Hunk {
        old_start: number(value, "oldStart")?.max(1),
        new_start: number(value, "newStart")?.max(1),
        old: side('+')?,
        new: side('-')?,
    })
}
