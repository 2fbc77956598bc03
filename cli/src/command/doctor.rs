//! `circinus doctor`: one line per check, each with its fix, and a live test of the hook.

mod canary;

use circinus_core::policy::Verdict;
use circinus_store::Reader;
use clap::Args;
use serde_json::json;

use self::canary::Canary;
use super::Context;
use super::daemon::{ask, place};
use super::setup::{self, host_version};
use crate::adapter::claude_code::settings::{
    Finding, HOOK_BINARY_NAME, HostVersion, Protection, Severity, Survey, SurveyPaths, limitations, survey,
};
use crate::config::Config;
use crate::daemon::files::git_version;
use crate::daemon::{ControlReply, ControlRequest};
use crate::exit::Exit;
use crate::ui::{Cell, Style, Table, Ui, escape_untrusted};

/// Arguments of `circinus doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
JSON (schema 1; fields are only added): schema, checks (check, state, what, fix);
state is ok, note, warning or failed, and a failed one makes the exit code 1.")]
pub struct DoctorArgs {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Ok,
    Note,
    Warning,
    Failed,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Failed => "failed",
        }
    }

    const fn style(self) -> Style {
        match self {
            Self::Ok => Style::Good,
            Self::Note => Style::Plain,
            Self::Warning => Style::Warning,
            Self::Failed => Style::Bad,
        }
    }
}

/// One line of the report.
#[derive(Debug)]
struct Check {
    name: &'static str,
    state: State,
    what: String,
    fix: Option<String>,
}

impl Check {
    fn ok(name: &'static str, what: impl Into<String>) -> Self {
        Self { name, state: State::Ok, what: what.into(), fix: None }
    }

    fn not_ok(name: &'static str, state: State, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, state, what: what.into(), fix: Some(fix.into()) }
    }

    /// A failure whose message carries its own hint.
    fn failed(name: &'static str, error: &dyn std::fmt::Display) -> Self {
        let text = error.to_string();
        let (what, hint) = crate::ui::split_hint(&text);
        Self { name, state: State::Failed, what: what.to_owned(), fix: hint.map(str::to_owned) }
    }
}

/// Runs the command.
pub fn run(args: &DoctorArgs, context: &Context, ui: &mut Ui) -> Exit {
    let checks = checks(context);
    if args.json {
        let rows = checks.iter().map(|check| {
            json!({ "check": check.name, "state": check.state.name(), "what": check.what, "fix": check.fix })
        });
        ui.line(json!({ "schema": 1, "checks": rows.collect::<Vec<_>>() }));
    } else {
        let mut table = Table::new();
        for check in &checks {
            table.row([
                Cell::new(check.name, Style::Strong),
                Cell::new(check.state.name(), check.state.style()),
                Cell::from(escape_untrusted(&check.what)),
            ]);
            if let Some(fix) = &check.fix {
                table.row([
                    Cell::from(""),
                    Cell::from(""),
                    Cell::new(format!("fix: {}", escape_untrusted(fix)), Style::Dim),
                ]);
            }
        }
        ui.table(&table);
    }
    match checks.iter().map(|check| check.state).max() {
        Some(State::Failed) => Exit::Findings,
        _ => Exit::Ok,
    }
}

fn checks(context: &Context) -> Vec<Check> {
    let mut checks = vec![home(context), config(context), commands(context), daemon(context), log(context)];
    let around = match setup::Surroundings::from_process() {
        Ok(around) => around,
        Err(error) => {
            checks.push(Check::failed("hook", &error));
            return checks;
        }
    };
    let hook = around.sibling(HOOK_BINARY_NAME);
    let host = host_version(around.env());
    checks.extend(host_checks(host));
    match SurveyPaths::new(around.env(), around.folder()) {
        Some(paths) => checks.extend(settings(&survey(&paths.sources(), host, Some(&hook)))),
        None => checks.push(Check::not_ok(
            "settings",
            State::Failed,
            "the folder of the host's settings is not known",
            "set HOME or CLAUDE_CONFIG_DIR",
        )),
    }
    checks.push(match Canary::fly(&hook) {
        Ok(canary) => judge(&canary),
        Err(error) => {
            Check::not_ok("canary", State::Failed, error.to_string(), "install both programs into one folder")
        }
    });
    checks.push(match git_version() {
        Ok(version) => Check::ok("git", version),
        Err(error) => {
            let check = Check::failed("git", &error);
            let what = format!("{}; no file counts as tracked", check.what);
            Check { state: State::Warning, what, ..check }
        }
    });
    checks.push(analysis(context));
    checks
}

/// Whether a model is asked, and whether its key is at hand. Nothing is sent; `circinus config test` does.
fn analysis(context: &Context) -> Check {
    let Ok(config) = Config::load(context.places.home()) else {
        return Check::not_ok(
            "analysis",
            State::Failed,
            "the configuration is not read",
            "see the check `config`",
        );
    };
    match config.model.settings() {
        Ok(None) => Check::ok(
            "analysis",
            "deterministic-only: no model key is configured, nothing leaves the machine",
        ),
        Ok(Some((settings, None))) => {
            let what =
                format!("texts that need a closer look go to {} at {}", settings.model, settings.endpoint);
            Check::ok("analysis", format!("{what}, with secrets masked"))
        }
        Ok(Some((_, Some(missing)))) => Check::failed("analysis", &missing),
        Err(error) => Check::failed("analysis", &error),
    }
}

fn home(context: &Context) -> Check {
    match context.places.create() {
        Ok(()) => Check::ok("home", format!("{} is yours alone", context.places.home().display())),
        Err(error) => Check::failed("home", &error),
    }
}

fn config(context: &Context) -> Check {
    match Config::load(context.places.home()) {
        Ok(config) => Check::ok("config", format!("profile {}", config.profile)),
        Err(error) => Check::failed("config", &error),
    }
}

/// The additions to the command table: those of the file, and those that the daemon loaded at its start.
fn commands(context: &Context) -> Check {
    let commands = &context.site.commands;
    match &commands.refused {
        None => Check::ok("commands", commands.describe()),
        Some(refused) => Check::failed("commands", refused),
    }
}

/// The daemon, started where none answers: the hook would do the same.
fn daemon(context: &Context) -> Check {
    if let Err(error) = super::daemon::ensure(context) {
        let fix = format!("see {}", context.places.log.display());
        return Check::not_ok("daemon", State::Failed, format!("it does not start: {error}"), fix);
    }
    match ask(&place(context), &ControlRequest::Status) {
        Ok(ControlReply::Status(status)) if status.version == env!("CARGO_PKG_VERSION") => {
            Check::ok("daemon", format!("version {}, pid {}", status.version, status.pid))
        }
        Ok(ControlReply::Status(status)) => Check::not_ok(
            "daemon",
            State::Warning,
            format!("version {} runs, version {} is installed", status.version, env!("CARGO_PKG_VERSION")),
            "run `circinus daemon stop`; the next hook starts the new one",
        ),
        Ok(other) => Check::not_ok(
            "daemon",
            State::Failed,
            format!("it answers {other:?}"),
            "run `circinus daemon stop`",
        ),
        Err(error) => Check::failed("daemon", &error),
    }
}

fn log(context: &Context) -> Check {
    let counted = Reader::open(&context.places.database).map_err(|error| error.to_string());
    let verified = counted.and_then(|reader| {
        let problems = reader.verify().map_err(|error| error.to_string())?;
        let counts = reader.counts().map_err(|error| error.to_string())?;
        Ok((problems, counts))
    });
    match verified {
        Ok((problems, counts)) if problems.is_empty() => {
            Check::ok("log", format!("{} events, hash chain intact", counts.events))
        }
        Ok((problems, _)) => {
            let what = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            Check::not_ok(
                "log",
                State::Failed,
                what,
                "restore a copy with `circinus restore`, or keep the file for inspection and set another CIRCINUS_HOME",
            )
        }
        Err(error) => Check::failed("log", &error),
    }
}

fn host_checks(host: Option<HostVersion>) -> Vec<Check> {
    let first = match host {
        Some(version) => Check::ok("host", format!("Claude Code {version}")),
        None => Check::not_ok(
            "host",
            State::Note,
            "Claude Code is not on the PATH, or does not say its version",
            "nothing, if you start it from elsewhere",
        ),
    };
    let limits = limitations(host).into_iter();
    let limits =
        limits.map(|limit| Check { name: "host", state: State::Note, what: limit.to_string(), fix: None });
    std::iter::once(first).chain(limits).collect()
}

fn settings(survey: &Survey) -> Vec<Check> {
    let mut findings = survey.findings.iter().map(finding).collect::<Vec<_>>();
    let said = survey.protection.describe();
    match survey.protection {
        Protection::Enforced | Protection::Advisory => findings.insert(0, Check::ok("settings", said)),
        // The worst finding is first and says why.
        Protection::Absent => match findings.first_mut() {
            Some(first) => first.what = format!("{said}: {}", first.what),
            None => findings.push(Check::not_ok("settings", State::Failed, said, "run `circinus setup`")),
        },
    }
    findings
}

fn finding(finding: &Finding) -> Check {
    Check {
        name: "settings",
        state: match finding.severity {
            Severity::Note => State::Note,
            Severity::Warning => State::Warning,
            Severity::Fatal => State::Failed,
        },
        what: match &finding.path {
            Some(path) => format!("{}: {}", path.display(), finding.what),
            None => finding.what.clone(),
        },
        fix: Some(finding.fix.clone()),
    }
}

fn judge(canary: &Canary) -> Check {
    if !canary.hostile.stops() {
        return Check::not_ok(
            "canary",
            State::Failed,
            "the hook fired and let a hostile call pass",
            "run `circinus log --decisions` and report it",
        );
    }
    if canary.untouched.stops() {
        return Check::not_ok(
            "canary",
            State::Warning,
            "the hook fired and stopped a call that nothing touched",
            "run `circinus explain last`",
        );
    }
    let verdict = if canary.hostile.decision() == "deny" { Verdict::Block } else { Verdict::Review };
    Check::ok("canary", format!("the hook fired: a hostile call got {verdict}, an untouched one passed"))
}
