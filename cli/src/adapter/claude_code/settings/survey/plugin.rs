//! The hooks that the host takes from our plugin, which no settings file holds.

use super::super::json::{Document, Kind};
use super::{Scope, Source};

/// Our plugin's name, before the `@` and the name of a marketplace.
const PLUGIN_NAME: &str = "circinus";

/// The files that can switch a plugin, the last one wins.
const ORDER: [Scope; 4] = [Scope::User, Scope::Project, Scope::Local, Scope::Managed];

/// Whether a plugin of ours is switched on, in all files together; `None` when no file speaks of one.
pub(super) fn is_enabled(sources: &[Source]) -> Option<bool> {
    let said = |scope| {
        let of_scope = sources.iter().filter(move |source| source.scope == scope);
        of_scope.filter_map(|source| source.text.as_ref().ok()?.as_deref()).filter_map(said_in).next_back()
    };
    ORDER.into_iter().filter_map(said).next_back()
}

/// What one settings text says of our plugin.
fn said_in(text: &str) -> Option<bool> {
    let doc = Document::parse(text).ok()?;
    let plugins = doc.root.as_ref()?.get("enabledPlugins")?.as_object()?;
    let ours = |key: &str| key.split_once('@').is_some_and(|(name, _)| name == PLUGIN_NAME);
    let ours = plugins.iter().filter(|member| ours(&member.key));
    let states = ours.map(|member| matches!(member.value.kind, Kind::Bool(true)));
    states.reduce(|one, other| one || other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(scope: Scope, text: &str) -> Source {
        Source { scope, path: "settings.json".into(), text: Ok(Some(text.to_owned())) }
    }

    #[test]
    fn the_nearest_file_that_speaks_of_it_wins() {
        let user = source(Scope::User, r#"{"enabledPlugins": {"x@y": true, "circinus@team": true}}"#);
        let project = source(Scope::Project, r#"{"enabledPlugins": {"circinus@team": false}}"#);
        let other = source(Scope::Local, r#"{"enabledPlugins": {"not-circinus@team": true}}"#);
        assert_eq!(is_enabled(&[user.clone(), other.clone()]), Some(true));
        assert_eq!(is_enabled(&[project, user, other.clone()]), Some(false));
        assert_eq!(is_enabled(&[other]), None);
        assert_eq!(is_enabled(&[source(Scope::User, "{ not json")]), None);
    }
}
