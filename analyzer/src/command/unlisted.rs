//! Programs that the table does not know: not interrupted for being unknown, but their words are looked at.

use circinus_core::action::{Flag, SlotValue, Tier};
use circinus_core::effect::Effect;
use circinus_core::operand::Kind;

use super::apply::Run;
use super::found::{Found, address};
use super::machine::{Machine, host_operands};
use super::reason::Part;
use super::secret::is_home;
use super::table::{Rule, lookup};
use super::value::{Arg, Stream, Taint};
use super::verbs;
use crate::place::Region;

/// Words of an unknown program that may begin a command of their own.
const INNER_MAX: usize = 64;
/// Bytes of a program's path in such a word.
const HEAD_BYTES_MAX: usize = 64;
/// Places in one word at which a command line may begin.
const STARTS_MAX: usize = 4;

impl Machine<'_> {
    /// A program without a table row.
    pub(super) fn unlisted(&mut self, by: &str, args: &[Arg], stdin: &Stream) -> Stream {
        let mut words = args.iter().filter(|arg| !arg.text.starts_with('-'));
        let (verb, named) = (words.next().filter(|verb| verb.known), words.next());
        if verb.is_some_and(|verb| verbs::destroys(&verb.text)) {
            self.found.effect(Effect::Destroy);
            self.found.raise(Tier::T2);
        } else if named.is_some() && verb.is_some_and(|verb| verb.text == "install") {
            self.found.effect(Effect::Install);
            self.found.raise(Tier::T2);
        }
        self.loose(by, args, stdin, false);
        self.inner_command(args, stdin);
        let mut taint = stdin.taint.clone();
        taint.secrets.clear();
        Stream::unknown(taint)
    }

    /// Operands by their shape: what looks like an address is taken for a destination.
    pub(super) fn loose(&mut self, by: &str, args: &[Arg], stdin: &Stream, remote: bool) {
        let mut outgoing = Taint::default();
        let mut slots = Vec::new();
        for arg in args {
            let text = option_value(&arg.text);
            outgoing.add_secrets_of(text);
            outgoing.absorb(&arg.taint);
            if let Some(operands) = self.looks_remote(text) {
                let at = self.found.slot(by, Effect::Send, SlotValue::Operands(operands.clone()), Tier::T2);
                slots.extend(at.map(|at| (at, operands)));
                continue;
            }
            self.loose_path(by, &arg.with_text(text.trim_start_matches('@')), &mut outgoing);
        }
        outgoing.absorb(&Taint { secrets: stdin.taint.secrets.clone(), ..Taint::default() });
        if !slots.is_empty() {
            self.found.raise(Tier::T2);
        }
        for (slot, operands) in slots {
            if outgoing.secrets.iter().any(|homes| !is_home(homes, &operands)) {
                self.found.unless_granted(slot, Flag::SecretSink);
            }
        }
        if remote && !outgoing.secrets.is_empty() && self.found.effects.contains(Effect::Send) {
            self.found.flag(Flag::SecretSink);
        }
    }

    /// A word that a row has no role for, of a program that does more than read: an address in it is a
    /// destination, as it is for an unlisted program.
    pub(super) fn unclaimed(&mut self, rule: &Rule, arg: &Arg, run: &mut Run<'_>) {
        let Some(scheme) = arg.text.find("://").filter(|_| rule.tier > Tier::T0) else { return };
        if arg.text.contains(char::is_whitespace) {
            return;
        }
        // `--index=https://…`, `address=https://…`.
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        let before = arg.text.get(..scheme).unwrap_or_default();
        let start = before.rfind(|c| !is_scheme(c)).map_or(0, |at| at + 1);
        let text = arg.text.get(start..).unwrap_or_default();
        self.found.look_at_part(Part::word(&arg.text));
        run.outgoing.add_secrets_of(text);
        if let Some(operands) = self.looks_remote(text) {
            run.sends = true;
            self.destination(run, operands);
        }
    }

    /// Whether a word has the shape of an address of another machine, and which.
    pub(super) fn looks_remote(&self, text: &str) -> Option<Vec<circinus_core::operand::Operand>> {
        let local = ["localhost", "127.0.0.1", "0.0.0.0", "[::1]"];
        if text.contains("://") {
            let authority = text.split("://").nth(1).unwrap_or_default();
            if local.iter().any(|name| authority.starts_with(name)) || text.starts_with("file:") {
                return None;
            }
            return address(text, &self.around.paths).or_else(|| {
                // A scheme of its own (`tcp://host:2375`, `postgres://user@host/db`).
                let host = authority.rsplit('@').next()?.split(['/', ':', '?']).next()?;
                host.contains('.').then(|| host_operands(host, self)).flatten()
            });
        }
        // `user@host`, `host:port`, addresses; a bare name with dots is more often a file or a module.
        if let Some((user, host)) = text.split_once('@') {
            let plain = !user.is_empty() && !user.contains(['/', ' ', '=']) && host.contains('.');
            let host = host.split([':', '/']).next().unwrap_or_default();
            return plain.then(|| host_operands(host, self)).flatten();
        }
        let host = text.split([':', '/']).next().unwrap_or_default();
        let is_ip = host.split('.').count() == 4 && host.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        if is_ip && !local.contains(&host) {
            return host_operands(host, self)
                .filter(|operands| operands.first().is_some_and(|o| o.kind() == Kind::Ip));
        }
        None
    }

    fn loose_path(&mut self, by: &str, arg: &Arg, outgoing: &mut Taint) {
        let text = arg.text.as_str();
        let shaped = text.contains('/') || text.starts_with('~') || text.starts_with('.');
        if !shaped || text.contains(['\n', ' ']) || text.len() < 2 {
            return;
        }
        let place = self.place(arg);
        if place.secret {
            self.found.reads_place(by, &place, true);
            outgoing.add_secret(&[]);
            return;
        }
        if place.guard {
            self.found.guard();
        }
        if let Some(operand) = place.operand.filter(|_| place.region != Region::Sink) {
            self.found.slot(by, Effect::Read, SlotValue::Operands(operand.expand()), Tier::T0);
        }
    }

    /// An unknown program may run the rest of its words. Known programs that do harm are judged as if it
    /// did; that can only make the action stricter.
    pub(super) fn inner_command(&mut self, args: &[Arg], stdin: &Stream) {
        if args.len() > INNER_MAX {
            self.found.opaque_by("an unknown program with more words than are looked at");
        }
        args.iter().take(INNER_MAX).for_each(|arg| self.inner_text(arg));
        for (at, arg) in args.iter().enumerate().take(INNER_MAX) {
            let name = base(&arg.text);
            if !arg.known || lookup(name).is_none() || !is_severe_head(name) {
                continue;
            }
            let before = self.found.clone();
            self.program(args.get(at..).unwrap_or_default().to_vec(), stdin.clone());
            self.keep_if_worse(before);
            return;
        }
    }
}

impl Machine<'_> {
    /// A word that is a command line of its own (`--filter='rm x'`), or holds one (`enter:execute(rm x)`). Text
    /// for people can look the same, so only what destroys on a large scale or touches the guard counts.
    fn inner_text(&mut self, arg: &Arg) {
        let text = option_value(&arg.text);
        if !arg.known || !text.contains(' ') {
            return;
        }
        let inner = text.match_indices(['(', ':', '!', '|', ';', '&']).filter_map(|(at, mark)| {
            let rest = text.get(at + mark.len()..)?;
            // In prose a blank follows a colon.
            Some((mark, if matches!(mark, "|" | ";" | "&") { rest.trim_start() } else { rest }))
        });
        let starts: Vec<_> = std::iter::once(("", text))
            .chain(inner)
            .filter(|(_, text)| begins_severe(text))
            .take(STARTS_MAX)
            .map(|(mark, text)| match mark {
                "(" => text.rsplit_once(')').map_or(text, |(inside, _)| inside),
                _ => text,
            })
            .collect();
        starts.into_iter().for_each(|text| self.severe_text(text));
    }

    /// Judges text that may be a command line; it counts if it destroys on a large scale or touches the guard.
    pub(super) fn severe_text(&mut self, text: &str) {
        let before = self.found.clone();
        self.inner_shell(text);
        self.keep_if_severe(before);
    }

    /// Goes back to what was found before, unless more is at stake by now.
    pub(super) fn keep_if_worse(&mut self, before: Found) {
        if self.found.tier <= before.tier && self.found.flags == before.flags {
            self.found = before;
        }
    }

    /// Goes back to what was found before, unless it destroys on a large scale or touches the guard by now.
    fn keep_if_severe(&mut self, before: Found) {
        let gained = |flag| self.found.flags.contains(flag) && !before.flags.contains(flag);
        if !gained(Flag::Catastrophic) && !gained(Flag::Guard) {
            self.found = before;
        }
    }
}

/// Whether text begins with a program worth looking for, and a blank.
fn begins_severe(text: &str) -> bool {
    let head = text.bytes().take(HEAD_BYTES_MAX).position(|byte| byte == b' ');
    head.and_then(|end| text.get(..end)).is_some_and(|head| is_severe_head(base(head)))
}

/// The value of `--option=value`; of any other word the word itself.
fn option_value(word: &str) -> &str {
    word.split_once('=').filter(|(name, _)| name.starts_with('-')).map_or(word, |(_, value)| value)
}

/// The name of a program that is given by its path.
pub(super) fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default()
}

/// Programs that are worth looking for behind an unknown one; their names are no everyday words.
fn is_severe_head(name: &str) -> bool {
    matches!(
        name,
        "rm" | "dd"
            | "shred"
            | "curl"
            | "wget"
            | "bash"
            | "sh"
            | "zsh"
            | "git"
            | "mkfs"
            | "sudo"
            | "nc"
            | "ncat"
            | "scp"
            | "rsync"
            | "ssh"
            | "chmod"
            | "chown"
            | "kubectl"
            | "docker"
            | "terraform"
            | "aws"
            | "python"
            | "python3"
            | "node"
            | "perl"
    )
}
