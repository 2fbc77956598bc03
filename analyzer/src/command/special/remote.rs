//! Programs that run commands or put files elsewhere: other hosts, containers.

use circinus_core::action::{Flag, Tier};
use circinus_core::effect::Effect;
use circinus_core::operand::Kind;

use super::super::apply::Run;
use super::super::argv::{Argv, Until, sort};
use super::super::code;
use super::super::machine::Machine;
use super::super::table::Role;
use super::super::value::{Arg, Stream, Taint};
use super::Call;

/// `ssh [options] host [command]`.
pub(super) fn ssh(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, rule, args, stdin } = call;
    let argv = sort(rule, args, Until::Operand);
    machine.found.raise(Tier::T2);
    machine.found.effect(Effect::Send);
    let mut run = Run::new(by, stdin);
    run.sends = true;
    connection_options(machine, &argv);
    let rest = args.get(argv.rest_at..).unwrap_or_default();
    let (host, command) = rest.split_first()?;
    run.outgoing.absorb(&stdin.taint);
    machine.role(Role::Host, host, &mut run);
    let words: Vec<_> = command.iter().map(|arg| arg.text.as_str()).collect();
    for arg in command {
        run.outgoing.absorb(&arg.taint);
        run.outgoing.add_secrets_of(&arg.text);
    }
    if !words.is_empty() {
        let text = Stream {
            text: command.iter().all(|arg| arg.known).then(|| words.join(" ")),
            taint: Taint::default(),
        };
        machine.elsewhere(|machine| {
            code::run_fed(machine, by, "shell", &text, stdin);
        });
    }
    machine.sinks(&run);
    Some(Stream::unknown(Taint::remote(run.addresses())))
}

/// `ProxyCommand` and kin are command lines that run here.
fn connection_options(machine: &mut Machine<'_>, argv: &Argv) {
    for value in argv.options.iter().filter_map(|given| given.value.as_ref()) {
        let (name, command) = value.text.split_once(['=', ' ']).unwrap_or((&value.text, ""));
        let runs = ["proxycommand", "localcommand", "knownhostscommand", "match"];
        if runs.contains(&name.to_ascii_lowercase().as_str()) && command != "none" {
            machine.text_value(&value.with_text(command));
        }
    }
}

/// `nc -z host port`: it only looks whether somebody listens; anything else is left to the table. `socat` runs
/// what some of its addresses name.
pub(super) fn probe(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, rule, args, stdin } = call;
    for address in args {
        let (kind, command) = address.text.split_once(':').unwrap_or_default();
        if matches!(kind.to_ascii_lowercase().as_str(), "exec" | "system" | "shell") {
            machine.text_value(&address.with_text(command));
        }
    }
    let argv = sort(rule, args, Until::End);
    let has = |name: &str| argv.options.iter().any(|given| given.opt.names.contains(&name));
    let only_looks = has("-z") && !has("-e") && argv.unknown.is_empty();
    let host = argv.operands.first().filter(|_| only_looks)?;
    machine.found.effect(Effect::Fetch);
    machine.found.raise(Tier::T1);
    let mut run = Run::new(by, stdin);
    machine.role(Role::Host, host, &mut run);
    Some(Stream::default())
}

/// `socat address address`: what either end gives goes to the other.
pub(super) fn relay(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, rule, args, stdin } = call;
    let argv = sort(rule, args, Until::End);
    let mut run = Run::new(by, stdin);
    run.sends = true;
    let mut programs = Vec::new();
    for end in &argv.operands {
        let (kind, rest) = end.text.split_once(':').unwrap_or((&end.text, ""));
        let rest = end.with_text(rest.split(',').next().unwrap_or_default());
        match kind.to_ascii_uppercase().as_str() {
            "-" | "STDIO" | "STDIN" => run.outgoing.absorb(&stdin.taint),
            "FILE" | "OPEN" | "GOPEN" | "CREATE" => {
                run.outgoing.absorb(&machine.read_file(by, &rest, false).taint);
            }
            "EXEC" | "SYSTEM" | "SHELL" => programs.push(rest),
            local if local.starts_with("UNIX") || local.contains("LISTEN") => {}
            _ => machine.role(Role::Host, &rest, &mut run),
        }
    }
    machine.found.raise(rule.tier);
    rule.effects.iter().for_each(|effect| machine.found.effect(*effect));
    let incoming = Stream::unknown(Taint::remote(run.addresses()));
    for program in programs {
        let out = code::run_fed(machine, by, "shell", &program.stream(), &incoming);
        run.outgoing.absorb(&out.taint);
    }
    machine.sinks(&run);
    Some(incoming)
}

/// What a script for `sftp` puts on the other host.
fn puts(machine: &mut Machine<'_>, by: &str, script: &Stream) -> Taint {
    let mut taint = script.taint.clone();
    for line in script.text.as_deref().unwrap_or_default().lines() {
        let mut words = line.split_ascii_whitespace();
        if words.next().is_some_and(|verb| matches!(verb.trim_start_matches('-'), "put" | "mput" | "reput")) {
            for word in words.filter(|word| !word.starts_with('-')) {
                taint.absorb(&machine.read_file(by, &Arg::literal(word), false).taint);
            }
        }
    }
    taint
}

/// `scp`, `rsync`, `sftp`: operands with a colon are on another host.
pub(super) fn copy(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, rule, args, stdin } = call;
    let argv = sort(rule, args, Until::End);
    let mut run = Run::new(by, stdin);
    connection_options(machine, &argv);
    for given in &argv.options {
        let runs = given.value.as_ref().filter(|_| given.opt.value == Some(Role::Shell));
        if let Some(command) = runs.filter(|command| command.text.split(' ').next() != Some("ssh")) {
            machine.text_value(command);
        }
    }
    let deletes = argv.options.iter().any(|given| given.opt.effects.contains(&Effect::Destroy));
    let (target, sources) = argv.operands.split_last()?;
    let any_remote = argv.operands.iter().any(|operand| is_remote(&operand.text));
    let uploads = is_remote(&target.text) || !any_remote && by == "sftp";
    run.sends = uploads;
    let mut taint = if by == "sftp" { puts(machine, by, stdin) } else { Taint::default() };
    for source in sources {
        if is_remote(&source.text) {
            machine.role(Role::Host, source, &mut run);
        } else {
            taint.absorb(&machine.read_file(by, source, false).taint);
        }
    }
    if uploads {
        machine.found.effect(Effect::Send);
        machine.found.raise(Tier::T2);
        run.outgoing.absorb(&taint);
        machine.role(Role::Host, target, &mut run);
        if deletes {
            machine.found.effect(Effect::Destroy);
        }
        machine.sinks(&run);
        return Some(Stream::unknown(Taint::remote(run.addresses())));
    }
    if any_remote {
        taint.absorb(&Taint::remote(run.addresses()));
        machine.found.effect(Effect::Fetch);
    }
    machine.fill_tree(by, target, &Stream::unknown(taint));
    if deletes {
        let place = machine.place(target);
        machine.found.deletes_place(by, &place, true);
    }
    Some(Stream::default())
}

fn is_remote(text: &str) -> bool {
    text.contains("://")
        || text.split_once(':').is_some_and(|(host, _)| host.len() > 1 && !host.contains('/'))
}

/// `docker run image command`, `docker exec container command`, `kubectl exec pod -- command`.
pub(super) fn container(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, rule, args, stdin } = call;
    let argv = sort(rule, args, Until::Operand);
    if argv.only_says {
        return Some(Stream::default());
    }
    machine.found.effect(Effect::Exec);
    machine.found.raise(rule.tier.max(Tier::T1));
    let mut run = Run::new(by, stdin);
    for given in &argv.options {
        machine.found.raise(given.opt.tier);
        given.opt.effects.iter().for_each(|effect| machine.found.effect(*effect));
        let mounts = given.opt.names.contains(&"-v");
        let value = given.value.as_ref().map_or("", |value| value.text.as_str());
        if mounts
            && (value.starts_with("/:")
                || value.contains("docker.sock")
                || value.contains("src=/,")
                || value.starts_with("/etc"))
        {
            machine.found.raise(Tier::T2);
        }
    }
    let rest = args.get(argv.rest_at..).unwrap_or_default();
    let (head, mut command) = rest.split_first()?;
    if rule.args.first() == Some(&Role::Image) {
        machine.role(Role::Image, head, &mut run);
    }
    if let Some(at) = command.iter().position(|arg| arg.known && arg.text == "--") {
        command = command.get(at + 1..).unwrap_or_default();
    }
    if !command.is_empty() {
        let words = command.to_vec();
        let flow = stdin.clone();
        machine.elsewhere(|machine| {
            machine.program(words, flow);
        });
    }
    Some(Stream::unknown(if rule.remote { Taint::remote(Vec::new()) } else { Taint::default() }))
}

impl Machine<'_> {
    /// What happens in another file system: its paths are not those of this machine.
    pub(in super::super) fn elsewhere(&mut self, body: impl FnOnce(&mut Self)) {
        let before = self.found.clone();
        let (env, files, trees) = (self.env.clone(), self.files.clone(), self.trees.clone());
        self.env.cwd = None;
        body(self);
        self.env = env;
        self.files = files;
        self.trees = trees;
        let inner = std::mem::replace(&mut self.found, before);
        self.found.take_reasons(inner.reasons);
        self.found.raise(inner.tier.min(Tier::T2));
        self.found.effects = self.found.effects.union(inner.effects);
        for flag in [Flag::Catastrophic, Flag::Opaque, Flag::SecretSink, Flag::Guard] {
            if inner.flags.contains(flag) {
                self.found.flag(flag);
            }
        }
        let is_path = |value: &circinus_core::action::SlotValue| match value {
            circinus_core::action::SlotValue::Operands(operands) => {
                operands.first().is_some_and(|operand| operand.kind() == Kind::Path)
            }
            circinus_core::action::SlotValue::File(_) => true,
            _ => false,
        };
        for slot in inner.slots {
            if !is_path(&slot.value)
                && !self.found.slots.contains(&slot)
                && self.found.slots.len() < circinus_core::limits::SLOTS_MAX
            {
                self.found.slots.push(slot);
            }
        }
    }
}
