//! The house rules that a compiler does not check.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a helper that fails is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Source files of the workspace with their paths relative to its root.
fn sources() -> BTreeMap<String, String> {
    fn walk(folder: &Path, root: &Path, out: &mut BTreeMap<String, String>) {
        let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                walk(&path, root, out);
            } else if name.ends_with(".rs") {
                let place = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                out.insert(place, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let root = root();
    let mut out = BTreeMap::new();
    for folder in ["core", "store", "ipc", "analyzer", "cli", "benches", "loadtest"] {
        walk(&root.join(folder), &root, &mut out);
    }
    assert!(out.len() > 50, "the walk found only {} files", out.len());
    out
}

fn is_test(place: &str) -> bool {
    place.contains("/tests/")
        || place.contains("/examples/")
        || place.ends_with("/tests.rs")
        || place.starts_with("benches/")
}

/// The part of a file before its unit tests.
fn product(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or_default()
}

#[test]
fn crates_know_only_whom_they_may_know() {
    let allowed: [(&str, &[&str]); 5] = [
        ("core", &[]),
        ("store", &["circinus-core"]),
        ("ipc", &["circinus-core"]),
        ("analyzer", &["circinus-core"]),
        ("cli", &["circinus-core", "circinus-store", "circinus-ipc", "circinus-analyzer"]),
    ];
    for (folder, allowed) in allowed {
        let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let known: Vec<_> = manifest
            .lines()
            .filter(|line| !line.starts_with("name"))
            .filter_map(|line| line.split(['.', ' ', '=']).next())
            .filter(|name| name.starts_with("circinus"))
            .collect();
        for name in known {
            assert!(allowed.contains(&name), "{folder} must not know {name}");
        }
    }
}

#[test]
fn the_core_is_pure() {
    let manifest = fs::read_to_string(root().join("core/Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let allowed = [
        "aho-corasick",
        "arc-swap",
        "blake3",
        "idna",
        "imbl",
        "memchr",
        "psl",
        "serde",
        "unicode-normalization",
        "unicode-security",
        "url",
    ];
    for name in
        dependencies.lines().filter_map(|line| line.split(['.', ' ', '=']).next()).filter(|n| !n.is_empty())
    {
        assert!(allowed.contains(&name), "core depends on {name}, which is not on the list of pure crates");
    }
    let forbidden = [
        "std::fs",
        "TcpStream",
        "UdpSocket",
        "std::env",
        "std::process",
        "std::thread",
        "SystemTime::now",
        "Instant::now",
        "println!",
    ];
    for (place, text) in sources().iter().filter(|(place, _)| place.starts_with("core/src/")) {
        for word in forbidden {
            assert!(!product(text).contains(word), "{place} uses {word}");
        }
    }
}

#[test]
fn each_outside_thing_has_one_room() {
    for (place, text) in
        sources().iter().filter(|(place, _)| !is_test(place) && !place.starts_with("loadtest/"))
    {
        let text = product(text);
        let used =
            |word: &str| text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(word));
        assert!(!used("rusqlite") || place.starts_with("store/"), "{place} names rusqlite");
        assert!(
            !used("mio::") || place.starts_with("ipc/src/reactor") || place.starts_with("ipc/src/server"),
            "{place} names mio"
        );
        let connects = ["ureq::", "TcpStream", "TcpListener", "UdpSocket"].into_iter().any(used);
        assert!(!connects || place.starts_with("analyzer/src/provider/"), "{place} opens a connection");
        let prints = used("println!") || used("print!(");
        assert!(!prints || place.ends_with("build.rs") || place.starts_with("cli/src/ui"), "{place} prints");
        let exits = used("process::exit");
        assert!(!exits || place == "cli/src/main.rs" || place.starts_with("ipc/src/bin/"), "{place} exits");
        let host = used("hookSpecificOutput") || used("tool_use_id");
        let knows_host = place.starts_with("cli/src/adapter/claude_code/")
            || place.starts_with("cli/src/replay/")
            || place == "cli/src/hook_process.rs"
            || place == "cli/src/command/demo.rs"
            || place == "cli/src/command/doctor/canary.rs";
        assert!(!host || knows_host, "{place} knows the host's JSON");
    }
}

#[test]
fn files_stay_small() {
    let sources = sources();
    let lines = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    for (place, text) in &sources {
        assert!(lines(text) <= 500, "{place} has {} lines; split it by what it is about", lines(text));
    }
    let mut sizes: Vec<_> = sources.values().map(String::len).collect();
    sizes.sort_unstable();
    assert!(sizes[sizes.len() / 2] < 8_192, "the median file has {} bytes", sizes[sizes.len() / 2]);
}

#[test]
fn modules_have_the_same_style() {
    for place in sources().keys() {
        assert!(!place.ends_with("/mod.rs"), "{place}: use name.rs beside name/");
    }
}

#[test]
fn no_test_is_ignored_without_a_reason() {
    for (place, text) in sources() {
        for line in text.lines().map(str::trim) {
            assert!(line != concat!("#[", "ignore]"), "{place} ignores a test without a reason");
        }
    }
}

/// `INVARIANT (name)` in the product must be listed in ARCHITECTURE.md, and the other way round.
#[test]
fn named_invariants_are_listed() {
    fn names(text: &str) -> BTreeSet<String> {
        text.split("INVARIANT (")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .map(str::to_owned)
            .collect()
    }
    let code: BTreeSet<_> = sources()
        .iter()
        .filter(|(place, _)| !is_test(place))
        .flat_map(|(_, text)| names(product(text)))
        .collect();
    let page = names(&fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap());
    let missing: Vec<_> = code.difference(&page).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md does not list {missing:?}");
    let stale: Vec<_> = page.difference(&code).collect();
    assert!(stale.is_empty(), "ARCHITECTURE.md lists {stale:?}, which no code upholds");
}
