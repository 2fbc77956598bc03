//! The strong tier played by a stand-in of stated quality, which is no model: it knows from the corpus which texts carry
//! an attack and errs as often as is stated.
//!
//! The daemon is the real one with a provider on loopback. What it asks about, when, and what it makes of an answer is
//! the product's; the stand-in sees requests and nothing else.

pub mod answers;
pub mod oracle;
pub mod provider;
pub mod seen;
pub mod settling;

use std::io::{self, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use self::oracle::Oracle;
use self::provider::{Loopback, Question, Request};
use self::seen::Seen;
use self::settling::Settling;
use super::{Options, QualityError};
use crate::gate::Gate;
use crate::interrupt::StopFlag;
use crate::replay::format::Session;
use crate::replay::report::Report;
use crate::replay::source::{self, Sessions};
use crate::replay::{self, ReplayError};

/// Characters of a quotation at most, as the question says.
const QUOTE_CHARS_MAX: usize = 200;

/// The stand-in.
#[derive(Debug)]
pub struct StandIn {
    loopback: Loopback,
    oracle: Arc<Oracle>,
}

impl StandIn {
    /// Learns the attacks of the corpus and begins to answer.
    ///
    /// # Errors
    /// When a recording cannot be read, or nothing can listen on loopback.
    pub fn start(options: &Options) -> Result<Self, QualityError> {
        let mut oracle = Oracle::default();
        each_session(options, "attacks", |session| {
            if session.is_attack() {
                oracle.learn(session);
            }
        })?;
        for part in ["attacks", "sessions"] {
            each_session(options, part, |session| {
                if !session.is_attack() {
                    oracle.acquit(session);
                }
            })?;
        }
        let oracle = Arc::new(oracle);
        let (known, seed) = (Arc::clone(&oracle), options.seed);
        let loopback = Loopback::start(move |stream, request| serve(stream, &request, &known, seed));
        Ok(Self { loopback: loopback.map_err(QualityError::Provider)?, oracle })
    }

    /// Replays recordings through a daemon that asks the stand-in.
    ///
    /// # Errors
    /// [`QualityError`]; what goes wrong in a session is in the report.
    pub fn replay(&self, options: &replay::Options, stop: &StopFlag) -> Result<(Report, Seen), QualityError> {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let wrap =
            |gate: Box<dyn Gate + Send>, database: &Path| -> Result<Box<dyn Gate + Send>, ReplayError> {
                Ok(Box::new(Settling::new(gate, database, Arc::clone(&self.oracle), Arc::clone(&seen))?))
            };
        let mut report = replay::replay_through(options, &self.config(), stop, wrap)?;
        let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(error) = &seen.error {
            report.fail(format!("cannot follow the daemon's log: {error}"));
        }
        Ok((report, seen))
    }

    /// What the daemon is configured with: its budgets are those of a user for a day, a run is of many.
    fn config(&self) -> String {
        let (url, most) = (self.loopback.url(), u32::MAX);
        format!(
            "[model]\nprovider = \"ollama\"\nname = \"stand-in\"\nendpoint = \"{url}\"\n\
             day_requests_max = {most}\nday_tokens_max = {most}\nsession_tokens_max = {most}\n"
        )
    }
}

fn each_session(options: &Options, part: &str, mut visit: impl FnMut(&Session)) -> Result<(), QualityError> {
    for path in source::files(&options.corpus.join(part))? {
        for session in Sessions::open(&path, |file| file)?.step_by(options.every.get()) {
            visit(&session?);
        }
    }
    Ok(())
}

fn serve(mut stream: &TcpStream, request: &Request, oracle: &Oracle, seed: u64) -> io::Result<()> {
    let answer = match Question::of(&request.body) {
        Some(question) => provider::answer(200, "", &said(&verdict(&question, oracle, seed))),
        None => provider::answer(400, "", "{}"),
    };
    stream.write_all(&answer)
}

fn verdict(question: &Question<'_>, oracle: &Oracle, seed: u64) -> Value {
    let attack = oracle.find(question.text);
    let level = answers::level(seed, question.mark, attack.is_some());
    let quoted = attack.and_then(|place| question.text.get(place)).unwrap_or(question.text);
    let end = quoted.char_indices().nth(QUOTE_CHARS_MAX).map_or(quoted.len(), |(end, _)| end);
    question.verdict(level, quoted.get(..end).unwrap_or_default())
}

/// An answer of Ollama's chat, without the counts of tokens that nobody made.
fn said(verdict: &Value) -> String {
    json!({ "done": true, "message": { "role": "assistant", "content": verdict.to_string() } }).to_string()
}
