//! Asking through a real hook process: one `circinus-hook` per event, as the host does it.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use wait_timeout::ChildExt;

use super::{ANSWER_WAIT_MAX, AskError, Gate, HookAnswer};

/// Most bytes read of a hook's output; a longer output is cut and then fails as an answer.
const OUTPUT_BYTES_MAX: u64 = 1024 * 1024;

/// Starts one hook process per event.
#[derive(Clone, Debug)]
pub struct SpawnGate {
    hook: PathBuf,
    environment: Vec<(&'static str, PathBuf)>,
}

impl SpawnGate {
    /// A gate that runs `hook` with `environment` added to the process's own.
    #[must_use]
    pub fn new(hook: &Path, environment: Vec<(&'static str, PathBuf)>) -> SpawnGate {
        SpawnGate { hook: hook.to_owned(), environment }
    }

    fn failed(&self, operation: &'static str) -> impl Fn(io::Error) -> AskError {
        let path = self.hook.clone();
        move |source| AskError::Hook { operation, path: path.clone(), source }
    }

    fn converse(&self, child: &mut Child, event: &[u8]) -> Result<HookAnswer, AskError> {
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        thread::scope(|scope| {
            let writer = scope.spawn(move || stdin.map_or(Ok(()), |mut pipe| write_event(&mut pipe, event)));
            let stdout = scope.spawn(move || read_capped(stdout));
            let stderr = scope.spawn(move || read_capped(stderr));
            let status = child.wait_timeout(ANSWER_WAIT_MAX).map_err(self.failed("wait for"))?;
            if status.is_none() {
                // The pipes end with the process, and with them the three threads.
                child.kill().map_err(self.failed("kill"))?;
                child.wait().map_err(self.failed("wait for"))?;
                return Err(AskError::HookHangs { path: self.hook.clone() });
            }
            join(writer).map_err(self.failed("write to"))?;
            let exit = status.and_then(|status| status.code());
            Ok(HookAnswer {
                exit: exit.ok_or_else(|| AskError::HookKilled { path: self.hook.clone() })?,
                stdout: join(stdout).map_err(self.failed("read from"))?,
                stderr: join(stderr).map_err(self.failed("read from"))?,
            })
        })
    }
}

impl Gate for SpawnGate {
    fn ask(&mut self, event: &[u8]) -> Result<HookAnswer, AskError> {
        let mut child = Command::new(&self.hook)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(self.failed("start"))?;
        self.converse(&mut child, event)
    }
}

/// A hook may answer before it has read all: then the rest need not be written.
fn write_event(pipe: &mut impl Write, event: &[u8]) -> io::Result<()> {
    match pipe.write_all(event) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn read_capped(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        pipe.take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn join<T>(thread: thread::ScopedJoinHandle<'_, io::Result<T>>) -> io::Result<T> {
    thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread at its pipe panicked")))
}
