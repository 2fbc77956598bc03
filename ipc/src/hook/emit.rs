//! The last step: output in one write, and an exit code that says so when it did not arrive.

use super::{EXIT_REFUSED, Outcome};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat, major, minor};
use rustix::io::{Errno, write};
use std::os::fd::{AsFd, BorrowedFd};

/// Time that a reader who set its pipe to non-blocking gets to make room.
const WRITE_WAIT_MAX: Timespec = Timespec { tv_sec: 3, tv_nsec: 0 };

/// Writes an outcome; returns the exit code.
///
/// An answer that could not be written whole is a refusal. The null device counts as "not written": a program that
/// is started with its standard output closed finds the null device there, and a denial must not vanish in it.
pub fn emit(outcome: &Outcome, stdout: impl AsFd, stderr: impl AsFd) -> u8 {
    let (stdout, stderr) = (stdout.as_fd(), stderr.as_fd());
    if outcome.stdout.is_empty() || (!is_null_device(stdout) && write_all(stdout, &outcome.stdout).is_ok()) {
        // The host needs no text to act on the exit code, so a closed standard error changes nothing.
        let _unread = write_all(stderr, &outcome.stderr);
        return outcome.exit;
    }
    let _unread = write_all(stderr, b"circinus: the answer could not be written: refused\n");
    EXIT_REFUSED
}

fn is_null_device(fd: BorrowedFd<'_>) -> bool {
    // Linux: the null device is character device 1:3.
    fstat(fd).is_ok_and(|stat| {
        FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice
            && (major(stat.st_rdev), minor(stat.st_rdev)) == (1, 3)
    })
}

fn write_all(fd: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match write(fd, bytes) {
            Ok(0) => return Err(Errno::IO),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                if poll(&mut [PollFd::new(&fd, PollFlags::OUT)], Some(&WRITE_WAIT_MAX))? == 0 {
                    return Err(Errno::TIMEDOUT);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Read;

    fn outcome() -> Outcome {
        Outcome { exit: 0, stdout: b"{}".to_vec(), stderr: b"text\n".to_vec() }
    }

    #[test]
    fn output_and_exit_code_are_passed_on() {
        let (mut out, stdout) = std::io::pipe().unwrap();
        let (mut err, stderr) = std::io::pipe().unwrap();
        assert_eq!(emit(&outcome(), &stdout, &stderr), 0);
        drop((stdout, stderr));
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        err.read_to_string(&mut text).unwrap();
        assert_eq!(text, "{}text\n");
    }

    #[test]
    fn an_answer_that_nobody_reads_is_a_refusal() {
        let null = File::options().write(true).open("/dev/null").unwrap();
        assert_eq!(emit(&outcome(), &null, &null), EXIT_REFUSED);
        let (out, stdout) = std::io::pipe().unwrap();
        drop(out);
        assert_eq!(emit(&outcome(), &stdout, &null), EXIT_REFUSED);
    }

    #[test]
    fn no_output_needs_no_reader() {
        let null = File::options().write(true).open("/dev/null").unwrap();
        let silent = Outcome { exit: 0, stdout: Vec::new(), stderr: Vec::new() };
        assert_eq!(emit(&silent, &null, &null), 0);
    }
}
