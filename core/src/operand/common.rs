//! Operands that tell nothing: static, versioned lists, the same for every text.
//!
//! Frequency plays no part: whoever can plant copies could raise it.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::LazyLock;

use super::{Kind, Operand, PathContext, email, git, host, url};

mod paths;

static HOSTS: LazyLock<Hosts> = LazyLock::new(Hosts::load);
static TENANTS: LazyLock<HashMap<&'static str, Vec<Owner>>> = LazyLock::new(load_tenants);

/// First words of commands that everyone runs.
const COMMAND_HEADS: [&str; 24] = [
    "ls",
    "cd",
    "cat",
    "pwd",
    "make",
    "pytest",
    "git status",
    "git diff",
    "git log",
    "git add",
    "git commit",
    "npm install",
    "npm ci",
    "npm test",
    "npm run",
    "cargo build",
    "cargo test",
    "cargo check",
    "cargo fmt",
    "cargo clippy",
    "pip install -r",
    "docker ps",
    "go test",
    "go build",
];
/// Shortest distinctive command in bytes.
const COMMAND_BYTES_MIN: usize = 16;
/// Fewest words of a distinctive command.
const COMMAND_WORDS_MIN: usize = 3;

/// Argument values of structured calls that tell nothing.
const VALUES: [&str; 22] = [
    "true",
    "false",
    "null",
    "none",
    "undefined",
    "default",
    "auto",
    "main",
    "master",
    "head",
    "origin",
    "text",
    "json",
    "html",
    "markdown",
    "open",
    "closed",
    "active",
    "asc",
    "desc",
    "string",
    "unknown",
];

/// One list of the hosts file per section.
struct Hosts {
    reserved: HashSet<&'static str>,
    single: HashSet<&'static str>,
    shared: HashSet<&'static str>,
    tenant: HashSet<&'static str>,
    sink: HashSet<&'static str>,
}

impl Hosts {
    fn load() -> Self {
        let mut sections = sections(include_str!("../../data/common-hosts.txt"));
        let mut take = |name| sections.remove(name).unwrap_or_default().into_iter().collect();
        Self {
            reserved: take("reserved"),
            single: take("single"),
            shared: take("shared"),
            tenant: take("tenant"),
            sink: take("sink"),
        }
    }
}

/// A prefix of a shared host under which each owner has a name.
struct Owner {
    prefix: &'static str,
    segments: usize,
    fold: bool,
    written_as: &'static str,
}

/// Lines of a list by section; `#` begins a comment line.
pub(super) fn sections(text: &'static str) -> HashMap<&'static str, Vec<&'static str>> {
    let mut all: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut section = "";
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(name) => section = name,
            None => all.entry(section).or_default().push(line),
        }
    }
    all
}

fn load_tenants() -> HashMap<&'static str, Vec<Owner>> {
    let mut all: HashMap<&str, Vec<Owner>> = HashMap::new();
    let lines = include_str!("../../data/tenants.txt").lines().filter(|line| !line.starts_with('#'));
    for line in lines {
        let mut fields = line.split_whitespace();
        let (Some(place), Some(segments), Some(case)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let (host, prefix) = place.split_once('/').unwrap_or((place, ""));
        let owner = Owner {
            prefix,
            segments: segments.parse().unwrap_or(1),
            fold: case == "fold",
            written_as: fields.next().unwrap_or(place),
        };
        all.entry(host).or_default().push(owner);
    }
    // The longest prefix is the most specific one.
    all.values_mut().for_each(|owners| owners.sort_by_key(|owner| std::cmp::Reverse(owner.prefix.len())));
    all
}

/// The owner's prefix on a shared host: canonical host, path that begins with `/`.
pub(super) fn tenant(host: &str, path: &str) -> Option<String> {
    let owners = TENANTS.get(host)?;
    let path = path.strip_prefix('/')?;
    owners.iter().find_map(|owner| {
        let rest = match owner.prefix {
            "" => path,
            prefix => path.strip_prefix(prefix)?.strip_prefix('/')?,
        };
        let parts: Vec<&str> = rest.split('/').take(owner.segments).filter(|part| !part.is_empty()).collect();
        let name = parts.join("/");
        let name = if owner.fold { name.to_lowercase() } else { name };
        (parts.len() == owner.segments).then(|| format!("{}/{name}", owner.written_as))
    })
}

/// Whether an operand is on the static lists and hence no link between texts. Hosts that hand out
/// credentials, and paths of secrets and of things that run by themselves, never are.
pub fn is_common(operand: &Operand, context: &PathContext) -> bool {
    match operand.kind() {
        Kind::Path => paths::is_common(operand.canonical(), context),
        _ => is_common_anywhere(operand),
    }
}

/// Whether an operand other than a path is on the static lists; which paths are common depends on the workspace.
pub fn is_common_anywhere(operand: &Operand) -> bool {
    let text = operand.canonical();
    match operand.kind() {
        Kind::Host | Kind::Ip => is_common_host(text),
        Kind::Site => is_reserved(text) || is_known(text),
        Kind::Tenant => HOSTS.tenant.contains(text),
        Kind::Url => url::parts(text).is_some_and(|parts| is_common_url(&parts)),
        Kind::Git => git::host_of(text).is_some_and(|host| is_unreachable(&host)),
        Kind::Email => email::domain(text).is_some_and(|domain| is_common_mail(text, domain)),
        Kind::Command => is_common_command(text),
        Kind::Value => VALUES.iter().any(|value| value.eq_ignore_ascii_case(text)),
        Kind::Path | Kind::Token | Kind::Package | Kind::Image | Kind::Span => false,
    }
}

/// Whether a name of one component is distinctive all the same, as `.env` is.
pub(super) fn is_protected_name(name: &str) -> bool {
    paths::is_protected_name(name)
}

/// Whether what a host gets may reach anybody: it is neither a well-known service of one owner nor out of
/// the network's reach.
pub fn is_served_by_many(host: &Operand) -> bool {
    let name = host.canonical();
    !is_under(&HOSTS.single, name) && !is_unreachable(name)
}

fn is_sink(host: &str) -> bool {
    HOSTS.sink.contains(host)
}

/// Whether a name, or a parent of it, is in the set.
fn is_under(set: &HashSet<&str>, host: &str) -> bool {
    let mut rest = Some(host);
    while let Some(name) = rest {
        if set.contains(name) {
            return true;
        }
        rest = name.split_once('.').map(|(_, parent)| parent);
    }
    false
}

fn is_reserved(host: &str) -> bool {
    is_under(&HOSTS.reserved, host)
}

fn is_known(host: &str) -> bool {
    is_under(&HOSTS.single, host) || HOSTS.shared.contains(host) || TENANTS.contains_key(host)
}

/// Reserved names and addresses that lead to no public host.
fn is_unreachable(host: &str) -> bool {
    if is_sink(host) {
        return false;
    }
    match host.parse::<IpAddr>() {
        Ok(address) => is_local(address),
        Err(_) => is_reserved(host) || !host.contains('.'),
    }
}

fn is_common_host(host: &str) -> bool {
    if is_sink(host) {
        return false;
    }
    is_unreachable(host) || is_known(host) || is_bare_suffix(host)
}

/// A public suffix on its own belongs to no one.
fn is_bare_suffix(host: &str) -> bool {
    host.parse::<IpAddr>().is_err() && psl::domain(host.as_bytes()).is_none()
}

fn is_common_url(parts: &url::Parts) -> bool {
    let host = parts.host.clone().bare();
    if is_sink(&host) {
        return false;
    }
    if is_unreachable(&host) {
        return true;
    }
    let segments = parts.path.split('/').filter(|segment| !segment.is_empty()).count();
    if is_under(&HOSTS.single, &host) {
        return segments < 2 && parts.query.is_none();
    }
    is_common_host(&host) && segments == 0 && parts.query.is_none()
}

/// Addresses of an SSH user and of machines that answer no mail.
fn is_common_mail(address: &str, domain: &str) -> bool {
    let local = address.split('@').next().unwrap_or("");
    let is_role = matches!(local, "git" | "noreply" | "no-reply" | "hg" | "svn");
    is_reserved(domain) || (is_role && host::registrable(domain).is_none_or(is_known)) || local == "git"
}

fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_unspecified()
                || v4.is_broadcast()
                || v4.is_documentation()
        }
        IpAddr::V6(v6) => {
            v6.is_loopback()
                || v6.is_unspecified()
                || v6.is_unique_local()
                || v6.is_unicast_link_local()
                || matches!(v6.segments(), [0x2001, 0x0db8, ..])
        }
    }
}

fn is_common_command(text: &str) -> bool {
    let short = text.len() < COMMAND_BYTES_MIN || text.split(' ').count() < COMMAND_WORDS_MIN;
    // A list or a pipe is more than its head.
    let single = !text.contains(['|', ';', '&', '>', '<']);
    let begins =
        |head: &str| text.strip_prefix(head).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    short || (single && COMMAND_HEADS.iter().any(|head| begins(head)))
}
