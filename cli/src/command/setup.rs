//! `circinus setup`: registers the hooks with the host.

mod probe;
mod surroundings;

use std::path::{Path, PathBuf};

use clap::Args;
use rustix::fs::{Access, access};

use crate::adapter::claude_code::settings::{
    Change, Edited, HOOK_BINARY_NAME, HostVersion, Protection, Registration, Scope, SettingsFile, Severity,
    SurveyPaths, Written, accepts, events, inspect, install, is_root_owned, limitations, survey,
};
use crate::config::{Config, Places};
use crate::exit::Exit;
use crate::ui::{Answer, Style, Ui};

pub use probe::host_version;
pub use surroundings::Surroundings;

/// Options of `circinus setup`.
#[derive(Args, Clone, Debug)]
pub struct SetupArgs {
    /// Whose settings get the hooks
    #[arg(long, value_enum, default_value_t = Scope::User)]
    pub scope: Scope,
    /// Write managed settings, for all users of this machine; needs the rights of root
    #[arg(long, conflicts_with = "scope")]
    pub managed: bool,
    /// The folder that stands for the root of the file system, for packages
    #[arg(long, value_name = "DIR", requires = "managed", default_value = "/")]
    pub root: PathBuf,
    /// Show what would be written and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write without asking
    #[arg(long, short)]
    pub yes: bool,
}

impl SetupArgs {
    /// Whose settings get the hooks, and the file.
    fn target(&self, paths: &SurveyPaths) -> (Scope, PathBuf) {
        match self.managed {
            true => (Scope::Managed, paths.managed_drop_in()),
            false => (self.scope, paths.file(self.scope)),
        }
    }
}

/// What setup did, for callers that go on from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupReport {
    /// The version of the host, when it is on the PATH and says it.
    pub host: Option<HostVersion>,
    /// What was changed in the settings.
    pub changes: Vec<Change>,
    /// What was written; `None` with nothing to do, in a dry run, or after a no.
    pub written: Option<Written>,
    /// What the install may promise afterwards.
    pub protection: Protection,
}

/// A change that is ready to be written.
pub(super) struct Plan {
    pub(super) name: String,
    pub(super) file: SettingsFile,
    pub(super) edited: Edited,
}

/// Runs the command in this process.
pub fn run(args: SetupArgs, ui: &mut Ui) -> Exit {
    let end = surroundings(ui).and_then(|around| set_up(&args, &around, ui));
    end.map_or_else(|exit| exit, |_| Exit::Ok)
}

/// The surroundings of this process, or the end of the command with the reason told.
pub(super) fn surroundings(ui: &mut Ui) -> Result<Surroundings, Exit> {
    Surroundings::from_process().map_err(|error| {
        ui.error_with_hint(&error, "run it from a folder that is there, with circinus installed as a file");
        Exit::Refused
    })
}

/// Registers the hooks and reports what was done.
///
/// # Errors
/// How the command ends; the reason is on standard error already.
pub fn set_up(args: &SetupArgs, around: &Surroundings, ui: &mut Ui) -> Result<SetupReport, Exit> {
    let places = Places::resolve(&around.env()).map_err(|error| refuse(ui, &error))?;
    let config = Config::load(places.home()).map_err(|error| refuse(ui, &error))?;
    let binary = hook_binary(around, ui)?;
    let paths = settings_paths(around, ui)?.with_managed_below(&args.root);
    let (scope, path) = args.target(&paths);
    let host = host_version(around.env());
    let registration = Registration { binary, timeout_s: config.claude_code.hook_timeout_s, host };
    let plan = plan(&path, scope, &registration, ui)?;
    let changes = plan.edited.changes.clone();
    let mut written = None;
    if changes.is_empty() {
        ui.line(format_args!("{}: the hooks are registered already", plan.name));
    } else {
        show(&plan, ui);
        if args.dry_run {
            ui.line("dry run: nothing was written");
        } else {
            ask(args.yes, ui)?;
            // Each user's home is made by their own first hook.
            if scope != Scope::Managed {
                places.create().map_err(|error| refuse(ui, &error))?;
            }
            written = Some(write(plan, around.now_ms(), ui)?);
        }
    }
    let is_in_force = written.is_some() || changes.is_empty();
    let protection = describe(scope, is_in_force, &paths, &registration, ui);
    Ok(SetupReport { host, changes, written, protection })
}

fn refuse(ui: &mut Ui, error: &dyn std::fmt::Display) -> Exit {
    ui.error(error);
    Exit::Refused
}

/// The folders of the settings.
pub(super) fn settings_paths(around: &Surroundings, ui: &mut Ui) -> Result<SurveyPaths, Exit> {
    SurveyPaths::new(around.env(), around.folder()).ok_or_else(|| {
        ui.error_with_hint(
            &"the folder of the host's settings is not known",
            "set HOME or CLAUDE_CONFIG_DIR",
        );
        Exit::Refused
    })
}

/// The hook binary beside this one.
fn hook_binary(around: &Surroundings, ui: &mut Ui) -> Result<PathBuf, Exit> {
    let binary = around.sibling(HOOK_BINARY_NAME);
    if binary.is_file() && access(&binary, Access::EXEC_OK).is_ok() {
        return Ok(binary);
    }
    let what = format!("no executable {HOOK_BINARY_NAME} beside circinus, expected {}", binary.display());
    ui.error_with_hint(&what, "install both programs into one folder");
    Err(Exit::Refused)
}

/// Reads the file and works out its new text.
fn plan(path: &Path, scope: Scope, registration: &Registration, ui: &mut Ui) -> Result<Plan, Exit> {
    let file = SettingsFile::read(path).map_err(|error| refuse(ui, &error))?;
    let file = if scope == Scope::Managed { file.readable_by_all() } else { file };
    let name = path.display().to_string();
    // Hooks in a file that the host does not read would be a guard that is not there.
    accepts(file.text().unwrap_or_default(), registration.host)
        .map_err(|error| refuse(ui, &format_args!("{name}: {error}")))?;
    let edited =
        install(file.text(), registration).map_err(|error| refuse(ui, &format_args!("{name}: {error}")))?;
    let after = inspect(edited.text.as_deref().unwrap_or_default(), registration.host);
    let problems = after.map_err(|error| refuse(ui, &format_args!("{name}: {error}")))?;
    let fatal =
        problems.iter().flat_map(|one| &one.problems).find(|problem| problem.severity == Severity::Fatal);
    if let Some(problem) = fatal {
        let what = format!("{name}: {}", problem.what);
        ui.error_with_hint(&what, &format!("{}, then run setup again; nothing was written", problem.fix));
        return Err(Exit::Refused);
    }
    Ok(Plan { name, file, edited })
}

/// Shows what will change.
pub(super) fn show(plan: &Plan, ui: &mut Ui) {
    let before = plan.file.text().unwrap_or_default();
    ui.diff(&plan.name, before, plan.edited.text.as_deref().unwrap_or_default());
}

/// Asks unless told not to.
pub(super) fn ask(is_told: bool, ui: &mut Ui) -> Result<(), Exit> {
    if is_told {
        return Ok(());
    }
    match ui.confirm("Write this?") {
        Answer::Yes => Ok(()),
        Answer::No => {
            ui.line("nothing was written");
            Err(Exit::Refused)
        }
        Answer::NobodyToAsk => {
            let what = "standard input is no terminal, so nobody can be asked";
            ui.error_with_hint(&what, "add --yes to write, or --dry-run to look only");
            Err(Exit::Refused)
        }
    }
}

/// Writes the plan and says where the copy is.
pub(super) fn write(plan: Plan, now_ms: u64, ui: &mut Ui) -> Result<Written, Exit> {
    let written = plan.file.replace(plan.edited.text.as_deref(), now_ms).map_err(|error| {
        ui.error(&error);
        Exit::CannotWrite
    })?;
    let done = if plan.edited.text.is_some() { "written" } else { "removed, it held nothing else" };
    ui.line(format_args!("{}: {done}", plan.name));
    if let Some(backup) = &written.backup {
        ui.line(format_args!("the file from before: {}", backup.display()));
    }
    Ok(written)
}

/// Says what the install may promise, and what it cannot do.
fn describe(
    scope: Scope,
    is_in_force: bool,
    paths: &SurveyPaths,
    registration: &Registration,
    ui: &mut Ui,
) -> Protection {
    let host = registration.host.map_or_else(|| "of unknown version".to_owned(), |host| host.to_string());
    ui.paragraph(
        &format!("\nHost: Claude Code {host}, {} events.", events(registration.host).len()),
        Style::Plain,
    );
    if scope == Scope::Project {
        let note = "These settings are shared with the repository, and they name a path of this machine: \
                    --scope local keeps them yours.";
        ui.paragraph(note, Style::Warning);
    }
    if scope == Scope::Managed && !is_root_owned(&registration.binary) {
        let note = format!(
            "The hook {} can be changed by somebody else than root, so this install is advisory: install circinus as \
             root, for example into /usr/local/bin, and run setup from there.",
            registration.binary.display()
        );
        ui.paragraph(&note, Style::Warning);
    }
    for missing in limitations(registration.host) {
        ui.paragraph(&format!("Cannot do: {missing}."), Style::Warning);
    }
    let survey = survey(&paths.sources(), registration.host, Some(&registration.binary));
    if !is_in_force {
        return survey.protection;
    }
    for finding in survey.findings.iter().filter(|finding| finding.severity > Severity::Note) {
        let place = finding.path.as_ref().map_or_else(String::new, |path| format!("{}: ", path.display()));
        ui.warning(&format_args!("{place}{}; hint: {}", finding.what, finding.fix));
    }
    let (text, style) = match survey.protection {
        Protection::Enforced => ("Enforced install: managed settings hold the hooks.", Style::Good),
        Protection::Advisory => (
            "Advisory install: a repository can switch these hooks off with `disableAllHooks` in its own settings. \
             `circinus doctor` tells when one does; only managed settings cannot be switched off.",
            Style::Plain,
        ),
        Protection::Absent => ("The hooks are written, and NOT in force: see the warnings.", Style::Bad),
    };
    ui.paragraph(text, style);
    ui.paragraph("Check it with `circinus doctor`, undo it with `circinus uninstall`.", Style::Plain);
    survey.protection
}
