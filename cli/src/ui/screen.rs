//! The whole terminal as a canvas, given back whatever happens.

use std::io::{self, IsTerminal};
use std::time::Duration;

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::{DefaultTerminal, Frame};

use crate::watch::Key;

/// The terminal while it is a canvas; dropping it gives it back.
#[derive(Debug)]
pub struct Screen(DefaultTerminal);

impl Screen {
    /// Takes the terminal; `None` when there is none.
    ///
    /// # Errors
    /// The system's.
    pub fn take() -> io::Result<Option<Self>> {
        if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
            return Ok(None);
        }
        ratatui::try_init().map(|terminal| Some(Self(terminal)))
    }

    /// Draws a frame.
    ///
    /// # Errors
    /// The system's.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.0.draw(draw).map(|_| ())
    }

    /// Lines of the terminal.
    ///
    /// # Errors
    /// The system's.
    pub fn lines(&self) -> io::Result<u16> {
        Ok(self.0.size()?.height)
    }

    /// Columns of the terminal.
    ///
    /// # Errors
    /// The system's.
    pub fn columns(&self) -> io::Result<usize> {
        Ok(self.0.size()?.width.into())
    }

    /// The next key within a time; `None` when there was none that means anything.
    ///
    /// # Errors
    /// The system's.
    pub fn key(&self, within: Duration) -> io::Result<Option<Key>> {
        if !event::poll(within)? {
            return Ok(None);
        }
        let Event::Key(pressed) = event::read()? else { return Ok(None) };
        let control = pressed.modifiers.contains(KeyModifiers::CONTROL);
        Ok((pressed.kind != KeyEventKind::Release).then(|| key(pressed.code, control)).flatten())
    }

    /// Gives the terminal back while `work` runs, and waits for Enter after it.
    ///
    /// # Errors
    /// The system's.
    pub fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        ratatui::try_restore()?;
        let done = work();
        let mut line = String::new();
        io::stdin().read_line(&mut line)?;
        self.0 = ratatui::try_init()?;
        Ok(done)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

fn key(code: KeyCode, control: bool) -> Option<Key> {
    Some(match code {
        KeyCode::Char('c') if control => Key::Quit,
        KeyCode::Char('q') | KeyCode::Esc => Key::Quit,
        KeyCode::Up | KeyCode::Char('k') => Key::Up,
        KeyCode::Down | KeyCode::Char('j') => Key::Down,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home | KeyCode::Char('g') => Key::Home,
        KeyCode::End | KeyCode::Char('G' | 'f') => Key::End,
        KeyCode::Char('d') => Key::Decisions,
        KeyCode::Enter => Key::Explain,
        KeyCode::Char('a') => Key::Approve,
        KeyCode::Char('e') => Key::Endorse,
        _ => return None,
    })
}
