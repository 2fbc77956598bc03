//! Places in temporary directories, daemons with a given worker, raw clients.

use circinus_ipc::client::CallError;
use circinus_ipc::{
    Client, HomeDir, Job, Limits, Receiver, Reply, Request, Server, ServerHandle, SocketPlace,
};
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Far above what any step takes: reaching it means "never".
pub(crate) const LONG: Duration = Duration::from_secs(40);

pub(crate) fn place_in(root: &Path) -> SocketPlace {
    SocketPlace::new(&HomeDir::at(root.join("home")).unwrap(), &|_| None, circinus_ipc::peer::own_uid())
}

pub(crate) struct Daemon {
    pub(crate) root: TempDir,
    pub(crate) place: SocketPlace,
    pub(crate) handle: ServerHandle,
}

impl Daemon {
    /// A daemon whose worker threads run `work` on each request.
    pub(crate) fn with(limits: Limits, work: impl Fn(Job) + Clone + Send + 'static) -> Daemon {
        let (daemon, jobs) = Daemon::without_workers(limits);
        spawn_workers(jobs, work);
        daemon
    }

    /// A daemon whose queue is in the hands of the test.
    pub(crate) fn without_workers(limits: Limits) -> (Daemon, Receiver<Job>) {
        let root = tempfile::tempdir().unwrap();
        let place = place_in(root.path());
        let server = Server::bind(&place, limits).unwrap();
        let jobs = server.jobs();
        let handle = server.start().unwrap();
        (Daemon { root, place, handle }, jobs)
    }

    pub(crate) fn echo() -> Daemon {
        Daemon::with(Limits::default(), echo)
    }

    pub(crate) fn connect(&self) -> UnixStream {
        connect(&self.place)
    }

    pub(crate) fn call(&self, body: &[u8]) -> Result<Reply, CallError> {
        Client::call(&self.place, Request::Control(body.to_vec()), LONG)
    }

    /// The daemon still does its work.
    pub(crate) fn assert_healthy(&self) {
        assert_eq!(self.call(b"still there?").unwrap(), Reply::Control(b"still there?".to_vec()));
    }
}

pub(crate) fn spawn_workers(jobs: Receiver<Job>, work: impl Fn(Job) + Clone + Send + 'static) {
    for _ in 0..4 {
        let (jobs, work) = (jobs.clone(), work.clone());
        thread::spawn(move || jobs.iter().for_each(work));
    }
}

pub(crate) fn echo(job: Job) {
    let reply = match job.request {
        Request::Control(body) => Reply::Control(body),
        Request::Hook(body) => Reply::Answer { exit: 0, stdout: body, stderr: Vec::new() },
    };
    job.responder.send(reply);
}

pub(crate) fn connect(place: &SocketPlace) -> UnixStream {
    let stream = UnixStream::connect(place.socket()).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream
}

pub(crate) fn control_frame(body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32).to_le_bytes();
    [b"CI\x01\x02".as_slice(), &length, body].concat()
}

/// One reply frame, read with nothing but the documented layout.
pub(crate) fn read_reply(stream: &mut UnixStream) -> (u8, Vec<u8>) {
    let mut header = [0; 8];
    stream.read_exact(&mut header).unwrap();
    assert_eq!(&header[..3], b"CI\x01");
    let mut body = vec![0; u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize];
    stream.read_exact(&mut body).unwrap();
    (header[3], body)
}

/// The code and text of an error frame.
pub(crate) fn read_error(stream: &mut UnixStream) -> (u8, String) {
    let (kind, body) = read_reply(stream);
    assert_eq!(kind, 0x83);
    (body[0], String::from_utf8(body[1..].to_vec()).unwrap())
}

/// Reads until the other side has closed; returns how many bytes came before. Fails where it never closes.
pub(crate) fn read_until_closed(stream: &mut UnixStream) -> usize {
    let mut bytes = 0;
    let mut chunk = [0; 65536];
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => return bytes,
            Ok(count) => bytes += count,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return bytes,
            Err(error) => panic!("the connection was not closed: {error}"),
        }
    }
}

/// Waits for a condition that something else brings about.
pub(crate) fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let until = Instant::now() + LONG;
    while !condition() {
        assert!(Instant::now() < until, "never: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}
