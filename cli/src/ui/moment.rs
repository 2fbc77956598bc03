//! Times for people: local, to the second.

use circinus_core::time::UnixMillis;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// `2026-11-30 08:12:03` in the time zone of the system; the milliseconds where they name no date.
#[must_use]
pub fn moment(at: UnixMillis) -> String {
    moment_in(at, TimeZone::system())
}

fn moment_in(at: UnixMillis, zone: TimeZone) -> String {
    let stamp = i64::try_from(at.0).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    stamp.map_or_else(
        || format!("{} ms", at.0),
        |stamp| stamp.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_in_its_zone() {
        let at = UnixMillis(1_700_000_000_999);
        assert_eq!(moment_in(at, TimeZone::UTC), "2023-11-14 22:13:20");
        let east = TimeZone::fixed(jiff::tz::offset(5));
        assert_eq!(moment_in(at, east), "2023-11-15 03:13:20");
    }

    #[test]
    fn what_is_no_date_stays_a_number() {
        assert_eq!(moment_in(UnixMillis(u64::MAX), TimeZone::UTC), "18446744073709551615 ms");
    }
}
