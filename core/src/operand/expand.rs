//! The operands that come with one: the host of a URL, the registrable domain of a host, and so on.

use super::{Kind, Operand, common, email, git, host, image, url};

pub(super) fn expand(operand: &Operand) -> Vec<Operand> {
    let mut all = vec![operand.clone()];
    let canonical = operand.canonical();
    match operand.kind() {
        Kind::Url => {
            if let Some(parts) = url::parts(canonical) {
                let name = parts.host.clone().bare();
                push_host(&mut all, &name, true);
                push(&mut all, Kind::Tenant, common::tenant(&name, &parts.path));
            }
        }
        Kind::Git => {
            if let Some(name) = git::host_of(canonical) {
                let path = canonical.split_once('/').map_or("", |(_, path)| path);
                push_host(&mut all, &name, true);
                push(&mut all, Kind::Tenant, common::tenant(&name, &format!("/{path}")));
            }
        }
        Kind::Image => {
            if let Some(name) = image::registry_host(canonical) {
                let path = canonical.split_once('/').map_or("", |(_, path)| path);
                push_host(&mut all, &name, false);
                push(&mut all, Kind::Tenant, common::tenant(&name, &format!("/{path}")));
            }
        }
        Kind::Email => {
            if let Some(name) = email::domain(canonical) {
                push_host(&mut all, name, true);
            }
        }
        Kind::Host => push_host(&mut all, canonical, true),
        Kind::Ip => push(&mut all, Kind::Host, Some(canonical.to_owned())),
        Kind::Package => {
            if let Some((name, path)) = canonical.strip_prefix("go:").and_then(|path| path.split_once('/')) {
                push_host(&mut all, name, true);
                push(&mut all, Kind::Tenant, common::tenant(name, &format!("/{path}")));
            }
        }
        Kind::Site | Kind::Tenant | Kind::Path | Kind::Token | Kind::Command | Kind::Span | Kind::Value => {}
    }
    all
}

/// Adds the host, its address if it is one, and its registrable domain if asked for.
fn push_host(all: &mut Vec<Operand>, name: &str, with_site: bool) {
    push(all, Kind::Host, Some(name.to_owned()));
    if name.parse::<std::net::IpAddr>().is_ok() {
        push(all, Kind::Ip, Some(name.to_owned()));
    } else if with_site {
        push(all, Kind::Site, host::registrable(name).map(str::to_owned));
    }
}

fn push(all: &mut Vec<Operand>, kind: Kind, canonical: Option<String>) {
    if let Some(operand) = canonical.and_then(|canonical| Operand::new(kind, canonical))
        && !all.contains(&operand)
    {
        all.push(operand);
    }
}
