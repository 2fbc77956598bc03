//! Statements of a database: only what class of thing they do.

use circinus_core::action::{Flag, SlotValue, Tier};
use circinus_core::effect::Effect;

use super::apply::Run;
use super::machine::Machine;
use super::value::Arg;

/// Judges statements.
pub(super) fn statement(machine: &mut Machine<'_>, arg: &Arg, run: &mut Run<'_>) {
    run.has_code = true;
    judge(machine, &run.by, &arg.text);
}

/// Words by which a client's own commands run a program (psql, mysql, sqlite3).
const SHELLS: &[&str] = &["\\!", ".shell ", ".system ", "system "];

/// Judges the text of statements.
pub(super) fn judge(machine: &mut Machine<'_>, by: &str, text: &str) {
    machine.found.slot(by, Effect::Exec, SlotValue::Text(text.into()), Tier::T2);
    for line in text.lines() {
        if let Some(command) = SHELLS.iter().find_map(|word| line.trim_start().strip_prefix(word)) {
            machine.found.raise(Tier::T2);
            machine.inner_shell(command.trim());
        }
    }
    let upper = text.to_ascii_uppercase();
    for statement in upper.split(';') {
        let words: Vec<_> = statement
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .filter(|word| !word.is_empty())
            .take(512)
            .collect();
        let at = |name: &str| words.iter().position(|word| *word == name);
        let first = words.first().copied().unwrap_or_default();
        if first == "DROP" && words.get(1).is_some_and(|word| matches!(*word, "DATABASE" | "SCHEMA")) {
            machine.found.catastrophe();
        }
        let destroys = matches!(first, "DROP" | "TRUNCATE" | "FLUSHALL" | "FLUSHDB")
            || matches!(first, "DELETE" | "UPDATE") && at("WHERE").is_none()
            || [".DROPDATABASE(", ".DROP(", ".DELETEMANY({})", ".REMOVE({})"]
                .iter()
                .any(|call| statement.contains(call));
        if destroys {
            machine.found.effect(Effect::Destroy);
            machine.found.raise(Tier::T2);
        }
        if first == "FLUSHALL" || statement.contains(".DROPDATABASE(") {
            machine.found.flag(Flag::Catastrophic);
        }
        let runs = first == "COPY" && at("PROGRAM").is_some()
            || statement.contains("XP_CMDSHELL")
            || first == "ATTACH";
        if runs {
            machine.found.opaque();
        }
        if matches!(first, "INSERT" | "UPDATE" | "DELETE" | "CREATE" | "ALTER" | "GRANT" | "REVOKE") {
            machine.found.effect(Effect::Write);
        }
    }
}
