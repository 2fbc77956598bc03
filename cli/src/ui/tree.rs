//! A tree drawn with lines, for chains from source to sink.

use super::style::Style;
use super::wrap::wrap;

/// Levels drawn; what lies deeper is counted in one line.
pub const TREE_DEPTH_MAX: usize = 32;

/// A node: its text (already escaped where others wrote it), its look, its children.
#[derive(Clone, Debug)]
pub struct Tree {
    text: String,
    style: Style,
    children: Vec<Self>,
}

impl Tree {
    /// A node without children.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style, children: Vec::new() }
    }

    /// Adds a child below the others.
    #[must_use]
    pub fn with(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }

    /// Adds a child below the others.
    pub fn push(&mut self, child: Self) {
        self.children.push(child);
    }

    /// The tree as text for a terminal of `width` columns; every line ends in a line feed.
    #[must_use]
    pub fn render(&self, width: usize, color: bool) -> String {
        let mut out = String::new();
        self.draw("", "", width, color, TREE_DEPTH_MAX, &mut out);
        out
    }

    /// Draws this node after `head` and all that belongs to it after `rest`.
    fn draw(&self, head: &str, rest: &str, width: usize, color: bool, depth: usize, out: &mut String) {
        let body = if self.children.is_empty() { "  " } else { "│ " };
        let columns = width.saturating_sub(rest.chars().count()).max(20);
        for (i, line) in wrap(&self.text, columns).iter().enumerate() {
            if i == 0 {
                out.push_str(head);
            } else {
                out.push_str(rest);
                out.push_str(body);
            }
            out.push_str(&self.style.paint(line, color));
            out.push('\n');
        }
        let Some((last, others)) = self.children.split_last() else {
            return;
        };
        let Some(below) = depth.checked_sub(1).filter(|&below| below > 0) else {
            out.push_str(&format!("{rest}└ … ({} more below)\n", self.children.len()));
            return;
        };
        for child in others {
            child.draw(&format!("{rest}├ "), &format!("{rest}│ "), width, color, below, out);
        }
        last.draw(&format!("{rest}└ "), &format!("{rest}  "), width, color, below, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(text: &str) -> Tree {
        Tree::new(text, Style::Plain)
    }

    #[test]
    fn lines_join_parents_and_children() {
        let tree = leaf("BLOCK A1").with(leaf("operand").with(leaf("page"))).with(leaf("evidence"));
        assert_eq!(tree.render(60, false), "BLOCK A1\n├ operand\n│ └ page\n└ evidence\n");
    }

    #[test]
    fn long_text_wraps_under_its_node() {
        let tree = leaf("r").with(leaf("one two three four five six seven")).with(leaf("z"));
        assert_eq!(tree.render(24, false), "r\n├ one two three four\n│   five six seven\n└ z\n");
    }

    #[test]
    fn depth_is_bounded() {
        let mut tree = leaf("end");
        for _ in 0..1_000 {
            tree = leaf("n").with(tree);
        }
        let shown = tree.render(60, false);
        assert_eq!(shown.lines().count(), TREE_DEPTH_MAX + 1);
        assert!(shown.contains("more below"));
    }
}
