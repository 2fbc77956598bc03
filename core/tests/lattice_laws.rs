//! Laws of the authority lattice and of the origin table.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails the test"
)]

use circinus_core::authority::Authority;
use circinus_core::effect::{Effect, Effects};
use circinus_core::origin::Origin;
use circinus_core::policy::{ORIGINS, origin_row};
use proptest::prelude::*;

fn authority() -> impl Strategy<Value = Authority> {
    proptest::collection::vec(0_usize..Effect::ALL.len(), 0..11)
        .prop_map(|places| Authority::new(Effects::of(places.into_iter().map(|place| Effect::ALL[place]))))
}

proptest! {
    #[test]
    fn meet_and_join_are_bounds_and_absorb(a in authority(), b in authority(), c in authority()) {
        prop_assert!(a.meet(b).leq(a) && a.meet(b).leq(b));
        prop_assert!(a.leq(a.join(b)) && b.leq(a.join(b)));
        prop_assert_eq!(a.meet(a.join(b)), a);
        prop_assert_eq!(a.join(a.meet(b)), a);
        prop_assert_eq!(a.meet(b.join(c)), a.meet(b).join(a.meet(c)));
        prop_assert_eq!(a.meet(b), b.meet(a));
        prop_assert_eq!(a.meet(b).meet(c), a.meet(b.meet(c)));
        prop_assert_eq!(a.meet(Authority::TOP), a);
        prop_assert_eq!(a.meet(Authority::BOTTOM), Authority::BOTTOM);
    }
}

#[test]
fn every_origin_has_exactly_one_row() {
    for origin in Origin::ALL {
        assert_eq!(ORIGINS.iter().filter(|row| row.origin == origin).count(), 1, "{origin}");
    }
    assert_eq!(ORIGINS.len(), Origin::ALL.len());
}

/// Floor rule: what was not observed may cause no more than anything remote may.
#[test]
fn p5_unobserved_origins_are_below_every_remote_origin() {
    let remote = [Origin::CmdRemote, Origin::WebFetch, Origin::WebSearch, Origin::Mcp];
    for floor in [Origin::WsUnexplained, Origin::Opaque, Origin::HookContext, Origin::CmdLocal] {
        for above in remote {
            assert!(origin_row(floor).effects.is_subset(origin_row(above).effects), "{floor} > {above}");
        }
        assert!(!origin_row(floor).root, "{floor} must not grant");
    }
}

#[test]
fn p6_only_the_user_at_their_own_terminal_may_change_the_guard() {
    for origin in Origin::ALL {
        let allowed = origin_row(origin).effects.contains(Effect::Guard);
        assert_eq!(allowed, origin == Origin::HumanCli, "{origin}");
    }
}

#[test]
fn what_the_agent_wrote_is_never_a_root() {
    assert!(!origin_row(Origin::AgentText).root);
}

#[test]
fn effects_have_a_name_each_and_read_back() {
    for effect in Effect::ALL {
        assert_eq!(Effect::from_name(effect.name()), Some(effect));
    }
    assert_eq!(Effects::ALL.iter().count(), Effect::ALL.len());
}
