//! Packages and images where something says that they are to be installed.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::Scan;
use crate::operand::{Kind, Operand};

/// Arguments of one command that are looked at.
const ARGUMENTS_MAX: usize = 64;
/// Bytes around a word like `package` that may hold a quoted name.
const NEAR_BYTES: usize = 40;
/// Bytes of a command that are read.
const LINE_BYTES_MAX: usize = 4096;
/// Bytes of a list of dependencies that are read.
const MANIFEST_BYTES_MAX: usize = 16 << 10;

/// Words of sentences, which end a list of names.
const PROSE: [&str; 26] = [
    "to", "and", "the", "in", "for", "or", "a", "an", "then", "from", "with", "on", "if", "is", "you", "as",
    "will", "this", "which", "by", "that", "into", "command", "before", "after", "your",
];

/// Options of container commands that take a value.
const IMAGE_OPTIONS: [&str; 18] = [
    "-v",
    "-p",
    "-e",
    "-u",
    "-w",
    "-h",
    "-m",
    "--name",
    "--network",
    "--net",
    "--volume",
    "--env",
    "--user",
    "--workdir",
    "--platform",
    "--entrypoint",
    "--env-file",
    "--mount",
];

/// What follows a trigger.
#[derive(Clone, Copy)]
enum Trigger {
    /// Names of this ecosystem.
    Names(&'static str),
    /// One name, then arguments of its program.
    One(&'static str),
    /// One image.
    Image,
    /// A remote, then a directory.
    Remote,
    /// `image:` of a composition, `FROM` of a build file: the image is the next word.
    ImageKey,
    /// A JSON object from names to versions.
    Manifest,
    /// A word that makes a quoted name near it a package of these ecosystems.
    Near(&'static [&'static str]),
}

use Trigger::{Image, ImageKey, Manifest, Names, Near, One, Remote};

static TRIGGERS: [(&str, Trigger); 74] = [
    ("git clone ", Remote),
    ("git submodule add ", Remote),
    ("git remote add ", Remote),
    ("npm i ", Names("npm")),
    ("npm install ", Names("npm")),
    ("npm add ", Names("npm")),
    ("yarn add ", Names("npm")),
    ("yarn global add ", Names("npm")),
    ("pnpm add ", Names("npm")),
    ("bun add ", Names("npm")),
    ("bun i ", Names("npm")),
    ("bun install ", Names("npm")),
    ("npm exec ", One("npm")),
    ("npx ", One("npm")),
    ("bunx ", One("npm")),
    ("pnpm dlx ", One("npm")),
    ("yarn dlx ", One("npm")),
    ("pip install ", Names("pypi")),
    ("pip3 install ", Names("pypi")),
    ("uv add ", Names("pypi")),
    ("uv tool install ", Names("pypi")),
    ("poetry add ", Names("pypi")),
    ("pdm add ", Names("pypi")),
    ("pipx install ", Names("pypi")),
    ("pipx run ", One("pypi")),
    ("uvx ", One("pypi")),
    ("cargo add ", Names("cargo")),
    ("cargo install ", Names("cargo")),
    ("cargo binstall ", Names("cargo")),
    ("gem install ", Names("gem")),
    ("bundle add ", Names("gem")),
    ("go get ", Names("go")),
    ("go install ", Names("go")),
    ("go run ", One("go")),
    ("brew install ", Names("brew")),
    ("apt install ", Names("apt")),
    ("apt-get install ", Names("apt")),
    ("apk add ", Names("apt")),
    ("dnf install ", Names("apt")),
    ("yum install ", Names("apt")),
    ("zypper install ", Names("apt")),
    ("pacman -S ", Names("apt")),
    ("yay -S ", Names("apt")),
    ("snap install ", Names("apt")),
    ("pkg install ", Names("apt")),
    ("port install ", Names("apt")),
    ("composer require ", Names("composer")),
    ("dotnet add package ", One("nuget")),
    ("docker pull ", Image),
    ("docker run ", Image),
    ("docker create ", Image),
    ("podman pull ", Image),
    ("podman run ", Image),
    ("nerdctl run ", Image),
    ("nerdctl pull ", Image),
    ("image: ", ImageKey),
    ("\nFROM ", ImageKey),
    ("\"dependencies\"", Manifest),
    ("\"devDependencies\"", Manifest),
    ("\"peerDependencies\"", Manifest),
    ("\"optionalDependencies\"", Manifest),
    ("install", Near(&["npm", "pypi"])),
    ("Install", Near(&["npm", "pypi"])),
    ("package", Near(&["npm", "pypi"])),
    ("Package", Near(&["npm", "pypi"])),
    ("module", Near(&["npm", "pypi"])),
    ("dependency", Near(&["npm", "pypi"])),
    ("library", Near(&["npm", "pypi"])),
    ("npm ", Near(&["npm"])),
    ("PyPI", Near(&["pypi"])),
    ("crate", Near(&["cargo"])),
    ("Crate", Near(&["cargo"])),
    (" gem ", Near(&["gem"])),
    ("RubyGem", Near(&["gem"])),
];

static AUTOMATON: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let patterns = TRIGGERS.iter().map(|(text, _)| text);
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .match_kind(MatchKind::LeftmostLongest)
        .build(patterns)
        .ok()
});

/// Looks for triggers and adds what follows them.
pub(super) fn scan(scan: &mut Scan<'_, '_, '_>) {
    let Some(automaton) = AUTOMATON.as_ref() else { return };
    let text = scan.text;
    for found in automaton.find_iter(text) {
        let Some((_, trigger)) = TRIGGERS.get(found.pattern().as_usize()) else { continue };
        if scan.is_full() {
            return;
        }
        match trigger {
            Names(ecosystem) => names(scan, found.end(), ecosystem, ARGUMENTS_MAX),
            One(ecosystem) => names(scan, found.end(), ecosystem, 1),
            Remote => {
                let found = words(scan, found.end()).take(ARGUMENTS_MAX);
                for word in found
                    .filter(|word| scan.text.get(word.clone()).is_some_and(|w| w.contains(':')))
                    .collect::<Vec<_>>()
                {
                    scan.try_add(Kind::Git, word);
                }
            }
            Image => image(scan, found.end()),
            ImageKey => {
                if let Some(word) = words(scan, found.end()).next() {
                    scan.try_add(Kind::Image, word);
                }
            }
            Manifest => manifest(scan, found.end()),
            Near(ecosystems) => near(scan, found.range(), ecosystems),
        }
    }
}

/// At most `length` bytes of the text from `from` on, so that no trigger costs more than that.
fn capped(text: &str, from: usize, length: usize) -> &str {
    let mut end = text.len().min(from + length);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(from..end).unwrap_or("")
}

/// The words of a command from `from` on, without quotes.
fn words<'t>(scan: &Scan<'_, '_, 't>, from: usize) -> impl Iterator<Item = Range<usize>> + use<'t> {
    let rest = capped(scan.text, from, LINE_BYTES_MAX);
    let end = rest.bytes().position(|b| matches!(b, b'\n' | b';' | b'|' | b'&' | b'`' | b'#' | b'<' | b')'));
    let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or("");
    let base = from;
    line.split([' ', '\t', '"', '\'', '\r']).filter(|word| !word.is_empty()).map(move |word| {
        let offset = word.as_ptr().addr() - line.as_ptr().addr();
        let word = word.trim_end_matches(['.', ',', ':', '\\']);
        base + offset..base + offset + word.len()
    })
}

fn names(scan: &mut Scan<'_, '_, '_>, from: usize, ecosystem: &str, count: usize) {
    let mut left = count;
    for word in words(scan, from).take(ARGUMENTS_MAX) {
        let text = scan.get(word.clone());
        if text.starts_with('-') || text.is_empty() {
            continue;
        }
        if PROSE.contains(&text) || left == 0 {
            return;
        }
        left -= 1;
        package(scan, ecosystem, word);
    }
}

fn package(scan: &mut Scan<'_, '_, '_>, ecosystem: &str, range: Range<usize>) {
    let spelled = format!("{ecosystem} {}", scan.get(range.clone()));
    if let Some(package) = Operand::parse(Kind::Package, &spelled, scan.finder.context) {
        scan.add(&package, range);
    }
}

fn image(scan: &mut Scan<'_, '_, '_>, from: usize) {
    let mut skip = false;
    for word in words(scan, from).take(ARGUMENTS_MAX) {
        let text = scan.get(word.clone());
        if std::mem::take(&mut skip) {
            continue;
        }
        if text.starts_with('-') {
            skip = IMAGE_OPTIONS.contains(&text);
            continue;
        }
        if !PROSE.contains(&text) {
            scan.try_add(Kind::Image, word);
        }
        return;
    }
}

/// `{ "name": "version", ... }`, flat.
fn manifest(scan: &mut Scan<'_, '_, '_>, from: usize) {
    let rest = capped(scan.text, from, MANIFEST_BYTES_MAX);
    let Some(body) =
        rest.trim_start().strip_prefix(':').map(str::trim_start).and_then(|rest| rest.strip_prefix('{'))
    else {
        return;
    };
    let start = from + (rest.len() - body.len());
    let body = body.split('}').next().unwrap_or("");
    let mut at = start;
    for entry in body.split(',') {
        let name = entry.split('"').nth(1).unwrap_or("");
        if let Some(offset) = entry.find(name).filter(|_| !name.is_empty()) {
            package(scan, "npm", at + offset..at + offset + name.len());
        }
        at += entry.len() + 1;
    }
}

/// A name in backticks near a word that speaks of packages.
fn near(scan: &mut Scan<'_, '_, '_>, word: Range<usize>, ecosystems: &[&str]) {
    let bytes = scan.text.as_bytes();
    let from = word.start.saturating_sub(NEAR_BYTES);
    let before = bytes.get(from..word.start).unwrap_or(&[]);
    let after = bytes.get(word.end..bytes.len().min(word.end + NEAR_BYTES)).unwrap_or(&[]);
    for (base, window) in [(from, before), (word.end, after)] {
        let Some(open) = memchr::memchr(b'`', window) else { continue };
        let Some(length) = memchr::memchr(b'`', window.get(open + 1..).unwrap_or(&[])) else { continue };
        let name = base + open + 1..base + open + 1 + length;
        let text = scan.get(name.clone());
        let named =
            text.bytes().any(|b| b.is_ascii_lowercase()) && !text.bytes().any(|b| b.is_ascii_uppercase());
        let hex = text.bytes().all(|b| b.is_ascii_hexdigit());
        if text.len() >= 3
            && named
            && !hex
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_@/.".contains(&b))
        {
            for ecosystem in ecosystems {
                package(scan, ecosystem, name.clone());
            }
        }
    }
}
