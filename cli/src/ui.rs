//! What a person sees: the only place that prints.
//!
//! Text goes to standard output, errors and hints to standard error. Colour follows `--color`, `NO_COLOR` and
//! whether the stream is a terminal. Text that someone else wrote passes [`escape_untrusted`] first.

mod diagnostic;
mod diff;
mod escape;
mod moment;
mod progress;
mod screen;
mod style;
mod table;
mod terminal;
mod tree;
mod wrap;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

pub use diagnostic::{SourceSpan, split_hint};
pub use diff::unified_diff;
pub use escape::{UNTRUSTED_COLUMNS_MAX, escape_untrusted, escape_untrusted_within};
pub use moment::moment;
pub use progress::Progress;
pub use screen::Screen;
pub use style::{ColorChoice, Style};
pub use table::{Cell, Table};
pub use terminal::Terminal;
pub use tree::{TREE_DEPTH_MAX, Tree};
pub use wrap::wrap;

/// Columns assumed when neither the terminal nor `COLUMNS` tells.
const COLUMNS_DEFAULT: usize = 80;

/// The narrowest terminal that is laid out for; narrower ones wrap by themselves.
const COLUMNS_MIN: usize = 60;

/// The widest line of running text, whatever the terminal's width: longer ones are hard to read.
const COLUMNS_MAX: usize = 120;

/// Columns of one line of a message: more than two paths of the longest length in ASCII.
const MESSAGE_COLUMNS_MAX: usize = 10_000;

/// What to do about an error that has no hint of its own.
const HINT_DEFAULT: &str = "run `circinus doctor`, which looks for the cause";

/// Bytes read of an answer to a question.
const ANSWER_BYTES_MAX: u64 = 256;

/// What a person answered to a yes-or-no question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Answer {
    /// `y` or `yes`.
    Yes,
    /// Anything else, the empty line and the end of input included.
    No,
    /// Standard input is no terminal, so nobody was asked.
    NobodyToAsk,
}

/// The two output streams and how to write on them.
///
/// Writing never fails at the call: the first failure is kept and comes back from [`Ui::finish`], which every
/// command's caller must look at.
pub struct Ui {
    out: Box<dyn Write + Send>,
    err: Box<dyn Write + Send>,
    input: Option<Box<dyn BufRead + Send>>,
    color_out: bool,
    color_err: bool,
    columns: usize,
    failed: Option<io::Error>,
}

impl Ui {
    /// Standard output and standard error of this process.
    pub fn stdio(color: ColorChoice, env: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let (out, err, input) = (io::stdout(), io::stderr(), io::stdin());
        Self {
            color_out: color.wants_color(out.is_terminal(), env),
            color_err: color.wants_color(err.is_terminal(), env),
            columns: columns(env),
            input: input
                .is_terminal()
                .then(|| Box::new(io::BufReader::new(input)) as Box<dyn BufRead + Send>),
            out: Box::new(out),
            err: Box::new(err),
            failed: None,
        }
    }

    /// A face that keeps what it is given, without colour, `columns` wide; for tests and for captures.
    ///
    /// `answers` is what a person would type; without it there is nobody to ask.
    pub fn captured(columns: usize, answers: Option<&str>) -> (Self, Captured) {
        let captured = Captured::default();
        let input = answers.map(|text| Box::new(io::Cursor::new(text.to_owned())) as Box<dyn BufRead + Send>);
        let ui = Self {
            out: Box::new(captured.out.clone()),
            err: Box::new(captured.err.clone()),
            input,
            color_out: false,
            color_err: false,
            columns,
            failed: None,
        };
        (ui, captured)
    }

    /// Columns to lay text out for.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// Whether standard output gets colour; for renderers that return text.
    #[must_use]
    pub const fn color(&self) -> bool {
        self.color_out
    }

    /// Writes to standard output as it is, without adding a line feed.
    pub fn raw(&mut self, text: impl Display) {
        let written = write!(self.out, "{text}");
        self.keep(written);
    }

    /// Standard output as a stream of bytes, for what is no text for people.
    pub fn stream(&mut self) -> impl Write + '_ {
        &mut self.out
    }

    /// Writes a line to standard output.
    pub fn line(&mut self, text: impl Display) {
        let written = writeln!(self.out, "{text}");
        self.keep(written);
    }

    /// Writes a paragraph to standard output, wrapped.
    pub fn paragraph(&mut self, text: &str, style: Style) {
        for line in wrap(text, self.columns) {
            self.line(style.paint(&line, self.color_out));
        }
    }

    /// Writes a table to standard output.
    pub fn table(&mut self, table: &Table) {
        self.raw(table.render(self.columns, self.color_out));
    }

    /// Writes a tree to standard output.
    pub fn tree(&mut self, tree: &Tree) {
        self.raw(tree.render(self.columns, self.color_out));
    }

    /// Writes a unified diff to standard output.
    pub fn diff(&mut self, name: &str, old: &str, new: &str) {
        self.raw(unified_diff(name, old, new, self.color_out));
    }

    /// Writes `error: ...` to standard error, and below it the `hint: ...` that the message carries.
    pub fn error(&mut self, error: &dyn Display) {
        self.message("error:", Style::Bad, &error.to_string());
    }

    /// Writes `error: ...` and `hint: ...` to standard error.
    pub fn error_with_hint(&mut self, error: &dyn Display, hint: &str) {
        self.message("error:", Style::Bad, &format!("{error}; hint: {hint}"));
    }

    /// Writes `warning: ...` to standard error, and below it the `hint: ...` that the message carries.
    pub fn warning(&mut self, warning: &dyn Display) {
        self.message("warning:", Style::Warning, &warning.to_string());
    }

    fn message(&mut self, label: &str, style: Style, text: &str) {
        // Messages carry paths, and a path may have been named by someone else.
        let text: Vec<String> =
            text.split('\n').map(|line| escape::escape_file_line(line, MESSAGE_COLUMNS_MAX)).collect();
        let text = text.join("\n");
        let (what, hint) = split_hint(&text);
        let hint = hint.or((style == Style::Bad).then_some(HINT_DEFAULT));
        let mut shown = format!("{} {what}\n", style.paint(label, self.color_err));
        if let Some(hint) = hint {
            shown.push_str(&format!("{} {hint}\n", Style::Strong.paint("hint:", self.color_err)));
        }
        let written = self.err.write_all(shown.as_bytes());
        self.keep(written);
    }

    /// Asks a yes-or-no question on the terminal.
    pub fn confirm(&mut self, question: &str) -> Answer {
        let Some(input) = self.input.as_mut() else {
            return Answer::NobodyToAsk;
        };
        let asked = write!(self.out, "{question} [y/N] ").and_then(|()| self.out.flush());
        let mut answer = String::new();
        let read = input.take(ANSWER_BYTES_MAX).read_line(&mut answer);
        self.keep(asked.and(read.map(|_| ())));
        match answer.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Answer::Yes,
            _ => Answer::No,
        }
    }

    /// Waits for a while, less when the reader of standard output goes away; whether there still is one.
    pub fn is_read_after(&mut self, wait: Duration) -> bool {
        let flushed = self.out.flush();
        self.keep(flushed);
        // No event is asked for: what is always reported is that the other end is closed.
        let stdout = io::stdout();
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        let timeout = Timespec::try_from(wait).ok();
        let gone = poll(&mut watched, timeout.as_ref());
        self.failed.is_none() && gone.is_ok_and(|gone| gone == 0)
    }

    /// Flushes both streams.
    ///
    /// # Errors
    /// The first write that failed. A reader that went away (`| head`) is no error.
    pub fn finish(mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.keep(flushed);
        let flushed = self.err.flush();
        self.keep(flushed);
        match self.failed {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    fn keep(&mut self, written: io::Result<()>) {
        if let (Err(error), None) = (written, self.failed.as_ref()) {
            self.failed = Some(error);
        }
    }
}

/// Columns of the terminal, from `COLUMNS` when it is set and the terminal otherwise.
fn columns(env: &dyn Fn(&str) -> Option<OsString>) -> usize {
    let told = env("COLUMNS").and_then(|value| value.to_str().and_then(|text| text.parse::<usize>().ok()));
    let measured = || rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col));
    let columns = told.or_else(measured).filter(|&columns| columns > 0).unwrap_or(COLUMNS_DEFAULT);
    columns.clamp(COLUMNS_MIN, COLUMNS_MAX)
}

/// What a [`Ui::captured`] face was given.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    out: Shared,
    err: Shared,
}

impl Captured {
    /// What went to standard output so far.
    #[must_use]
    pub fn out(&self) -> String {
        self.out.text()
    }

    /// What went to standard error so far.
    #[must_use]
    pub fn err(&self) -> String {
        self.err.text()
    }
}

#[derive(Clone, Debug, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_its_hint_on_a_line_of_its_own() {
        let (mut ui, captured) = Ui::captured(80, None);
        ui.error(&"cannot read x; hint: run chmod");
        ui.error_with_hint(&"no daemon", "start it");
        assert_eq!(
            captured.err(),
            "error: cannot read x\nhint: run chmod\nerror: no daemon\nhint: start it\n"
        );
        assert_eq!(captured.out(), "");
        ui.finish().unwrap();
    }

    #[test]
    fn a_message_cannot_move_the_cursor() {
        let (mut ui, captured) = Ui::captured(80, None);
        ui.error(&"cannot read /x\x1b[2J\u{202e}y; hint: look");
        assert_eq!(captured.err(), "error: cannot read /x\\u{1b}[2J\\u{202e}y\nhint: look\n");
    }

    #[test]
    fn only_yes_is_yes() {
        for (typed, answer) in [
            ("y\n", Answer::Yes),
            ("YES\n", Answer::Yes),
            ("\n", Answer::No),
            ("", Answer::No),
            ("yep\n", Answer::No),
        ] {
            let (mut ui, _) = Ui::captured(80, Some(typed));
            assert_eq!(ui.confirm("write?"), answer, "{typed:?}");
        }
        let (mut ui, _) = Ui::captured(80, None);
        assert_eq!(ui.confirm("write?"), Answer::NobodyToAsk);
    }

    struct Broken(io::ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_failed_write_comes_back_at_the_end_and_a_closed_pipe_does_not() {
        for (kind, fails) in [(io::ErrorKind::StorageFull, true), (io::ErrorKind::BrokenPipe, false)] {
            let (mut ui, _) = Ui::captured(80, None);
            ui.out = Box::new(Broken(kind));
            ui.line("x");
            assert_eq!(ui.finish().is_err(), fails, "{kind}");
        }
    }

    #[test]
    fn width_comes_from_columns_within_bounds() {
        let env = |value: &'static str| move |name: &str| (name == "COLUMNS").then(|| value.into());
        assert_eq!(columns(&env("72")), 72);
        assert_eq!(columns(&env("10")), COLUMNS_MIN);
        assert_eq!(columns(&env("9999")), COLUMNS_MAX);
    }
}
