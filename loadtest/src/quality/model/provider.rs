//! What playing a provider takes: HTTP/1.1 on loopback, reading what a request asks, and verdicts of the right form.
//!
//! It uses nothing of this workspace, so that the tests of other crates play providers with this very file.

use std::io::{self, BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

/// Bytes of a request's head, and of its body; the longest question has less than a tenth.
const PART_BYTES_MAX: u64 = 1 << 20;

/// Connections served at once; a further one is closed. Each daemon has at most four.
const CONNECTIONS_MAX: usize = 256;

/// A server that answers by a closure, until it is dropped.
#[derive(Debug)]
pub struct Loopback {
    address: SocketAddr,
    ends: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    /// Head and body, byte for byte.
    pub raw: Vec<u8>,
    /// The body.
    pub body: Value,
}

impl Loopback {
    /// Listens on a free port. `serve` answers each request on the stream that it came by; an error closes it.
    ///
    /// # Errors
    /// The system's, when there is no port or no thread.
    pub fn start(
        serve: impl Fn(&TcpStream, Request) -> io::Result<()> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let ends = Arc::new(AtomicBool::new(false));
        let (ending, serve) = (Arc::clone(&ends), Arc::new(serve));
        let accepting = thread::Builder::new()
            .name("played provider".into())
            .spawn(move || accept(&listener, &ending, &serve))?;
        Ok(Self { address, ends, accepting: Some(accepting) })
    }

    /// Where it listens, as `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Loopback {
    /// Connections that are open end with their clients.
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection; where that is impossible it is left behind.
        if TcpStream::connect(self.address).is_ok()
            && let Some(accepting) = self.accepting.take()
        {
            // A panic in it has closed the port, which is all that is wanted here.
            drop(accepting.join());
        }
    }
}

fn accept<S>(listener: &TcpListener, ends: &AtomicBool, serve: &Arc<S>)
where
    S: Fn(&TcpStream, Request) -> io::Result<()> + Send + Sync + 'static,
{
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming().map_while(Result::ok) {
        if ends.load(Ordering::SeqCst) {
            return;
        }
        if open.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS_MAX {
            open.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let (serve, open) = (Arc::clone(serve), Arc::clone(&open));
        thread::spawn(move || {
            // However a conversation ends, the client sees that its connection was closed.
            drop(converse(&stream, &*serve));
            open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

fn converse(stream: &TcpStream, serve: &impl Fn(&TcpStream, Request) -> io::Result<()>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        serve(stream, request(&mut reader)?)?;
    }
}

fn request(reader: &mut impl BufRead) -> io::Result<Request> {
    let (mut raw, mut length) = (Vec::new(), 0);
    let mut head = reader.by_ref().take(PART_BYTES_MAX);
    loop {
        let begin = raw.len();
        if head.read_until(b'\n', &mut raw)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = String::from_utf8_lossy(raw.get(begin..).unwrap_or_default()).to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse::<u64>().map_err(io::Error::other)?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    if length > PART_BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let begin = raw.len();
    if reader.take(length).read_to_end(&mut raw)? as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let body = serde_json::from_slice(raw.get(begin..).unwrap_or_default())?;
    Ok(Request { raw, body })
}

/// A whole answer with a body of JSON; each line of `headers` ends with a line break.
#[must_use]
pub fn answer(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len()).into_bytes()
}

/// What a request asks about.
#[derive(Clone, Copy, Debug)]
pub struct Question<'r> {
    /// The whole of what the model is told last.
    pub told: &'r str,
    /// What the verdict must carry.
    pub mark: &'r str,
    /// The text to judge.
    pub text: &'r str,
}

impl<'r> Question<'r> {
    /// Reads a request with the messages of a chat.
    #[must_use]
    pub fn of(request: &'r Value) -> Option<Self> {
        let told = request.pointer("/messages/1/content")?.as_str()?;
        let (mark, rest) = told.strip_prefix("The mark of the text is ")?.split_once(".\n")?;
        let rest = rest.strip_prefix(&format!("<text {mark}>\n"))?;
        let (text, _) = rest.rsplit_once(&format!("\n</text {mark}>"))?;
        Some(Self { told, mark, text })
    }

    /// A verdict, sound in every part if `quote` stands in the text.
    #[must_use]
    pub fn verdict(&self, level: &str, quote: &str) -> Value {
        let (technique, quotes) =
            if level == "benign" { ("none", json!([])) } else { ("other", json!([quote])) };
        json!({ "mark": self.mark, "level": level, "technique": technique, "quotes": quotes })
    }
}
