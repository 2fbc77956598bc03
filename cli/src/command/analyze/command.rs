//! `circinus analyze command`: the analysis that the gate decides on, with the reasons that it left behind.

mod json;
mod show;

use std::env;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use circinus_analyzer::Surroundings;
use circinus_analyzer::command::{CommandAnalysis, Step, analyze_in_steps};
use circinus_core::action::Flags;
use clap::Args;
use thiserror::Error;

use super::super::Context;
use crate::config::CommandOverlay;
use crate::daemon::Site;
use crate::daemon::files::workspace_of;
use crate::exit::Exit;
use crate::ui::Ui;

/// Bytes read of a command on standard input; far more than what is not opaque for its length.
const COMMAND_BYTES_MAX: u64 = 1 << 20;

/// Arguments of `circinus analyze command`.
#[derive(Debug, Args)]
#[command(after_help = "\
Any text has an analysis, so the exit code is 0 for any text; what is not
understood has flag `opaque`. Nothing is run, and no file of the command is read.

JSON (schema 1; fields are only added): schema, command, tier (T0 to T3),
tier_on_gap (the tier if a slot's value turns out to have a gap), effects,
flags (with those that hold unless a value is granted), flags_unless_granted,
programs, slots, reads, writes, source, why, overlay.")]
pub struct CommandArgs {
    /// The command as one word, or `-` to read it from standard input.
    command: OsString,
    /// The directory that it would run in [default: this one].
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// The user's home [default: $HOME].
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// The agent's workspace [default: the repository around --cwd, else --cwd].
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Why there is no analysis.
#[derive(Debug, Error)]
enum AnalyzeError {
    #[error("cannot read the command from standard input: {0}; hint: give it as an argument")]
    Stdin(io::Error),
    #[error("cannot tell the working directory: {0}; hint: give --cwd")]
    Cwd(io::Error),
    #[error("{name} {} is not an absolute path; hint: begin it with /", path.display())]
    Relative { name: &'static str, path: PathBuf },
}

/// What there is to show.
struct Understood<'c> {
    text: String,
    analysis: CommandAnalysis,
    steps: Vec<Step>,
    /// Flags that hold unless a root grants the value of a slot.
    unless_granted: Flags,
    commands: &'c CommandOverlay,
}

/// Runs the command.
pub fn run(args: &CommandArgs, context: Option<&Context>, ui: &mut Ui) -> Exit {
    let commands = context.map(|context| context.site.commands.clone()).unwrap_or_default();
    let understood = match understand(args, context.map(|context| &context.site), &commands) {
        Ok(understood) => understood,
        Err(error) => {
            ui.error(&error);
            return Exit::Refused;
        }
    };
    if let Some(refused) = &commands.refused {
        ui.warning(&format!("the built-in command table alone holds: {refused}"));
    }
    if args.json {
        ui.line(json::of(&understood));
    } else {
        show::print(&understood, ui);
    }
    Exit::Ok
}

fn understand<'c>(
    args: &CommandArgs,
    site: Option<&Site>,
    commands: &'c CommandOverlay,
) -> Result<Understood<'c>, AnalyzeError> {
    let text = text(args)?;
    let around = surroundings(args, site)?;
    let (analysis, steps) = analyze_in_steps(&text, &around);
    let unless_granted =
        analysis.slots.iter().fold(Flags::NONE, |flags, slot| flags.union(slot.flags_unless_granted));
    Ok(Understood { text, analysis, steps, unless_granted, commands })
}

fn text(args: &CommandArgs) -> Result<String, AnalyzeError> {
    if args.command != "-" {
        return Ok(args.command.to_string_lossy().into_owned());
    }
    let mut bytes = Vec::new();
    io::stdin().lock().take(COMMAND_BYTES_MAX).read_to_end(&mut bytes).map_err(AnalyzeError::Stdin)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Where the command would run; a home that is given has the files of Circinus and of the host at their usual
/// places.
fn surroundings(args: &CommandArgs, site: Option<&Site>) -> Result<Surroundings, AnalyzeError> {
    let cwd = match &args.cwd {
        Some(cwd) => cwd.clone(),
        None => env::current_dir().map_err(AnalyzeError::Cwd)?,
    };
    let cwd = absolute("--cwd", &cwd)?;
    let mut site = site.cloned().unwrap_or_else(|| Site {
        home: "/".into(),
        circinus_home: "/.local/share/circinus".into(),
        host_config_dirs: vec!["/.claude".into()],
        temp_dirs: vec!["/tmp".into()],
        commands: CommandOverlay::default(),
    });
    if let Some(home) = &args.home {
        let home = absolute("--home", home)?;
        let below = home.trim_end_matches('/');
        site.circinus_home = format!("{below}/.local/share/circinus").into();
        site.host_config_dirs = vec![format!("{below}/.claude").into()];
        site.home = home.into();
    }
    let workspace = match &args.workspace {
        Some(workspace) => absolute("--workspace", workspace)?,
        None => workspace_of(&cwd, &site.home),
    };
    Ok(site.around(&cwd, &workspace))
}

fn absolute(name: &'static str, path: &Path) -> Result<String, AnalyzeError> {
    if path.is_absolute() {
        Ok(path.to_string_lossy().into_owned())
    } else {
        Err(AnalyzeError::Relative { name, path: path.to_owned() })
    }
}
