//! The strong tier: a content is put to the user's model in pieces, each redacted and fenced, and only a sound
//! verdict on every piece counts.

mod pieces;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::{Duration, Instant};

use circinus_core::digest::Digest;
use circinus_core::enquiry::{Cause, Cost};
use circinus_core::evidence::{EvidenceKey, Finding, Judgement, Level};
use circinus_core::id::EventSeq;

use crate::provider::{
    ANSWER_TOKENS_MAX, Answer, Circuit, Client, Opinion, PROMPT_VERSION, Prompt, Provider, Request,
    SendError, Settings, opinion,
};
use crate::redact::redacted;

pub use pieces::{PIECE_BYTES_MAX, PIECES_MAX, Piece};

/// Name of this analyser in evidence keys.
pub const ANALYSER: &str = "strong";

/// Version of the code of this analyser; what is asked, and whom, is covered by the configuration digest.
pub const VERSION: u32 = PROMPT_VERSION;

/// Times that one piece is sent while the provider is busy or unreachable.
const SENDS_MAX: u32 = 3;

/// The pause after the first failure; each further one doubles it.
const BACK_OFF_FIRST: Duration = Duration::from_millis(500);

/// The longest pause that is waited for within one try; a provider that asks for more is asked in a later one.
const BACK_OFF_MAX: Duration = Duration::from_secs(8);

/// Where what is spent is written down, durably, before it is spent.
pub trait Ledger {
    /// Takes the most that a request can cost out of the budgets.
    ///
    /// # Errors
    /// A budget is spent, or the reservation could not be recorded: then nothing may be sent.
    fn reserve(&self, most: Cost) -> Result<EventSeq, Cause>;

    /// Says what the request has cost.
    fn settle(&self, request: EventSeq, cost: Cost);

    /// Waits; false when there is no point in going on.
    fn pause(&self, pause: Duration) -> bool;
}

/// The analyser.
pub struct Strong {
    settings: Settings,
    provider: Box<dyn Provider>,
    client: Client,
    circuit: Circuit,
    config: Digest,
}

impl std::fmt::Debug for Strong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Strong").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Strong {
    /// The analyser that asks the provider of these settings. Opens nothing.
    pub fn new(settings: Settings) -> Self {
        let provider = settings.provider();
        let client = Client::new(settings.deadline);
        let config = crate::provider::identity(&settings);
        Self { settings, provider, client, circuit: Circuit::default(), config }
    }

    /// The configured provider.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The state of the provider.
    pub const fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// Name, version and configuration: what a key has besides the content. The configuration covers the model,
    /// where it is, the question and the bounds.
    pub const fn analyser(&self) -> (&'static str, u32, Digest) {
        (ANALYSER, VERSION, self.config)
    }

    /// The key of its verdict on `content`.
    pub fn key(&self, content: Digest) -> EvidenceKey {
        EvidenceKey { content, analyser: ANALYSER.into(), version: VERSION, config: self.config }
    }

    /// Exactly what would be sent about `bytes`, but for the key.
    ///
    /// # Errors
    /// [`Cause::TooLong`], or [`Cause::Stopped`] when nothing can be redacted.
    pub fn requests(&self, bytes: &[u8]) -> Result<Vec<Request>, Cause> {
        let asked = self.questions(bytes)?;
        Ok(asked.into_iter().map(|(_, prompt)| self.request(&prompt)).collect())
    }

    /// Judges `bytes`, whose digest is `content`. The only inputs are the bytes and the answers.
    ///
    /// # Errors
    /// Why there is no verdict; a part without a sound one leaves the whole without.
    pub fn judge(&self, content: Digest, bytes: &[u8], ledger: &dyn Ledger) -> Result<Judgement, Cause> {
        let mut worst = Level::Benign;
        let mut findings = Vec::new();
        for (piece, prompt) in self.questions(bytes)? {
            let said = self.ask(&piece, &prompt, ledger)?;
            worst = worst.max(said.level);
            findings.extend(said.spans.iter().map(|(start, end)| finding(&piece, &said, *start, *end)));
        }
        findings
            .sort_unstable_by(|a: &Finding, b| (a.start, a.end, &a.signal).cmp(&(b.start, b.end, &b.signal)));
        findings.dedup();
        let reason = reason(worst, &findings);
        Ok(Judgement { key: self.key(content), level: worst, findings, reason })
    }

    fn questions(&self, bytes: &[u8]) -> Result<Vec<(Piece, Prompt)>, Cause> {
        // Cut after masking, so that no secret is cut in two and missed.
        let text = redacted(bytes, self.settings.key.as_ref()).ok_or(Cause::Stopped)?;
        let pieces = pieces::cut(&text).ok_or(Cause::TooLong)?;
        let about = |piece: Piece| {
            let prompt = Prompt::about(&piece.text);
            (piece, prompt)
        };
        Ok(pieces.into_iter().map(about).collect())
    }

    fn request(&self, prompt: &Prompt) -> Request {
        Request {
            url: format!("{}{}", self.settings.endpoint, self.provider.path()),
            headers: self.provider.headers().to_vec(),
            key_header: self.provider.key_header(),
            body: self.provider.body(&self.settings.model, prompt),
        }
    }

    /// Asks about one piece, again while that may help.
    fn ask(&self, piece: &Piece, prompt: &Prompt, ledger: &dyn Ledger) -> Result<Opinion, Cause> {
        let request = self.request(prompt);
        let mut back_off = BACK_OFF_FIRST;
        for sends_left in (0..SENDS_MAX).rev() {
            let (cause, asked_for) = match self.send(&request, piece, prompt, ledger) {
                Ok(said) => return Ok(said),
                Err(Failure { cause, retry_after }) => (cause, retry_after),
            };
            let may_pass = matches!(cause, Cause::Overloaded | Cause::Unreachable);
            let pause = asked_for.unwrap_or_else(|| jittered(back_off));
            if !may_pass || sends_left == 0 || pause > BACK_OFF_MAX || !ledger.pause(pause) {
                return Err(cause);
            }
            back_off = back_off.saturating_mul(2);
        }
        Err(Cause::Unreachable)
    }

    /// One request, paid for whatever comes of it.
    fn send(
        &self,
        request: &Request,
        piece: &Piece,
        prompt: &Prompt,
        ledger: &dyn Ledger,
    ) -> Result<Opinion, Failure> {
        if !self.circuit.admits(Instant::now()) {
            return Err(Cause::CircuitOpen.into());
        }
        let most = self.most(request);
        let ticket = ledger.reserve(most)?;
        let (answer, cost) = match self.client.send(request, self.settings.key.as_ref()) {
            Ok(answer) => self.read(answer, most),
            Err(SendError::TooLong) => (Err(Cause::Malformed.into()), most),
            Err(SendError::Unreachable(_)) => (Err(Cause::Unreachable.into()), most),
        };
        ledger.settle(ticket, cost);
        match &answer {
            Ok(_) | Err(Failure { cause: Cause::Malformed, .. }) => self.circuit.succeeded(),
            Err(_) => self.circuit.failed(Instant::now()),
        }
        opinion(&answer?, prompt, &piece.text).map_err(|_| Cause::Malformed.into())
    }

    /// The verdict in an answer, not validated, and what the answer cost; what is not said counts in full.
    fn read(&self, answer: Answer, most: Cost) -> (Result<String, Failure>, Cost) {
        let cause = match answer.status {
            200 => None,
            408 | 429 | 500..=599 => Some(Cause::Overloaded),
            _ => Some(Cause::Refused),
        };
        if let Some(cause) = cause {
            // A request that was refused is not charged; that it was made counts all the same.
            let cost = Cost { requests: most.requests, ..Cost::default() };
            return (Err(Failure { cause, retry_after: answer.retry_after }), cost);
        }
        let reply = serde_json::from_slice(&answer.body)
            .map_err(|_| Cause::Malformed)
            .and_then(|body| self.provider.reply(&body).map_err(|_| Cause::Malformed));
        match reply {
            Err(cause) => (Err(cause.into()), most),
            Ok(reply) => {
                let cost = reply.usage.map_or(most, |(request, answer)| Cost {
                    requests: most.requests,
                    tokens: request.saturating_add(answer),
                    micro_usd: self.settings.prices.of(request, answer),
                });
                (Ok(reply.verdict), cost)
            }
        }
    }

    /// The most that a request can cost: no tokenizer makes more tokens than there are bytes.
    fn most(&self, request: &Request) -> Cost {
        let bytes = u64::try_from(request.body.to_string().len()).unwrap_or(u64::MAX);
        Cost {
            requests: 1,
            tokens: bytes.saturating_add(ANSWER_TOKENS_MAX),
            micro_usd: self.settings.prices.of(bytes, ANSWER_TOKENS_MAX),
        }
    }
}

/// Why one request brought nothing, and how long the provider wants to be left alone.
struct Failure {
    cause: Cause,
    retry_after: Option<Duration>,
}

impl From<Cause> for Failure {
    fn from(cause: Cause) -> Self {
        Self { cause, retry_after: None }
    }
}

fn finding(piece: &Piece, said: &Opinion, start: usize, end: usize) -> Finding {
    let at = |place: usize| u32::try_from(piece.start + place).unwrap_or(u32::MAX);
    Finding { signal: said.technique.name().into(), start: at(start), end: at(end) }
}

fn reason(level: Level, findings: &[Finding]) -> Box<str> {
    let mut techniques: Vec<&str> = findings.iter().map(|finding| &*finding.signal).collect();
    techniques.sort_unstable();
    techniques.dedup();
    if techniques.is_empty() {
        return format!("{level}: the model found nothing").into();
    }
    format!("{level}: the model found {}", techniques.join(", ")).into()
}

/// Between half of a pause and all of it, so that many that failed together do not come back together.
fn jittered(pause: Duration) -> Duration {
    let half = pause / 2;
    // The standard library seeds each of these states anew.
    let drawn = RandomState::new().build_hasher().finish() % 1_000;
    half + half * u32::try_from(drawn).unwrap_or(0) / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_stays_between_half_and_whole() {
        for _ in 0..1_000 {
            let pause = jittered(BACK_OFF_FIRST);
            assert!(pause >= BACK_OFF_FIRST / 2 && pause <= BACK_OFF_FIRST, "{pause:?}");
        }
    }
}
