use super::*;
use proptest::prelude::*;

fn decode(direction: Direction, bytes: &[u8], cut: usize) -> (Vec<Frame>, Option<FrameError>) {
    let mut decoder = Decoder::new(direction);
    let mut frames = Vec::new();
    for piece in bytes.chunks(cut.max(1)) {
        let mut rest = piece;
        while !rest.is_empty() {
            match decoder.feed(rest) {
                Ok((taken, frame)) => {
                    frames.extend(frame);
                    rest = &rest[taken..];
                }
                Err(error) => return (frames, Some(error)),
            }
        }
    }
    (frames, None)
}

fn frame_bytes(kind: Kind, body: &[u8]) -> Vec<u8> {
    let mut bytes = header(kind, body.len() as u32).to_vec();
    bytes.extend_from_slice(body);
    bytes
}

#[test]
fn an_empty_body_is_complete_with_its_header() {
    let (frames, error) = decode(Direction::Request, &frame_bytes(Kind::Hook, b""), 8);
    assert_eq!(frames, [Frame { kind: Kind::Hook, body: Vec::new() }]);
    assert_eq!(error, None);
}

#[test]
fn each_header_byte_is_judged_when_it_comes() {
    assert_eq!(decode(Direction::Request, b"G", 1).1, Some(FrameError::BadMagic));
    assert_eq!(decode(Direction::Request, b"CX", 1).1, Some(FrameError::BadMagic));
    assert_eq!(decode(Direction::Request, b"CI\x07", 1).1, Some(FrameError::BadVersion { theirs: 7 }));
    assert_eq!(decode(Direction::Request, b"CI\x01\x81", 1).1, Some(FrameError::BadKind { kind: 0x81 }));
    assert_eq!(decode(Direction::Reply, b"CI\x01\x01", 1).1, Some(FrameError::BadKind { kind: 0x01 }));
}

#[test]
fn a_length_above_the_cap_is_refused_before_any_body() {
    let bytes = header(Kind::Hook, REQUEST_BODY_BYTES_MAX as u32 + 1);
    let error = decode(Direction::Request, &bytes, 8).1.unwrap();
    assert_eq!(error.code(), ErrorCode::TooLarge);
    let mut decoder = Decoder::new(Direction::Request);
    assert!(decoder.feed(&header(Kind::Hook, REQUEST_BODY_BYTES_MAX as u32)).unwrap().1.is_none());
}

#[test]
fn a_version_mismatch_names_both_versions() {
    let text = FrameError::BadVersion { theirs: 9 }.to_string();
    assert!(text.contains("version 9") && text.contains("speaks 1"), "{text}");
}

#[test]
fn an_error_stays() {
    let mut decoder = Decoder::new(Direction::Request);
    assert_eq!(decoder.feed(b"X"), Err(FrameError::BadMagic));
    assert_eq!(decoder.feed(&frame_bytes(Kind::Hook, b"")), Err(FrameError::BadMagic));
}

#[test]
fn an_announced_length_reserves_no_memory() {
    let mut decoder = Decoder::new(Direction::Request);
    decoder.feed(&header(Kind::Hook, REQUEST_BODY_BYTES_MAX as u32)).unwrap();
    decoder.feed(b"x").unwrap();
    let Step::Body { body, .. } = &decoder.step else { panic!("not in a body") };
    assert!(body.capacity() <= READ_CHUNK_BYTES, "{}", body.capacity());
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_frames(
        bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..5),
        cut in 1usize..64,
    ) {
        let bytes: Vec<u8> = bodies.iter().flat_map(|body| frame_bytes(Kind::Hook, body)).collect();
        let (frames, error) = decode(Direction::Request, &bytes, cut);
        prop_assert_eq!(error, None);
        prop_assert_eq!(frames.into_iter().map(|frame| frame.body).collect::<Vec<_>>(), bodies);
    }

    #[test]
    fn any_bytes_are_judged_alike_however_cut(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..64),
            prop::collection::vec(any::<u8>(), 0..64).prop_map(|tail| [b"CI\x01\x01".to_vec(), tail].concat()),
            prop::collection::vec(any::<u8>(), 0..64).prop_map(|tail| [b"CI\x01".to_vec(), tail].concat()),
        ],
        cut in 1usize..16,
    ) {
        for direction in [Direction::Request, Direction::Reply] {
            prop_assert_eq!(decode(direction, &bytes, cut), decode(direction, &bytes, bytes.len()));
        }
    }
}
