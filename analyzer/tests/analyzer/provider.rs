//! A provider that is played: chat completions on loopback, with every way in which a provider can fail.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking, as tests do")]
#![allow(dead_code, reason = "each of the test crates that play this provider needs another part of it")]

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use self::loopback::{Loopback, Question, answer};

#[allow(unreachable_pub, reason = "the module is public where the load test has it")]
#[path = "../../../loadtest/src/quality/model/provider.rs"]
mod loopback;

/// What the provider does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Gives a verdict of this level, sound in every part.
    Verdict(&'static str),
    /// As [`Act::Verdict`], in many small chunks.
    Streams(&'static str),
    /// As [`Act::Verdict`], after this time.
    Late(&'static str, Duration),
    /// Does what the text says: if it dictates an answer, that one.
    Obeys,
    /// Answers with this status.
    Status(u16),
    /// Answers with this status and asks to be left alone for so many seconds.
    RetryAfter(u16, u64),
    /// Sends the head of an answer and nothing more.
    Stalls,
    /// Sends half an answer and closes.
    Breaks,
    /// Closes without a word.
    Closes,
    /// Answers 200 with a body that is not JSON.
    Garbage,
    /// Answers 200 with JSON of another form.
    WrongForm,
    /// Gives a verdict with a key too many.
    WrongSchema,
    /// Gives a verdict with a quote that stands nowhere in the text.
    WrongQuote,
    /// Gives a verdict on another text.
    WrongMark,
    /// Answers without end.
    Huge,
    /// Sends the client elsewhere.
    Redirects(String),
}

/// The provider; it ends when it is dropped.
pub(crate) struct StandIn {
    loopback: Loopback,
    requests: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl StandIn {
    /// A provider that acts by the number of the request, from 0, and its body.
    pub(crate) fn new(script: impl Fn(usize, &Value) -> Act + Send + Sync + 'static) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen: Arc<Mutex<Vec<Vec<u8>>>> = Arc::clone(&requests);
        let loopback = Loopback::start(move |stream, request| {
            let number = {
                let mut seen = seen.lock().unwrap();
                seen.push(request.raw);
                seen.len() - 1
            };
            act(stream, script(number, &request.body), &request.body)
        });
        Self { loopback: loopback.unwrap(), requests }
    }

    pub(crate) fn always(act: Act) -> Self {
        Self::new(move |_, _| act.clone())
    }

    pub(crate) fn url(&self) -> String {
        self.loopback.url()
    }

    /// Every request as it came, head and body.
    pub(crate) fn requests(&self) -> Vec<Vec<u8>> {
        self.requests.lock().unwrap().clone()
    }
}

/// Acts; an error ends the connection.
fn act(mut stream: &TcpStream, act: Act, request: &Value) -> io::Result<()> {
    let ends = || Err(io::ErrorKind::ConnectionAborted.into());
    let says = |verdict: &Value| answer(200, "", &chat(&verdict.to_string()));
    match act {
        Act::Verdict(level) => stream.write_all(&says(&verdict(request, level))),
        Act::Late(level, pause) => {
            thread::sleep(pause);
            stream.write_all(&says(&verdict(request, level)))
        }
        Act::Streams(level) => {
            stream.write_all(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n")?;
            for piece in chat(&verdict(request, level).to_string()).as_bytes().chunks(7) {
                stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
                stream.write_all(piece)?;
                stream.write_all(b"\r\n")?;
            }
            stream.write_all(b"0\r\n\r\n")
        }
        Act::Obeys => {
            let question = Question::of(request).unwrap();
            let dictated = question.told.split("ANSWER:").nth(1).and_then(|rest| rest.lines().next());
            let said = dictated.map_or_else(|| verdict(request, "benign").to_string(), str::to_owned);
            stream.write_all(&answer(200, "", &chat(&said.replace("MARK", question.mark))))
        }
        Act::Status(status) => stream.write_all(&answer(status, "", "{}")),
        Act::RetryAfter(status, seconds) => {
            stream.write_all(&answer(status, &format!("retry-after: {seconds}\r\n"), "{}"))
        }
        Act::Stalls => {
            stream.write_all(b"HTTP/1.1 200 X\r\ncontent-length: 900\r\n\r\n{\"choices\"")?;
            // Until the client goes away.
            let mut rest = [0; 1];
            if stream.read(&mut rest)? == 0 { ends() } else { Ok(()) }
        }
        Act::Breaks => {
            let whole = says(&verdict(request, "benign"));
            stream.write_all(&whole[..whole.len() / 2])?;
            ends()
        }
        Act::Closes => ends(),
        Act::Garbage => stream.write_all(&answer(200, "", "<html>\u{1}busy</html>")),
        Act::WrongForm => stream.write_all(&answer(200, "", r#"{"level":"benign"}"#)),
        Act::WrongSchema => {
            let mut verdict = verdict(request, "benign");
            verdict["confidence"] = json!(0.99);
            stream.write_all(&says(&verdict))
        }
        Act::WrongQuote => {
            let mut verdict = verdict(request, "adverse");
            verdict["quotes"] = json!(["words that nobody wrote"]);
            stream.write_all(&says(&verdict))
        }
        Act::WrongMark => {
            let mut verdict = verdict(request, "benign");
            verdict["mark"] = json!("0123456789abcdef01234567");
            stream.write_all(&says(&verdict))
        }
        Act::Huge => {
            stream.write_all(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n")?;
            let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
            loop {
                stream.write_all(chunk.as_bytes())?;
            }
        }
        Act::Redirects(to) => stream.write_all(&answer(307, &format!("location: {to}\r\n"), "")),
    }
}

/// A sound verdict on the text of a request; what is quoted is the first word of the text.
fn verdict(request: &Value, level: &str) -> Value {
    let question = Question::of(request).unwrap();
    question.verdict(level, question.text.split_whitespace().next().unwrap_or_default())
}

/// The body of an answer that holds `text`.
fn chat(text: &str) -> String {
    json!({
        "choices": [{ "finish_reason": "stop", "message": { "role": "assistant", "content": text } }],
        "usage": { "prompt_tokens": 700, "completion_tokens": 30 },
    })
    .to_string()
}
