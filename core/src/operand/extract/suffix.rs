//! Whether a dotted name in running text is a host.
//!
//! Code and file names are full of dotted names whose last part is a top-level domain (`main.rs`,
//! `user.name`, `README.md`). A false host costs a person's attention, a missed bare one is found again
//! by its letters when it is used. So a bare name is a host by the class of its last label (`tlds.txt`):
//! plain ones as they stand, others with a sign, extensions and words of code only in host position.

use std::collections::HashMap;
use std::sync::LazyLock;

use psl::Type;

static CLASSES: LazyLock<HashMap<&'static str, Class>> = LazyLock::new(load);

/// First labels of names in code, and of reversed domain names.
const CODE_LABELS: [&str; 65] = [
    "self", "this", "super", "cls", "req", "res", "ctx", "cfg", "conf", "config", "app", "env", "obj",
    "opts", "options", "args", "params", "props", "state", "std", "fs", "os", "sys", "np", "pd", "tf",
    "torch", "nn", "math", "json", "window", "document", "process", "module", "console", "log", "logger",
    "logging", "event", "node", "data", "user", "item", "row", "result", "response", "request", "err",
    "error", "com", "org", "net", "io", "edu", "gov", "java", "javax", "kotlin", "android", "androidx",
    "sun", "pkgs", "tokio", "profile", "modules",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Plain,
    Extension,
    Code,
}

/// What stands around a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// Running text.
    Free,
    /// A port or a path follows.
    Followed,
    /// A scheme, an at sign or a network command stands before.
    Host,
}

fn load() -> HashMap<&'static str, Class> {
    let mut all = HashMap::new();
    for (section, lines) in super::common::sections(include_str!("../../../data/tlds.txt")) {
        let class = match section {
            "plain" => Class::Plain,
            "extension" => Class::Extension,
            _ => Class::Code,
        };
        all.extend(lines.iter().flat_map(|line| line.split(' ')).map(|tld| (tld, class)));
    }
    all
}

/// Whether `name` (dotted, without port) is to be taken for a host.
pub(super) fn is_host(name: &str, position: Position) -> bool {
    if name.len() > 253 || !is_shaped(name, position) {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    let Some(domain) = psl::domain(lower.as_bytes()).filter(|domain| domain.suffix().is_known()) else {
        return false;
    };
    if position == Position::Host {
        return true;
    }
    let Some(tld) = lower.rsplit('.').next() else { return false };
    let first = lower.split('.').next().unwrap_or("");
    if !is_cased_as_name(name, tld) || CODE_LABELS.contains(&first) {
        return false;
    }
    let suffix = domain.suffix();
    if suffix.typ() == Some(Type::Private) || suffix.as_bytes().contains(&b'.') || first == "www" {
        return true;
    }
    let labels = lower.split('.').count();
    match CLASSES.get(tld) {
        Some(Class::Plain) => labels > 2 || first.len() > 2 || matches!(tld, "com" | "net" | "org" | "co"),
        Some(Class::Extension | Class::Code) => false,
        None => position == Position::Followed || domain.as_bytes().contains(&b'-'),
    }
}

/// Labels of letters, digits and inner hyphens; the last one of letters. In host position an underscore
/// may stand in it too.
fn is_shaped(name: &str, position: Position) -> bool {
    let underscore = position == Position::Host;
    let mut labels = 0;
    let mut last = "";
    for label in name.split('.') {
        let inner = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || (underscore && b == b'_') || b >= 0x80;
        if label.is_empty() || label.len() > 63 || label.starts_with('-') || label.ends_with('-') {
            return false;
        }
        if !label.bytes().all(inner) {
            return false;
        }
        labels += 1;
        last = label;
    }
    let is_tld = last.len() >= 2
        && (last.bytes().all(|b| b.is_ascii_alphabetic() || b >= 0x80) || last.starts_with("xn--"));
    labels >= 2 && is_tld
}

/// `System.Net` and `fooBar.io` are code; `EXAMPLE.COM` and `PayMe.com` are names.
fn is_cased_as_name(name: &str, tld: &str) -> bool {
    let upper = name.bytes().any(|b| b.is_ascii_uppercase());
    if !upper {
        return true;
    }
    let familiar = matches!(tld, "com" | "net" | "org");
    let all_upper = !name.bytes().any(|b| b.is_ascii_lowercase());
    familiar && (all_upper || name.ends_with(tld))
}
