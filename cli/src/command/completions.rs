//! `circinus completions SHELL`: the completion script of a shell, on standard output.

use clap::Args;
use clap_complete::Shell;

use crate::exit::Exit;
use crate::ui::Ui;

/// Arguments of `circinus completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Where the script belongs, for example:
  bash  ~/.local/share/bash-completion/completions/circinus
  zsh   a folder of $fpath, as _circinus
  fish  ~/.config/fish/completions/circinus.fish")]
pub struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// Runs the command.
pub fn run(args: &CompletionsArgs, ui: &mut Ui) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command_line(), "circinus", &mut script);
    ui.raw(String::from_utf8_lossy(&script));
    Exit::Ok
}
