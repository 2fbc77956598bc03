//! The host as a process: how it looks, how it starts hooks, and what it leaves in what its agent starts.

use std::path::Path;

use crate::process;

/// Names of the host's program.
const PROGRAMS: [&str; 2] = ["claude", "claude.exe"];

/// Part of the path of the host's script where an interpreter runs it.
const SCRIPT: &str = "/claude-code/";

/// Programs that run the host's script.
const INTERPRETERS: [&str; 3] = ["node", "bun", "deno"];

/// Shells that run a hook which is registered as one string.
const SHELLS: [&str; 4] = ["sh", "dash", "bash", "zsh"];

/// The variable that the host sets for everything its agent starts.
const MARKER: &str = "CLAUDECODE=";

/// Whether a process is a host, by the file it runs or the script that an interpreter runs.
pub fn is_host(pid: u32) -> bool {
    let named = |path: &str| PROGRAMS.iter().any(|name| file_name(path) == *name);
    let arguments = process::arguments(pid);
    let script = |text: &String| text.contains(SCRIPT);
    process::executable(pid).is_some_and(|path| named(&path) || path.contains(SCRIPT))
        || arguments.first().is_some_and(|name| named(name))
        || runs_a_script(pid) && arguments.iter().skip(1).any(script)
}

/// Whether a process was started by an agent, by the environment it was started with.
pub fn is_of_an_agent(pid: u32) -> bool {
    process::environment(pid).iter().any(|variable| variable.starts_with(MARKER))
}

/// Which program a host runs, told from other versions of it.
pub fn program(pid: u32) -> String {
    let executable = process::executable(pid).unwrap_or_default();
    let script = if runs_a_script(pid) { process::arguments(pid).into_iter().nth(1) } else { None };
    match script {
        Some(script) => format!("{executable} {}", process::dated(&script)),
        None => process::dated(&executable),
    }
}

fn runs_a_script(pid: u32) -> bool {
    process::executable(pid).is_some_and(|path| INTERPRETERS.contains(&file_name(&path)))
}

/// The process that started a hook: its parent, or the parent of the shell that runs the hook and nothing
/// else. A shell of the agent's runs more than that, and counts as the parent itself.
pub fn starter(hook: u32) -> Option<process::Stat> {
    let parent = process::stat(process::stat(hook)?.parent)?;
    let pid = parent.process.pid;
    let shell = process::executable(pid).is_some_and(|path| SHELLS.contains(&file_name(&path)));
    let arguments = if shell { process::arguments(pid) } else { Vec::new() };
    let only_the_hook = matches!(arguments.as_slice(), [_, option, command]
        if option == "-c" && is_the_hook(command));
    if only_the_hook { process::stat(parent.parent) } else { Some(parent) }
}

fn is_the_hook(command: &str) -> bool {
    let word = command.trim().trim_matches(['"', '\'']);
    word.ends_with("circinus-hook") && !word.contains(|c: char| c.is_whitespace() || "<>|&;$`\"'".contains(c))
}

fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::is_the_hook;

    #[test]
    fn only_a_command_that_is_the_hook_alone_is_the_hosts() {
        for command in ["/opt/bin/circinus-hook", "'/opt/bin/circinus-hook'", "\"/opt/circinus-hook\" "] {
            assert!(is_the_hook(command), "{command}");
        }
        for command in
            ["/opt/circinus-hook < f", "echo x | /opt/circinus-hook", "sh /opt/circinus-hook", "true"]
        {
            assert!(!is_the_hook(command), "{command}");
        }
    }
}
