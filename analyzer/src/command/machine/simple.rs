//! One simple command: assignments, redirections, and which program it is.

use circinus_core::action::{SlotValue, Tier};
use circinus_core::effect::Effect;

use super::super::Program;
use super::super::foreign::is_foreign;
use super::super::ir::Simple;
use super::super::reason::Part;
use super::super::special::is_name;
use super::super::table::lookup;
use super::super::trace::StepKind;
use super::super::value::{Arg, Stream};
use super::super::{code, guard, loader};
use super::Machine;
use crate::place::{Region, is_within};

/// Directories whose programs are known by their base name.
const TRUSTED: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "/usr/local/go/bin",
    "/usr/libexec",
];
/// The same below the home.
const TRUSTED_IN_HOME: &[&str] = &[
    ".cargo/bin",
    ".local/bin",
    ".bun/bin",
    "go/bin",
    ".deno/bin",
    ".volta/bin",
    ".nvm",
    ".pyenv",
    ".rbenv",
];
/// Programs inside programs: wrappers, functions, payloads.
const PROGRAM_DEPTH_MAX: usize = 40;

impl Machine<'_> {
    /// Runs a simple command on `stdin` and returns what it prints.
    pub(in super::super) fn simple(&mut self, simple: &Simple, stdin: Stream) -> Stream {
        if !self.spend() {
            return Stream::default();
        }
        let lasting = simple.words.is_empty();
        let before = (!lasting && !simple.assignments.is_empty()).then(|| self.env.clone());
        for assignment in &simple.assignments {
            self.assign(assignment);
        }
        let words: Vec<Arg> = simple.words.iter().flat_map(|word| self.expand(word)).collect();
        let aims = self.redirects(&simple.redirects);
        self.trace.redirected(|| simple.redirects.iter().map(ToString::to_string).collect());
        let stdin = aims.stdin.clone().unwrap_or(stdin);
        let by = words.first().map_or_else(|| "redirection".to_owned(), |word| word.text.clone());
        let drains: Vec<_> = words.iter().filter_map(|word| word.drain.clone()).collect();
        // Without a command, `exec` opens descriptors for what follows.
        let lasts = matches!(words.as_slice(), [only] if only.text == "exec");
        let out = self.program(words, stdin);
        for (number, name, stream) in aims.opened.iter().filter(|_| lasts).cloned() {
            let number = self.env.open(number, stream);
            if let Some(name) = name {
                self.env.set(&name, Arg::literal(number.to_string()));
            }
        }
        for source in drains {
            self.text(&source, &out);
        }
        if let Some(env) = before {
            for assignment in &simple.assignments {
                let name = assignment.split(['=', '+', '[']).next().unwrap_or_default();
                let old = env.get(name).unwrap_or_else(|| Arg::unknown(format!("${name}")));
                self.env.set(name, old);
            }
        }
        self.deliver(out, &aims, &by)
    }

    /// `name=value`, `name+=value`, `name=(…)`, `name[i]=value`, raw.
    pub(in super::super) fn assign(&mut self, raw: &str) {
        let Some((name, value)) = raw.split_once('=') else { return };
        let (name, append) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
        if let Some((array, index)) = name.split_once('[') {
            self.expand_text(index);
            let value = self.expand_one(value);
            return self.set_variable(array, Arg { known: false, ..value });
        }
        let value = match value.strip_prefix('(').and_then(|list| list.strip_suffix(')')) {
            Some(list) => {
                // The elements run through the same expansion as the words of a command.
                let out = self.text(&format!("printf %s {}", list.replace('\n', " ")), &Stream::empty());
                Arg { known: false, text: format!("${name}"), taint: out.taint, ..Arg::default() }
            }
            None => self.expand_one(value),
        };
        let value = match self.env.get(name).filter(|_| append) {
            Some(mut old) => {
                old.known &= value.known;
                old.text.push_str(&value.text);
                old.taint.absorb(&value.taint);
                old
            }
            None => Arg { known: value.known && !append, ..value },
        };
        self.set_variable(name, value);
    }

    /// Sets a variable; some of them make programs load or run what they name.
    pub(in super::super) fn set_variable(&mut self, name: &str, value: Arg) {
        let name = self.env.referred(name).to_owned();
        loader::assigned(self, &name, &value);
        self.env.set(&name, value);
    }

    /// Runs a program by its words.
    pub(in super::super) fn program(&mut self, words: Vec<Arg>, stdin: Stream) -> Stream {
        if self.nesting >= PROGRAM_DEPTH_MAX {
            self.found.opaque_by("programs nested too deep");
            return Stream::default();
        }
        let mut words = words.into_iter();
        let Some(head) = words.next() else {
            self.trace.alone();
            return Stream::empty();
        };
        let words: Vec<Arg> = words.collect();
        self.guess(&head, &words, &stdin);
        self.nesting += 1;
        let outer = self.found.look_at("", Part::Text);
        let out = self.dispatch(&head, &words, stdin);
        self.found.look_back(outer);
        self.trace.leave();
        self.nesting -= 1;
        out
    }

    /// Judges what words that are not known may well be: a variable's default; behind an unknown program, what
    /// it would do if it removed things.
    fn guess(&mut self, head: &Arg, args: &[Arg], stdin: &Stream) {
        if self.guessing || head.known && !head.glob && args.iter().all(|arg| arg.known) {
            return;
        }
        let mut any = false;
        let mut words = Vec::with_capacity(args.len() + 1);
        for arg in std::iter::once(head).chain(args) {
            let default = self.default_of(arg);
            any |= default.is_some();
            words.push(default.unwrap_or_else(|| arg.clone()));
        }
        let removes = |arg: &Arg| matches!(arg.text.as_str(), "-rf" | "-fr" | "-Rf" | "-fR");
        if let Some(first) = words.first_mut().filter(|first| !first.known || first.glob) {
            any = args.iter().any(removes);
            *first = Arg::literal("rm");
        }
        if any {
            let before = (self.env.clone(), self.files.clone(), self.programs.clone(), self.found.clone());
            let trace = std::mem::take(&mut self.trace);
            self.guessing = true;
            self.program(words, stdin.clone());
            self.guessing = false;
            self.trace = trace;
            let found;
            (self.env, self.files, self.programs, found) = before;
            self.keep_if_worse(found);
        }
    }

    /// The default in `${name:-default}` that nothing here sets.
    fn default_of(&mut self, arg: &Arg) -> Option<Arg> {
        let (head, rest) = arg.text.split_once("${").filter(|_| !arg.known)?;
        let (inside, tail) = rest.split_once('}')?;
        let (name, default) = inside.split_once('-')?;
        if !is_name(name.trim_end_matches(':')) {
            return None;
        }
        let default = self.expand_one(default);
        Some(Arg { known: default.known, ..default.with_text(&format!("{head}{}{tail}", default.text)) })
    }

    /// From here on this is the program that is looked at.
    fn meet(&mut self, kind: StepKind, head: &Arg, args: &[Arg]) {
        self.trace.enter(kind, std::iter::once(head).chain(args));
        let part = match kind {
            StepKind::Unlisted | StepKind::File | StepKind::Unknown => Part::Unlisted,
            StepKind::Listed | StepKind::Function | StepKind::None => Part::Row,
        };
        let base = head.text.rsplit('/').next().unwrap_or_default();
        self.found.look_at(base, part);
        if !matches!(kind, StepKind::Unknown | StepKind::Function) {
            self.tighten(base, args);
        }
    }

    fn dispatch(&mut self, head: &Arg, args: &[Arg], stdin: Stream) -> Stream {
        let is_test = matches!(head.text.as_str(), "[" | "[[");
        if !head.known || head.glob && !is_test {
            self.meet(StepKind::Unknown, head, args);
            return self.unknown_word(head, args, &stdin);
        }
        if let Some(body) = self.env.functions.remove(&head.text) {
            self.meet(StepKind::Function, head, args);
            // Inside its own body the name means the program, and recursion ends.
            let out = self.function(&body, args, &stdin);
            self.env.functions.entry(head.text.clone()).or_insert(body);
            return out;
        }
        let base = head.text.rsplit('/').next().unwrap_or_default().to_owned();
        if head.text.contains('/') && !self.is_trusted(head) {
            self.meet(StepKind::File, head, args);
            let mut out = code::run_file(self, &base, head, None);
            guard::told(self, args, &stdin);
            guard::named(self, &base, args);
            if let Some(rule) = lookup(&base) {
                out.append(&self.apply(&base, rule, args, stdin));
                out.text = None;
            } else {
                self.unlisted(&base, args, &stdin);
            }
            return out;
        }
        // Some file systems do not tell names by case.
        let plain = base.strip_suffix(".exe").unwrap_or(&base);
        let listed = lookup(plain).or_else(|| lookup(&plain.to_ascii_lowercase()));
        self.programs.insert(Program { name: base.clone(), listed: listed.is_some() });
        match listed {
            Some(rule) => {
                self.meet(StepKind::Listed, head, args);
                if guard::listens(rule) {
                    guard::told(self, args, &stdin);
                }
                guard::listed(self, &base, rule, args);
                self.apply(&base, rule, args, stdin)
            }
            None => {
                self.meet(StepKind::Unlisted, head, args);
                guard::told(self, args, &stdin);
                guard::named(self, &base, args);
                self.found.raise(Tier::T1);
                self.found.effect(Effect::Exec);
                if is_foreign(&base) {
                    self.found.opaque_by("another shell's language");
                }
                self.unlisted(&base, args, &stdin)
            }
        }
    }

    fn is_trusted(&self, head: &Arg) -> bool {
        let place = self.place(head);
        let Some(path) = place.path.as_deref().filter(|_| place.region == Region::Outside) else {
            return false;
        };
        let home = self.around.home();
        TRUSTED.iter().any(|directory| path.rsplit_once('/').is_some_and(|(parent, _)| parent == *directory))
            || TRUSTED_IN_HOME.iter().any(|directory| is_within(path, &format!("{home}/{directory}")))
    }

    /// The word in command position is not known: whatever it is runs.
    fn unknown_word(&mut self, head: &Arg, args: &[Arg], stdin: &Stream) -> Stream {
        self.found.opaque_by("which program runs is not known");
        let words: Vec<_> = std::iter::once(head).chain(args).cloned().collect();
        guard::told(self, &words, stdin);
        if self.place(head).guard {
            self.found.guard();
        }
        if head.taint.is_remote() {
            self.found.slot(
                "command word",
                Effect::Exec,
                SlotValue::Remote(head.taint.remote.clone()),
                Tier::T2,
            );
        }
        for file in &head.taint.files {
            self.found.slot("command word", Effect::Exec, SlotValue::File(file.clone()), Tier::T2);
        }
        self.unlisted("command word", args, stdin);
        Stream::unknown(head.taint.clone())
    }

    /// A function of this very text, with its arguments.
    fn function(&mut self, body: &super::super::ir::Node, args: &[Arg], stdin: &Stream) -> Stream {
        if !self.spend() {
            return Stream::default();
        }
        self.with_arguments(args, |machine| machine.node(body, stdin))
    }

    /// Runs a body whose `$1` and so on are `args`.
    pub(in super::super) fn with_arguments(
        &mut self,
        args: &[Arg],
        body: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        let names: Vec<_> = (1..=9).map(|n| n.to_string()).collect();
        let saved: Vec<_> = names.iter().map(|name| self.env.get(name)).collect();
        for (at, name) in names.iter().enumerate() {
            self.env.set(name, args.get(at).cloned().unwrap_or_else(|| Arg::literal("")));
        }
        let mut all = Arg::literal(args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" "));
        for arg in args {
            all.known &= arg.known && !arg.text.contains(' ');
            all.taint.absorb(&arg.taint);
        }
        self.env.set("@", all.clone());
        self.env.set("*", all);
        let out = body(self);
        for (name, value) in names.iter().zip(saved) {
            self.env.set(name, value.unwrap_or_else(|| Arg::unknown(format!("${name}"))));
        }
        out
    }
}
