//! The real programs against a private daemon: bad input, broken surroundings, death, and what must hold after.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails the test"
)]

mod daemon {
    mod answer;
    mod conversation;
    mod payloads;
    mod person;
    mod process;
    mod stand_in;
    mod world;

    mod accounts;
    mod bad_input;
    mod captured;
    mod cases;
    mod configuration;
    mod configured_model;
    mod copies;
    mod database;
    mod death;
    mod delivery;
    mod export;
    mod faults;
    mod files;
    mod flow;
    mod full;
    mod life;
    mod long_session;
    mod mutations;
    mod overlay;
    mod private;
    #[path = "../../../analyzer/tests/analyzer/provider.rs"]
    mod provider;
    mod replay;
    mod screens;
    mod searched;
    mod socket;
    mod statements;
    mod strong;
    mod tampered;
    mod transcript;
    mod visible;
    mod voices;
}
