//! Version 1: postcard (its wire format, version 1) of the event's content.

use circinus_core::artifact::Artifact;
use circinus_core::digest::Digest;
use circinus_core::event::Event;
use circinus_core::operand::Hit;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{CodecError, Encoded, Stored, kind};

const VERSION: u16 = 1;

/// Takes the event mutably only to lift an artifact's operands out while the rest is written, which saves a
/// copy of everything; the event is whole again on return.
pub(super) fn encode(event: &mut Event) -> Result<Encoded, CodecError> {
    let (kind, payload, operands) = match event {
        Event::SessionOpened(opened) => (kind::SESSION_OPENED, to_bytes(kind::SESSION_OPENED, opened)?, None),
        Event::Ingested(artifact) => {
            let (payload, packed) = encode_artifact(artifact)?;
            (kind::INGESTED, payload, Some(packed))
        }
        Event::Judged { judgement, routing } => {
            (kind::JUDGED, to_bytes(kind::JUDGED, &(judgement, routing))?, None)
        }
        Event::Requested(requested) => (kind::REQUESTED, to_bytes(kind::REQUESTED, requested)?, None),
        Event::Settled(settled) => (kind::SETTLED, to_bytes(kind::SETTLED, settled)?, None),
        Event::Unanswered(unanswered) => (kind::UNANSWERED, to_bytes(kind::UNANSWERED, unanswered)?, None),
        Event::Decided(record) => (kind::DECIDED, to_bytes(kind::DECIDED, record)?, None),
        Event::SessionClosed { session } => {
            (kind::SESSION_CLOSED, to_bytes(kind::SESSION_CLOSED, session)?, None)
        }
        Event::Stated(statement) => (kind::STATED, to_bytes(kind::STATED, statement)?, None),
        Event::HostBound(bound) => (kind::HOST_BOUND, to_bytes(kind::HOST_BOUND, bound)?, None),
        Event::Impersonated(event) => (kind::IMPERSONATED, to_bytes(kind::IMPERSONATED, event)?, None),
        Event::AskUnreliable { program, decision } => {
            (kind::ASK_UNRELIABLE, to_bytes(kind::ASK_UNRELIABLE, &(program, decision))?, None)
        }
    };
    Ok(Encoded { kind, version: VERSION, payload, operands })
}

/// INVARIANT (operands-are-chained): operands and fingerprints are kept once, outside the payload, and their
/// digest is inside it, so the hash chain covers them all the same.
fn encode_artifact(artifact: &mut Artifact) -> Result<(Vec<u8>, Vec<u8>), CodecError> {
    let looked_up = (std::mem::take(&mut artifact.operands), std::mem::take(&mut artifact.prints));
    let encoded = to_bytes(kind::INGESTED, &looked_up).and_then(|packed| {
        let payload = to_bytes(kind::INGESTED, &(Digest::of(&packed), &*artifact))?;
        Ok((payload, packed))
    });
    (artifact.operands, artifact.prints) = looked_up;
    encoded
}

pub(super) fn decode(stored: Stored<'_>) -> Result<Event, CodecError> {
    match stored.kind {
        kind::SESSION_OPENED => from_bytes(stored.kind, stored.payload).map(Event::SessionOpened),
        kind::INGESTED => decode_artifact(stored).map(Event::Ingested),
        kind::JUDGED => from_bytes(stored.kind, stored.payload)
            .map(|(judgement, routing)| Event::Judged { judgement, routing }),
        kind::REQUESTED => from_bytes(stored.kind, stored.payload).map(Event::Requested),
        kind::SETTLED => from_bytes(stored.kind, stored.payload).map(Event::Settled),
        kind::UNANSWERED => from_bytes(stored.kind, stored.payload).map(Event::Unanswered),
        kind::DECIDED => from_bytes(stored.kind, stored.payload).map(Event::Decided),
        kind::SESSION_CLOSED => {
            from_bytes(stored.kind, stored.payload).map(|session| Event::SessionClosed { session })
        }
        kind::STATED => from_bytes(stored.kind, stored.payload).map(Event::Stated),
        kind::HOST_BOUND => from_bytes(stored.kind, stored.payload).map(Event::HostBound),
        kind::IMPERSONATED => from_bytes(stored.kind, stored.payload).map(Event::Impersonated),
        kind::ASK_UNRELIABLE => from_bytes(stored.kind, stored.payload)
            .map(|(program, decision)| Event::AskUnreliable { program, decision }),
        kind => Err(CodecError::Unknown { kind, version: VERSION }),
    }
}

fn decode_artifact(stored: Stored<'_>) -> Result<Box<Artifact>, CodecError> {
    let (wanted, mut artifact): (Digest, Box<Artifact>) = from_bytes(stored.kind, stored.payload)?;
    let packed = stored.operands.ok_or(CodecError::Operands { wanted, found: None })?;
    let found = Digest::of(packed);
    if found != wanted {
        return Err(CodecError::Operands { wanted, found: Some(found) });
    }
    (artifact.operands, artifact.prints) = from_bytes::<(Vec<Hit>, Vec<u32>)>(stored.kind, packed)?;
    Ok(artifact)
}

fn to_bytes<T: Serialize>(kind: u16, value: &T) -> Result<Vec<u8>, CodecError> {
    postcard::to_stdvec(value).map_err(|source| CodecError::Malformed { kind, version: VERSION, source })
}

fn from_bytes<T: DeserializeOwned>(kind: u16, bytes: &[u8]) -> Result<T, CodecError> {
    let (value, rest) = postcard::take_from_bytes(bytes).map_err(|source| CodecError::Malformed {
        kind,
        version: VERSION,
        source,
    })?;
    if rest.is_empty() {
        Ok(value)
    } else {
        Err(CodecError::Trailing { kind, version: VERSION, count: rest.len() })
    }
}
