//! A small table: columns as wide as their cells, the last one wrapped to the terminal.

use unicode_width::UnicodeWidthStr;

use super::style::Style;
use super::wrap::wrap;

/// Columns between two cells.
const GUTTER: usize = 2;

/// Columns the last column keeps however narrow the terminal is; below that, wrapping is unreadable.
const LAST_COLUMNS_MIN: usize = 20;

/// One cell: its text (already escaped where others wrote it) and its look.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A cell of text in a style.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    fn columns(&self) -> usize {
        self.text.width()
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::new(text, Style::Plain)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::new(text, Style::Plain)
    }
}

/// Rows of cells.
#[derive(Clone, Debug, Default)]
pub struct Table {
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table with no rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a row. Rows may have different numbers of cells.
    pub fn row<const N: usize>(&mut self, cells: [Cell; N]) -> &mut Self {
        self.rows.push(cells.into());
        self
    }

    /// The table as text for a terminal of `width` columns; every line ends in a line feed, none in a space.
    #[must_use]
    pub fn render(&self, width: usize, color: bool) -> String {
        let widths = self.widths();
        let mut out = String::new();
        for row in &self.rows {
            render_row(row, &widths, width, color, &mut out);
        }
        out
    }

    /// Widths of the columns, the last cell of a row not counted: it runs to the edge.
    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            let fixed = row.len().saturating_sub(1);
            for (i, cell) in row.iter().take(fixed).enumerate() {
                match widths.get_mut(i) {
                    Some(widest) => *widest = (*widest).max(cell.columns()),
                    None => widths.push(cell.columns()),
                }
            }
        }
        widths
    }
}

fn render_row(row: &[Cell], widths: &[usize], width: usize, color: bool, out: &mut String) {
    let Some((last, fixed)) = row.split_last() else {
        out.push('\n');
        return;
    };
    let mut start = 0;
    for (cell, &column) in fixed.iter().zip(widths) {
        out.push_str(&cell.style.paint(&cell.text, color));
        out.push_str(&" ".repeat(column.saturating_sub(cell.columns()).saturating_add(GUTTER)));
        start += column.saturating_add(GUTTER);
    }
    let lines = wrap(&last.text, width.saturating_sub(start).max(LAST_COLUMNS_MIN));
    for (i, line) in lines.iter().enumerate() {
        if i > 0 {
            out.push_str(&" ".repeat(start));
        }
        out.push_str(&last.style.paint(line, color));
        let kept = out.trim_end_matches(' ').len();
        out.truncate(kept);
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_the_last_wraps() {
        let mut table = Table::new();
        table.row(["ok".into(), "hook".into(), "fires and blocks".into()]);
        table.row([
            "failed".into(),
            "daemon".into(),
            "does not answer on its socket within two seconds".into(),
        ]);
        let expected = "ok      hook    fires and blocks\n\
                        failed  daemon  does not answer on its\n\
                        \x20               socket within two\n\
                        \x20               seconds\n";
        assert_eq!(table.render(40, false), expected);
    }

    #[test]
    fn wide_characters_count_two_columns() {
        let mut table = Table::new();
        table.row(["日本".into(), "x".into()]).row(["ab".into(), "y".into()]);
        assert_eq!(table.render(60, false), "日本  x\nab    y\n");
    }

    #[test]
    fn color_does_not_move_columns() {
        let mut table = Table::new();
        table.row([Cell::new("ok", Style::Good), "a".into()]).row(["failed".into(), "b".into()]);
        assert_eq!(table.render(60, true), "\x1b[32mok\x1b[0m      a\nfailed  b\n");
    }
}
