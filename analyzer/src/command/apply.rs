//! From a table row and arguments to findings.

mod roles;

use circinus_core::action::{Flag, SlotValue, Tier};
use circinus_core::effect::Effect;
use circinus_core::operand::Operand;

use super::argv::{Argv, Until, inherited, sort};
use super::code;
use super::machine::Machine;
use super::reason::Part;
use super::secret::is_home;
use super::special::{self, Call};
use super::table::{Others, Role, Rule, Special, Stdin};
use super::value::{Arg, Stream, Taint};
use super::verbs;
use crate::consequence;

/// Addresses at which a machine in a cloud gets its credentials.
const METADATA: &[&str] =
    &["169.254.169.254", "fd00:ec2::254", "metadata.google.internal", "100.100.100.200"];

/// One run of one program.
pub(super) struct Run<'r> {
    /// Base name, with the subcommands: `git push`.
    pub(super) by: String,
    pub(super) stdin: &'r Stream,
    /// It sends, so that its addresses are destinations.
    pub(super) sends: bool,
    pub(super) recursive: bool,
    pub(super) remote: bool,
    /// Slots of destinations, and their operands.
    pub(super) destinations: Vec<(usize, Vec<Operand>)>,
    /// It talked to this very machine.
    pub(super) loopback: bool,
    /// What goes out.
    pub(super) outgoing: Taint,
    /// What comes out of files and other machines.
    pub(super) input: Stream,
    pub(super) has_input: bool,
    /// Files to write once it is known what goes there; `true` for a tree.
    pub(super) outputs: Vec<(Arg, bool)>,
    /// It has code or a file to run, so that standard input is data.
    pub(super) has_code: bool,
    /// What reads a file that runs.
    pub(super) language: Option<&'static str>,
    /// Words behind a shell's command line: its `$0`, `$1` and so on.
    pub(super) positional: Vec<Arg>,
    /// A payload took the rest of the arguments.
    pub(super) payload_out: Option<Stream>,
}

impl<'r> Run<'r> {
    pub(super) fn new(by: &str, stdin: &'r Stream) -> Self {
        Self {
            by: by.to_owned(),
            stdin,
            sends: false,
            recursive: false,
            remote: false,
            destinations: Vec::new(),
            loopback: false,
            outgoing: Taint::default(),
            input: Stream::empty(),
            has_input: false,
            outputs: Vec::new(),
            has_code: false,
            language: None,
            positional: Vec::new(),
            payload_out: None,
        }
    }

    /// Adds what is read.
    pub(super) fn takes(&mut self, stream: &Stream) {
        self.input.append(stream);
        self.has_input = true;
    }

    /// Where it talks to.
    pub(super) fn addresses(&self) -> Vec<Operand> {
        self.destinations.iter().flat_map(|(_, operands)| operands.iter().cloned()).collect()
    }
}

impl Machine<'_> {
    /// Applies a table row to arguments and returns what the program prints.
    pub(super) fn apply(&mut self, by: &str, rule: &'static Rule, args: &[Arg], stdin: Stream) -> Stream {
        if let Some(out) = special::before(self, Call { by, rule, args, stdin: &stdin }) {
            return out;
        }
        let takes_sub = !rule.subs.is_empty() || rule.others == Others::Verbs;
        let first_wins = takes_sub || rule.args.iter().any(|role| matches!(role, Role::Command | Role::Run));
        let mut argv = sort(rule, args, if first_wins { Until::Operand } else { Until::End });
        let mut run = Run::new(by, &stdin);
        self.found.look_at(by, Part::Row);
        if argv.only_says || argv.options.iter().any(|given| given.opt.only_says) {
            self.found.effect(Effect::Read);
            return Stream::default();
        }
        if let Some((head, rest)) =
            args.get(argv.rest_at..).filter(|_| takes_sub).and_then(<[Arg]>::split_first)
        {
            return self.subcommand(rule, &argv, head, rest, run);
        }
        if first_wins && !takes_sub {
            argv.operands = args.get(argv.rest_at..).unwrap_or_default().to_vec();
        }
        self.base(rule, &argv, &mut run);
        self.operands(rule, &argv, &mut run);
        self.consequence(rule, &argv, &run);
        self.finish(rule, run)
    }

    /// Whether it is of high consequence elsewhere; what it removes there is named by its plain words.
    fn consequence(&mut self, rule: &'static Rule, argv: &Argv, run: &Run<'_>) {
        // An option that only rewrites a branch is an everyday matter and has no such flag in the table.
        let destroys = rule.effects.contains(&Effect::Destroy)
            || argv.options.iter().any(|given| given.opt.flags.contains(&Flag::HighConsequence))
            || argv.operands.iter().any(|arg| arg.text.starts_with(':'));
        if run.remote && destroys {
            self.destroys_elsewhere(&run.by, &argv.operands);
        } else if run.remote && run.sends && consequence::is_high(run.by.split([' ', '-'])) {
            self.found.flag(Flag::HighConsequence);
        }
    }

    /// What is removed on another machine has no path here: its name is a plain value.
    pub(super) fn destroys_elsewhere(&mut self, by: &str, names: &[Arg]) {
        self.found.flag(Flag::HighConsequence);
        for name in names.iter().filter(|name| name.known) {
            if let Some(value) = Operand::value(name.text.trim_start_matches([':', '+'])) {
                self.found.slot(by, Effect::Destroy, SlotValue::Operands(vec![value]), Tier::T2);
            }
        }
    }

    fn subcommand(
        &mut self,
        rule: &'static Rule,
        argv: &Argv,
        head: &Arg,
        rest: &[Arg],
        mut run: Run<'_>,
    ) -> Stream {
        // Options before the subcommand have their own effects.
        self.options(argv, &mut run);
        let env_cwd = self.env.cwd.clone();
        self.global_directory(argv);
        let by = format!("{} {}", run.by, head.text);
        // Some file systems do not tell names by case.
        let lower = head.text.to_ascii_lowercase();
        let out = match rule.sub(&head.text).or_else(|| rule.sub(&lower)).filter(|_| head.known) {
            Some(sub) => {
                let behind = inherited(rule, sub, rest);
                self.options(&behind, &mut run);
                self.global_directory(&behind);
                self.apply(&by, sub, rest, run.stdin.clone())
            }
            None if rest.iter().any(|arg| matches!(arg.text.as_str(), "--help" | "--version")) => {
                Stream::default()
            }
            None => match rule.others {
                Others::Verbs => verbs::apply(self, rule, &by, head, rest, run.stdin),
                Others::Same | Others::None => {
                    let mut all = vec![head.clone()];
                    all.extend(rest.iter().cloned());
                    let behind = sort(rule, &all, Until::End);
                    self.global_directory(&behind);
                    self.base(rule, argv, &mut run);
                    self.options(&behind, &mut run);
                    self.operands(rule, &behind, &mut run);
                    self.finish(rule, run)
                }
            },
        };
        self.env.cwd = env_cwd;
        out
    }

    fn global_directory(&mut self, argv: &Argv) {
        for given in argv.options.iter().filter(|given| given.opt.value == Some(Role::Dir)) {
            if let Some(value) = &given.value {
                self.change_directory(value);
            }
        }
    }

    /// The working directory from here on.
    pub(super) fn change_directory(&mut self, to: &Arg) {
        let place = self.place(to);
        self.env.cwd = place.path.filter(|_| !place.pattern);
    }

    fn base(&mut self, rule: &'static Rule, argv: &Argv, run: &mut Run<'_>) {
        self.found.raise(rule.tier);
        rule.effects.iter().for_each(|effect| self.found.effect(*effect));
        rule.flags.iter().for_each(|flag| self.found.flag(*flag));
        run.remote = rule.remote;
        if rule.runs {
            self.runs_workspace(&run.by);
        }
        if let Stdin::Code(language) = rule.stdin {
            run.language = Some(language);
            run.positional = argv.operands.get(1..).unwrap_or_default().to_vec();
        }
        run.sends |= rule.effects.contains(&Effect::Send);
        self.options(argv, run);
    }

    /// What the options do by being there; their values come later, when it is known whether it sends.
    fn options(&mut self, argv: &Argv, run: &mut Run<'_>) {
        for given in &argv.options {
            self.found.look_at_part(given.opt.names.first().map_or(Part::Row, |name| Part::Option(name)));
            self.found.raise(given.opt.tier);
            given.opt.effects.iter().for_each(|effect| self.found.effect(*effect));
            given.opt.flags.iter().for_each(|flag| self.found.flag(*flag));
            run.sends |= given.opt.sends || given.opt.effects.contains(&Effect::Send);
            run.recursive |= given.opt.names.iter().any(|name| matches!(*name, "-r" | "-R" | "--recursive"));
        }
        for given in &argv.options {
            if let (Some(role), Some(value)) = (given.opt.value, &given.value) {
                self.role(role, value, run);
            }
        }
        self.found.look_at_part(Part::Row);
    }

    fn operands(&mut self, rule: &'static Rule, argv: &Argv, run: &mut Run<'_>) {
        argv.unknown.iter().for_each(|option| self.unclaimed(rule, option, run));
        let roles = argv.options.iter().find_map(|given| given.opt.args).unwrap_or(rule.args);
        let count = argv.operands.len();
        let mut at = 0;
        while let Some(operand) = argv.operands.get(at) {
            let is_last = rule.last.is_some() && count > 1 && at + 1 == count;
            let role = rule.last.filter(|_| is_last).or_else(|| roles.get(at).or(roles.last()).copied());
            at += 1;
            match role {
                Some(Role::Command) => {
                    let rest = argv.operands.get(at - 1..).unwrap_or_default().to_vec();
                    run.payload_out = Some(self.program(rest, run.stdin.clone()));
                    return;
                }
                Some(Role::Run) if run.has_code => return,
                Some(Role::Ignore) | None => self.unclaimed(rule, operand, run),
                Some(role) => {
                    if role == Role::Task {
                        self.unclaimed(rule, operand, run);
                    }
                    self.role(role, operand, run);
                }
            }
            if role == Some(Role::Run) {
                // What follows are the arguments of what runs, such as a framework's own script.
                argv.operands.iter().skip(at).for_each(|task| self.role(Role::Task, task, run));
                return;
            }
        }
        self.found.look_at_part(Part::Row);
        special::operands_done(self, rule, argv, run);
    }

    fn finish(&mut self, rule: &'static Rule, mut run: Run<'_>) -> Stream {
        self.found.look_at_part(Part::Row);
        match rule.stdin {
            Stdin::Code(language) if !run.has_code => {
                let code = run.stdin.clone();
                run.takes(&code::run_code(self, &run.by, language, &code));
            }
            Stdin::Sent => {
                run.outgoing.absorb(&run.stdin.taint.clone());
                if !run.sends && run.stdin.text.as_deref() != Some("") {
                    self.sends_after_all(&mut run);
                }
            }
            _ => {}
        }
        let stays = run.loopback && run.destinations.is_empty();
        if run.sends && !stays {
            self.found.effect(Effect::Send);
            self.found.raise(Tier::T2);
        }
        self.sinks(&run);
        let mut out = self.output(rule, &run);
        if let Some(payload) = run.payload_out.take() {
            out = payload;
        }
        for (target, tree) in std::mem::take(&mut run.outputs) {
            let from = match rule.stdin {
                Stdin::Teed => run.stdin.clone(),
                _ => out.clone(),
            };
            if tree {
                self.fill_tree(&run.by, &target, &from);
            } else if rule.stdin == Stdin::Teed {
                self.write_file(&run.by, &target, &from, false);
            } else {
                self.build_file(&run.by, &target, &from);
            }
        }
        out
    }

    /// What comes in is a body: its addresses are destinations.
    fn sends_after_all(&mut self, run: &mut Run<'_>) {
        run.sends = true;
        for (_, operands) in std::mem::take(&mut run.destinations) {
            self.destination(run, operands);
        }
    }

    /// Secrets that go out to a place that is not their home.
    pub(super) fn sinks(&mut self, run: &Run<'_>) {
        if run.outgoing.secrets.is_empty() {
            return;
        }
        if run.destinations.is_empty() {
            if run.sends && !run.loopback {
                self.found.flag(Flag::SecretSink);
            }
            return;
        }
        for (slot, operands) in &run.destinations {
            if run.outgoing.secrets.iter().any(|homes| !is_home(homes, operands)) {
                self.found.unless_granted(*slot, Flag::SecretSink);
            }
        }
    }

    fn output(&self, rule: &Rule, run: &Run<'_>) -> Stream {
        let mut out = match rule.stdin {
            Stdin::Teed => run.stdin.clone(),
            Stdin::Passed | Stdin::Decoded if !run.has_input => run.stdin.clone(),
            _ if run.has_input => run.input.clone(),
            _ => Stream::default(),
        };
        let unchanged = rule.special == Special::None && rule.options.is_empty() || rule.stdin == Stdin::Teed;
        if !unchanged && rule.special != Special::Echo {
            out.text = None;
        }
        if rule.stdin == Stdin::Decoded {
            out.text = None;
            out.taint.decoded = true;
        }
        if rule.stdin == Stdin::Secret {
            out = Stream::default();
            out.taint.add_secret(&[]);
        }
        if run.remote {
            out.text = None;
            out.taint.absorb(&Taint::remote(run.addresses()));
        }
        out
    }

    /// A destination or an address that is read.
    pub(super) fn destination(&mut self, run: &mut Run<'_>, operands: Vec<Operand>) {
        if operands.iter().any(|operand| METADATA.contains(&operand.canonical())) {
            // The address hands out the machine's own credentials.
            self.found.raise(Tier::T1);
            self.found.slot(&run.by, Effect::Cred, SlotValue::Operands(operands.clone()), Tier::T3);
            run.input.taint.add_secret(&[]);
            run.has_input = true;
        }
        let (effect, on_gap) = if run.sends { (Effect::Send, Tier::T2) } else { (Effect::Fetch, Tier::T1) };
        if run.sends {
            self.found.raise(Tier::T2);
        }
        if let Some(slot) = self.found.slot(&run.by, effect, SlotValue::Operands(operands.clone()), on_gap) {
            run.destinations.push((slot, operands));
        }
    }
}
