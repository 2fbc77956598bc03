use super::*;
use crate::wire::RequestRef;
use proptest::prelude::*;

fn request(body: &[u8]) -> Vec<u8> {
    [RequestRef::Hook(body).header().unwrap().as_slice(), body].concat()
}

fn reply(text: &[u8]) -> Reply {
    Reply::Control(text.to_vec())
}

fn take_reply(session: &mut Session) -> Reply {
    let bytes = session.output().to_vec();
    session.wrote(bytes.len());
    let (taken, frame) = Decoder::new(Direction::Reply).feed(&bytes).unwrap();
    assert_eq!(taken, bytes.len());
    Reply::from_frame(frame.unwrap()).unwrap()
}

#[test]
fn pipelined_requests_are_answered_in_order_one_at_a_time() {
    let mut session = Session::new();
    let both = [request(b"one"), request(b"two")].concat();
    assert_eq!(session.receive(&both), Some(Request::Hook(b"one".to_vec())));
    assert!(!session.wants_read());
    assert_eq!(session.resume(), None, "the first one is outstanding");
    session.reply(&reply(b"1"));
    assert_eq!(session.resume(), None, "the first reply has not left");
    assert_eq!(take_reply(&mut session), reply(b"1"));
    assert_eq!(session.resume(), Some(Request::Hook(b"two".to_vec())));
    session.reply(&reply(b"2"));
    assert_eq!(take_reply(&mut session), reply(b"2"));
    assert!(session.wants_read() && !session.is_finished());
}

#[test]
fn a_frame_error_is_answered_and_ends_the_session() {
    let mut session = Session::new();
    assert_eq!(session.receive(b"GET / HTTP/1.1\r\n"), None);
    assert!(!session.is_finished(), "the refusal must leave first");
    let Reply::Error { code, .. } = take_reply(&mut session) else { panic!("not an error") };
    assert_eq!(code, ErrorCode::BadMagic);
    assert!(session.is_finished());
}

#[test]
fn an_oversize_frame_is_refused_and_a_bounded_rest_is_drained() {
    let mut session = Session::new();
    assert_eq!(session.receive(b"CI\x01\x01\xff\xff\xff\xff"), None);
    let Reply::Error { code, .. } = take_reply(&mut session) else { panic!("not an error") };
    assert_eq!(code, ErrorCode::TooLarge);
    assert_eq!(session.stage().0, Phase::Draining);
    let mut drained = 0;
    while !session.is_finished() {
        assert!(session.wants_read());
        assert_eq!(session.receive(&[0; 4096]), None);
        drained += 4096;
    }
    assert_eq!(drained, DRAIN_BYTES_MAX);
}

#[test]
fn a_reply_above_its_cap_becomes_an_error() {
    let mut session = Session::new();
    assert!(session.receive(&request(b"x")).is_some());
    session.reply(&Reply::Control(vec![0; crate::limits::REPLY_BODY_BYTES_MAX + 1]));
    let Reply::Error { code, .. } = take_reply(&mut session) else { panic!("not an error") };
    assert_eq!(code, ErrorCode::Internal);
}

#[test]
fn a_half_closed_client_still_gets_its_reply() {
    let mut session = Session::new();
    assert!(session.receive(&request(b"x")).is_some());
    session.end_of_input();
    assert!(!session.is_finished());
    session.reply(&reply(b"1"));
    assert!(!session.is_finished());
    assert_eq!(take_reply(&mut session), reply(b"1"));
    assert!(session.is_finished());
}

#[test]
fn a_reply_after_a_refusal_is_dropped() {
    let mut session = Session::new();
    assert!(session.receive(&request(b"x")).is_some());
    session.refuse(ErrorCode::Internal, "too late");
    session.reply(&reply(b"1"));
    assert!(matches!(take_reply(&mut session), Reply::Error { code: ErrorCode::Internal, .. }));
    assert!(session.is_finished());
}

#[test]
fn a_session_is_refused_once() {
    let mut session = Session::new();
    session.refuse(ErrorCode::ShuttingDown, "first");
    session.refuse(ErrorCode::Internal, "second");
    assert!(matches!(take_reply(&mut session), Reply::Error { code: ErrorCode::ShuttingDown, .. }));
    assert!(session.is_finished());
}

#[test]
fn bytes_pushed_on_an_answering_session_are_bounded() {
    let mut session = Session::new();
    assert!(session.receive(&request(b"x")).is_some());
    for _ in 0..100 {
        assert_eq!(session.receive(&[b'C'; 4096]), None);
        assert!(session.held_bytes() <= READ_CHUNK_BYTES + 1024, "{}", session.held_bytes());
    }
    assert!(matches!(take_reply(&mut session), Reply::Error { code: ErrorCode::Busy, .. }));
}

#[test]
fn stages_follow_the_conversation() {
    let mut session = Session::new();
    assert_eq!(session.stage(), (Phase::Idle, 0));
    let bytes = request(b"body");
    assert_eq!(session.receive(&bytes[..3]), None);
    assert_eq!(session.stage(), (Phase::Receiving, 0));
    assert!(session.receive(&bytes[3..]).is_some());
    assert_eq!(session.stage(), (Phase::Answering, 1));
    session.reply(&reply(b"1"));
    assert_eq!(session.stage(), (Phase::Sending, 1));
    take_reply(&mut session);
    assert_eq!(session.stage(), (Phase::Idle, 1));
}

proptest! {
    /// Any cut of any run of requests gives every request once, in order, with one outstanding at a time.
    #[test]
    fn every_request_comes_out_once_in_order(
        bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 1..6),
        cut in 1usize..40,
    ) {
        let bytes: Vec<u8> = bodies.iter().flat_map(|body| request(body)).collect();
        let mut session = Session::new();
        let mut seen = Vec::new();
        for piece in bytes.chunks(cut) {
            let mut next = session.receive(piece);
            while let Some(Request::Hook(body)) = next {
                session.reply(&reply(&body));
                prop_assert_eq!(take_reply(&mut session), reply(&body));
                seen.push(body);
                next = session.resume();
            }
        }
        prop_assert_eq!(seen, bodies);
        session.end_of_input();
        prop_assert!(session.is_finished());
    }

    #[test]
    fn any_bytes_end_in_a_request_a_refusal_or_waiting(bytes: Vec<u8>) {
        let mut session = Session::new();
        let request = session.receive(&bytes);
        session.end_of_input();
        prop_assert_eq!(request.is_some(), session.stage().0 == Phase::Answering);
    }
}
