//! Commands: usual ones, and those that are hardest to understand.

use std::sync::Arc;

use circinus_analyzer::Surroundings;
use circinus_core::operand::PathContext;

/// What agents run, in our own words.
pub const USUAL: [&str; 12] = [
    "cargo test --workspace -- --nocapture 2>&1 | tail -40",
    "git status --short && git diff --stat",
    "rg -n 'fn main' --glob '*.rs' src | head -20",
    "cd web && npm ci && npm run build",
    "for f in src/*.rs; do wc -l \"$f\"; done | sort -n",
    "curl -fsSL https://docs.circinus-load.dev/guide | grep -i install",
    "git commit -m \"$(cat <<'EOF'\nread the settings once\n\nThe second read was slower than the first.\nEOF\n)\"",
    "python3 -m pytest -q tests/unit -k 'parse and not slow' --maxfail=1",
    "docker compose up -d db && sleep 2 && psql -h localhost -c 'select 1'",
    "find . -name '*.tmp' -not -path './target/*' -delete",
    "sed -i 's/0\\.1\\.0/0.2.0/' Cargo.toml && cargo check",
    "gh pr view 12 --json title,body --jq .title",
];

/// Inputs that make a parser or an evaluator work hardest for their length, each by name.
#[must_use]
pub fn pathological() -> Vec<(&'static str, String)> {
    const LONG: usize = 100_000;
    let nest =
        |open: &str, close: &str, depth: usize| format!("{}x{}", open.repeat(depth), close.repeat(depth));
    vec![
        ("nested substitutions", nest("$(echo ", ")", 5_000)),
        ("nested quoted substitutions", nest("\"$(echo ", ")\"", 3_000)),
        ("nested subshells", nest("(", ")", 20_000)),
        ("nested braces", nest("${x:-", "}", 10_000)),
        ("unclosed quotes", "'\"".repeat(LONG / 2)),
        ("a long pipeline", vec!["cat"; LONG / 8].join(" | ")),
        ("a long list", "true; ".repeat(LONG / 6)),
        ("many assignments", (0..10_000).map(|n| format!("a{n}=$a{}; ", n / 2)).collect()),
        ("doubling assignments", format!("a=x; {}echo $a", "a=$a$a; ".repeat(64))),
        ("nested shells", (0..12).fold("true".to_owned(), |inner, _| format!("bash -c {inner:?}"))),
        ("brace expansion", format!("echo {}", "{a,b}".repeat(40))),
        ("many here-documents", "cat <<A\nx\nA\n".repeat(LONG / 12)),
        ("a megabyte of one word", "a".repeat(1 << 20)),
        ("a megabyte of arguments", "a ".repeat(1 << 19)),
        ("base64 over and over", format!("echo {} | base64 -d | sh", "QUFB".repeat(LONG))),
    ]
}

/// Where they are run.
#[must_use]
pub fn around() -> Surroundings {
    Surroundings {
        paths: PathContext {
            cwd: "/home/kim/work".into(),
            home: "/home/kim".into(),
            workspace: "/home/kim/work".into(),
            case_sensitive: true,
        },
        circinus_home: "/home/kim/.local/share/circinus".into(),
        host_config_dirs: vec!["/home/kim/.claude".into()],
        temp_dirs: vec!["/tmp".into()],
        overlay: Arc::default(),
        real: None,
    }
}
