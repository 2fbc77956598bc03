//! The graph in the DOT language of Graphviz.

use std::fmt::Write;

use super::graph::{Graph, NodeKind};

/// The document, ready for `dot -Tsvg`.
pub(super) fn render(graph: &Graph) -> String {
    let mut out =
        String::from("digraph decision {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n");
    for (place, node) in graph.nodes.iter().enumerate() {
        let shape = match node.kind {
            NodeKind::Source => "note",
            NodeKind::Step => "box",
            NodeKind::Slot => "ellipse",
            NodeKind::Call => "octagon",
        };
        line(&mut out, format_args!("n{place} [shape={shape}, label={}];", quote(&node.text)));
    }
    for edge in &graph.edges {
        let style = if edge.observed { "solid" } else { "dashed" };
        line(&mut out, format_args!("n{} -> n{} [style={style}];", edge.from, edge.to));
    }
    out.push_str("}\n");
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "  {text}");
}

/// A quoted string: a backslash begins an escape there, and `\l` ends a line set to the left.
fn quote(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_end_its_string() {
        assert_eq!(quote("a\"];\\ b\nc"), "\"a\\\"];\\\\ b\\lc\"");
    }
}
