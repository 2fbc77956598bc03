//! The machine's clock, and how times are written.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use circinus_core::time::{Clock, UnixMillis};
use jiff::{Span, SpanRelativeTo, Timestamp};

/// The machine's clock.
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> UnixMillis {
        now()
    }
}

/// The present time; the epoch when the clock stands before it.
pub fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// A time in the form of RFC 3339, UTC, milliseconds.
pub fn rfc3339(at: UnixMillis) -> String {
    let at = i64::try_from(at.0).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    // Past the year 9999 there is no such form; nothing is recorded there.
    format!("{:.3}", at.unwrap_or(Timestamp::MAX))
}

/// The time that a text in the form of RFC 3339 names; none where it names none after the epoch.
pub fn from_rfc3339(text: &str) -> Option<UnixMillis> {
    let at: Timestamp = text.parse().ok()?;
    u64::try_from(at.as_millisecond()).ok().map(UnixMillis)
}

/// A length of time as people write it, `12h` or `30d`; a day has 24 hours.
///
/// # Errors
/// Where it is none, or is negative.
pub fn age(text: &str) -> Result<Duration, jiff::Error> {
    let span: Span = text.parse()?;
    Duration::try_from(span.to_duration(SpanRelativeTo::days_are_24_hours())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_and_read_alike() {
        let at = UnixMillis(1_767_323_045_006);
        assert_eq!(rfc3339(at), "2026-01-02T03:04:05.006Z");
        assert_eq!(from_rfc3339("2026-01-02T03:04:05.006Z"), Some(at));
        assert_eq!(from_rfc3339("2026-01-02T04:04:05.006+01:00"), Some(at));
        assert_eq!((from_rfc3339("yesterday"), from_rfc3339("1969-01-01T00:00:00Z")), (None, None));
        assert_eq!(rfc3339(UnixMillis(u64::MAX)), "9999-12-30T22:00:00.999Z");
    }

    #[test]
    fn ages_are_what_people_write() {
        assert_eq!(age("12h").unwrap(), Duration::from_secs(12 * 3_600));
        assert_eq!(age("30d").unwrap(), Duration::from_secs(30 * 86_400));
        for wrong in ["", "soon", "-3d", "30"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }
}
