//! A cheap look at inline code of other languages: which calls it names, and with which literal operands.
//!
//! This is no parser. It may only make an action stricter, and only for names that do little else.

use circinus_core::action::Tier;
use circinus_core::effect::Effect;

use super::super::guard;
use super::super::machine::Machine;
use super::super::value::Arg;
use super::{environment, reach, removal};
use crate::place::Region;

/// Calls that run a program.
const RUNS: &[&str] = &[
    "os.system",
    "subprocess",
    "os.popen",
    "os.exec",
    "pty.spawn",
    "child_process",
    "execSync",
    "spawnSync",
    "system(",
    "popen(",
    "Kernel.exec",
    "IO.popen",
    "shell_exec",
    "Bun.spawn",
    "Deno.Command",
    "os.spawn",
    "shell-command",
    "call-process",
    "start-process",
    "__import__(",
    "TIOCSTI",
];
/// The same in languages whose words for it mean something else in others.
const RUNS_OTHER: &[&str] = &[
    "exec ",
    "exec(",
    "exec\"",
    "exec'",
    "`",
    "%x",
    "qx",
    "passthru(",
    "proc_open",
    "os.execute",
    "io.popen",
    "do shell script",
    "do script",
    "keystroke",
    "key code",
    "system ",
    "system\"",
    "system'",
    "System.cmd",
    "sys.process",
    "callCommand",
    "callProcess",
    "createProcess",
    "ProcessBuilder",
    "getRuntime",
    "(sh ",
    "run(`",
    "Process(",
    "Process()",
];
/// Calls that remove files.
const REMOVES: &[&str] = &[
    "rmtree",
    "os.remove",
    "os.unlink",
    ".unlink(",
    "os.rmdir",
    "rmSync",
    "unlinkSync",
    "rmdirSync",
    "fs.rm(",
    "fs.unlink",
    "FileUtils.rm",
    "unlink glob",
    "unlink(",
    "unlink ",
    "File.unlink",
    "delete-file",
    "delete-directory",
    "rimraf",
    "File.delete",
    "rm_rf",
    "remove_tree",
    "Deno.remove",
];
/// Calls that remove trees.
const REMOVES_TREES: &[&str] =
    &["rmtree", "recursive", "delete-directory", "rm_rf", "remove_tree", "rimraf", "unlink glob"];
/// Calls that talk to another machine and may carry a body.
const SENDS: &[&str] = &[
    "requests.post",
    "requests.put",
    "requests.patch",
    "requests.delete",
    "urlopen(",
    "http.client",
    "socket.",
    "smtplib",
    "httpx.post",
    "Net::HTTP.post",
    "net.connect",
    "LWP::",
    "IO::Socket",
    "XMLHttpRequest",
    "paramiko",
    "ftplib",
    "boto3",
    "TCPSocket",
];
/// Names of calls that install a package.
const INSTALLS: &[&str] =
    &["install.packages", "install_github", "BiocManager::install", "Pkg.add", "pip.main", "pip._internal"];
/// Calls that read from another machine.
const FETCHES: &[&str] = &[
    "requests.get",
    "urllib",
    "fetch(",
    "httpx.get",
    "axios",
    "http.get",
    "https.get",
    "open-uri",
    "URI.open",
];
/// Decoding right before running: what runs cannot be read off.
const DECODES: &[&str] =
    &["b64decode", "base64", "fromhex", "atob(", "decode64", "unhexlify", "marshal", "codecs.decode"];
/// Running of computed text.
const EVALUATES: &[&str] = &["exec(", "eval(", "Function(", "compile("];
/// Calls that change a file in another way.
const CHANGES: &[&str] =
    &[".chmod(", ".rename(", ".replace(", ".chown(", ".symlink", "chmodSync", "renameSync"];
/// Words of an argument vector that are taken for one command line.
const VECTOR_MAX: usize = 8;
/// Argument vectors that are looked at.
const VECTORS_MAX: usize = 8;
/// Literals looked at.
const LITERALS_MAX: usize = 256;

pub(super) fn scan(machine: &mut Machine<'_>, by: &str, language: &str, text: &str) {
    let has = |names: &[&str]| names.iter().any(|name| text.contains(name));
    let (removes, runs) = (has(REMOVES), has(RUNS) || language == "other" && has(RUNS_OTHER));
    if has(EVALUATES) && has(DECODES) {
        machine.found.opaque();
    }
    let pipes = language == "awk" && (text.contains("| \"") || text.contains("|\"") || text.contains("\" |"));
    if runs || pipes {
        // What runs may be computed, so the literals are not all of it.
        machine.found.raise(Tier::T2);
    }
    if runs && has(DECODES) {
        machine.found.opaque();
    }
    if (runs || has(SENDS)) && guard::speaks(text) {
        machine.found.guard();
    }
    if removes && has(REMOVES_TREES) {
        machine.found.effect(Effect::Destroy);
        machine.found.raise(Tier::T2);
        if removal::removes_home(text, REMOVES) {
            machine.found.catastrophe();
        }
    }
    if text.trim_start().starts_with("rm ") {
        // A command line that was given to the wrong program; it would do no good in the right one either.
        machine.inner_shell(text);
    }
    let literals = literals(text);
    let fetches = has(FETCHES);
    let secrets = reach::secrets(machine, text, &literals);
    let loads = literals.iter().any(|literal| reach::loads(text, literal));
    let executes = reach::evaluates(language, text) || runs && fetches || loads;
    if has(INSTALLS) {
        machine.found.effect(Effect::Install);
        machine.found.raise(Tier::T2);
    }
    let sends = has(SENDS) || fetches && (text.contains("POST") || text.contains("method:"));
    // An address beside a secret, or beside what runs text, is talked to, whatever the call is named.
    let talks = sends || fetches || executes || !secrets.secrets.is_empty();
    if !talks {
        environment::shown(machine, by, text);
    }
    let writes =
        has(CHANGES) || text.contains("open(") || text.contains("writeFile") || text.contains("write_text");
    let mut peers = reach::Peers::new(by, sends, secrets);
    if runs {
        vectors(machine, &literals);
    }
    for literal in literals {
        if talks && literal.contains("://") {
            peers.meet(machine, literal);
        }
        if (runs || pipes) && literal.contains(' ') {
            machine.inner_shell(literal);
        }
        paths(machine, by, literal, removes, text, writes);
    }
    peers.judge(machine, executes);
    if sends {
        machine.found.effect(Effect::Send);
        machine.found.raise(Tier::T2);
    } else if fetches {
        machine.found.effect(Effect::Fetch);
    }
}

/// An argument vector (`["rm", "-r", "x"]`): its words joined are a command line.
fn vectors(machine: &mut Machine<'_>, literals: &[&str]) {
    let removals = literals.iter().enumerate().filter(|(_, word)| ["rm", "shred", "dd"].contains(*word));
    for (at, _) in removals.take(VECTORS_MAX) {
        let words = literals.iter().skip(at).take_while(|word| !word.contains(' ')).take(VECTOR_MAX);
        machine.inner_shell(&words.copied().collect::<Vec<_>>().join(" "));
    }
}

fn paths(machine: &mut Machine<'_>, by: &str, literal: &str, removes: bool, text: &str, writes: bool) {
    let literal = literal.trim();
    if !literal.starts_with(['/', '~', '.'])
        || literal.contains(['\n', ' '])
        || literal.len() < 2
        || literal.contains("://")
    {
        return;
    }
    let place = machine.place(&Arg::literal(literal));
    if guard::names(machine, &Arg::literal(literal)) {
        machine.found.guard();
    }
    if removes && (place.region == Region::Outside || place.vital) && literal.contains('/') {
        let recursive = REMOVES_TREES.iter().any(|name| text.contains(name));
        machine.found.deletes_place(by, &place, recursive);
    } else if place.secret {
        machine.found.reads_place(by, &place, true);
    } else if writes && (place.persists.is_some() || place.guard) {
        machine.found.writes_place(by, &place, circinus_core::action::WriteSource::Local, false);
    }
}

/// What stands between quotes, in the order of appearance; escapes are left as they are.
fn literals(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`', '(']) {
        if found.len() >= LITERALS_MAX {
            break;
        }
        let quote = rest.get(at..).and_then(|tail| tail.chars().next()).unwrap_or('"');
        let end = if quote == '(' { ')' } else { quote };
        let tail = rest.get(at + 1..).unwrap_or_default();
        let Some(length) = tail.find([end, '\n']) else {
            rest = tail;
            continue;
        };
        let inside = tail.get(..length).unwrap_or_default();
        if quote == '(' {
            // perl's q(…); any other parenthesis holds literals of its own.
            if inside.starts_with(['~', '/']) {
                found.push(inside);
            }
            rest = tail;
        } else {
            found.push(inside);
            rest = tail.get(length + 1..).unwrap_or_default();
        }
    }
    found
}
