//! Variables that make programs load or run what they name.

use circinus_core::action::{SlotValue, Tier};
use circinus_core::effect::Effect;

use super::code;
use super::machine::Machine;
use super::value::Arg;
use crate::place::Region;

/// Variables whose value is a file (or a list of files) that is loaded.
const FILES: &[&str] = &[
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "BASH_ENV",
    "ENV",
    "PYTHONSTARTUP",
    "PERL5LIB",
    "RUBYLIB",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG",
    "GCONV_PATH",
    "LESSKEY",
    "LESSKEYIN",
    "PERL5DB",
    "INPUTRC",
    "ZDOTDIR",
];
/// Variables whose value is a directory that code is found in.
const DIRECTORIES: &[&str] = &["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR"];
/// Variables whose value is options of a program, and words of theirs that make it run something.
const FLAGS: &[&str] = &[
    "MAKEFLAGS",
    "GNUMAKEFLAGS",
    "GOFLAGS",
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "JAVA_TOOL_OPTIONS",
    "PERL5OPT",
    "RUBYOPT",
];
const RUNNING: &[&str] =
    &["--eval", "$(", "-toolexec", "linker=", "-javaagent", "-agentpath", "-M", "-r", "-f"];
/// Variables whose value is a command line.
const COMMANDS: &[&str] = &[
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "PROMPT_COMMAND",
    "LESSOPEN",
    "LESSCLOSE",
    "PAGER",
    "GIT_PAGER",
    "EDITOR",
    "VISUAL",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "MANPAGER",
    "BROWSER",
    "RUSTC_WRAPPER",
    "RUSTC",
    "CC",
    "CXX",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "RSYNC_RSH",
    "TAR_OPTIONS",
    "CVS_RSH",
    "SVN_SSH",
    "SYSTEMD_PAGER",
    "PERLDB_OPTS",
];
/// Variables that hold options of an interpreter.
const OPTIONS: &[&str] = &[
    "NODE_OPTIONS",
    "PERL5OPT",
    "RUBYOPT",
    "PYTHONWARNINGS",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "BASH_FUNC",
];
/// Variables that direct traffic to another host.
const HOSTS: &[&str] =
    &["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOPROXY", "DOCKER_HOST", "GH_HOST", "GITLAB_HOST"];
/// Variables whose value is a file of settings, which can name what runs or whom to talk to.
const SETTINGS: &[&str] = &[
    "KUBECONFIG",
    "TF_CLI_CONFIG_FILE",
    "DOCKER_CONFIG",
    "AWS_CONFIG_FILE",
    "OPENSSL_CONF",
    "BUNDLE_GEMFILE",
];
/// The same by the ends of their names: tools name such variables after themselves.
const COMMAND_ENDS: &[&str] =
    &["_WRAPPER", "_RUNNER", "_LINKER", "_PAGER", "_EDITOR", "_BROWSER", "_ASKPASS", "_SHELL", "_RSH"];
const HOST_ENDS: &[&str] = &["_REGISTRY", "_INDEX", "_INDEX_URL", "_PROXY", "_MIRROR"];
const SETTINGS_ENDS: &[&str] = &["_CONFIG_FILE", "_USERCONFIG", "_GLOBALCONFIG"];
/// Programs that editors and pagers are set to so that nothing waits for a person.
const HARMLESS: &[&str] = &[
    "cat", "less", "more", "true", ":", "vi", "vim", "nano", "code", "emacs", "gcc", "g++", "clang",
    "clang++", "cc", "c++", "rustc", "sccache",
];

/// Looks at an assignment.
pub(super) fn assigned(machine: &mut Machine<'_>, name: &str, value: &Arg) {
    // Settings of git by environment (git-config(1)).
    if name.starts_with("GIT_CONFIG_KEY_") || name == "GIT_CONFIG_PARAMETERS" {
        super::git::setting(machine, &value.with_text(&format!("{}=*", value.text.trim_matches('\''))));
    }
    if name == "TAPE" && value.text.contains(':') {
        machine.found.effect(Effect::Send);
        machine.found.raise(Tier::T2);
    }
    if FLAGS.contains(&name) && RUNNING.iter().any(|word| value.text.contains(word)) {
        machine.found.opaque_by("options in a variable that run something");
    }
    if name.starts_with("CIRCINUS_") {
        machine.found.guard();
    }
    if matches!(name, "CLAUDE_CODE_SIMPLE" | "CLAUDE_CONFIG_DIR") {
        machine.found.guard();
    }
    if value.text.is_empty() {
        return;
    }
    if FILES.contains(&name) {
        for part in value.text.split([':', ' ']).filter(|part| !part.is_empty()) {
            code::run_file(machine, name, &value.with_text(part), None);
        }
        machine.found.raise(Tier::T2);
    } else if DIRECTORIES.contains(&name) {
        machine.found.effect(Effect::Exec);
        directory(machine, name, value);
    } else if name == "PATH" {
        path_list(machine, value);
    } else if COMMANDS.contains(&name) && !HARMLESS.contains(&value.text.as_str()) {
        machine.text_value(value);
    } else {
        by_meaning(machine, name, value);
    }
}

/// Variables that are known by what their names end in.
fn by_meaning(machine: &mut Machine<'_>, name: &str, value: &Arg) {
    let upper = name.to_ascii_uppercase();
    // What a script calls its own variables is no option of a tool.
    let of_tool = upper == name || name.starts_with("npm_config_");
    let ends = |ends: &[&str]| of_tool && ends.iter().any(|end| upper.ends_with(end));
    if OPTIONS.iter().any(|option| upper.ends_with(option)) {
        options(machine, name, value);
    } else if SETTINGS.contains(&name) || ends(SETTINGS_ENDS) {
        settings(machine, name, value);
    } else if ends(COMMAND_ENDS) && value.text.contains(['/', ' ']) {
        machine.text_value(value);
    } else if HOSTS.contains(&name) || ends(HOST_ENDS) && upper != "NO_PROXY" {
        value.text.split([',', '|', ' ']).for_each(|part| host(machine, name, part));
    }
}

/// A host that traffic goes through from here on.
fn host(machine: &mut Machine<'_>, name: &str, part: &str) {
    let operands = machine.looks_remote(part).or_else(|| super::found::address(part, &machine.around.paths));
    if let Some(operands) = operands.filter(|operands| !super::found::is_loopback(operands)) {
        machine.found.raise(Tier::T2);
        machine.found.slot(name, Effect::Send, SlotValue::Operands(operands), Tier::T2);
    }
}

/// A file of settings, or several: one's own are an everyday matter, what lies in scratch space is nobody's.
fn settings(machine: &mut Machine<'_>, name: &str, value: &Arg) {
    for part in value.text.split(':').filter(|part| !part.is_empty()) {
        let place = machine.place(&value.with_text(part));
        if place.region == Region::Temp {
            machine.found.raise(Tier::T2);
        }
        if let Some(operand) = place.operand {
            machine.found.slot(name, Effect::Exec, SlotValue::File(operand), Tier::T2);
        }
    }
}

/// A directory that programs come from: whoever can write there decides what runs.
fn directory(machine: &mut Machine<'_>, name: &str, value: &Arg) {
    for part in value.text.split(':').filter(|part| !part.is_empty() && !part.starts_with('$')) {
        let place = machine.place(&value.with_text(part));
        if let Some(operand) = place.operand {
            machine.found.slot(name, Effect::Exec, SlotValue::Operands(operand.expand()), Tier::T2);
        }
    }
}

/// Tools of the user are commonly put on the path; what lies in the workspace or in scratch space and comes
/// first can stand in for any program.
fn path_list(machine: &mut Machine<'_>, value: &Arg) {
    let first = value.text.split(':').next().unwrap_or_default();
    let tools = ["node_modules/.bin", ".venv/bin", "venv/bin", "/bin"].iter().any(|end| first.ends_with(end));
    if !first.is_empty() && !first.starts_with('$') {
        directory(machine, "PATH", &value.with_text(first));
        if !tools {
            machine.found.raise(Tier::T2);
        }
    }
}

fn options(machine: &mut Machine<'_>, name: &str, value: &Arg) {
    let words: Vec<_> = value.text.split(' ').collect();
    for pair in words.windows(2) {
        let &[option, file] = pair else { continue };
        if matches!(option, "-r" | "--require" | "--import" | "--loader" | "--experimental-loader") {
            code::run_file(machine, name, &value.with_text(file), Some("node"));
            machine.found.raise(Tier::T2);
        }
    }
    for word in words {
        let loaded = ["--require=", "--import=", "--loader=", "-javaagent:", "-I", "-M", "-r"]
            .iter()
            .find_map(|prefix| word.strip_prefix(prefix).filter(|file| !file.is_empty()));
        if let Some(file) = loaded {
            code::run_file(machine, name, &value.with_text(file), None);
            machine.found.raise(Tier::T2);
        }
    }
}

impl Machine<'_> {
    /// A value that a program will run as a shell command line.
    pub(super) fn text_value(&mut self, value: &Arg) {
        self.found.effect(Effect::Exec);
        self.found.raise(Tier::T2);
        code::run_code(self, "variable", "shell", &value.stream());
    }
}
