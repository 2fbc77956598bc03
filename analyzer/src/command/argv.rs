//! Options and operands, by one engine for all programs.

use super::table::{Opt, Role, Rule};
use super::value::Arg;

/// Letters of a bundle of short options that are looked at.
const BUNDLE_MAX: usize = 64;

/// An option that the table knows, as it was given.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) opt: &'static Opt,
    pub(super) value: Option<Arg>,
}

/// The arguments of a program, sorted.
#[derive(Debug, Default)]
pub(super) struct Argv {
    /// Known options in order.
    pub(super) options: Vec<Given>,
    /// What is no option, in order.
    pub(super) operands: Vec<Arg>,
    /// Options that the table does not know.
    pub(super) unknown: Vec<Arg>,
    /// It was asked to say something about itself, such as `--help`.
    pub(super) only_says: bool,
    /// Where in the arguments the subcommand's own arguments begin; set when parsing stops at an operand.
    pub(super) rest_at: usize,
}

/// How far options are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// Among all arguments, as GNU programs do.
    End,
    /// Up to the first operand, as wrappers and programs with subcommands do.
    Operand,
}

/// Sorts the arguments of `rule`'s program.
pub(super) fn sort(rule: &'static Rule, args: &[Arg], until: Until) -> Argv {
    let mut argv = Argv { rest_at: args.len(), ..Argv::default() };
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let text = arg.text.as_str();
        if arg.known && text == "--" {
            argv.operands.extend(args.get(at..).unwrap_or_default().iter().cloned());
            argv.rest_at = at;
            return argv;
        }
        // `+source:target` of a push is no option.
        let plus = text.starts_with('+') && !rule.args.contains(&Role::Refspec);
        let dash = text.len() > 1 && (text.starts_with('-') || plus) && !text.starts_with("-/");
        let subcommand = until == Until::Operand && rule.sub(text).is_some();
        let keyed = !subcommand
            && rule.options.iter().any(|opt| {
                opt.names.iter().any(|name| text == *name || name.ends_with('=') && text.starts_with(name))
            });
        if dash || keyed {
            at = option(rule, args, arg, at, &mut argv);
            continue;
        }
        if until == Until::Operand {
            argv.rest_at = at - 1;
            return argv;
        }
        argv.operands.push(arg.clone());
    }
    argv
}

/// Long options of a program that stand behind one of its subcommands, which does not know them by itself.
pub(super) fn inherited(rule: &'static Rule, sub: &'static Rule, args: &[Arg]) -> Argv {
    let mut argv = Argv::default();
    let ahead = args.iter().take_while(|arg| arg.text != "--");
    for (at, arg) in ahead.enumerate().filter(|(_, arg)| arg.text.starts_with("--")) {
        let (name, value) = arg.text.split_once('=').map_or((&*arg.text, None), |(n, v)| (n, Some(v)));
        let named = |rule: &'static Rule| rule.options.iter().find(|opt| opt.names.contains(&name));
        if let Some(opt) = named(rule).filter(|opt| !opt.only_says && named(sub).is_none()) {
            let value = value.map(|value| arg.with_text(value)).or_else(|| args.get(at + 1).cloned());
            argv.options.push(Given { opt, value: value.filter(|_| opt.value.is_some()) });
        }
    }
    argv
}

/// Takes one option, and its value if that is the next argument; returns where to go on.
fn option(rule: &'static Rule, args: &[Arg], arg: &Arg, at: usize, argv: &mut Argv) -> usize {
    let text = arg.text.as_str();
    if let Some((opt, value)) = exact(rule, arg) {
        let from_next = value.is_none() && opt.value.is_some();
        let value = value.or_else(|| args.get(at).filter(|_| from_next).cloned());
        argv.options.push(Given { opt, value });
        return at + usize::from(from_next);
    }
    if matches!(text, "--help" | "--version") {
        argv.only_says = true;
        return at;
    }
    if !text.starts_with("--") && text.starts_with('-') {
        return bundle(rule, args, arg, at, argv);
    }
    argv.unknown.push(arg.clone());
    at
}

/// The option that is spelled out, with a value after `=` (or after a key that ends in it).
fn exact(rule: &'static Rule, arg: &Arg) -> Option<(&'static Opt, Option<Arg>)> {
    let text = arg.text.as_str();
    let named = |name: &str| rule.options.iter().find(|opt| opt.names.contains(&name));
    if let Some(opt) = named(text) {
        return Some((opt, None));
    }
    for opt in rule.options {
        if let Some(rest) =
            opt.names.iter().filter(|name| name.ends_with('=')).find_map(|name| arg.strip(name))
        {
            return Some((opt, Some(rest)));
        }
    }
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let found = named(name).filter(|_| name.len() > 2).or_else(|| abbreviated(rule, name))?;
    Some((found, value.map(|value| arg.with_text(value))))
}

/// A long option by the beginning of its name, as `getopt_long` accepts. Where several begin alike, it is the
/// one that does most; an option that keeps a program from acting must be spelled out, for not every program
/// knows abbreviations.
fn abbreviated(rule: &'static Rule, name: &str) -> Option<&'static Opt> {
    if !name.starts_with("--") || name.len() < 3 {
        return None;
    }
    let fits: Vec<_> = rule
        .options
        .iter()
        .filter(|opt| !opt.only_says && opt.names.iter().any(|full| full.starts_with(name)))
        .collect();
    match fits.as_slice() {
        [only] => Some(only),
        _ => fits.into_iter().filter(|opt| opt.acts()).max_by_key(|opt| (opt.tier, opt.effects.len())),
    }
}

/// `-xvf file`, `-ofile`: short options in one argument.
fn bundle(rule: &'static Rule, args: &[Arg], arg: &Arg, at: usize, argv: &mut Argv) -> usize {
    let mut known = false;
    for (offset, letter) in arg.text.char_indices().skip(1).take(BUNDLE_MAX) {
        let name = format!("-{letter}");
        let Some(opt) = rule.options.iter().find(|opt| opt.names.contains(&name.as_str())) else { continue };
        known = true;
        if opt.value.is_none() {
            argv.options.push(Given { opt, value: None });
            continue;
        }
        let attached = arg.text.get(offset + letter.len_utf8()..).filter(|rest| !rest.is_empty());
        let value = match attached {
            Some(rest) => Some(arg.with_text(rest.strip_prefix('=').unwrap_or(rest))),
            None => args.get(at).cloned(),
        };
        argv.options.push(Given { opt, value });
        return at + usize::from(attached.is_none());
    }
    if !known {
        argv.unknown.push(arg.clone());
    }
    at
}
