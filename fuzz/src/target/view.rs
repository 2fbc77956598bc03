//! Any text as what an artifact holds: views undo and lead back, canonical forms are final, operands stand
//! where they were found.

use std::time::Duration;

use circinus_core::operand::{Kind, Operand, extract, extract_with_views, masked};
use circinus_core::port::NoGrammar;
use circinus_core::view::{View, apply};

use super::paths;
use crate::bound::{Bound, within};

/// Eleven views, each followed by an extraction, and views of views.
const BOUND: Bound = Bound {
    floor: Duration::from_millis(3),
    per_byte: Duration::from_micros(20),
    most: Duration::from_millis(500),
};
/// NFKC writes at most so many bytes for one.
const GROWTH_MAX: usize = 11;

const KINDS: &[Kind] = &[
    Kind::Url,
    Kind::Host,
    Kind::Site,
    Kind::Tenant,
    Kind::Ip,
    Kind::Path,
    Kind::Email,
    Kind::Token,
    Kind::Package,
    Kind::Git,
    Kind::Image,
    Kind::Value,
];

pub(super) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for view in View::ALL {
        let Some(viewed) = within(text.len(), BOUND, || apply(view, &text)) else { continue };
        assert!(viewed.text.len() <= GROWTH_MAX * text.len(), "{view:?}");
        for range in viewed.map.changed() {
            // The last one is open towards the end.
            let range = range.start..range.end.min(viewed.text.len());
            assert!(range.start <= range.end, "{view:?}");
            let original = viewed.map.original(range);
            assert!(original.start <= original.end && original.end <= text.len(), "{view:?}");
        }
    }
    let paths = paths();
    for kind in KINDS {
        let parsed = within(text.len(), BOUND, || Operand::parse(*kind, &text, &paths));
        let Some(operand) = parsed else { continue };
        let again = Operand::parse(*kind, operand.canonical(), &paths);
        assert_eq!(again.as_ref(), Some(&operand), "a canonical form is final");
        assert_eq!(operand.expand().first(), Some(&operand));
    }
    let plain = within(text.len(), BOUND, || extract(&text, &paths));
    let viewed = within(text.len(), BOUND, || extract_with_views(&text, &paths, &NoGrammar));
    for hit in plain.iter().chain(&viewed) {
        assert!(hit.start <= hit.end && hit.end as usize <= text.len(), "{hit:?}");
    }
    assert!(plain.iter().all(|hit| hit.views.is_exact()), "what no view shows is exact");
    assert_eq!(masked(&masked(&text)), masked(&text));
}
