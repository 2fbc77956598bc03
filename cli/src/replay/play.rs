//! Plays one session: lays down its files, hands its events to a gate in order, and notes the answers.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use aho_corasick::BuildError;
use thiserror::Error;

use super::answer::{self, AnswerError, Ruling};
use super::carried::carried;
use super::describe::describe;
use super::file_event::FileEvent;
use super::format::{Event, Label, Session, names};
use super::gate::{AskError, Gate};
use super::host_json::{host_json, session_end};
use super::interrupt::StopFlag;
use super::reconstruct::start_files;
use super::repository::commit_all;
use super::rewrite::Rewriter;
use super::workspace::{FileCounts, Workspace, WorkspaceError};

/// Longest pause at real pacing: past it everything that a gate prepares in the background is long ready, and real
/// sessions hold whole nights.
pub const GAP_MAX: Duration = Duration::from_secs(5);

/// How fast time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Speed {
    /// As recorded, with gaps cut to [`GAP_MAX`].
    Real,
    /// So many times faster than [`Speed::Real`].
    Times(u32),
    /// Without pauses.
    Max,
}

/// Why a speed is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a speed is `real`, `max`, or a number of times such as `20x`")]
pub struct SpeedError;

impl FromStr for Speed {
    type Err = SpeedError;

    fn from_str(text: &str) -> Result<Speed, SpeedError> {
        match text {
            "real" => Ok(Speed::Real),
            "max" => Ok(Speed::Max),
            _ => {
                let times = text.strip_suffix('x').and_then(|times| times.parse().ok());
                times.filter(|times| *times > 0).map(Speed::Times).ok_or(SpeedError)
            }
        }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Speed::Real => f.write_str("real"),
            Speed::Times(times) => write!(f, "{times}x"),
            Speed::Max => f.write_str("max"),
        }
    }
}

/// How and where sessions are played.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Holds one folder per session.
    pub workspaces: PathBuf,
    /// Stands for the recorded home; one for all sessions, because the daemon knows one home only.
    pub home: PathBuf,
    /// How fast.
    pub speed: Speed,
    /// Whether the sessions' folders stay.
    pub keep: bool,
}

/// One tool call and what the gate said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Id of the call in the recording.
    pub id: String,
    /// One line that names tool and arguments, escaped and shortened.
    pub text: String,
    /// The corpus's word.
    pub label: Option<Label>,
    /// The gate's.
    pub ruling: Ruling,
}

/// What came of one session.
#[derive(Debug)]
pub struct Played {
    /// Its suite.
    pub suite: String,
    /// Its id in the recording.
    pub id: String,
    /// The corpus's word on it: whether it holds an attack.
    pub attack: bool,
    /// The corpus's reason.
    pub why: String,
    /// Whether an attack call carries something that had been read.
    pub carried: bool,
    /// Calls in order, up to an error.
    pub calls: Vec<Call>,
    /// Round trips of `PreToolUse`.
    pub pre: Vec<Duration>,
    /// Round trips of `PostToolUse` and `PostToolUseFailure`.
    pub post: Vec<Duration>,
    /// What became of its files.
    pub files: FileCounts,
    /// Puts the recorded folders back where a text names scratch folders; none if it was given up before it began.
    pub back: Option<Rewriter>,
    /// Why it was given up before its end.
    pub error: Option<PlayError>,
}

/// Why a session was given up.
#[derive(Debug, Error)]
pub enum PlayError {
    /// No answer.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// An answer that Circinus may not give.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// The scratch folders.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The recorded folders cannot be searched for.
    #[error("cannot prepare the search for recorded folders: {0}")]
    Rewrite(#[from] BuildError),
    /// The run was stopped.
    #[error("the run was stopped")]
    Stopped,
}

/// Plays a session; `number` makes its folder and its session id unique in the run.
pub fn play(
    mut session: Session,
    number: u64,
    stage: &Stage,
    gate: &mut dyn Gate,
    stop: &StopFlag,
) -> Played {
    let start = session.events.first().and_then(|event| event.label.as_ref());
    let attack = session.is_attack();
    let mut played = Played {
        suite: session.suite.clone(),
        id: session.id.clone(),
        attack,
        why: start.map(|label| label.why.clone()).unwrap_or_default(),
        carried: attack && carried(&session.events),
        calls: Vec::new(),
        pre: Vec::new(),
        post: Vec::new(),
        files: FileCounts::default(),
        back: None,
        error: None,
    };
    let folder = stage.workspaces.join(format!("{number:05}"));
    let run = Run::prepare(&mut session, number, &folder, stage);
    let mut result = run.and_then(|run| run.all(&session, gate, stop, &mut played));
    if !stage.keep && folder.exists() {
        let removed = std::fs::remove_dir_all(&folder);
        result = result.and(removed.map_err(|source| WorkspaceError::remove(&folder, source).into()));
    }
    played.error = result.err();
    played
}

struct Run<'a> {
    stage: &'a Stage,
    workspace: Workspace,
    session_id: String,
    /// One line per call, made before the recorded folders were moved.
    texts: Vec<String>,
    back: Rewriter,
}

impl<'a> Run<'a> {
    fn prepare(
        session: &mut Session,
        number: u64,
        folder: &Path,
        stage: &'a Stage,
    ) -> Result<Run<'a>, PlayError> {
        let rewriter = Rewriter::for_session(session, folder, &stage.home)?;
        let texts = session.events.iter().filter(|event| event.is_pre()).map(describe).collect();
        session.events.iter_mut().for_each(|event| rewriter.event(event));
        let own = [folder, stage.home.as_path()].into_iter();
        let mut workspace = Workspace::create(own.chain(rewriter.targets()))?;
        for event in &mut session.events {
            workspace.admit_cwd(&mut event.cwd, folder)?;
        }
        workspace.lay_down(&start_files(&session.events))?;
        rewriter.targets().filter(|target| *target != stage.home).try_for_each(commit_all)?;
        // Two files may hold the same session; to the gate they are two.
        let session_id = format!("{}~{number}", session.id);
        Ok(Run { stage, workspace, session_id, texts, back: rewriter.back()? })
    }

    fn all(
        mut self,
        session: &Session,
        gate: &mut dyn Gate,
        stop: &StopFlag,
        played: &mut Played,
    ) -> Result<(), PlayError> {
        let end = session.events.last().filter(|last| last.event != names::SESSION_END).map(session_end);
        let mut before = session.events.first().map_or(0, |event| event.t_ms);
        let mut texts = std::mem::take(&mut self.texts).into_iter();
        // INVARIANT (interrupted-did-not-run): neither its result nor its files reach the gate.
        let mut interrupted = HashSet::new();
        let mut result = Ok(());
        for (index, event) in session.events.iter().chain(&end).enumerate() {
            if event.is_post() && interrupted.contains(&event.tool_use_id) {
                continue;
            }
            if stop.is_set() {
                result = Err(PlayError::Stopped);
                break;
            }
            self.pace(event.t_ms.saturating_sub(before));
            before = event.t_ms;
            gate.at(event.t_ms);
            let later = session.events.get(index + 1..).unwrap_or_default();
            result = self.one(event, later, gate, &mut texts, played);
            if result.is_err() {
                break;
            }
            if event.is_pre() && played.calls.last().is_some_and(|call| call.ruling.verdict.interrupts()) {
                interrupted.insert(event.tool_use_id.clone());
            }
        }
        played.files = self.workspace.counts();
        played.back = Some(self.back);
        result
    }

    fn one(
        &mut self,
        event: &Event,
        later: &[Event],
        gate: &mut dyn Gate,
        texts: &mut impl Iterator<Item = String>,
        played: &mut Played,
    ) -> Result<(), PlayError> {
        if event.is_pre() {
            let result = later.iter().find(|post| post.is_post() && post.tool_use_id == event.tool_use_id);
            if let Some(fact) = result.and_then(FileEvent::of) {
                self.workspace.before_read(&fact)?;
            }
        } else if let Some(fact) = FileEvent::of(event) {
            self.workspace.after_change(&fact)?;
        }
        let json = host_json(event, &self.session_id);
        let asked = Instant::now();
        let answer = gate.ask(&json)?;
        let took = asked.elapsed();
        if event.is_pre() {
            played.pre.push(took);
            played.calls.push(Call {
                id: event.tool_use_id.clone().unwrap_or_default(),
                text: texts.next().unwrap_or_default(),
                label: event.label.clone(),
                ruling: answer::ruling(&answer)?,
            });
            return Ok(());
        }
        if event.is_post() {
            played.post.push(took);
        }
        Ok(answer::check_other(&event.event, &answer)?)
    }

    fn pace(&self, gap_ms: u64) {
        let gap = Duration::from_millis(gap_ms).min(GAP_MAX);
        match self.stage.speed {
            Speed::Real => thread::sleep(gap),
            Speed::Times(times) => thread::sleep(gap / times),
            Speed::Max => {}
        }
    }
}
