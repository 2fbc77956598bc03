//! The graph as a drawing (SVG 1.1): a column for each step, boxes below one another, arrows to the right.

use std::fmt::Write;

use super::graph::{Graph, Node};
use super::html::escape;

/// Characters of one line in a box.
const LINE_CHARS: usize = 34;
/// Lines of one box, so that one long text does not push all others away.
const LINES_MAX: usize = 8;
/// Pixels, here and below: the height of a line of the 12-pixel monospaced face.
const LINE_HEIGHT: usize = 17;
const PADDING: usize = 10;
const BOX_WIDTH: usize = 270;
const GAP_X: usize = 56;
const GAP_Y: usize = 26;

struct Placed {
    x: usize,
    y: usize,
    height: usize,
    lines: Vec<String>,
}

/// The drawing.
pub(super) fn render(graph: &Graph) -> String {
    let placed = place(&graph.nodes);
    let columns = graph.nodes.iter().map(|node| node.column + 1).max().unwrap_or(1);
    let width = columns * (BOX_WIDTH + GAP_X) - GAP_X + 2;
    let height = placed.iter().map(|at| at.y + at.height).max().unwrap_or(0) + 2;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"-1 -1 {width} {height}\" role=\"img\" aria-label=\"lineage of the decision\">\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/></marker></defs>\n"
    );
    for edge in &graph.edges {
        if let (Some(from), Some(to)) = (placed.get(edge.from), placed.get(edge.to)) {
            arrow(&mut out, from, to, edge.observed);
        }
    }
    for (node, at) in graph.nodes.iter().zip(&placed) {
        frame(&mut out, node, at);
    }
    out.push_str("</svg>\n");
    out
}

fn place(nodes: &[Node]) -> Vec<Placed> {
    let columns = nodes.iter().map(|node| node.column + 1).max().unwrap_or(0);
    let mut next_y = vec![0; columns];
    let mut placed = Vec::new();
    for node in nodes {
        let lines = wrapped(&node.text, LINE_CHARS);
        let height = lines.len() * LINE_HEIGHT + 2 * PADDING;
        let mut y = 0;
        if let Some(next) = next_y.get_mut(node.column) {
            y = *next;
            *next += height + GAP_Y;
        }
        placed.push(Placed { x: node.column * (BOX_WIDTH + GAP_X), y, height, lines });
    }
    placed
}

fn frame(out: &mut String, node: &Node, at: &Placed) {
    let Placed { x, y, height, lines } = at;
    let kind = node.kind.name();
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        out,
        "<g class=\"{kind}\"><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{BOX_WIDTH}\" height=\"{height}\" rx=\"5\"/>",
        escape(&node.text)
    );
    text(out, x + PADDING, y + PADDING + LINE_HEIGHT - 5, lines);
    out.push_str("</g>\n");
}

fn arrow(out: &mut String, from: &Placed, to: &Placed, observed: bool) {
    let (x1, y1) = (from.x + BOX_WIDTH, from.y + from.height / 2);
    let (x2, y2) = (to.x, to.y + to.height / 2);
    let middle = (x1 + x2) / 2;
    let class = if observed { "observed" } else { "inferred" };
    let _ = writeln!(
        out,
        "<path class=\"{class}\" d=\"M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}\" marker-end=\"url(#tip)\"/>"
    );
}

fn text(out: &mut String, x: usize, y: usize, lines: &[String]) {
    for (place, line) in lines.iter().enumerate() {
        let y = y + place * LINE_HEIGHT;
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\">{}</text>", escape(line));
    }
}

/// Lines of at most `chars` characters, broken anywhere: addresses have no spaces.
fn wrapped(text: &str, chars: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let all: Vec<char> = paragraph.chars().collect();
        lines.extend(all.chunks(chars).map(String::from_iter));
    }
    if lines.len() > LINES_MAX {
        lines.truncate(LINES_MAX);
        if let Some(last) = lines.last_mut() {
            last.push('…');
        }
    }
    lines
}
