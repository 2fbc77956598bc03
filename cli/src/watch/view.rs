//! The drawing.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style as Look};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, List, ListItem, ListState, Paragraph, Wrap};

use super::{Model, Row};
use crate::ui::Style;

/// Terminals from this width on have a column of sessions.
const WIDE_COLUMNS: u16 = 120;

/// Columns of the sessions.
const SESSIONS_COLUMNS: u16 = 44;

/// Lines of the details, their border included.
const DETAILS_LINES: u16 = 7;

const KEYS: &str =
    " \u{2191}\u{2193} select  Enter explain  a approve  e endorse  d decisions  End follow  q quit";

/// Draws everything; `color` is off where the person wants none.
pub fn draw(model: &Model, frame: &mut Frame<'_>, color: bool) {
    let [head, body, details, foot] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Min(3),
        Constraint::Length(if model.page.is_some() { 0 } else { DETAILS_LINES }),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(header(model), head);
    if let Some((text, top)) = &model.page {
        let page = Paragraph::new(text.as_str()).scroll((*top, 0)).block(titled("explanation"));
        frame.render_widget(page, body);
    } else {
        let (list, sessions) = columns(body);
        events(model, frame, list, color);
        if let Some(area) = sessions {
            frame.render_widget(session_list(model), area);
        }
        frame.render_widget(detail(model), details);
    }
    let foot_text = model.notice.as_deref().map_or_else(|| KEYS.to_owned(), |notice| format!(" {notice}"));
    frame.render_widget(Paragraph::new(foot_text).style(Look::new().add_modifier(Modifier::REVERSED)), foot);
}

/// How many rows the list of a terminal of `lines` lines shows.
#[must_use]
pub fn page_rows(lines: u16) -> usize {
    usize::from(lines.saturating_sub(2 + DETAILS_LINES + 1 + 2)).max(1)
}

fn columns(area: Rect) -> (Rect, Option<Rect>) {
    if area.width < WIDE_COLUMNS {
        return (area, None);
    }
    let [list, sessions] =
        Layout::horizontal([Constraint::Min(20), Constraint::Length(SESSIONS_COLUMNS)]).areas(area);
    (list, Some(sessions))
}

fn header(model: &Model) -> Paragraph<'_> {
    let Some(status) = &model.status else {
        let text = " circinus  no daemon is running; the next hook of an agent starts it";
        return Paragraph::new(text).style(Look::new().add_modifier(Modifier::BOLD));
    };
    let milliseconds =
        |us: Option<u64>| us.map_or_else(|| "-".to_owned(), |us| format!("{:.1} ms", us as f64 / 1e3));
    let first = format!(
        " circinus {}  profile {}  sessions {}  artifacts {}  queued {}",
        status.version, status.profile, status.sessions, status.artifacts, model.queued
    );
    let second = format!(
        " gate p50 {} p95 {}  allowed {}  asked {}  refused {}",
        milliseconds(status.gate_p50_us),
        milliseconds(status.gate_p95_us),
        status.allowed,
        status.asked,
        status.refused
    );
    let bold = Look::new().add_modifier(Modifier::BOLD);
    Paragraph::new(vec![Line::styled(first, bold), Line::raw(second)])
}

fn events(model: &Model, frame: &mut Frame<'_>, area: Rect, color: bool) {
    let what = if model.decisions_only() { "decisions" } else { "events" };
    let follows = if model.follows() { ", following" } else { "" };
    let title = format!("{what} (UTC){follows}");
    let items = model.shown().map(|row| ListItem::new(line(row, color)));
    let list =
        List::new(items).block(titled(&title)).highlight_style(Look::new().add_modifier(Modifier::REVERSED));
    let mut state = ListState::default().with_selected(model.selected());
    frame.render_stateful_widget(list, area, &mut state);
}

fn line(row: &Row, color: bool) -> Line<'_> {
    Line::from(vec![
        Span::raw(format!("{:>6} {} ", row.seq, clock(row.at_ms))),
        Span::styled(format!("{:<8} ", row.kind), look(row.style, color)),
        Span::styled(row.text.as_str(), look(row.style, color)),
    ])
}

fn look(style: Style, color: bool) -> Look {
    match (style, color) {
        (Style::Dim, _) => Look::new().add_modifier(Modifier::DIM),
        (Style::Strong, _) => Look::new().add_modifier(Modifier::BOLD),
        (Style::Good, true) => Look::new().fg(Color::Green),
        (Style::Warning, true) => Look::new().fg(Color::Yellow),
        (Style::Bad, true) => Look::new().fg(Color::Red).add_modifier(Modifier::BOLD),
        (Style::Bad | Style::Warning, false) => Look::new().add_modifier(Modifier::BOLD),
        (Style::Plain | Style::Good, _) => Look::new(),
    }
}

fn session_list(model: &Model) -> Paragraph<'_> {
    let lines: Vec<_> = model
        .sessions()
        .into_iter()
        .map(|(session, at_ms)| Line::raw(format!("{} {session}", clock(at_ms))))
        .collect();
    Paragraph::new(lines).block(titled("sessions, last event"))
}

fn detail(model: &Model) -> Paragraph<'_> {
    let lines = model.selection().map(|row| {
        std::iter::once(Line::raw(row.text.as_str()))
            .chain(row.details.iter().map(|line| Line::raw(line.as_str())))
    });
    let lines: Vec<_> = lines.into_iter().flatten().collect();
    Paragraph::new(lines).wrap(Wrap { trim: true }).block(titled("selected"))
}

fn titled(title: &str) -> Block<'static> {
    Block::new().borders(Borders::ALL).title(format!(" {title} "))
}

/// Hours, minutes and seconds of a day, UTC.
fn clock(at_ms: u64) -> String {
    let seconds = at_ms / 1_000 % 86_400;
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use circinus_core::id::{DecisionId, EventSeq};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::watch::Key;

    fn model() -> Model {
        let mut model = Model::default();
        for seq in 1..=100 {
            model.add(Row {
                seq,
                at_ms: seq * 1_000,
                kind: if seq % 10 == 0 { "decision" } else { "artifact" },
                style: if seq % 10 == 0 { Style::Bad } else { Style::Plain },
                text: format!("event number {seq}"),
                details: vec![format!("detail of {seq}")],
                session: Some("one-session".to_owned()),
                decision: (seq % 10 == 0).then_some(DecisionId(EventSeq(seq))),
                endorsable: None,
            });
        }
        model
    }

    fn drawn(model: &Model, columns: u16, lines: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
        terminal.draw(|frame| draw(model, frame, false)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn the_newest_events_are_shown_with_details_and_keys() {
        let shown = drawn(&model(), 80, 24);
        for part in
            ["event number 100", "detail of 100", "00:01:40", "following", "Enter explain", "no daemon"]
        {
            assert!(shown.contains(part), "`{part}` is not in\n{shown}");
        }
        assert!(!shown.contains("event number 50 "), "{shown}");
        assert!(!shown.contains("one-session"), "{shown}");
    }

    #[test]
    fn a_wide_terminal_has_the_sessions_beside() {
        let shown = drawn(&model(), 200, 50);
        assert!(shown.contains("one-session") && shown.contains("event number 65"), "{shown}");
    }

    #[test]
    fn a_page_scrolls_and_covers_the_list() {
        let mut model = model();
        model.page = Some(("first\nsecond\nthird\n".to_owned(), 0));
        model.press(Key::Down, 10);
        let shown = drawn(&model, 80, 24);
        assert!(
            shown.contains("second") && !shown.contains("first") && !shown.contains("event number"),
            "{shown}"
        );
    }

    #[test]
    fn the_smallest_terminals_do_not_break_it() {
        for (columns, lines) in [(1, 1), (10, 3), (60, 10)] {
            drawn(&model(), columns, lines);
        }
        assert_eq!(page_rows(1), 1);
    }
}
