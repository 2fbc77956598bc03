//! Turns `policy/policy.json` into constant tables, and refuses a policy that is not well formed.
#![allow(clippy::panic, clippy::expect_used, reason = "a build script reports by failing the build")]

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

fn main() {
    println!("cargo::rerun-if-changed=policy/policy.json");
    let text = fs::read_to_string("policy/policy.json").expect("policy/policy.json is readable");
    let policy: Value = serde_json::from_str(&text).expect("policy/policy.json is JSON");
    let mut out = String::new();
    rules(&policy, &mut out);
    origins(&policy, &mut out);
    let target = Path::new(&env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("policy_table.rs");
    fs::write(&target, out).expect("the output directory is writable");
}

fn rules(policy: &Value, out: &mut String) {
    let rules = policy["rules"].as_array().expect("rules is a list");
    let mut seen = Vec::new();
    let _infallible = writeln!(
        out,
        "/// The rules, in the order of the table.\npub const RULES: [Rule; {}] = [",
        rules.len()
    );
    for rule in rules {
        let name = text(rule, "id");
        assert!(!seen.contains(&name), "rule {name} stands twice");
        let tier = rule["tier_ge"].as_u64().filter(|n| *n < 4).expect("tier_ge is 0 to 3");
        let gap = pick(text(rule, "gap_ge"), &["none", "inferred", "observed"]);
        let levels = ["none", "benign", "pending", "failed", "suspicious", "adverse"];
        let evidence = pick(text(rule, "evidence_ge"), &levels);
        let profile = pick(text(rule, "profile_ge"), &["realtime", "balanced", "strict", "critical"]);
        let result = pick(text(rule, "result"), &["ALLOW", "REVIEW", "BLOCK"]);
        let flags =
            rule["flags"].as_array().expect("flags is a list").iter().fold(String::new(), |all, flag| {
                let flag = flag.as_str().expect("a flag is a name");
                all + ".with(Flag::" + &camel(flag) + ")"
            });
        let _infallible = writeln!(
            out,
            "Rule {{ name: {name:?}, tier: Tier::T{tier}, gap: Gap::{gap}, evidence: Level::{evidence}, \
             profile: Profile::{profile}, flags: Flags::NONE{flags}, result: Verdict::{result}, \
             reason: {:?}, remedy_template: {:?} }},",
            text(rule, "reason"),
            text(rule, "remedy"),
        );
        seen.push(name);
    }
    out.push_str("];\n");
}

fn origins(policy: &Value, out: &mut String) {
    let origins = policy["origins"].as_object().expect("origins is an object");
    let _infallible = writeln!(
        out,
        "/// What content of each origin may cause.\npub const ORIGINS: [OriginRow; {}] = [",
        origins.len()
    );
    for (name, row) in origins {
        let effects =
            row["effects"].as_array().expect("effects is a list").iter().fold(String::new(), |all, e| {
                let effect = e.as_str().expect("an effect is a name");
                all + ".with(Effect::" + &camel(&effect.to_lowercase()) + ")"
            });
        let root = row["root"].as_bool().expect("root is a truth value");
        let _infallible = writeln!(
            out,
            "OriginRow {{ origin: Origin::{name}, effects: Effects::NONE{effects}, root: {root} }},"
        );
    }
    out.push_str("];\n");
}

fn text<'a>(rule: &'a Value, field: &str) -> &'a str {
    rule[field].as_str().unwrap_or_else(|| panic!("rule field {field} is missing or no text: {rule}"))
}

fn pick(name: &str, allowed: &[&str]) -> String {
    assert!(allowed.contains(&name), "{name} is none of {allowed:?}");
    camel(&name.to_lowercase())
}

fn camel(name: &str) -> String {
    name.split('_')
        .map(|part| {
            let mut chars = part.chars();
            chars
                .next()
                .map(|first| first.to_ascii_uppercase().to_string() + chars.as_str())
                .unwrap_or_default()
        })
        .collect()
}
