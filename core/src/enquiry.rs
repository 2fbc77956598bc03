//! Asking a model: why a content is put to one or not, what that may cost, and what is known when no verdict
//! came back.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::evidence::EvidenceKey;
use crate::id::{ArtifactId, EventSeq, SessionId};

/// Times that a provider is asked about one key before its content counts as failed for good.
pub const TRIES_MAX: u8 = 3;

/// Why a content is, or is not, put to the strong analyser. It rests on the content alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RouteReason {
    /// Asked: it is suspicious, and a model can tell how bad it is.
    Suspicious,
    /// Asked: it shows signals that mean nothing alone.
    Noted,
    /// Asked: it tells its reader to do something that has consequences.
    Orders,
    /// Asked: it is written in a language without signals of its own.
    UnknownLanguage,
    /// Asked: part of it could not be read.
    Unread,
    /// Not asked: it is adverse, and a model could not change that.
    Adverse,
    /// Not asked: it is too short to instruct anyone.
    Short,
    /// Not asked: nothing in it could instruct.
    Plain,
    /// Not asked: it is no text.
    NotText,
}

impl RouteReason {
    /// All of them, those that ask first.
    pub const ALL: [Self; 9] = [
        Self::Suspicious,
        Self::Noted,
        Self::Orders,
        Self::UnknownLanguage,
        Self::Unread,
        Self::Adverse,
        Self::Short,
        Self::Plain,
        Self::NotText,
    ];

    /// Whether a model is asked.
    pub const fn asks(self) -> bool {
        matches!(self, Self::Suspicious | Self::Noted | Self::Orders | Self::UnknownLanguage | Self::Unread)
    }

    /// The reason in words, for people.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Suspicious => "suspicious, and a model can tell how bad it is",
            Self::Noted => "it shows signals that mean nothing alone",
            Self::Orders => "it tells its reader to do something that has consequences",
            Self::UnknownLanguage => "it is written in a language without signals of its own",
            Self::Unread => "part of it could not be read",
            Self::Adverse => "adverse, and a model could not change that",
            Self::Short => "too short to instruct anyone",
            Self::Plain => "nothing in it could instruct",
            Self::NotText => "no text",
        }
    }
}

/// What was decided about asking a model when a content was judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routing {
    /// Why.
    pub reason: RouteReason,
    /// The key of the verdict that is asked for; none when none is.
    pub key: Option<EvidenceKey>,
    /// The occurrence for which it is asked: it decides the order and whose budget pays, never the verdict.
    pub artifact: ArtifactId,
}

/// What asking costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Requests.
    pub requests: u64,
    /// Tokens of requests and answers together.
    pub tokens: u64,
    /// Money, in millionths of a US dollar; 0 while no prices are configured.
    pub micro_usd: u64,
}

impl Cost {
    /// Both together; what does not fit counts as the greatest number.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            requests: self.requests.saturating_add(other.requests),
            tokens: self.tokens.saturating_add(other.tokens),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
        }
    }

    /// What is left of it without `other`; nothing is less than 0.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self {
            requests: self.requests.saturating_sub(other.requests),
            tokens: self.tokens.saturating_sub(other.tokens),
            micro_usd: self.micro_usd.saturating_sub(other.micro_usd),
        }
    }

    /// Whether none of its numbers exceeds that of `cap`.
    pub const fn within(self, cap: Self) -> bool {
        self.requests <= cap.requests && self.tokens <= cap.tokens && self.micro_usd <= cap.micro_usd
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} requests, {} tokens", self.requests, self.tokens)?;
        if self.micro_usd > 0 {
            write!(f, ", {}.{:06} USD", self.micro_usd / 1_000_000, self.micro_usd % 1_000_000)?;
        }
        Ok(())
    }
}

/// A request that is about to leave. Until it is settled, what was reserved counts as spent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requested {
    /// What is asked.
    pub key: EvidenceKey,
    /// Whose budget pays; none for a person's own question.
    pub session: Option<SessionId>,
    /// The most that it can cost.
    pub reserved: Cost,
}

/// What a request has cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// The event that announced it.
    pub request: EventSeq,
    /// What the provider counted; what was reserved if it did not say.
    pub cost: Cost,
}

/// Why no verdict came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cause {
    /// The provider cannot be reached, or gave no whole answer in time.
    Unreachable,
    /// The provider says that it is busy or broken.
    Overloaded,
    /// The provider refuses the request.
    Refused,
    /// The answer is no verdict.
    Malformed,
    /// The analyser stopped on the content.
    Stopped,
    /// The provider has failed too often in a row; nothing was sent.
    CircuitOpen,
    /// The budget of the day is spent; nothing was sent.
    DaySpent,
    /// The budget of the session is spent; nothing was sent.
    SessionSpent,
    /// No provider is configured any more, or its key is not at hand.
    NotConfigured,
    /// The request could not be recorded, so it was not sent.
    NotRecorded,
    /// The content is longer than what is sent.
    TooLong,
    /// The content is not kept any more.
    BodyGone,
}

impl Cause {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Unreachable,
        Self::Overloaded,
        Self::Refused,
        Self::Malformed,
        Self::Stopped,
        Self::CircuitOpen,
        Self::DaySpent,
        Self::SessionSpent,
        Self::NotConfigured,
        Self::NotRecorded,
        Self::TooLong,
        Self::BodyGone,
    ];

    /// The cause in words, for people.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Unreachable => "the provider cannot be reached or did not answer in time",
            Self::Overloaded => "the provider is busy or broken",
            Self::Refused => "the provider refuses the request",
            Self::Malformed => "the answer of the provider is no verdict",
            Self::Stopped => "the analyser stopped on the content",
            Self::CircuitOpen => "the provider has failed too often in a row",
            Self::DaySpent => "the budget of the day is spent",
            Self::SessionSpent => "the budget of the session is spent",
            Self::NotConfigured => "no provider is configured, or its key is not at hand",
            Self::NotRecorded => "the request could not be recorded",
            Self::TooLong => "the content is longer than what is sent",
            Self::BodyGone => "the content is not kept any more",
        }
    }

    /// Whether it counts as one of [`TRIES_MAX`]: something was sent, or would fail the same way again.
    pub const fn is_a_try(self) -> bool {
        matches!(self, Self::Unreachable | Self::Overloaded | Self::Refused | Self::Malformed | Self::Stopped)
    }

    /// Whether to ask again is pointless.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::TooLong | Self::BodyGone)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.describe())
    }
}

/// No verdict came back: the content counts as failed until one does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unanswered {
    /// What was asked.
    pub key: EvidenceKey,
    /// Why there is no answer.
    pub cause: Cause,
}
