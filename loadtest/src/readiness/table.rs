//! Readiness for people.

use std::fmt::{self, Write};

use super::Readiness;
use crate::replay::table::percent;

/// The table.
///
/// # Errors
/// When the writer refuses.
pub fn write(out: &mut impl Write, found: &Readiness) -> fmt::Result {
    writeln!(
        out,
        "Latency of one request: log-normal, 0.5 s to 3 s for 95 of 100, in virtual time at the recorded pace."
    )?;
    let rows = [
        ("sessions", found.sessions, String::new()),
        ("actions that cannot be undone", found.actions, String::new()),
        ("needing a verdict of the model", found.needed(), percent(found.needed(), found.actions)),
        ("  ready", found.ready, percent(found.ready, found.needed())),
        (
            "    asked for by an earlier session",
            found.ready_by_reuse,
            percent(found.ready_by_reuse, found.ready),
        ),
        ("  ready after a wait", found.waited, percent(found.waited, found.needed())),
        ("  not ready in time", found.not_ready, percent(found.not_ready, found.needed())),
        ("contents recorded", found.came, String::new()),
        ("for a model", found.came_routed, percent(found.came_routed, found.came)),
        ("  reused", found.came_reused, percent(found.came_reused, found.came_routed)),
        ("requests", found.requests, String::new()),
    ];
    for (what, count, share) in rows {
        writeln!(out, "{what:40} {count:>8} {share:>8}")?;
    }
    Ok(())
}
