//! Golden bytes: what a released version wrote must be read for ever, and must still be what it writes.
//!
//! `CIRCINUS_BLESS=1 cargo test -p circinus-store golden` writes the files anew. That is right only for a
//! version that was never released; for a released one the difference is a new version.

use std::path::Path;

use circinus_core::enquiry::{Cause, Cost, Requested, Settled, Unanswered};
use circinus_core::event::Event;
use circinus_core::id::{EventSeq, SessionId};

use super::{Stored, decode, encode, kind};
use crate::sample;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().map(|c| c.to_digit(16).expect("hexadecimal")).collect();
    digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).expect("a byte")).collect()
}

/// Writes the event, compares with the file, and reads the file.
fn check(name: &str, kind: u16, mut event: Event) {
    let encoded = encode(&mut event).expect("encodes");
    assert_eq!((encoded.kind, encoded.version), (kind, 1));
    let written =
        format!("{}\n{}\n", hex(&encoded.payload), encoded.operands.as_deref().map_or(String::new(), hex));

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/codec/golden/v1/{name}.hex"));
    if std::env::var_os("CIRCINUS_BLESS").is_some() {
        std::fs::write(&path, &written).expect("golden file is written");
    }
    let golden = std::fs::read_to_string(&path).expect("golden file is there");
    assert_eq!(golden, written, "the stored form of {name} changed: this needs a new version");

    let (payload, operands) =
        golden.trim_end_matches('\n').split_once('\n').unwrap_or((golden.trim_end(), ""));
    let (payload, operands) = (unhex(payload), unhex(operands));
    let operands = (kind == kind::INGESTED).then_some(operands.as_slice());
    let stored = Stored { kind, version: 1, payload: &payload, operands };
    assert_eq!(decode(stored), Ok(event));
}

#[test]
fn golden_session_opened() {
    check("session-opened", kind::SESSION_OPENED, sample::opened("s-1"));
}

#[test]
fn golden_ingested() {
    check("ingested", kind::INGESTED, Event::Ingested(Box::new(sample::rich_artifact())));
}

#[test]
fn golden_judged() {
    check("judged", kind::JUDGED, sample::judged(b"content", "cheap"));
}

#[test]
fn golden_enquiries() {
    let key = sample::key(b"content", "strong");
    let reserved = Cost { requests: 1, tokens: 9_000, micro_usd: 27_000 };
    let session = Some(SessionId::new("s-1"));
    check("requested", kind::REQUESTED, Event::Requested(Requested { key: key.clone(), session, reserved }));
    let cost = Cost { requests: 1, tokens: 1_234, micro_usd: 3_702 };
    check("settled", kind::SETTLED, Event::Settled(Settled { request: EventSeq(17), cost }));
    check("unanswered", kind::UNANSWERED, Event::Unanswered(Unanswered { key, cause: Cause::Overloaded }));
}

#[test]
fn golden_decided() {
    check("decided", kind::DECIDED, sample::decided("s-1", circinus_core::policy::Verdict::Block));
}

#[test]
fn golden_session_closed() {
    check("session-closed", kind::SESSION_CLOSED, sample::closed("s-1"));
}

#[test]
fn golden_statements() {
    for (name, act) in sample::acts() {
        check(&format!("stated-{name}"), kind::STATED, sample::stated(act));
    }
}

#[test]
fn golden_host_bound() {
    check("host-bound", kind::HOST_BOUND, sample::host_bound());
}

#[test]
fn golden_impersonated() {
    check("impersonated", kind::IMPERSONATED, sample::impersonated());
}

#[test]
fn golden_ask_unreliable() {
    check("ask-unreliable", kind::ASK_UNRELIABLE, sample::ask_unreliable());
}

#[test]
fn every_cut_and_every_added_byte_is_an_error_and_no_panic() {
    let mut event = Event::Ingested(Box::new(sample::rich_artifact()));
    let encoded = encode(&mut event).expect("encodes");
    let operands = encoded.operands.as_deref();
    for end in 0..encoded.payload.len() {
        let payload = &encoded.payload[..end];
        assert!(
            decode(Stored { kind: kind::INGESTED, version: 1, payload, operands }).is_err(),
            "cut at {end}"
        );
    }
    let longer = [encoded.payload.as_slice(), &[0]].concat();
    assert!(decode(Stored { kind: kind::INGESTED, version: 1, payload: &longer, operands }).is_err());
}

#[test]
fn other_operands_than_the_recorded_ones_are_an_error() {
    let mut event = Event::Ingested(Box::new(sample::rich_artifact()));
    let encoded = encode(&mut event).expect("encodes");
    let mut other = encoded.operands.clone().expect("an artifact has operands");
    for operands in [
        None,
        Some({
            other[0] ^= 1;
            other.as_slice()
        }),
    ] {
        let stored = Stored { kind: kind::INGESTED, version: 1, payload: &encoded.payload, operands };
        assert!(matches!(decode(stored), Err(super::CodecError::Operands { .. })));
    }
}
