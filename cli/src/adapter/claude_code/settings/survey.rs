//! All settings files together: whether the hooks are in force, and what stands against it.

mod binary;
mod paths;
mod plugin;

use std::path::{Path, PathBuf};

use super::entry::events;
use super::inspect::{Installed, Problem, inspect};
use super::invalid::invalid;
use super::json::{Document, Kind, Node};
use super::version::HostVersion;
use binary::check_binary;
pub use binary::is_root_owned;
pub use paths::SurveyPaths;

/// Whose settings a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, clap::ValueEnum)]
pub enum Scope {
    /// The user's, for all projects.
    User,
    /// The project's, shared with everyone who has the repository.
    Project,
    /// The user's for one project.
    Local,
    /// The administrator's; nothing below can switch them off.
    #[value(skip)]
    Managed,
}

impl Scope {
    /// The word for messages and options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Managed => "managed",
        }
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Good to know.
    Note,
    /// Something is lost, the gate stands.
    Warning,
    /// A call can pass unjudged.
    Fatal,
}

/// One settings file, read.
#[derive(Clone, Debug)]
pub struct Source {
    /// Whose settings.
    pub scope: Scope,
    /// The file.
    pub path: PathBuf,
    /// Its text, `None` when there is no file, or why it cannot be read.
    pub text: Result<Option<String>, String>,
}

/// Something a person should know about a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Whose settings; `None` when it is about all of them together.
    pub scope: Option<Scope>,
    /// The file, or the hook binary; `None` when it is about all files together.
    pub path: Option<PathBuf>,
    /// What is wrong, in a sentence.
    pub what: String,
    /// What to do.
    pub fix: String,
}

/// What the install may promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Managed settings and a binary of root's: nothing the agent or a repository writes switches it off.
    Enforced,
    /// It works, and a repository or the agent's user can switch it off.
    Advisory,
    /// No gate is in force.
    Absent,
}

impl Protection {
    /// What it means, in a sentence.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Enforced => "enforced: managed settings register the hook",
            Self::Advisory => {
                "advisory: registered; a repository's settings or the user can switch the hook off"
            }
            Self::Absent => "no gate is in force",
        }
    }
}

/// The result of looking at all files.
#[derive(Clone, Debug)]
pub struct Survey {
    /// What the install may promise.
    pub protection: Protection,
    /// Entries of ours per file that has some.
    pub installed: Vec<(Scope, Vec<Installed>)>,
    /// Everything found, worst first.
    pub findings: Vec<Finding>,
}

/// Looks at all settings files together, and at the hook binaries they name.
///
/// `binary` is the hook binary that this installation would register; another one is reported.
#[must_use]
pub fn survey(sources: &[Source], host: Option<HostVersion>, binary: Option<&Path>) -> Survey {
    let mut findings = Vec::new();
    let mut installed = Vec::new();
    for source in sources {
        let entries = look_at(source, host, &mut findings);
        if !entries.is_empty() {
            installed.push((source.scope, entries));
        }
    }
    switches(sources, &installed, &mut findings);
    let plugin = plugin::is_enabled(sources);
    if let Some(is_on) = plugin {
        findings.extend(about_plugin(is_on, !installed.is_empty()));
    }
    let is_registered = !installed.is_empty() || plugin == Some(true);
    if plugin.is_none() || !installed.is_empty() {
        missing_events(&installed, host, &mut findings);
    }
    findings.extend(binaries(&installed, binary));
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let protection = protection(&installed, is_registered, host, &findings);
    Survey { protection, installed, findings }
}

/// Looks at one file; gives its entries of ours.
fn look_at(source: &Source, host: Option<HostVersion>, findings: &mut Vec<Finding>) -> Vec<Installed> {
    let mut note = |problem: Problem| findings.push(about_file(source, problem));
    let text = match &source.text {
        Ok(None) => return Vec::new(),
        Ok(Some(text)) => text,
        Err(reason) => {
            note(Problem::new(Severity::Warning, reason.clone(), "make the file readable for you"));
            return Vec::new();
        }
    };
    let (entries, doc) = match (inspect(text, host), Document::parse(text)) {
        (Ok(entries), Ok(doc)) => (entries, doc),
        (Err(error), _) | (_, Err(error)) => {
            let shown = error.to_string();
            let what = shown.lines().next().unwrap_or_default().to_owned();
            let fix = match source.scope {
                Scope::Managed => "mend the file: the host refuses to start with it",
                _ => "mend the file: the host ignores it as a whole",
            };
            note(Problem::new(Severity::Warning, what, fix));
            return Vec::new();
        }
    };
    if entries.is_empty() {
        for invalid in invalid(&doc) {
            let what = format!("line {}: {}", invalid.place.line(), invalid.what);
            note(Problem::new(Severity::Note, what, "mend that line: the host ignores what it belongs to"));
        }
    }
    for entry in &entries {
        for problem in &entry.problems {
            let what = format!("{}: {}", entry.event, problem.what);
            note(Problem { what, ..problem.clone() });
        }
    }
    entries
}

fn about_file(source: &Source, problem: Problem) -> Finding {
    let Problem { severity, what, fix } = problem;
    Finding { severity, scope: Some(source.scope), path: Some(source.path.clone()), what, fix }
}

/// `disableAllHooks` anywhere, and `allowManagedHooksOnly` in managed settings.
fn switches(sources: &[Source], installed: &[(Scope, Vec<Installed>)], findings: &mut Vec<Finding>) {
    let is_managed = installed.iter().any(|(scope, _)| *scope == Scope::Managed);
    for source in sources {
        let Ok(Some(text)) = &source.text else { continue };
        let Ok(doc) = Document::parse(text) else { continue };
        let is_on = |key: &str| {
            doc.root
                .as_ref()
                .and_then(|root| root.get(key))
                .is_some_and(|node| matches!(node.kind, Kind::Bool(true)))
        };
        if source.scope != Scope::Managed {
            let set = doc.root.as_ref().and_then(|root| root.get("env")).and_then(Node::as_object);
            for variable in set.unwrap_or_default().iter().filter(|one| diverts(source.scope, &one.key)) {
                let what = format!("`env` sets {}, which takes our hook to another place", variable.key);
                let fix = "remove that variable, and set what you need in your shell";
                findings.push(about_file(source, Problem::new(Severity::Fatal, what, fix)));
            }
        }
        // Managed hooks survive the switch in every file but the managed one.
        let survives = is_managed && source.scope != Scope::Managed;
        let severity = if survives { Severity::Note } else { Severity::Fatal };
        if is_on("disableAllHooks") {
            let what = "`disableAllHooks` switches off every hook of user, project and local settings";
            findings.push(about_file(source, Problem::new(severity, what, "remove that key")));
        }
        if source.scope == Scope::Managed && is_on("allowManagedHooksOnly") && !is_managed {
            let what = "`allowManagedHooksOnly` is set, and our entries are not in managed settings";
            let fix = "ask the administrator to add them to managed settings";
            findings.push(about_file(source, Problem::new(Severity::Fatal, what, fix)));
        }
    }
}

/// Whether a variable that the host gives to its hooks takes ours away from its home, or, in settings that a repository
/// can bring along, puts other code into it (ld.so(8)).
fn diverts(scope: Scope, variable: &str) -> bool {
    variable.starts_with("CIRCINUS_") || scope != Scope::User && variable.starts_with("LD_")
}

/// Our plugin, which registers all events, beside the entries that files hold.
fn about_plugin(is_on: bool, is_installed: bool) -> Option<Finding> {
    let Problem { severity, what, fix } = match (is_on, is_installed) {
        (true, false) | (false, true) => return None,
        (true, true) => Problem::new(
            Severity::Warning,
            "both the plugin and a settings file register our hooks: every event is seen twice",
            "run `circinus uninstall`, or disable the plugin",
        ),
        (false, false) => Problem::new(
            Severity::Fatal,
            "the plugin is switched off, and no settings file registers our hooks",
            "enable the plugin, or run `circinus setup`",
        ),
    };
    Some(Finding { severity, scope: None, path: None, what, fix })
}

/// Events that no file registers.
fn missing_events(
    installed: &[(Scope, Vec<Installed>)],
    host: Option<HostVersion>,
    findings: &mut Vec<Finding>,
) {
    let mut missing = |severity, what: String, fix: &str| {
        findings.push(Finding { severity, scope: None, path: None, what, fix: fix.to_owned() });
    };
    if installed.is_empty() {
        missing(Severity::Fatal, "no settings file registers our hooks".into(), "run `circinus setup`");
        return;
    }
    let is_there =
        |name: &str| installed.iter().any(|(_, entries)| entries.iter().any(|one| one.event == name));
    for event in events(host).into_iter().filter(|event| !is_there(event.name())) {
        let severity = if event.is_gate() { Severity::Fatal } else { Severity::Warning };
        missing(
            severity,
            format!("no hook is registered for {}", event.name()),
            "run `circinus setup` again",
        );
    }
}

/// The hook binaries that the entries name, each once.
fn binaries(installed: &[(Scope, Vec<Installed>)], expected: Option<&Path>) -> Vec<Finding> {
    let mut commands: Vec<&str> =
        installed.iter().flat_map(|(_, entries)| entries).map(|one| one.command.as_str()).collect();
    commands.sort_unstable();
    commands.dedup();
    let mut findings = Vec::new();
    for command in commands {
        let path = Path::new(command);
        let mut note = |Problem { severity, what, fix }| {
            findings.push(Finding { severity, scope: None, path: Some(path.to_owned()), what, fix });
        };
        if let Some(problem) = check_binary(path) {
            note(problem);
        } else if let Some(expected) = expected.filter(|expected| *expected != path) {
            let what =
                format!("the registered hook is not the one of this installation ({})", expected.display());
            note(Problem::new(
                Severity::Warning,
                what,
                "run `circinus setup` again, or remove the other one",
            ));
        }
    }
    findings
}

fn protection(
    installed: &[(Scope, Vec<Installed>)],
    is_registered: bool,
    host: Option<HostVersion>,
    findings: &[Finding],
) -> Protection {
    if !is_registered || findings.iter().any(|finding| finding.severity == Severity::Fatal) {
        return Protection::Absent;
    }
    let mut managed =
        installed.iter().filter(|(scope, _)| *scope == Scope::Managed).flat_map(|(_, entries)| entries);
    let gates_managed = events(host)
        .into_iter()
        .filter(|event| event.is_gate())
        .all(|gate| managed.clone().any(|one| one.event == gate.name()));
    if gates_managed && managed.all(|one| is_root_owned(Path::new(&one.command))) {
        Protection::Enforced
    } else {
        Protection::Advisory
    }
}
