//! SIGKILL at random instants under load.
//!
//! INVARIANT (durable-before-ack), seen from outside: what was answered is in the log after the next start.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use circinus_ipc::{Client, Reply, Request, SocketPlace};

use super::answer::Answer;
use super::payloads::{Session, hostile};
use super::world::World;

const ROUNDS: u32 = 20;
const SENDERS: u32 = 4;

/// The daemon is killed at any time from its start to this much later.
const LIFE_MS_MAX: u64 = 250;

/// Sends an event without a hook process; whether it was acknowledged.
fn is_acknowledged(place: &SocketPlace, event: &str) -> bool {
    let request = Request::Hook(event.as_bytes().to_vec());
    match Client::call(place, request, Duration::from_secs(30)) {
        Ok(Reply::Answer { exit, stdout, stderr }) => {
            assert!(
                exit == 0 && stdout.is_empty() && stderr.is_empty(),
                "{}",
                String::from_utf8_lossy(&stderr)
            );
            true
        }
        Ok(Reply::Control(_)) => panic!("an answer to another question"),
        Ok(Reply::Error { .. }) | Err(_) => false,
    }
}

/// Sends pages until the daemon is gone; gives the names of the acknowledged ones.
fn send_until_death(world: &World, round: u32, sender: u32) -> Vec<String> {
    let session = Session::new(format!("load-{sender}"), &world.project());
    let place = world.place();
    let mut acknowledged = Vec::new();
    for number in 0_u32.. {
        let name = format!("r{round}-s{sender}-n{number}");
        let url = format!("https://{name}.example.dev/");
        let page = session.page(&name, &url, &format!("page {name} names {url}x"));
        if !is_acknowledged(&place, &page.to_string()) {
            break;
        }
        acknowledged.push(name);
    }
    acknowledged
}

#[test]
fn a_kill_at_any_instant_loses_nothing_acknowledged() {
    let world = World::new();
    let victim = Session::new("victim", &world.project());
    let total = AtomicU32::new(0);
    for round in 0..ROUNDS {
        let host = format!("round-{round}.dev");
        assert_eq!(world.send(&victim.hostile_page(&format!("page-{round}"), &host)), Answer::Silent);
        let life = Duration::from_millis(RandomState::new().hash_one(round) % LIFE_MS_MAX);
        let acknowledged: Vec<String> = thread::scope(|scope| {
            let senders: Vec<_> = (0..SENDERS)
                .map(|sender| {
                    scope.spawn({
                        let world = &world;
                        move || send_until_death(world, round, sender)
                    })
                })
                .collect();
            thread::sleep(life);
            world.kill();
            senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect()
        });
        let reason = world.send(&victim.bash(&format!("call-{round}"), &hostile(&host))).stopped();
        assert!(reason.contains(&host), "round {round} after {life:?}: {reason}");
        let labels = world.labels();
        let there: BTreeSet<_> =
            labels.iter().filter_map(|label| label.split("//").nth(1)?.split('.').next()).collect();
        let lost: Vec<_> = acknowledged.iter().filter(|name| !there.contains(name.as_str())).collect();
        assert!(lost.is_empty(), "round {round} after {life:?}: {lost:?} of {}", acknowledged.len());
        total.fetch_add(u32::try_from(acknowledged.len()).unwrap(), Ordering::Relaxed);
    }
    assert!(total.into_inner() > 0, "some were acknowledged");
    let doctor = world.circinus(&["doctor", "--json"]).out;
    let report: serde_json::Value = serde_json::from_str(&doctor).unwrap();
    let log = report["checks"].as_array().unwrap().iter().find(|check| check["check"] == "log").unwrap();
    assert_eq!(log["state"], "ok", "{log}");
}
