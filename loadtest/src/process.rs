//! Programs that are started over and over: the hook, and the floors that it is compared with.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::gate::HookAnswer;

/// A program with its arguments and what it needs in its environment.
#[derive(Clone, Debug)]
pub struct Program {
    path: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(&'static str, PathBuf)>,
}

/// Why a program did not run to its end.
#[derive(Debug, Error)]
#[error("cannot {operation} `{}`: {source}", path.display())]
pub struct ProgramError {
    operation: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl ProgramError {
    /// What was tried, with which program, and the system's reason.
    #[must_use]
    pub fn into_parts(self) -> (&'static str, PathBuf, io::Error) {
        (self.operation, self.path, self.source)
    }
}

impl Program {
    /// A program without arguments.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Program {
        Program { path: path.into(), arguments: Vec::new(), environment: Vec::new() }
    }

    /// With one more argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Program {
        self.arguments.push(argument.into());
        self
    }

    /// With these variables besides those of this process.
    #[must_use]
    pub fn environment(mut self, environment: Vec<(&'static str, PathBuf)>) -> Program {
        self.environment = environment;
        self
    }

    /// Runs it once, from before the start until it has ended and its output is read.
    ///
    /// Neither waits for the other's pipe: a hook reads all of its input before it writes, and what a program that
    /// ends early leaves unread is no error.
    ///
    /// # Errors
    /// [`ProgramError`]; an exit code is none.
    pub fn run(&self, input: &[u8]) -> Result<(Duration, HookAnswer), ProgramError> {
        let failed = |operation| {
            let path = self.path.clone();
            move |source| ProgramError { operation, path, source }
        };
        let mut command = Command::new(&self.path);
        command.args(&self.arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let began = Instant::now();
        let mut child = command.spawn().map_err(failed("start"))?;
        if let Some(mut pipe) = child.stdin.take() {
            match pipe.write_all(input) {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    return Err(failed("write to")(error));
                }
                _ => {}
            }
        }
        let mut stdout = Vec::new();
        if let Some(mut pipe) = child.stdout.take() {
            pipe.read_to_end(&mut stdout).map_err(failed("read from"))?;
        }
        let status = child.wait().map_err(failed("wait for"))?;
        let took = began.elapsed();
        Ok((took, HookAnswer { exit: status.code().unwrap_or(-1), stdout, stderr: Vec::new() }))
    }
}

/// What a process costs at the least, built or found on this machine.
#[derive(Clone, Debug)]
pub struct Floors {
    /// A static program of three instructions: it ends.
    pub smallest: Program,
    /// An ordinary C program that does nothing.
    pub dynamic: Program,
    /// `node` with an empty script.
    pub node: Option<Program>,
    /// `python3` with an empty script.
    pub python: Option<Program>,
}

/// Ends with code 0; `main` and the C library never come into it.
const SMALLEST: &str = r#"
#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n xor %edi,%edi\n mov $60,%eax\n syscall\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n mov x0,#0\n mov x8,#93\n svc #0\n");
#else
#error "no smallest program for this machine"
#endif
"#;

impl Floors {
    /// Compiles the two C programs in `folder` with `cc`, and looks for the interpreters.
    ///
    /// # Errors
    /// When there is no working C compiler.
    pub fn build(folder: &Path) -> Result<Floors, ProgramError> {
        let smallest = compile(folder, "smallest", SMALLEST, &["-nostdlib", "-static"])?;
        let dynamic = compile(folder, "dynamic", "int main(void) { return 0; }\n", &["-O2"])?;
        let script = |name: &str| -> Result<PathBuf, ProgramError> {
            let path = folder.join(name);
            std::fs::write(&path, "").map_err(|source| ProgramError {
                operation: "write",
                path: path.clone(),
                source,
            })?;
            Ok(path)
        };
        let node = interpreter("node", &["-p", "process.execPath"]);
        let python = interpreter("python3", &["-c", "import sys; print(sys.executable)"]);
        let (node_script, python_script) = (script("noop.js")?, script("noop.py")?);
        Ok(Floors {
            smallest: Program::new(smallest),
            dynamic: Program::new(dynamic),
            node: node.map(|path| Program::new(path).argument(node_script)),
            python: python.map(|path| Program::new(path).argument(python_script)),
        })
    }
}

fn compile(folder: &Path, name: &str, source: &str, options: &[&str]) -> Result<PathBuf, ProgramError> {
    let (text, program) = (folder.join(format!("{name}.c")), folder.join(name));
    let failed = |operation, path: &Path| {
        let path = path.to_owned();
        move |source| ProgramError { operation, path, source }
    };
    std::fs::write(&text, source).map_err(failed("write", &text))?;
    let output = Command::new("cc").args(options).arg("-o").arg(&program).arg(&text).output();
    let output = output.map_err(failed("start", Path::new("cc")))?;
    if output.status.success() {
        return Ok(program);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(failed("compile", &text)(io::Error::other(said)))
}

/// The program itself, not what a version switcher puts before it.
fn interpreter(name: &str, where_it_is: &[&str]) -> Option<PathBuf> {
    let output = Command::new(name).args(where_it_is).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    (output.status.success() && path.is_file()).then_some(path)
}
