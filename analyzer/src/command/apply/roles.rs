//! What a word in a role does.

use circinus_core::action::{Flag, SlotValue, Tier};
use circinus_core::effect::Effect;
use circinus_core::operand::{Kind, Operand};

use super::super::code;
use super::super::found::{address, is_loopback};
use super::super::hidden::is_lookalike;
use super::super::machine::{Machine, host_operands};
use super::super::reason::Part;
use super::super::table::Role;
use super::super::value::Arg;
use super::super::{git, guard, loader, sql};
use super::Run;

/// Tasks of frameworks that drop a database, or all its tables.
const DROPS: &[&str] = &[
    "db:drop",
    "db:drop:all",
    "db:drop:_unsafe",
    "db:reset",
    "db:purge",
    "db:purge:all",
    "db:migrate:reset",
    "db:migrate:undo:all",
    "db:schema:load",
    "db:setup",
    "db:truncate_all",
    "db:wipe",
    "migrate:fresh",
    "migrate:refresh",
    "migrate:reset",
    "ecto.drop",
    "ecto.reset",
    "schema:drop",
    "database:drop",
    "doctrine:database:drop",
    "doctrine:schema:drop",
    "flush",
    "reset_db",
];

impl Machine<'_> {
    /// Judges one word in its role.
    pub(in super::super) fn role(&mut self, role: Role, arg: &Arg, run: &mut Run<'_>) {
        self.found.look_at_part(Part::word(&arg.text));
        match role {
            Role::Ignore | Role::Dir | Role::Command => {}
            Role::Setting if !arg.text.contains('=') => {}
            Role::Setting | Role::Changes => {
                self.found.effect(Effect::Write);
                self.found.raise(Tier::T2);
            }
            Role::Task => self.task(arg),
            Role::Variable(name) => self.variable(name, arg),
            Role::Resource => self.resource(arg, run),
            Role::Goal => {
                // `group:artifact:version[:goal]` is fetched and run (Maven's command line).
                if arg.text.split(':').count() > 2 && arg.text.contains('.') && !arg.text.starts_with('-') {
                    self.found.effect(Effect::Install);
                    self.found.raise(Tier::T2);
                }
            }
            Role::Content => {
                self.found.content(&run.by, Effect::Inform, &arg.text);
                self.sent(arg, run);
            }
            Role::Sent => self.sent(arg, run),
            Role::Upload => self.upload(arg, run),
            Role::UploadFile => self.upload_file(arg, run),
            Role::Read => {
                if arg.is_stdin() {
                    let stdin = run.stdin.clone();
                    run.takes(&stdin);
                } else {
                    let stream = self.read_file(&run.by, arg, true);
                    run.takes(&stream);
                }
            }
            Role::List => {
                let place = self.place(arg);
                self.found.effect(Effect::Read);
                if place.secret {
                    // Whoever reads the names goes for the files.
                    run.input.taint.add_secret(&[]);
                    run.has_input = true;
                }
                if let Some(operand) = place.operand.filter(|_| place.secret) {
                    self.found.slot(&run.by, Effect::Read, SlotValue::Operands(operand.expand()), Tier::T0);
                }
            }
            Role::Source => {
                let stream = self.read_file(&run.by, arg, false);
                run.takes(&stream);
            }
            Role::Write if arg.text == "-" => {}
            Role::Write => run.outputs.push((arg.clone(), false)),
            Role::Tree => run.outputs.push((arg.clone(), true)),
            Role::Edit => {
                let stream = self.read_file(&run.by, arg, false);
                let place = self.place(arg);
                if run.recursive && place.vital {
                    self.found.catastrophe();
                }
                guard::written(self, arg, &place, &stream, false);
                self.found.writes_place(&run.by, &place, super::super::machine::source_of(&stream), false);
            }
            Role::Mode => {
                // Set-user-ID and set-group-ID (chmod(1)).
                let digits = arg.text.trim_start_matches('0');
                let numeric = digits.len() == 4 && digits.starts_with(['2', '4', '6', '3', '5', '7']);
                let letters = arg.text.split(',').any(|part| {
                    part.split_once(['+', '=']).is_some_and(|(who, what)| {
                        what.contains('s') && (who.is_empty() || who.contains(['u', 'g', 'a']))
                    })
                });
                if numeric || letters {
                    self.found.effect(Effect::Persist);
                    self.found.raise(Tier::T2);
                }
            }
            Role::Delete => {
                let place = self.place(arg);
                self.found.deletes_place(&run.by, &place, run.recursive);
            }
            // An interpreter takes its input for code once it is known that nothing else is.
            Role::Run if code::is_stdin(arg) && (run.language.is_some() || arg.text == "-") => {}
            Role::Run if code::is_stdin(arg) => {
                run.has_code = true;
                code::run_code(self, &run.by, "shell", run.stdin);
            }
            Role::Run if arg.text.starts_with("npm:") || arg.text.starts_with("jsr:") => {
                run.has_code = true;
                if let Some(package) = arg.strip("npm:").or_else(|| arg.strip("jsr:")) {
                    self.package("npm", &package, run);
                }
            }
            Role::Run => {
                run.has_code = true;
                code::run_file(self, &run.by, arg, run.language);
            }
            Role::Code(language) => {
                run.has_code = true;
                let out = code::run_code(self, &run.by, language, &arg.stream());
                run.takes(&out);
            }
            Role::Shell => {
                run.has_code = true;
                let (stdin, given) = (run.stdin.clone(), std::mem::take(&mut run.positional));
                let out = self.with_arguments(&given, |machine| {
                    code::run_fed(machine, &run.by, "shell", &arg.stream(), &stdin)
                });
                run.takes(&out);
            }
            _ => self.remote_role(role, arg, run),
        }
    }

    /// A task by its name: those that drop the database are called alike everywhere; or a variable (`CC=tool`).
    fn task(&mut self, arg: &Arg) {
        if DROPS.contains(&arg.text.as_str()) {
            self.found.effect(Effect::Destroy);
            self.found.raise(Tier::T2);
        }
        let assigned = arg.text.split_once('=');
        let is_name =
            |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
        if let Some((name, value)) = assigned.filter(|(name, _)| is_name(name)) {
            loader::assigned(self, name, &arg.with_text(value));
        }
    }

    /// What a variable of that name says as well. Where the name ends in `_` it is the beginning of many: the word
    /// is `key=value`, or a file of such settings.
    fn variable(&mut self, name: &str, arg: &Arg) {
        if !name.ends_with('_') {
            return loader::assigned(self, name, arg);
        }
        match arg.text.split_once('=') {
            Some((key, value)) => {
                let key = key.trim().to_ascii_uppercase().replace(['.', '-'], "_");
                let value = arg.with_text(value.trim().trim_matches(['"', '\'']));
                loader::assigned(self, &format!("{name}{key}"), &value);
            }
            None => loader::assigned(self, &format!("{name}CONFIG_FILE"), arg),
        }
    }

    /// What is read of a cluster (`secret/web`, `pods,secrets`): secrets are shown with their values.
    fn resource(&mut self, arg: &Arg, run: &mut Run<'_>) {
        let mut parts = arg.text.split(['/', ',']).map(|part| part.split('.').next().unwrap_or_default());
        if parts.any(|part| matches!(part, "secret" | "secrets")) {
            self.found.effect(Effect::Cred);
            run.input.taint.add_secret(&[]);
            run.has_input = true;
        }
    }

    fn remote_role(&mut self, role: Role, arg: &Arg, run: &mut Run<'_>) {
        match role {
            Role::Url => self.url(arg, run),
            Role::Method => self.method(&arg.text, run),
            Role::MethodOrUrl => {
                let is_method = arg.text.len() > 2 && arg.text.bytes().all(|b| b.is_ascii_uppercase());
                if is_method {
                    self.method(&arg.text, run);
                } else if arg.text.contains("://") || run.destinations.is_empty() {
                    self.url(arg, run);
                } else {
                    self.upload(arg, run);
                }
            }
            Role::UrlOrFile if arg.text.contains("://") => {
                self.url(arg, run);
                if let Some(operands) = address(&arg.text, &self.around.paths) {
                    self.found.slot(&run.by, Effect::Exec, SlotValue::Remote(operands), Tier::T2);
                }
            }
            Role::Opened if arg.text.contains("://") => self.url(arg, run),
            Role::Context if arg.text.contains("://") || arg.text.starts_with("git@") => {
                self.url(arg, run);
                self.found.raise(Tier::T2);
                if let Some(operands) = address(&arg.text, &self.around.paths) {
                    self.found.slot(&run.by, Effect::Exec, SlotValue::Remote(operands), Tier::T2);
                }
            }
            Role::UrlOrFile => {
                self.upload_file(arg, run);
                if arg.text == "-" {
                    code::taint_slots(self, &run.by, &run.stdin.taint);
                }
            }
            Role::ConfigFile if arg.text.contains("://") => self.package("pypi", arg, run),
            Role::ConfigFile => {
                let place = self.place(arg);
                self.found.effect(Effect::Read);
                if let Some(operand) = place.operand {
                    self.found.slot(&run.by, Effect::Install, SlotValue::File(operand), Tier::T2);
                }
            }
            Role::Host => self.host(arg, run),
            Role::Package(ecosystem) => self.package(ecosystem, arg, run),
            Role::Image => self.image(arg, run),
            Role::Git => git::remote(self, arg, run, false),
            Role::GitTo => git::remote(self, arg, run, true),
            Role::Refspec => git::refspec(self, arg),
            Role::GitSetting => git::setting(self, arg),
            Role::Sql => sql::statement(self, arg, run),
            Role::Database => self.database(arg, run),
            Role::Process => guard::process(self, &arg.text),
            Role::Config => {
                let stream = self.read_file(&run.by, arg, false);
                self.found.effect(Effect::Exec);
                if stream.text.is_none() || stream.taint.is_remote() {
                    self.found.raise(Tier::T2);
                }
                for file in &stream.taint.files {
                    self.found.slot(&run.by, Effect::Exec, SlotValue::File(file.clone()), Tier::T2);
                }
            }
            _ => {}
        }
    }

    /// A URL: read, or written to when the program sends.
    fn url(&mut self, arg: &Arg, run: &mut Run<'_>) {
        if let Some(file) = arg.strip("file://") {
            let stream = self.read_file(&run.by, &file, true);
            return run.takes(&stream);
        }
        run.remote = true;
        self.sent(arg, run);
        if is_lookalike(&arg.text) {
            self.found.opaque();
        }
        let Some(operands) = address(&arg.text, &self.around.paths) else {
            if !arg.known {
                self.found.effect(if run.sends { Effect::Send } else { Effect::Fetch });
                self.derived_target(arg, run);
                self.known_part(arg, run);
            }
            return;
        };
        if is_loopback(&operands) {
            // The machine itself: what runs there is the user's own.
            self.found.effect(Effect::Fetch);
            run.loopback = true;
            return;
        }
        self.destination(run, operands);
        if !arg.known {
            self.derived_target(arg, run);
        }
    }

    /// A request that changes something.
    fn method(&mut self, method: &str, run: &mut Run<'_>) {
        if !matches!(method.to_ascii_uppercase().as_str(), "GET" | "HEAD" | "OPTIONS") {
            run.sends = true;
        }
    }

    /// A target that other bytes decide.
    fn derived_target(&mut self, arg: &Arg, run: &mut Run<'_>) {
        let effect = if run.sends { Effect::Send } else { Effect::Fetch };
        if arg.taint.is_remote() {
            self.found.slot(&run.by, effect, SlotValue::Remote(arg.taint.remote.clone()), Tier::T2);
        }
        for file in &arg.taint.files {
            self.found.slot(&run.by, effect, SlotValue::File(file.clone()), Tier::T2);
        }
        // Whatever a file or a command prints leaves with the address.
        if !arg.taint.files.is_empty() || !arg.taint.secrets.is_empty() {
            run.sends = true;
            self.found.effect(Effect::Send);
            self.found.raise(Tier::T2);
        }
    }

    /// The end of a host's name that the command spells out, behind labels that something else decides.
    fn known_part(&mut self, arg: &Arg, run: &mut Run<'_>) {
        let authority = arg.text.split_once("://").map_or(arg.text.as_str(), |(_, rest)| rest);
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        // What is substituted may hold any character; the name ends behind the last of its brackets.
        let tail = authority.rsplit([')', '}', '$', '`']).next().unwrap_or_default();
        let name = tail.split(|c| !is_part(c)).next().unwrap_or_default();
        let name = name.split_once('.').map_or("", |(_, rest)| rest);
        if let Some(operands) = host_operands(name, self).filter(|_| name.contains('.')) {
            self.destination(run, operands);
        }
    }

    /// `user@host:path`, `host`, `host:port`.
    fn host(&mut self, arg: &Arg, run: &mut Run<'_>) {
        run.remote = true;
        if arg.text.contains("://") {
            return self.url(arg, run);
        }
        // A name that is looked up carries what it is made of.
        self.sent(arg, run);
        if !arg.known {
            self.derived_target(arg, run);
            if !arg.taint.secrets.is_empty() {
                self.found.flag(Flag::SecretSink);
            }
        }
        let host = arg.text.rsplit_once('@').map_or(arg.text.as_str(), |(_, host)| host);
        let host = match host.split_once(':') {
            Some((host, rest)) if !rest.contains(':') => host,
            _ => host,
        };
        if matches!(host, "localhost" | "127.0.0.1" | "::1" | "0.0.0.0") {
            return;
        }
        match host_operands(host, self).filter(|_| arg.known) {
            Some(operands) => self.destination(run, operands),
            None if !arg.known => {
                self.sent(arg, run);
                self.derived_target(arg, run);
                self.destination_unnamed(run);
                self.known_part(arg, run);
            }
            None => self.destination_unnamed(run),
        }
    }

    /// A destination that the command does not spell out, such as an alias of the user's configuration.
    fn destination_unnamed(&mut self, run: &Run<'_>) {
        self.found.effect(if run.sends { Effect::Send } else { Effect::Fetch });
        if run.sends {
            self.found.raise(Tier::T2);
        }
    }

    /// A package to install: a name, or a direct reference.
    fn package(&mut self, ecosystem: &str, arg: &Arg, run: &mut Run<'_>) {
        let text = arg.text.as_str();
        let paths = self.around.paths_at(self.env.cwd.as_deref());
        if text.starts_with(['.', '/', '~'])
            || text.ends_with(".whl")
            || ecosystem == "go" && text.ends_with(".go")
            || text.ends_with(".tgz") && !text.contains("://")
        {
            code::run_file(self, &run.by, arg, None);
            return;
        }
        self.found.effect(Effect::Install);
        self.found.raise(Tier::T2);
        run.remote = true;
        let direct = text.contains("://") || text.starts_with("git@") || text.starts_with("github:");
        let kinds = if direct { &[Kind::Git, Kind::Url][..] } else { &[Kind::Package][..] };
        let operand = kinds.iter().find_map(|kind| match kind {
            Kind::Package => {
                let system = if run.by.starts_with("brew") { "brew" } else { "apt" };
                let ecosystem = if ecosystem == "os" { system } else { ecosystem };
                Operand::parse(Kind::Package, &format!("{ecosystem}:{text}"), &paths)
            }
            kind => Operand::parse(*kind, text.trim_start_matches("git+"), &paths),
        });
        match operand {
            Some(operand) => {
                let operands = operand.expand();
                if direct {
                    // No registry stands between: what the address serves becomes code here as it is.
                    let whole = SlotValue::Remote(operands.clone());
                    self.found.slot(&run.by, Effect::Install, whole, Tier::T2);
                }
                self.found.slot(&run.by, Effect::Install, SlotValue::Operands(operands), Tier::T2);
            }
            None if !arg.known => {
                for file in &arg.taint.files {
                    self.found.slot(&run.by, Effect::Install, SlotValue::File(file.clone()), Tier::T2);
                }
            }
            None => {}
        }
    }

    fn image(&mut self, arg: &Arg, run: &Run<'_>) {
        self.found.effect(Effect::Install);
        self.found.raise(Tier::T2);
        if let Some(operand) = Operand::parse(Kind::Image, &arg.text, &self.around.paths) {
            self.found.slot(&run.by, Effect::Install, SlotValue::Operands(operand.expand()), Tier::T2);
        }
    }

    fn database(&mut self, arg: &Arg, run: &mut Run<'_>) {
        if arg.text.contains("://") {
            if let Some((scheme, rest)) = arg.text.split_once("://") {
                let authority = rest.split(['/', '?']).next().unwrap_or_default();
                if !scheme.is_empty() && !authority.is_empty() {
                    let host = arg.with_text(authority);
                    self.host(&host, run);
                }
            }
        } else if arg.text.contains('.') && !arg.text.contains('/') && !arg.text.ends_with(".db") {
            self.host(arg, run);
        }
    }

    /// Text that goes out as it stands.
    fn sent(&mut self, arg: &Arg, run: &mut Run<'_>) {
        run.outgoing.add_secrets_of(&arg.text);
        run.outgoing.absorb(&arg.taint);
    }

    /// A request body: `@file`, `@-`, `name=@file;type=…`, or text.
    fn upload(&mut self, arg: &Arg, run: &mut Run<'_>) {
        let text = arg.text.as_str();
        let (head, rest) = text.split_once(['@', '<']).unwrap_or((text, ""));
        // `name@file` is a file to a form, and part of an address elsewhere: then there is no such file.
        let is_name = head.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        let names_file = !rest.is_empty() && (is_name || head.ends_with('='));
        if names_file {
            let file = rest.split(';').next().unwrap_or_default();
            self.upload_file(&arg.with_text(file), run);
        } else {
            self.found.content(&run.by, Effect::Send, text);
        }
        self.sent(arg, run);
    }

    fn upload_file(&mut self, arg: &Arg, run: &mut Run<'_>) {
        if matches!(arg.text.as_str(), "-" | ".") {
            run.outgoing.absorb(&run.stdin.taint.clone());
            return;
        }
        let stream = self.read_file(&run.by, arg, false);
        run.outgoing.absorb(&stream.taint);
        run.outgoing.absorb(&arg.taint);
    }
}
