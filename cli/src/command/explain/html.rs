//! The explanation as one page that needs nothing else: no script, no font, no request.

use std::fmt::Write;

use circinus_core::policy::Verdict;
use circinus_store::query::Decision;

use super::graph::Graph;
use super::{Source, sentence, svg};
use crate::reason;
use crate::ui::escape_untrusted;

const STYLE: &str = include_str!("page.css");

/// The page.
pub(super) fn render(decision: &Decision, sources: &[Source], graph: &Graph) -> String {
    let explanation = &decision.record.explanation;
    let verdict = explanation.verdict;
    let class = match verdict {
        Verdict::Allow => "allow",
        Verdict::Review => "review",
        Verdict::Block => "block",
    };
    let call = escape_untrusted(&format!("{} {}", decision.record.tool, decision.record.summary));
    let rules = explanation.fired.iter().filter_map(|fired| {
        let rule = fired.rule.rule()?;
        let remedy = reason::remedy(*fired, explanation)?;
        Some(format!(
            "<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(rule.name),
            rule.result,
            escape(rule.reason),
            escape(&remedy)
        ))
    });
    let mut page = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>circinus {id} {verdict}</title>\n\
         <style>\n{STYLE}</style></head>\n<body>\n<h1><span class=\"{class}\">{verdict}</span> {id}</h1>\n\
         <p class=\"call\"><code>{call}</code></p>\n<p>{sentence}</p>\n<figure>\n{drawing}\
         <figcaption>From source to call. Solid arrows were observed, dashed ones are inferred from an exact \
         quotation.</figcaption></figure>\n<h2>Rules</h2>\n<table><tr><th>rule</th><th>result</th><th>why</th>\
         <th>what would change the answer</th></tr>\n{rules}</table>\n\
         <p class=\"small\">Profile {profile}, tier {tier}, flags: {flags}. Waited {waited} ms for evidence.</p>\n\
         </body></html>\n",
        id = decision.id,
        call = escape(&call),
        sentence = escape(&sentence(decision, sources)),
        drawing = svg::render(graph),
        rules = rules.collect::<Vec<_>>().join("\n"),
        profile = explanation.profile,
        tier = explanation.tier,
        flags = if explanation.flags.is_empty() { "none".to_owned() } else { explanation.flags.to_string() },
        waited = decision.record.waited_ms,
    );
    page
}

/// Text as text, in elements and in quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(
            escape("<img src=x onerror='a()'>&\""),
            "&lt;img src=x onerror=&#39;a()&#39;&gt;&amp;&quot;"
        );
    }
}
