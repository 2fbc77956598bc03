//! L0 to L4 and L17: the whole hook, from the start of its process to its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::promise::all;
use super::sample::{Sample, in_words};
use super::{LimitsError, Row, Setting};
use crate::gate::HookAnswer;
use crate::process::{Floors, Program};
use crate::workload::events::{Host, page_text};

/// Links of one page of the index, and how many operands the index has when the hook is measured.
const LINKS_PER_PAGE: usize = 250;
const OPERANDS: usize = 100_000;

const EVENT_BYTES: usize = 1_024;
const LARGE_BYTES: usize = 1 << 20;

/// At T1: it builds.
const LIGHT: &str = "cargo build --workspace";
/// At T2: its decision is on disk before the answer.
const WEIGHTY: &str = "git push origin main";

struct Scene {
    hook: Program,
    floors: Floors,
    host: Host,
    number: usize,
}

/// Measures L0 to L4 and L17.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Row>, LimitsError> {
    let folder = setting.folder("hook")?;
    let daemon = setting.daemon(&folder)?;
    let mut scene = Scene {
        hook: Program::new(setting.programs()?.1).environment(daemon.environment()),
        floors: Floors::build(&folder)?,
        host: Host::new("limits", &folder.to_string_lossy()),
        number: 0,
    };
    let measured = scene.all(setting);
    let stopped = daemon.stop();
    let rows = measured?;
    stopped?;
    Ok(rows)
}

impl Scene {
    fn all(&mut self, setting: &Setting) -> Result<Vec<Row>, LimitsError> {
        self.tell(&self.host.start())?;
        self.tell(&self.host.prompt("Build it and push it."))?;
        for _ in 0..OPERANDS / LINKS_PER_PAGE {
            let page = self.page(LINKS_PER_PAGE, 0);
            self.tell(&page)?;
        }
        let mut rows = self.quiet(setting)?;
        rows.push(self.large(setting)?);
        rows.push(self.busy(setting)?);
        Ok(rows)
    }

    /// L0 to L3, interleaved.
    fn quiet(&mut self, setting: &Setting) -> Result<Vec<Row>, LimitsError> {
        let (mut smallest, mut dynamic) = (Vec::new(), Vec::new());
        let (mut light, mut weighty) = (Vec::new(), Vec::new());
        for _ in 0..setting.rounds(600, 120) {
            smallest.push(self.floors.smallest.run(b"")?.0);
            light.push(self.light()?);
            dynamic.push(self.floors.dynamic.run(b"")?.0);
            weighty.push(self.ask(WEIGHTY)?);
        }
        let [smallest, dynamic, light, weighty] = [smallest, dynamic, light, weighty].map(Sample::new);
        let against = |what: &str, floor: f64, hook: f64| {
            format!("hook {}, {what} {}, {} rounds", in_words(hook), in_words(floor), light.len())
        };
        let floor = "smallest";
        let mut rows = vec![
            Row::of(all::L0, weighty.p95() * 1e3, format!("{} calls", weighty.len())),
            Row::of(all::L1_P50, light.p50() / smallest.p50(), against(floor, smallest.p50(), light.p50())),
            Row::of(all::L1_P95, light.p95() / smallest.p95(), against(floor, smallest.p95(), light.p95())),
            Row::told("L1", "apart: T2 with its commit, p50 / smallest", weighty.p50() / smallest.p50()),
            Row::told("L1", "apart: T2 with its commit, p95 / smallest", weighty.p95() / smallest.p95()),
            Row::of(all::L2, light.p50() / dynamic.p50(), against("C no-op", dynamic.p50(), light.p50())),
        ];
        rows.extend(self.interpreters(setting)?);
        Ok(rows)
    }

    fn interpreters(&mut self, setting: &Setting) -> Result<Vec<Row>, LimitsError> {
        let (mut node, mut python, mut hook) = (Vec::new(), Vec::new(), Vec::new());
        let (mut again, mut peer) = (Vec::new(), Vec::new());
        let event = self.host.shell(0, LIGHT, EVENT_BYTES);
        for _ in 0..setting.rounds(40, 10) {
            node.extend(self.floors.node.as_ref().map(|node| node.run(b"")).transpose()?.map(|run| run.0));
            // The first finds caches that node has filled, the second those of the first.
            hook.push(self.light()?);
            again.push(self.light()?);
            python.extend(self.floors.python.as_ref().map(|it| it.run(b"")).transpose()?.map(|run| run.0));
            peer.extend(setting.peer.as_ref().map(|it| it.run(&event)).transpose()?.map(|run| run.0));
        }
        let [node, python, hook, again, peer] = [node, python, hook, again, peer].map(Sample::new);
        let mut rows = if node.is_empty() {
            vec![Row::skipped(all::L3, "no `node` on this machine")]
        } else {
            let told = format!("node {}, hook {}", in_words(node.p50()), in_words(hook.p50()));
            let second = "apart: node no-op p50 / hook right after another hook p50";
            vec![
                Row::of(all::L3, node.p50() / hook.p50(), told),
                Row::told("L3", second, node.p50() / again.p50()),
            ]
        };
        if !python.is_empty() {
            rows.push(Row::told("L3", "apart: python no-op p50 / whole hook p50", python.p50() / hook.p50()));
        }
        if !peer.is_empty() {
            rows.push(Row::told("L3", "apart: the other hook p50 / whole hook p50", peer.p50() / hook.p50()));
        }
        Ok(rows)
    }

    /// L4: results of 1 MB and of 1 KB, no two alike.
    fn large(&mut self, setting: &Setting) -> Result<Row, LimitsError> {
        let (mut small, mut large) = (Vec::new(), Vec::new());
        for _ in 0..setting.rounds(60, 12) {
            let event = self.page(4, EVENT_BYTES - 512);
            small.push(self.tell(&event)?);
            let event = self.page(20, LARGE_BYTES);
            large.push(self.tell(&event)?);
        }
        let (small, large) = (Sample::new(small), Sample::new(large));
        let told =
            format!("1 MB {}, 1 KB {}, {} each", in_words(large.p50()), in_words(small.p50()), large.len());
        Ok(Row::of(all::L4, large.p50() / small.p50(), told))
    }

    /// L17: two busy loops on each core meanwhile.
    fn busy(&mut self, setting: &Setting) -> Result<Row, LimitsError> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let ended = Arc::new(AtomicBool::new(false));
        let loops: Vec<_> = (0..2 * cores)
            .map(|_| {
                let ended = Arc::clone(&ended);
                thread::spawn(move || {
                    while !ended.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                })
            })
            .collect();
        let measured = self.beside_loops(setting);
        ended.store(true, Ordering::Relaxed);
        loops.into_iter().for_each(|it| drop(it.join()));
        let (noop, hook) = measured?;
        let told =
            format!("hook {}, C no-op {}, {} rounds", in_words(hook.p95()), in_words(noop.p95()), hook.len());
        Ok(Row::of(all::L17, hook.p95() / noop.p95(), told))
    }

    fn beside_loops(&mut self, setting: &Setting) -> Result<(Sample, Sample), LimitsError> {
        let (mut noop, mut hook) = (Vec::new(), Vec::new());
        for _ in 0..setting.rounds(400, 100) {
            noop.push(self.floors.dynamic.run(b"")?.0);
            hook.push(self.light()?);
        }
        Ok((Sample::new(noop), Sample::new(hook)))
    }

    fn light(&mut self) -> Result<Duration, LimitsError> {
        self.ask(LIGHT)
    }

    /// Asks for a command that is allowed; any other answer would be another measurement.
    fn ask(&mut self, command: &str) -> Result<Duration, LimitsError> {
        self.number += 1;
        let event = self.host.shell(self.number, command, EVENT_BYTES);
        self.tell(&event)
    }

    fn page(&mut self, links: usize, bytes: usize) -> Vec<u8> {
        self.number += 1;
        self.host.page(self.number, &page_text(self.number, links, bytes))
    }

    fn tell(&self, event: &[u8]) -> Result<Duration, LimitsError> {
        let (took, answer) = self.hook.run(event)?;
        let HookAnswer { exit, stdout, .. } = answer;
        if exit == 0 && stdout.is_empty() {
            return Ok(took);
        }
        Err(LimitsError::Answer { exit, said: String::from_utf8_lossy(&stdout).into_owned() })
    }
}
