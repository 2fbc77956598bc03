//! Code that runs: files, inline text, whatever comes through a pipe.

use circinus_core::action::{SlotValue, Tier};
use circinus_core::effect::Effect;
use circinus_core::limits::SPAN_BYTES_MIN;

use super::found::address;
use super::machine::Machine;
use super::sql;
use super::value::{Arg, Stream, Taint};
use crate::place::{Place, Region};

mod literal;

/// The rule for bytes of another machine that run.
const REMOTE_CODE: &str = "runs what comes from the network";

/// Runs a file; `language` is what reads it, `None` for the system's choice.
pub(super) fn run_file(machine: &mut Machine<'_>, by: &str, target: &Arg, language: Option<&str>) -> Stream {
    if let Some(feed) = target.feed.clone() {
        return run_code(machine, by, language.unwrap_or("shell"), &feed);
    }
    if let Some(operands) =
        address(&target.text, &machine.around.paths).filter(|_| target.text.contains("://"))
    {
        // Some interpreters take an address for a file.
        machine.found.effect(Effect::Fetch);
        let taint = Taint::remote(operands);
        taint_slots(machine, by, &taint);
        return Stream::default();
    }
    let place = machine.place(target);
    let held = place.path.as_ref().and_then(|path| machine.held(path));
    if place.region == Region::Sink {
        return Stream::empty();
    }
    machine.found.effect(Effect::Exec);
    machine.found.raise(if is_at_home(&place) { Tier::T1 } else { Tier::T2 });
    if !target.known && !target.glob {
        machine.found.opaque();
        taint_slots(machine, by, &target.taint);
    }
    if let Some(operand) = &place.operand {
        machine.found.slot(by, Effect::Exec, SlotValue::File(operand.clone()), Tier::T2);
    }
    if let Some(held) = held {
        if held.taint.is_remote() {
            machine.found.by_rule(REMOTE_CODE, |found| found.raise(Tier::T2));
            machine.found.slot(by, Effect::Exec, SlotValue::Remote(held.taint.remote.clone()), Tier::T2);
        }
        let shell = language == Some("shell") || held.text.as_deref().is_some_and(is_shell_script);
        if let Some(text) = held.text {
            match language {
                _ if shell => {
                    machine.text(&text, &Stream::empty());
                }
                Some(language) => literal::scan(machine, by, language, &text),
                None => {}
            }
        }
    }
    // What a script prints is computed by it; it is local as far as anyone can see.
    Stream::default()
}

fn is_at_home(place: &Place) -> bool {
    place.region == Region::Workspace && place.path.is_some()
}

fn is_shell_script(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    line.starts_with("#!") && (line.ends_with("sh") || line.contains("sh "))
}

/// Runs text or bytes as code of `language`.
pub(super) fn run_code(machine: &mut Machine<'_>, by: &str, language: &str, code: &Stream) -> Stream {
    machine.found.effect(Effect::Exec);
    machine.found.raise(Tier::T1);
    taint_slots(machine, by, &code.taint);
    if code.taint.decoded {
        machine.found.opaque_by("runs what was decoded");
    }
    match code.text.as_deref() {
        Some("") => Stream::empty(),
        Some(text) if language == "shell" => {
            // Its lines are looked at one by one; a longer piece can be a copy as a whole.
            if text.len() >= SPAN_BYTES_MIN {
                machine.found.slot(by, Effect::Exec, SlotValue::Text(text.into()), Tier::T2);
            }
            machine.text(text, &Stream::empty())
        }
        Some(text) if language == "sql" => {
            sql::judge(machine, by, text);
            Stream::default()
        }
        Some(text) if matches!(language, "powershell" | "cmd") => {
            // Another shell's language is recognised and not read.
            machine.found.slot(by, Effect::Exec, SlotValue::Text(text.into()), Tier::T2);
            machine.found.opaque_by("another shell's language");
            Stream::default()
        }
        Some(text) => {
            machine.found.slot(by, Effect::Exec, SlotValue::Text(text.into()), Tier::T2);
            literal::scan(machine, by, language, text);
            Stream::default()
        }
        None => {
            machine.found.opaque_by("runs code that the command line does not show");
            Stream::default()
        }
    }
}

/// The sources of code are slots of their own: whole.
fn taint_slots(machine: &mut Machine<'_>, by: &str, taint: &Taint) {
    if taint.is_remote() {
        machine.found.by_rule(REMOTE_CODE, |found| found.raise(Tier::T2));
        machine.found.slot(by, Effect::Exec, SlotValue::Remote(taint.remote.clone()), Tier::T2);
    }
    for file in &taint.files {
        machine.found.slot(by, Effect::Exec, SlotValue::File(file.clone()), Tier::T2);
    }
}
