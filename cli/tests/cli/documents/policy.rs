//! `docs/POLICY.md`: the rules and the origins in words, from the table that decides.

use circinus_core::action::{Flag, Tier};
use circinus_core::evidence::Level;
use circinus_core::origin::Origin;
use circinus_core::policy::{Gap, Profile, RULES, Rule, origin_row};

use super::{hold, table};

fn condition_of_profile(profile: Profile) -> String {
    let from: Vec<_> =
        Profile::ALL.into_iter().filter(|other| *other >= profile).map(Profile::name).collect();
    match from.as_slice() {
        [only] => format!("in profile {only}"),
        [.., last] if profile > Profile::Realtime => {
            format!("in profiles {} and {last}", from[..from.len() - 1].join(", "))
        }
        _ => "in every profile".to_owned(),
    }
}

const fn condition_of_tier(tier: Tier) -> Option<&'static str> {
    match tier {
        Tier::T0 => None,
        Tier::T1 => Some("the action does more than observe (T1 or above)"),
        Tier::T2 => Some("the action cannot be undone or reaches out of the machine (T2 or above)"),
        Tier::T3 => Some("the action persists, uses a credential or touches the guard (T3)"),
    }
}

const fn condition_of_gap(gap: Gap) -> Option<&'static str> {
    match gap {
        Gap::None => None,
        Gap::Inferred => Some("a part of it has a gap: no root grants its effect (inferred or observed)"),
        Gap::Observed => {
            Some("recorded steps lead from content without the authority to what it acts on (observed)")
        }
    }
}

const fn condition_of_evidence(level: Level) -> Option<&'static str> {
    match level {
        Level::None => None,
        Level::Benign => Some("content that was judged has an influence"),
        Level::Pending => Some("content with an influence is not judged harmless (pending or worse)"),
        Level::Failed => Some("content with an influence could not be judged, or worse"),
        Level::Suspicious => Some("content with an influence is suspicious or adverse"),
        Level::Adverse => Some("content with an influence is adverse"),
    }
}

const fn condition_of_flag(flag: Flag) -> &'static str {
    match flag {
        Flag::Guard => "it touches Circinus or the host's settings (flag guard)",
        Flag::PersistHost => {
            "it makes something outside the workspace run or instruct later (flag persist_host)"
        }
        Flag::PersistWs => "it makes something in the workspace run or instruct later (flag persist_ws)",
        Flag::Unexplained => "a target of it comes from nowhere that is known (flag unexplained)",
        Flag::Opaque => "a part of it could not be understood (flag opaque)",
        Flag::SecretSink => "a secret would leave for a place that is not its home (flag secret_sink)",
        Flag::StoreDown => "not everything can be recorded (flag store_down)",
        Flag::Catastrophic => "it destroys on a large scale (flag catastrophic)",
        Flag::HighConsequence => {
            "it moves money, gives or takes access, publishes, changes an account or deletes what lies elsewhere \
             (flag high_consequence)"
        }
    }
}

fn in_words(rule: &Rule) -> String {
    let flags = rule.flags.iter().map(condition_of_flag);
    let conditions =
        [condition_of_tier(rule.tier), condition_of_gap(rule.gap), condition_of_evidence(rule.evidence)];
    let conditions: Vec<_> = conditions.into_iter().flatten().chain(flags).collect();
    format!(
        "**{} {}**: {}.\n\n* fires {} when {}\n* what helps: {}\n",
        rule.name,
        rule.result,
        rule.reason,
        condition_of_profile(rule.profile),
        conditions.join(", and "),
        rule.remedy(None, None)
    )
}

#[test]
fn the_rules_are_those_of_the_table() {
    let rules: Vec<_> = RULES.iter().map(in_words).collect();
    let text = format!("There are {} rules.\n\n{}", RULES.len(), rules.join("\n"));
    hold("docs/POLICY.md", "rules", &text);
}

#[test]
fn the_origins_are_those_of_the_table() {
    let rows = Origin::ALL.map(|origin| {
        let row = origin_row(origin);
        let root = if row.root { "root" } else { "" };
        [format!("`{origin}`"), origin.describe().to_owned(), row.effects.to_string(), root.to_owned()]
    });
    let head = ["origin", "where content came from", "what it may cause", "grants"];
    hold("docs/POLICY.md", "origins", &table(head, rows));
}

#[test]
fn the_profiles_are_those_of_the_table() {
    let rows = Profile::ALL.map(|profile| {
        let own = RULES.iter().filter(|rule| rule.profile == profile).map(|rule| rule.name);
        let own: Vec<_> = own.collect();
        let added = if own.is_empty() { "none of its own".to_owned() } else { own.join(" ") };
        [format!("`{profile}`"), added, format!("{} ms", profile.wait_ms_max())]
    });
    hold("docs/POLICY.md", "profiles", &table(["profile", "adds rules", "waits for evidence up to"], rows));
}
