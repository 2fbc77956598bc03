//! Processes: the two programs, the daemons of one home, and waiting for what must come.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Longest wait for something that must come; reaching it fails the test.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// The command line program.
pub(super) fn circinus() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_circinus"))
}

/// The hook program beside it. It belongs to another package, so a build of this package alone does not make it.
pub(super) fn circinus_hook() -> &'static Path {
    static HOOK: OnceLock<PathBuf> = OnceLock::new();
    HOOK.get_or_init(|| {
        let hook = circinus().with_file_name("circinus-hook");
        if !hook.is_file() {
            build_hook(circinus().parent().unwrap());
        }
        assert!(hook.is_file(), "{} is missing", hook.display());
        hook
    })
}

fn build_hook(folder: &Path) {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "-p", "circinus-ipc", "--bin", "circinus-hook", "--target-dir"]);
    build.arg(folder.parent().unwrap()).current_dir(env!("CARGO_MANIFEST_DIR"));
    if folder.ends_with("release") {
        build.arg("--release");
    }
    assert!(build.status().unwrap().success());
}

/// Waits, bounded, until `there` holds.
#[track_caller]
pub(super) fn until(what: &str, mut there: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !there() {
        assert!(Instant::now() < deadline, "not within {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Process ids of the daemons that serve `home`, found by their command line and environment.
pub(super) fn daemons(home: &Path) -> Vec<i32> {
    let home = format!("CIRCINUS_HOME={}\0", home.display());
    let pids =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(|pid: &i32| {
        let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let environment = read("environ");
        read("cmdline").ends_with(b"\0daemon\0run\0")
            && environment.windows(home.len()).any(|part| part == home.as_bytes())
    })
    .collect()
}

/// Whether a process has ended; one that nobody has reaped yet has, once none of its threads is left: a
/// thread that is still on its way out holds the locks.
pub(super) fn has_ended(pid: i32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    let threads = fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    stat.rsplit(')').next().unwrap().trim_start().starts_with('Z') && threads <= 1
}

/// Sends a signal to a process that this test started.
pub(super) fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}
