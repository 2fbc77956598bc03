//! Redirections: where input comes from and output goes.

use circinus_core::action::{SlotValue, Tier, WriteSource};
use circinus_core::effect::Effect;
use circinus_core::operand::{Kind, Operand};

use super::super::apply::Run;
use super::super::guard;
use super::super::ir::{Redirect, RedirectKind};
use super::super::reason::Part;
use super::super::value::{Arg, Stream, Taint};
use super::Machine;
use crate::place::{Place, Region, locate};

/// What the redirections of one command do.
#[derive(Default)]
pub(in super::super) struct Aims {
    /// Standard input, if redirected.
    pub(super) stdin: Option<Stream>,
    /// Files that standard output goes to, and whether it is appended.
    outputs: Vec<(Arg, bool)>,
    /// Standard output does not go on to the pipe or the agent.
    captured: bool,
    /// Sources of process substitutions that are written to.
    drains: Vec<String>,
    /// Network connections of the shell itself that output goes to: their slots and operands.
    sockets: Vec<(Option<usize>, Vec<Operand>)>,
    /// Descriptors opened for reading: the number, the variable that gets it, what is read.
    pub(super) opened: Vec<(Option<u32>, Option<String>, Stream)>,
}

impl Machine<'_> {
    /// Evaluates redirections: input is read now, output is delivered later.
    pub(in super::super) fn redirects(&mut self, redirects: &[Redirect]) -> Aims {
        let mut aims = Aims::default();
        if redirects.is_empty() {
            return aims;
        }
        let outer = self.found.look_at("", Part::Redirection);
        for redirect in redirects {
            match &redirect.kind {
                RedirectKind::Here { body, literal } => {
                    let body = if *literal { Stream::literal(body.clone()) } else { self.expand_text(body) };
                    if matches!(redirect.fd, None | Some(0)) {
                        aims.stdin = Some(body);
                    }
                }
                RedirectKind::Word(op, word) => self.word_redirect(&mut aims, redirect, op, word),
            }
        }
        self.found.look_back(outer);
        aims
    }

    fn word_redirect(&mut self, aims: &mut Aims, redirect: &Redirect, op: &str, word: &str) {
        let fd = redirect.fd;
        let target = self.expand_one(word);
        if let Some((slot, peer)) = self.socket(&target) {
            // The connection is open in both directions, whichever way it is written.
            let incoming = Stream::unknown(Taint::remote(peer.clone()));
            match fd.and_then(|fd| u32::try_from(fd).ok()).filter(|fd| *fd > 2) {
                None if redirect.name.is_none() => {
                    aims.sockets.push((slot, peer));
                    aims.stdin.get_or_insert(incoming);
                }
                number => aims.opened.push((number, redirect.name.clone(), incoming)),
            }
            return;
        }
        match op {
            "<<<" => aims.stdin = Some(target.stream()),
            "<" | "<>" => {
                let stream = match &target.feed {
                    Some(feed) => feed.clone(),
                    None => self.read_file("redirection", &target, false),
                };
                let other = fd.and_then(|fd| u32::try_from(fd).ok()).filter(|fd| *fd > 0);
                if other.is_some() || redirect.name.is_some() {
                    aims.opened.push((other, redirect.name.clone(), stream));
                } else {
                    aims.stdin = Some(stream);
                }
            }
            "<&" if target.text != "-" && (!target.known || target.text != "0") => {
                let stream = self.env.descriptor(&target);
                if matches!(fd, None | Some(0)) {
                    aims.stdin = Some(stream);
                }
            }
            ">&" if matches!(fd, None | Some(1)) && self.env.descriptor(&target).taint.is_remote() => {
                aims.sockets.push((None, self.env.descriptor(&target).taint.remote));
            }
            // A copy of a descriptor.
            "<&" | ">&" if target.text.bytes().all(|b| b.is_ascii_digit() || b == b'-') => {
                aims.captured |=
                    fd == Some(1) && target.text == "2" || op == ">&" && fd.is_none() && target.text == "2";
            }
            _ => {
                let is_output = matches!(fd, None | Some(1));
                if let Some(source) = target.drain.clone() {
                    aims.drains.push(source);
                } else if is_output {
                    aims.outputs.push((target, op.contains(">>")));
                } else {
                    self.write_file("redirection", &target, &Stream::unknown(Taint::default()), true);
                }
                aims.captured |= is_output;
            }
        }
    }

    /// `/dev/tcp/host/port`: the shell itself connects, and what it sends or gets is not a request that
    /// anything describes.
    fn socket(&mut self, target: &Arg) -> Option<(Option<usize>, Vec<Operand>)> {
        let rest = target.text.strip_prefix("/dev/tcp/").or_else(|| target.text.strip_prefix("/dev/udp/"))?;
        self.found.raise(Tier::T2);
        self.found.effect(Effect::Exec);
        self.found.effect(Effect::Send);
        let host = rest.split('/').next().unwrap_or_default();
        let Some(operands) = host_operands(host, self) else {
            if !target.known {
                self.found.opaque();
            }
            return Some((None, Vec::new()));
        };
        let value = SlotValue::Operands(operands.clone());
        Some((self.found.slot("/dev/tcp", Effect::Send, value, Tier::T2), operands))
    }

    /// What a file holds; naming it is recorded.
    pub(in super::super) fn read_file(&mut self, by: &str, target: &Arg, shown: bool) -> Stream {
        if let Some(feed) = &target.feed {
            return feed.clone();
        }
        let place = self.place(target);
        if let Some(number) = target.strip("/dev/fd/") {
            return self.env.descriptor(&number);
        }
        if place.region == Region::Sink {
            return Stream::empty();
        }
        self.found.reads_place(by, &place, shown);
        let mut stream = place.path.as_deref().and_then(|path| self.held(path)).unwrap_or_default();
        if let Some(operand) = &place.operand {
            stream.taint.absorb(&Taint { files: vec![operand.clone()], ..Taint::default() });
        }
        if place.secret || place.holds_secrets {
            stream.taint.add_secret(&[]);
        }
        stream
    }

    /// Writes `stream` to a file; what is appended to keeps its old bytes, so it is one of its own sources.
    pub(in super::super) fn write_file(&mut self, by: &str, target: &Arg, stream: &Stream, append: bool) {
        let from = source_of(stream);
        self.write_file_from(by, target, stream, append, from);
    }

    /// The same with bytes that a program makes and puts where it was told.
    pub(in super::super) fn build_file(&mut self, by: &str, target: &Arg, stream: &Stream) {
        let from = match source_of(stream) {
            WriteSource::Local => WriteSource::Built,
            known => known,
        };
        self.write_file_from(by, target, stream, false, from);
    }

    fn write_file_from(&mut self, by: &str, target: &Arg, stream: &Stream, append: bool, from: WriteSource) {
        let place = self.place(target);
        guard::written(self, target, &place, stream, append);
        let from = match (from, place.operand.clone().filter(|_| append)) {
            (WriteSource::Files(mut files), Some(itself)) => {
                files.push(itself);
                WriteSource::Files(files)
            }
            (WriteSource::Agent | WriteSource::Built | WriteSource::Local, Some(itself)) => {
                WriteSource::Files(vec![itself])
            }
            (from, _) => from,
        };
        if place.persists.is_some() {
            self.persist_content(by, stream);
        }
        self.found.writes_place(by, &place, from, false);
        if let Some(path) = place.path.filter(|_| !place.pattern && place.region != Region::Sink) {
            match self.files.get_mut(&path) {
                Some(held) if append => held.append(stream),
                _ => {
                    self.files.insert(path, stream.clone());
                }
            }
        }
    }

    /// Content that later runs or instructs by itself is a designator.
    fn persist_content(&mut self, by: &str, stream: &Stream) {
        if let Some(text) = stream.text.as_deref().filter(|text| !text.trim().is_empty()) {
            self.found.slot(by, Effect::Persist, SlotValue::Text(text.into()), Tier::T3);
        }
        if stream.taint.is_remote() {
            self.found.slot(by, Effect::Persist, SlotValue::Remote(stream.taint.remote.clone()), Tier::T3);
        }
        for file in &stream.taint.files {
            self.found.slot(by, Effect::Persist, SlotValue::File(file.clone()), Tier::T3);
        }
    }

    /// Hands output to the files it goes to; returns what goes on.
    pub(in super::super) fn deliver(&mut self, out: Stream, aims: &Aims, by: &str) -> Stream {
        for (target, append) in &aims.outputs {
            let outer = self.found.look_at(by, Part::Redirection);
            self.write_file(by, target, &out, *append);
            self.found.look_back(outer);
        }
        for source in &aims.drains {
            self.text(source, &out);
        }
        for (slot, peer) in &aims.sockets {
            let mut run = Run::new("/dev/tcp", &out);
            run.sends = true;
            run.outgoing = out.taint.clone();
            run.destinations = slot.map(|slot| (slot, peer.clone())).into_iter().collect();
            self.sinks(&run);
        }
        if aims.captured || !aims.sockets.is_empty() { Stream::empty() } else { out }
    }

    /// Where a word leads as a path.
    pub(in super::super) fn place(&self, target: &Arg) -> Place {
        let mut place = locate(&target.text, self.env.cwd.as_deref(), self.around);
        if !target.known {
            place.operand = None;
            place.path = None;
            place.region = Region::Outside;
            place.vital = false;
        }
        place
    }
}

/// Where written bytes come from, in the action's terms.
pub(in super::super) fn source_of(stream: &Stream) -> WriteSource {
    let taint = &stream.taint;
    if taint.is_remote() {
        WriteSource::Remote(taint.remote.clone())
    } else if !taint.files.is_empty() {
        WriteSource::Files(taint.files.clone())
    } else if stream.text.is_some() {
        WriteSource::Agent
    } else {
        WriteSource::Local
    }
}

/// The operands of a host in host position: a name or an address, itself first.
pub(in super::super) fn host_operands(host: &str, machine: &Machine<'_>) -> Option<Vec<Operand>> {
    let paths = &machine.around.paths;
    let operand =
        Operand::parse(Kind::Ip, host, paths).or_else(|| Operand::parse(Kind::Host, host, paths))?;
    Some(operand.expand())
}
