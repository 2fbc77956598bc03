//! `circinus`: the command line, the host adapter and the daemon of Circinus.

use std::process::ExitCode;

fn main() -> ExitCode {
    circinus::command::main(std::env::args_os()).into()
}
