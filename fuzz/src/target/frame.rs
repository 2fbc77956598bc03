//! Any bytes on the socket, cut anywhere: a connection gives requests or a refusal, holds no more than its
//! bounds, and comes to an end.

use std::time::Duration;

use circinus_ipc::limits::{READ_CHUNK_BYTES, REQUEST_BODY_BYTES_MAX};
use circinus_ipc::session::Session;
use circinus_ipc::wire::{Decoder, Direction, Reply};

use crate::bound::{Bound, within};

const BOUND: Bound = Bound {
    floor: Duration::from_millis(1),
    per_byte: Duration::from_nanos(500),
    most: Duration::from_millis(200),
};

/// The first byte says where the stream is cut, and the rest is the stream.
pub(super) fn run(bytes: &[u8]) {
    let Some((first, stream)) = bytes.split_first() else { return };
    let chunk = usize::from(*first) + 1;
    within(bytes.len(), BOUND, || serve(stream, chunk));
    within(bytes.len(), BOUND, || take(stream, chunk));
}

/// The daemon's side: requests in order, each answered.
fn serve(stream: &[u8], chunk: usize) {
    let mut session = Session::new();
    for piece in stream.chunks(chunk) {
        let mut request = session.receive(piece);
        while let Some(taken) = request {
            assert!(taken.body_bytes() <= REQUEST_BODY_BYTES_MAX);
            session.reply(&Reply::error(circinus_ipc::ErrorCode::Busy, "x"));
            drain(&mut session);
            request = session.resume();
        }
        drain(&mut session);
        assert!(session.held_bytes() <= stream.len() + READ_CHUNK_BYTES, "it holds what nobody sent");
    }
    session.end_of_input();
    while let Some(_early) = session.resume() {
        session.reply(&Reply::error(circinus_ipc::ErrorCode::Busy, "x"));
        drain(&mut session);
    }
    drain(&mut session);
    assert!(session.is_finished(), "nothing is left to do: {:?}", session.stage());
}

fn drain(session: &mut Session) {
    while session.wants_write() {
        let bytes = session.output().len().min(7);
        assert!(bytes > 0);
        session.wrote(bytes);
    }
}

/// The client's side: replies or an error, never both from the same bytes.
fn take(stream: &[u8], chunk: usize) {
    let mut decoder = Decoder::new(Direction::Reply);
    for piece in stream.chunks(chunk) {
        let mut rest = piece;
        while !rest.is_empty() {
            match decoder.feed(rest) {
                Ok((taken, frame)) => {
                    assert!(taken > 0 && taken <= rest.len(), "it goes on");
                    rest = &rest[taken..];
                    let reply = frame.map(Reply::from_frame);
                    if let Some(Ok(reply)) = reply {
                        assert!(reply.encode().is_ok(), "what came in can go out");
                    }
                }
                Err(_) => return,
            }
        }
        assert!(decoder.held_bytes() <= stream.len());
    }
}
