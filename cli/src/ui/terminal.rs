//! The person's own terminal, whatever the standard streams are connected to.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};

use rustix::termios::{QueueSelector, tcflush};

use super::escape;

/// Bytes read of an answer.
const ANSWER_BYTES_MAX: u64 = 256;

/// Columns of one shown line.
const LINE_COLUMNS_MAX: usize = 2_000;

/// The controlling terminal of this process.
#[derive(Debug)]
pub struct Terminal(File);

impl Terminal {
    /// Opens it.
    ///
    /// # Errors
    ///
    /// The system's; there is none in a session without a terminal.
    pub fn open() -> io::Result<Self> {
        OpenOptions::new().read(true).write(true).open("/dev/tty").map(Self)
    }

    /// Shows lines, control characters escaped.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn show(&mut self, lines: &[String]) -> io::Result<()> {
        lines
            .iter()
            .try_for_each(|line| writeln!(self.0, "{}", escape::escape_file_line(line, LINE_COLUMNS_MAX)))
    }

    /// Asks for one line. What was typed before the question was shown is no answer to it.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn ask(&mut self, question: &str) -> io::Result<String> {
        tcflush(&self.0, QueueSelector::IFlush)?;
        write!(self.0, "{question} ")?;
        self.0.flush()?;
        let mut answer = String::new();
        BufReader::new(&mut self.0).take(ANSWER_BYTES_MAX).read_line(&mut answer)?;
        Ok(answer.trim().to_owned())
    }
}
