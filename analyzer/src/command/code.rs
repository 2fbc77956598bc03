//! Code that runs: files, inline text, whatever comes through a pipe.

use circinus_core::action::{SlotValue, Tier};
use circinus_core::effect::Effect;
use circinus_core::limits::SPAN_BYTES_MIN;

use super::found::{address, is_loopback};
use super::machine::Machine;
use super::sql;
use super::value::{Arg, Stream, Taint};
use crate::place::{Place, Region};

mod environment;
mod literal;
mod reach;
mod removal;

/// The rule for bytes of another machine that run.
const REMOTE_CODE: &str = "runs what comes from the network";

/// Runs a file; `language` is what reads it, `None` for the system's choice.
pub(super) fn run_file(machine: &mut Machine<'_>, by: &str, target: &Arg, language: Option<&str>) -> Stream {
    if let Some(feed) = target.feed.clone() {
        return run_code(machine, by, language.unwrap_or("shell"), &feed);
    }
    let descriptor = DESCRIPTORS.iter().find_map(|directory| target.strip(directory));
    if let Some(held) = descriptor.map(|number| machine.env.descriptor(&number)) {
        return run_code(machine, by, language.unwrap_or("shell"), &held);
    }
    if let Some(remote) = fetched(machine, target) {
        // The interpreter fetches it by itself.
        machine.found.effect(Effect::Fetch);
        return run_code(machine, by, language.unwrap_or("shell"), &Stream::unknown(remote));
    }
    let place = machine.place(target);
    let held = place.path.as_deref().and_then(|path| machine.held(path));
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
        runs_remote(machine, by, &held.taint);
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

/// Where a program finds what it has open, by number.
const DESCRIPTORS: &[&str] = &["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"];

/// Whether a file stands for the standard input of what opens it.
pub(super) fn is_stdin(target: &Arg) -> bool {
    if target.feed.is_some() {
        return false;
    }
    let number = DESCRIPTORS.iter().find_map(|directory| target.text.strip_prefix(directory));
    matches!(target.text.as_str(), "-" | "/dev/stdin") || number == Some("0")
}

/// Where a file is fetched from whose name is an address.
fn fetched(machine: &Machine<'_>, target: &Arg) -> Option<Taint> {
    let is_address = target.text.starts_with("http://") || target.text.starts_with("https://");
    let operands = is_address.then(|| address(&target.text, &machine.around.paths)).flatten()?;
    (!is_loopback(&operands)).then(|| Taint::remote(operands))
}

fn is_at_home(place: &Place) -> bool {
    place.region == Region::Workspace && place.path.is_some()
}

fn is_shell_script(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    line.starts_with("#!") && (line.ends_with("sh") || line.contains("sh "))
}

/// Runs text or bytes as code of `language`, which has nothing to read.
pub(super) fn run_code(machine: &mut Machine<'_>, by: &str, language: &str, code: &Stream) -> Stream {
    run_fed(machine, by, language, code, &Stream::empty())
}

/// Runs text or bytes as code of `language`, which reads `stdin`.
pub(super) fn run_fed(
    machine: &mut Machine<'_>,
    by: &str,
    language: &str,
    code: &Stream,
    stdin: &Stream,
) -> Stream {
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
            machine.text(text, stdin)
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

/// Code that comes from another machine is a slot of its own: whole.
pub(super) fn runs_remote(machine: &mut Machine<'_>, by: &str, taint: &Taint) {
    if taint.is_remote() {
        machine.found.by_rule(REMOTE_CODE, |found| found.raise(Tier::T2));
        machine.found.slot(by, Effect::Exec, SlotValue::Remote(taint.remote.clone()), Tier::T2);
    }
}

/// So are the files that code is made of.
pub(super) fn taint_slots(machine: &mut Machine<'_>, by: &str, taint: &Taint) {
    runs_remote(machine, by, taint);
    for file in &taint.files {
        machine.found.slot(by, Effect::Exec, SlotValue::File(file.clone()), Tier::T2);
    }
}
