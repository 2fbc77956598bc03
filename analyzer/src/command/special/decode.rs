//! `base64 -d` and its like: text that the command line encodes is read as what it stands for.

use super::super::apply::Run;
use super::super::argv::Argv;
use super::super::value::Stream;
use crate::content::encoded::{base16, base32, base64};

/// What the program prints when it decodes a text that is known. It stays decoded, whoever can read it.
pub(super) fn restored(argv: &Argv, run: &mut Run<'_>) {
    let decodes = |name: &&&str| matches!(**name, "-d" | "-D" | "--decode" | "-r" | "-revert");
    if !argv.options.iter().any(|given| given.opt.names.iter().any(|name| decodes(&name))) {
        return;
    }
    let source = if run.has_input { &run.input } else { run.stdin };
    let Some(encoded) = &source.text else { return };
    let decode = match run.by.as_str() {
        "base32" => base32,
        "xxd" => base16,
        _ => base64,
    };
    let mut taint = source.taint.clone();
    taint.decoded = true;
    let text = String::from_utf8(decode(encoded.as_bytes())).ok();
    run.payload_out = Some(Stream { text, taint });
}
