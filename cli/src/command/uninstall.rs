//! `circinus uninstall`: takes our hooks out of the host's settings, and nothing else.

use std::path::{Path, PathBuf};

use clap::Args;

use super::setup::{Plan, Surroundings, ask, settings_paths, show, surroundings, write};
use crate::adapter::claude_code::settings::{Change, Scope, SettingsFile, Written, remove};
use crate::exit::Exit;
use crate::ui::Ui;

/// Options of `circinus uninstall`.
#[derive(Args, Clone, Debug)]
pub struct UninstallArgs {
    /// Whose settings to clean; may be given several times
    #[arg(long, value_enum, default_values_t = [Scope::User, Scope::Project, Scope::Local])]
    pub scope: Vec<Scope>,
    /// Clean managed settings, those for all users of this machine; needs the rights of root
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

/// What uninstall did to one file that held our entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UninstallReport {
    /// Whose settings.
    pub scope: Scope,
    /// The entries that were taken out.
    pub changes: Vec<Change>,
    /// What was written; `None` in a dry run or when it failed.
    pub written: Option<Written>,
}

/// Runs the command in this process.
pub fn run(args: UninstallArgs, ui: &mut Ui) -> Exit {
    surroundings(ui).map_or_else(|exit| exit, |around| uninstall(&args, &around, ui).1)
}

/// Takes our hooks out and reports what was done. One file that cannot be cleaned does not keep the others from it; the
/// worst end counts.
pub fn uninstall(args: &UninstallArgs, around: &Surroundings, ui: &mut Ui) -> (Vec<UninstallReport>, Exit) {
    let paths = match settings_paths(around, ui) {
        Ok(paths) => paths.with_managed_below(&args.root),
        Err(exit) => return (Vec::new(), exit),
    };
    let files = match args.managed {
        true => vec![(Scope::Managed, paths.managed_drop_in())],
        false => args.scope.iter().map(|scope| (*scope, paths.file(*scope))).collect(),
    };
    let (plans, mut exit) = plans(files, ui);
    if plans.is_empty() && exit == Exit::Ok {
        ui.line("no settings file holds our hooks");
    }
    for (_, plan) in &plans {
        show(plan, ui);
    }
    let mut reports = Vec::new();
    if args.dry_run {
        ui.line("dry run: nothing was written");
    } else if !plans.is_empty()
        && let Err(refused) = ask(args.yes, ui)
    {
        return (reports, exit.and(refused));
    }
    for (scope, plan) in plans {
        let changes = plan.edited.changes.clone();
        let mut written = None;
        if !args.dry_run {
            match write(plan, around.now_ms(), ui) {
                Ok(done) => written = Some(done),
                Err(failed) => exit = exit.and(failed),
            }
        }
        reports.push(UninstallReport { scope, changes, written });
    }
    (reports, exit)
}

/// The changes to the files that hold our entries, and how far looking at them went well.
fn plans(files: Vec<(Scope, PathBuf)>, ui: &mut Ui) -> (Vec<(Scope, Plan)>, Exit) {
    let mut seen = Vec::new();
    let mut plans = Vec::new();
    let mut exit = Exit::Ok;
    for (scope, path) in files {
        if seen.contains(&path) {
            continue;
        }
        match plan(&path, ui) {
            Ok(Some(plan)) => plans.push((scope, plan)),
            Ok(None) => {}
            Err(refused) => exit = exit.and(refused),
        }
        seen.push(path);
    }
    (plans, exit)
}

fn plan(path: &Path, ui: &mut Ui) -> Result<Option<Plan>, Exit> {
    let file = SettingsFile::read(path).map_err(|error| {
        ui.error(&error);
        Exit::Refused
    })?;
    let Some(text) = file.text() else {
        return Ok(None);
    };
    let name = path.display().to_string();
    let edited = remove(text).map_err(|error| {
        ui.error(&format_args!("{name}: {error}"));
        Exit::Refused
    })?;
    Ok((!edited.changes.is_empty()).then_some(Plan { name, file, edited }))
}
