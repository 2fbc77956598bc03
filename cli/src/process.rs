//! What the system says about a process: proc(5). Nothing here is the process's own word, except its
//! arguments and its environment.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::UNIX_EPOCH;

use circinus_core::event::Process;
use rustix::process::{Pid, Resource, Rlimit, prlimit};

/// Ancestors followed upwards; a real tree has under twenty.
const ANCESTORS_MAX: usize = 64;

/// Bytes of /proc/PID/stat: fifty numbers of at most twenty digits, and a name of at most 64 bytes.
const STAT_BYTES_MAX: usize = 2 << 10;

/// Bytes of a command line or an environment that are looked at.
const TEXT_BYTES_MAX: usize = 64 << 10;

/// Major numbers of terminals: consoles and serial lines, and the slaves of pseudo-terminals (Linux,
/// Documentation/admin-guide/devices.txt).
const CONSOLE: u32 = 4;
const PSEUDO: std::ops::RangeInclusive<u32> = 136..=143;

/// The limit that carries a mark: Linux has had no use for it since 2.4.25 (setrlimit(2), RLIMIT_LOCKS), so its
/// value changes nothing. Whatever a process starts inherits it, through every fork, session and environment,
/// and nobody but the superuser raises it again.
const MARKED: Resource = Resource::Locks;

/// The line of proc_pid_limits(5) with that limit.
const MARKED_LINE: &str = "Max file locks";

/// A mark: this in the highest byte, the start of the marked process in the next 34 bits, and its id.
const MARK: u64 = 0x43 << 56;
const PID_BITS: u32 = 22;

/// The facts of proc_pid_stat(5) that are used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The process.
    pub process: Process,
    /// Its parent.
    pub parent: u32,
    /// Its controlling terminal as a device number; 0 for none.
    pub terminal: u32,
}

/// Looks a process up; none when there is none (any more) or the system does not tell.
pub fn stat(pid: u32) -> Option<Stat> {
    let mut text = [0; STAT_BYTES_MAX];
    // One read: the system makes the whole text at the first one, and a file of no length would be read in eight.
    let bytes = fs::File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut text).ok()?;
    parse(pid, &String::from_utf8_lossy(text.get(..bytes)?))
}

fn parse(pid: u32, text: &str) -> Option<Stat> {
    // The name may hold anything, a parenthesis included: what follows the last one is numbers.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |place: usize| fields.get(place).copied();
    Some(Stat {
        parent: field(1)?.parse().ok()?,
        terminal: field(4)?.parse::<i32>().ok()?.cast_unsigned(),
        process: Process { pid, started: field(19)?.parse().ok()? },
    })
}

/// The parent of a process, its parent, and so on.
pub fn ancestors(pid: u32) -> impl Iterator<Item = Process> {
    let above = |stat: &Stat| self::stat(stat.parent);
    std::iter::successors(stat(pid), above).skip(1).take(ANCESTORS_MAX).map(|stat| stat.process)
}

/// Whether the process lives; one that only waits to be reaped speaks for nobody.
pub fn is_alive(process: Process) -> bool {
    stat(process.pid).is_some_and(|stat| stat.process == process)
}

/// Marks a process and whatever it will start. One that carries a mark keeps it.
///
/// # Errors
///
/// The system's: the process is gone, or another user's.
pub fn mark(process: Process) -> rustix::io::Result<()> {
    match marked_by(process.pid) {
        Some(Process { pid: 0, .. }) => return Err(rustix::io::Errno::PERM),
        Some(_) => return Ok(()),
        None => {}
    }
    let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw).ok_or(rustix::io::Errno::SRCH)?;
    let mark = Some(MARK | (process.started << PID_BITS) & !(0xff << 56) | u64::from(process.pid));
    prlimit(Some(pid), MARKED, Rlimit { current: mark, maximum: mark }).map(drop)
}

/// The process whose mark a process carries: its own, or that of the one that it descends from.
///
/// A limit can be lowered by anybody, which leaves no mark but a trace: then a process that there is none of, with
/// the number 0.
pub fn marked_by(pid: u32) -> Option<Process> {
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix(MARKED_LINE))?;
    let mark: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    if mark >> 56 != MARK >> 56 {
        return Some(Process { pid: 0, started: 0 });
    }
    Some(Process { pid: (mark & ((1 << PID_BITS) - 1)) as u32, started: (mark & !(0xff << 56)) >> PID_BITS })
}

/// The file that a process runs, without the mark of a file that was replaced since.
pub fn executable(pid: u32) -> Option<String> {
    let path = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let path = path.to_string_lossy();
    Some(path.strip_suffix(" (deleted)").unwrap_or(&path).to_owned())
}

/// The arguments of a process, its name first.
pub fn arguments(pid: u32) -> Vec<String> {
    strings(&format!("/proc/{pid}/cmdline"))
}

/// The environment that a process was started with.
pub fn environment(pid: u32) -> Vec<String> {
    strings(&format!("/proc/{pid}/environ"))
}

fn strings(file: &str) -> Vec<String> {
    let mut bytes = fs::read(file).unwrap_or_default();
    bytes.truncate(TEXT_BYTES_MAX);
    let text = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    if text.is_empty() {
        return Vec::new();
    }
    text.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}

/// A path with the time of its last change, in seconds since the Unix epoch.
pub fn dated(path: &str) -> String {
    let changed = fs::metadata(path).and_then(|file| file.modified()).ok();
    let seconds =
        changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map_or(0, |since| since.as_secs());
    format!("{path}@{seconds}")
}

/// The device file of a terminal.
pub fn terminal(device: u32) -> Option<String> {
    let (major, minor) = numbers(device);
    match major {
        CONSOLE => Some(format!("/dev/tty{minor}")),
        _ if PSEUDO.contains(&major) => Some(format!("/dev/pts/{}", pseudo_terminal(major, minor))),
        _ => None,
    }
}

fn numbers(device: u32) -> (u32, u32) {
    ((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00))
}

fn pseudo_terminal(major: u32, minor: u32) -> u32 {
    (major - PSEUDO.start()) * 256 + minor
}

/// Processes of this user that hold the other end of a pseudo-terminal: whoever can type into it.
pub fn holders(device: u32) -> Vec<u32> {
    let (major, minor) = numbers(device);
    if !PSEUDO.contains(&major) {
        return Vec::new();
    }
    let wanted = format!("tty-index:\t{}", pseudo_terminal(major, minor));
    let names = |folder: &str| fs::read_dir(folder).into_iter().flatten().flatten();
    let pids = names("/proc").filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        names(&format!("/proc/{pid}/fd")).any(|entry| {
            let master = fs::read_link(entry.path()).is_ok_and(|file| is_multiplexer(&file));
            let facts = Path::new(&format!("/proc/{pid}/fdinfo")).join(entry.file_name());
            master && fs::read_to_string(facts).is_ok_and(|facts| facts.lines().any(|line| line == wanted))
        })
    })
    .collect()
}

fn is_multiplexer(file: &Path) -> bool {
    matches!(file.to_str(), Some("/dev/ptmx" | "/dev/pts/ptmx"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let line = "7 (a) b) (c)) S 5 7 7 34819 7 4194304 1 0 0 0 0 0 0 0 20 0 1 0 98765 1 1";
        let stat = parse(7, line).unwrap();
        assert_eq!((stat.parent, stat.process.started), (5, 98_765));
        assert_eq!(terminal(stat.terminal).as_deref(), Some("/dev/pts/3"));
        assert_eq!(parse(7, "7 (cut"), None);
    }

    #[test]
    fn this_process_is_found_below_its_parent() {
        let own = std::process::id();
        let stat = stat(own).unwrap();
        assert!(is_alive(stat.process));
        assert!(!is_alive(Process { started: stat.process.started + 1, ..stat.process }));
        assert_eq!(ancestors(own).next().map(|parent| parent.pid), Some(stat.parent));
        assert!(!arguments(own).is_empty() && executable(own).is_some());
    }

    #[test]
    fn a_mark_is_inherited_and_kept() {
        let start = || {
            let mut shell = std::process::Command::new("sh");
            let shell = shell.args(["-c", "read x; env -i setsid sh -c 'cat /proc/self/limits'"]);
            shell.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap()
        };
        let mut shell = start();
        let process = stat(shell.id()).unwrap().process;
        assert_eq!(marked_by(process.pid), None);
        mark(process).unwrap();
        assert_eq!(marked_by(process.pid), Some(process));
        mark(Process { started: process.started + 1, ..process }).unwrap();
        assert_eq!(marked_by(process.pid), Some(process));
        let own = fs::read_to_string(format!("/proc/{}/limits", process.pid)).unwrap();
        let line = own.lines().find(|line| line.starts_with(MARKED_LINE)).unwrap().to_owned();
        drop(shell.stdin.take());
        let inherited = shell.wait_with_output().unwrap().stdout;
        assert!(String::from_utf8(inherited).unwrap().contains(&line));
        assert!(mark(process).is_err(), "it is gone");
    }

    #[test]
    fn a_mark_that_was_lowered_leaves_a_trace() {
        let script = "ulimit -x 7 && setsid cat /proc/self/limits";
        let limits = std::process::Command::new("bash").args(["-c", script]).output().unwrap().stdout;
        let limits = String::from_utf8(limits).unwrap();
        assert!(limits.lines().any(|line| line.starts_with(MARKED_LINE) && line.contains(" 7 ")), "{limits}");
        let mut child = std::process::Command::new("bash");
        let child = child.args(["-c", "ulimit -x 7; echo; read x"]);
        let mut child =
            child.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        assert_eq!(marked_by(child.id()), Some(Process { pid: 0, started: 0 }));
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn the_other_end_of_a_terminal_is_found() {
        let flags = rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY;
        let master = rustix::pty::openpt(flags).unwrap();
        let name = rustix::pty::ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let number: u32 = name.strip_prefix("/dev/pts/").unwrap().parse().unwrap();
        let device = (136 << 8) | (number & 0xff) | ((number & !0xff) << 12);
        assert_eq!(terminal(device), Some(name));
        assert!(holders(device).contains(&std::process::id()));
    }
}
