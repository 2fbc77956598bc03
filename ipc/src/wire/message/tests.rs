use super::*;
use crate::wire::frame::{Decoder, Direction};
use proptest::prelude::*;

fn decode_reply(bytes: &[u8]) -> Result<Reply, MessageError> {
    let (taken, frame) = Decoder::new(Direction::Reply).feed(bytes).unwrap();
    assert_eq!(taken, bytes.len());
    Reply::from_frame(frame.unwrap())
}

fn decode_request(request: RequestRef<'_>) -> Request {
    let bytes = [request.header().unwrap().as_slice(), request.body()].concat();
    let (_, frame) = Decoder::new(Direction::Request).feed(&bytes).unwrap();
    Request::from_frame(frame.unwrap()).unwrap()
}

// Golden bytes: these arrays are the wire of version 1. A change here is a new version.
#[test]
fn golden_requests() {
    assert_eq!(RequestRef::Hook(b"{}").header().unwrap(), *b"CI\x01\x01\x02\x00\x00\x00");
    assert_eq!(RequestRef::Control(&[b'x'; 258]).header().unwrap(), *b"CI\x01\x02\x02\x01\x00\x00");
}

#[test]
fn golden_replies() {
    let answer = Reply::Answer { exit: 2, stdout: b"{}".to_vec(), stderr: b"no\n".to_vec() };
    let bytes = b"CI\x01\x81\x0e\x00\x00\x00\x02\x02\x00\x00\x00\x03\x00\x00\x00{}no\n";
    assert_eq!(answer.encode().unwrap(), bytes);
    assert_eq!(Reply::Control(b"[]".to_vec()).encode().unwrap(), b"CI\x01\x82\x02\x00\x00\x00[]");
    let error = Reply::error(ErrorCode::Busy, "full");
    assert_eq!(error.encode().unwrap(), b"CI\x01\x83\x05\x00\x00\x00\x05full");
}

#[test]
fn golden_error_codes() {
    use ErrorCode::*;
    let codes = [BadMagic, BadVersion, BadKind, TooLarge, Busy, Internal, ShuttingDown];
    for (byte, code) in (1u8..).zip(codes) {
        assert_eq!(code as u8, byte);
        assert_eq!(ErrorCode::from_byte(byte), Some(code));
    }
    assert_eq!(ErrorCode::from_byte(0), None);
    assert_eq!(ErrorCode::from_byte(8), None);
}

#[test]
fn an_answer_whose_lengths_do_not_add_up_is_malformed() {
    for body in [
        &b""[..],
        b"\x00",
        b"\x00\x01\x00\x00\x00\x00\x00\x00\x00",
        b"\x00\x00\x00\x00\x00\x00\x00\x00\x00x",
        b"\x00\xff\xff\xff\xff\xff\xff\xff\xff",
    ] {
        let frame = Frame { kind: Kind::Answer, body: body.to_vec() };
        assert_eq!(Reply::from_frame(frame), Err(MessageError::Malformed(Kind::Answer)), "{body:?}");
    }
}

#[test]
fn an_error_needs_a_known_code_and_utf8() {
    for body in [&b""[..], b"\x09text", b"\x05\xff"] {
        let frame = Frame { kind: Kind::Error, body: body.to_vec() };
        assert_eq!(Reply::from_frame(frame), Err(MessageError::Malformed(Kind::Error)), "{body:?}");
    }
}

#[test]
fn frames_of_the_other_direction_are_no_messages() {
    let frame = |kind| Frame { kind, body: Vec::new() };
    assert_eq!(Request::from_frame(frame(Kind::Error)), Err(MessageError::WrongDirection(Kind::Error)));
    assert_eq!(Reply::from_frame(frame(Kind::Hook)), Err(MessageError::WrongDirection(Kind::Hook)));
}

#[test]
fn bodies_above_the_cap_are_not_encoded() {
    let reply = Reply::Control(vec![0; REPLY_BODY_BYTES_MAX + 1]);
    assert!(matches!(reply.encode(), Err(EncodeError::TooLarge { .. })));
    let at_cap = Reply::Control(vec![0; REPLY_BODY_BYTES_MAX]);
    assert_eq!(at_cap.encode().unwrap().len(), HEADER_BYTES + REPLY_BODY_BYTES_MAX);
}

#[test]
fn a_long_error_text_is_cut_at_a_character() {
    let reply = Reply::error(ErrorCode::Internal, "é".repeat(ERROR_TEXT_BYTES_MAX));
    let Reply::Error { text, .. } = decode_reply(&reply.encode().unwrap()).unwrap() else {
        panic!("not an error")
    };
    assert_eq!(text, "é".repeat(ERROR_TEXT_BYTES_MAX / 2));
}

proptest! {
    #[test]
    fn replies_come_back(exit: u8, stdout: Vec<u8>, stderr: Vec<u8>, text in "\\PC{0,80}") {
        for reply in [
            Reply::Control(stdout.clone()),
            Reply::Answer { exit, stdout, stderr },
            Reply::error(ErrorCode::Internal, text),
        ] {
            prop_assert_eq!(decode_reply(&reply.encode().unwrap()).unwrap(), reply);
        }
    }

    #[test]
    fn requests_come_back(body: Vec<u8>) {
        prop_assert_eq!(decode_request(RequestRef::Hook(&body)), Request::Hook(body.clone()));
        prop_assert_eq!(decode_request(RequestRef::Control(&body)), Request::Control(body.clone()));
    }

    #[test]
    fn any_body_is_a_message_or_an_error(body: Vec<u8>) {
        for kind in [Kind::Answer, Kind::ControlReply, Kind::Error] {
            if let Ok(reply) = Reply::from_frame(Frame { kind, body: body.clone() }) {
                prop_assert!(reply.encode().is_ok());
            }
        }
    }
}
