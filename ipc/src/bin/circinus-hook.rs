//! One event of the host on standard input, one answer on standard output. See `circinus_ipc::hook`.
#![forbid(unsafe_code)]

use circinus_ipc::hook::{self, Deadlines, EXIT_REFUSED, Surroundings};
use std::io::{stderr, stdin, stdout};
use std::panic::{catch_unwind, set_hook};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let started = Instant::now();
    // A panic ends in a refusal with a line of its own; its backtrace is noise to the model that reads it.
    set_hook(Box::new(|_| {}));
    // Without the handlers the hook still answers; only a signal would end it unheard, as it always could.
    let _unguarded = hook::refuse_on_signals();
    let outcome = if std::env::args_os().len() > 1 {
        hook::usage()
    } else {
        hook::guarded(|| {
            let around = Surroundings {
                environment: &|name| std::env::var_os(name),
                sibling: &hook::sibling_program,
                deadlines: Deadlines::default(),
                started,
            };
            hook::answer(stdin(), &around)
        })
    };
    let exit = catch_unwind(|| hook::emit(&outcome, stdout(), stderr())).unwrap_or(EXIT_REFUSED);
    ExitCode::from(exit)
}
