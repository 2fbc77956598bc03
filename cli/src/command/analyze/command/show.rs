//! The analysis of a command for people: what it is, why, what runs, and what it designates.

use circinus_analyzer::command::{Cause, Part, Step, StepKind};
use circinus_core::action::{FileWrite, Role, Slot, SlotValue, Tier, WriteSource};
use circinus_core::operand::Operand;

use super::Understood;
use crate::reason;
use crate::ui::{Cell, Style, Table, Tree, Ui, escape_untrusted_within};

/// Columns of one word of the command.
const WORD_COLUMNS_MAX: usize = 120;

/// Lines of one section; what is left out is counted.
const LINES_MAX: usize = 40;

pub(super) fn print(understood: &Understood<'_>, ui: &mut Ui) {
    let analysis = &understood.analysis;
    let style = if analysis.tier >= Tier::T2 { Style::Warning } else { Style::Good };
    let held = analysis.flags.iter().map(|flag| flag.name().to_owned());
    let unless = understood.unless_granted.iter().filter(|flag| !analysis.flags.contains(*flag));
    let flags: Vec<_> = held.chain(unless.map(|flag| format!("{} (unless granted)", flag.name()))).collect();
    let mut table = Table::new();
    let tier = format!("{} {}", analysis.tier, stake(analysis.tier));
    table.row([Cell::new("tier", Style::Strong), Cell::new(tier, style)]);
    table.row([Cell::new("effects", Style::Strong), Cell::from(or_none(&analysis.effects.to_string()))]);
    let flag_style = if flags.is_empty() { Style::Plain } else { Style::Warning };
    table.row([Cell::new("flags", Style::Strong), Cell::new(or_none(&flags.join(", ")), flag_style)]);
    ui.table(&table);
    section("why", reasons(understood), ui);
    section("what runs", nested(&understood.steps), ui);
    section("slots", analysis.slots.iter().map(slot).collect(), ui);
    section("files written", analysis.writes.iter().map(write).collect(), ui);
    if understood.commands.refused.is_some() || !understood.commands.rows.is_empty() {
        ui.line("");
        ui.paragraph(&format!("Table: {}.", understood.commands.describe()), Style::Dim);
    }
}

fn or_none(text: &str) -> String {
    if text.is_empty() { "none".to_owned() } else { text.to_owned() }
}

const fn stake(tier: Tier) -> &'static str {
    match tier {
        Tier::T0 => "observes only",
        Tier::T1 => "reversible and local",
        Tier::T2 => "irreversible or external",
        Tier::T3 => "persists, uses a credential, or touches the guard",
    }
}

fn section(name: &str, mut lines: Vec<Tree>, ui: &mut Ui) {
    let left_out = lines.len().saturating_sub(LINES_MAX);
    lines.truncate(LINES_MAX);
    if lines.is_empty() {
        return;
    }
    let mut tree = Tree::new(name, Style::Strong);
    lines.into_iter().for_each(|line| tree.push(line));
    if left_out > 0 {
        tree.push(Tree::new(format!("… {left_out} more; --json shows all"), Style::Dim));
    }
    ui.line("");
    ui.tree(&tree);
}

/// One line per place in the command, with everything that was found there.
fn reasons(understood: &Understood<'_>) -> Vec<Tree> {
    let mut places: Vec<(Cause, Vec<String>)> = Vec::new();
    for reason in &understood.analysis.reasons {
        let (gain, cause) = (reason.gain.to_string(), &reason.cause);
        let same = places
            .iter_mut()
            .find(|(place, _)| (&place.program, &place.part) == (&cause.program, &cause.part));
        match same {
            Some((place, gains)) => {
                place.rule = place.rule.or(cause.rule);
                if !gains.contains(&gain) {
                    gains.push(gain);
                }
            }
            None => places.push((cause.clone(), vec![gain])),
        }
    }
    let line = |(cause, gains): (Cause, Vec<String>)| {
        Tree::new(format!("{}: {}", gains.join(" "), why(&cause)), Style::Plain)
    };
    places.into_iter().map(line).collect()
}

fn why(cause: &Cause) -> String {
    let program = shown(&cause.program);
    let part = match &cause.part {
        Part::Text if program.is_empty() => "the text as a whole".to_owned(),
        Part::Text | Part::Row => String::new(),
        Part::Unlisted => "is not in the command table".to_owned(),
        Part::Option(name) => format!("with {name}"),
        Part::Word(word) => format!("with `{}`", shown(word)),
        Part::Redirection => "by a redirection".to_owned(),
        Part::Overlay(line) => format!("by line {line} of commands.toml"),
    };
    let at = [program, part].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
    match cause.rule {
        Some(rule) => format!("{at}, {rule}"),
        None => at,
    }
}

/// Programs below the programs that they stand in.
fn nested(steps: &[Step]) -> Vec<Tree> {
    let mut lines = Vec::new();
    let mut rest = steps;
    while let Some((head, tail)) = rest.split_first() {
        let inner = tail.iter().take_while(|step| step.depth > head.depth).count();
        let (below, after) = tail.split_at_checked(inner).unwrap_or((tail, &[]));
        let mut line = step(head);
        nested(below).into_iter().for_each(|child| line.push(child));
        lines.push(line);
        rest = after;
    }
    lines
}

fn step(step: &Step) -> Tree {
    let words = step.words.iter().map(|word| quoted(&word.text));
    let redirections = step.redirections.iter().map(|written| shown(written));
    let mut text = words.chain(redirections).collect::<Vec<_>>().join(" ");
    let unknown: Vec<_> =
        step.words.iter().filter(|word| !word.known).map(|word| format!("`{}`", shown(&word.text))).collect();
    if !unknown.is_empty() {
        text += &format!(" (not known: {})", unknown.join(", "));
    }
    match step.kind {
        StepKind::Unlisted => text += " (not in the table)",
        StepKind::File => text += " (a file)",
        StepKind::Function => text += " (a function)",
        StepKind::Listed | StepKind::Unknown | StepKind::None => {}
    }
    Tree::new(text, Style::Plain)
}

fn slot(slot: &Slot) -> Tree {
    let value = match &slot.value {
        SlotValue::Operands(operands) => operands.first().map_or_else(String::new, named),
        SlotValue::File(file) => format!("the bytes of {}", named(file)),
        SlotValue::Remote(from) => match from.first() {
            Some(from) => format!("bytes from {}", named(from)),
            None => "bytes from another machine".to_owned(),
        },
        SlotValue::Text(text) => format!("text `{}`", shown(text)),
        SlotValue::Workspace => "what the workspace gives it to run".to_owned(),
    };
    let mut line = format!("{} at `{}`: {value}", slot.effect, shown(&slot.place));
    if slot.role == Role::Content {
        line += " (content)";
    } else if slot.tier_on_gap > Tier::T0 {
        line += &format!("; {} on a gap", slot.tier_on_gap);
    }
    for flag in slot.flags_unless_granted.iter() {
        line += &format!("; {} unless granted", flag.name());
    }
    Tree::new(line, Style::Plain)
}

fn write(write: &FileWrite) -> Tree {
    let from = match &write.from {
        WriteSource::Remote(from) => match from.first() {
            Some(from) => format!("bytes from {}", named(from)),
            None => "bytes from another machine".to_owned(),
        },
        WriteSource::Files(files) => {
            format!("bytes of {}", files.iter().map(named).collect::<Vec<_>>().join(", "))
        }
        WriteSource::Agent => "text of the command itself".to_owned(),
        WriteSource::Built => "what the program builds".to_owned(),
        WriteSource::Local => "output of a local program".to_owned(),
    };
    let tree = if write.tree { " and all below" } else { "" };
    Tree::new(format!("{}{tree}: {from}", named(&write.path)), Style::Plain)
}

fn named(operand: &Operand) -> String {
    format!("{} `{}`", kind(operand), reason::operand(operand))
}

pub(super) fn kind(operand: &Operand) -> String {
    format!("{:?}", operand.kind()).to_lowercase()
}

/// A word with quotes where it would not look like one.
fn quoted(word: &str) -> String {
    let plain = !word.is_empty() && !word.contains(char::is_whitespace);
    if plain { shown(word) } else { format!("'{}'", shown(word)) }
}

fn shown(text: &str) -> String {
    escape_untrusted_within(text, WORD_COLUMNS_MAX)
}
