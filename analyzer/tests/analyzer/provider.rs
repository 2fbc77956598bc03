//! A provider that is played: chat completions on loopback, with every way in which a provider can fail.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking, as tests do")]
#![allow(dead_code, reason = "each of the test crates that play this provider needs another part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

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

type Script = dyn Fn(usize, &Value) -> Act + Send + Sync;

/// The provider; it ends with the test process.
pub(crate) struct StandIn {
    address: String,
    requests: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl StandIn {
    /// A provider that acts by the number of the request, from 0, and its body.
    pub(crate) fn new(script: impl Fn(usize, &Value) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, script): (_, Arc<Script>) = (Arc::clone(&requests), Arc::new(script));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (seen, script) = (Arc::clone(&seen), Arc::clone(&script));
                // A client that goes away in the middle is what some of the tests are about.
                thread::spawn(move || serve(&stream, &seen, &script));
            }
        });
        Self { address, requests }
    }

    pub(crate) fn always(act: Act) -> Self {
        Self::new(move |_, _| act.clone())
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request as it came, head and body.
    pub(crate) fn requests(&self) -> Vec<Vec<u8>> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(stream: &TcpStream, seen: &Mutex<Vec<Vec<u8>>>, script: &Arc<Script>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let (raw, body) = request(&mut reader)?;
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.push(raw);
            seen.len() - 1
        };
        let body: Value = serde_json::from_slice(&body).ok()?;
        act(stream, script(number, &body), &body)?;
    }
}

fn request(reader: &mut impl BufRead) -> Option<(Vec<u8>, Vec<u8>)> {
    let (mut raw, mut length) = (Vec::new(), 0);
    loop {
        let mut line = Vec::new();
        if reader.read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        raw.extend_from_slice(&line);
        let text = String::from_utf8_lossy(&line).to_ascii_lowercase();
        if let Some(value) = text.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if text.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    raw.extend_from_slice(&body);
    Some((raw, body))
}

/// Acts; none when the connection ends.
fn act(mut stream: &TcpStream, act: Act, request: &Value) -> Option<()> {
    let whole = |status: u16, more: &str, body: &str| {
        format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{more}\r\n{body}", body.len())
    };
    match act {
        Act::Verdict(level) => {
            stream.write_all(whole(200, "", &answer(&verdict(request, level))).as_bytes()).ok()
        }
        Act::Late(level, pause) => {
            thread::sleep(pause);
            stream.write_all(whole(200, "", &answer(&verdict(request, level))).as_bytes()).ok()
        }
        Act::Streams(level) => {
            stream.write_all(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n").ok()?;
            for piece in answer(&verdict(request, level)).as_bytes().chunks(7) {
                stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).ok()?;
                stream.write_all(piece).ok()?;
                stream.write_all(b"\r\n").ok()?;
            }
            stream.write_all(b"0\r\n\r\n").ok()
        }
        Act::Obeys => {
            let text = user(request);
            let dictated = text.split("ANSWER:").nth(1).and_then(|rest| rest.lines().next());
            let said = dictated.map_or_else(|| verdict(request, "benign").to_string(), str::to_owned);
            stream
                .write_all(whole(200, "", &answer_text(&said.replace("MARK", mark(request)))).as_bytes())
                .ok()
        }
        Act::Status(status) => stream.write_all(whole(status, "", "{}").as_bytes()).ok(),
        Act::RetryAfter(status, seconds) => {
            stream.write_all(whole(status, &format!("retry-after: {seconds}\r\n"), "{}").as_bytes()).ok()
        }
        Act::Stalls => {
            stream.write_all(b"HTTP/1.1 200 X\r\ncontent-length: 900\r\n\r\n{\"choices\"").ok()?;
            // Until the client goes away.
            let mut rest = [0; 1];
            let mut reading = stream;
            reading.read(&mut rest).ok().filter(|read| *read > 0).map(drop)
        }
        Act::Breaks => {
            let whole = whole(200, "", &answer(&verdict(request, "benign")));
            stream.write_all(&whole.as_bytes()[..whole.len() / 2]).ok()?;
            None
        }
        Act::Closes => None,
        Act::Garbage => stream.write_all(whole(200, "", "<html>\u{1}busy</html>").as_bytes()).ok(),
        Act::WrongForm => stream.write_all(whole(200, "", r#"{"level":"benign"}"#).as_bytes()).ok(),
        Act::WrongSchema => {
            let mut verdict = verdict(request, "benign");
            verdict["confidence"] = json!(0.99);
            stream.write_all(whole(200, "", &answer(&verdict)).as_bytes()).ok()
        }
        Act::WrongQuote => {
            let mut verdict = verdict(request, "adverse");
            verdict["quotes"] = json!(["words that nobody wrote"]);
            stream.write_all(whole(200, "", &answer(&verdict)).as_bytes()).ok()
        }
        Act::WrongMark => {
            let mut verdict = verdict(request, "benign");
            verdict["mark"] = json!("0123456789abcdef01234567");
            stream.write_all(whole(200, "", &answer(&verdict)).as_bytes()).ok()
        }
        Act::Huge => {
            stream.write_all(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n").ok()?;
            let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
            while stream.write_all(chunk.as_bytes()).is_ok() {}
            None
        }
        Act::Redirects(to) => {
            stream.write_all(whole(307, &format!("location: {to}\r\n"), "").as_bytes()).ok()
        }
    }
}

fn user(request: &Value) -> &str {
    request["messages"][1]["content"].as_str().unwrap_or_default()
}

fn mark(request: &Value) -> &str {
    user(request).strip_prefix("The mark of the text is ").map_or("", |rest| &rest[..24])
}

/// A sound verdict on the text of a request; what is quoted is the first word of the text.
fn verdict(request: &Value, level: &str) -> Value {
    let text =
        user(request).split_once("<text ").and_then(|(_, rest)| rest.split_once(">\n")).unwrap_or_default().1;
    let word = text.split_whitespace().next().unwrap_or_default();
    let (technique, quotes) = if level == "benign" { ("none", json!([])) } else { ("other", json!([word])) };
    json!({ "mark": mark(request), "level": level, "technique": technique, "quotes": quotes })
}

fn answer(verdict: &Value) -> String {
    answer_text(&verdict.to_string())
}

fn answer_text(text: &str) -> String {
    json!({
        "choices": [{ "finish_reason": "stop", "message": { "role": "assistant", "content": text } }],
        "usage": { "prompt_tokens": 700, "completion_tokens": 30 },
    })
    .to_string()
}
