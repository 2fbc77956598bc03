//! An overlay only ever makes an analysis stricter.

use std::sync::Arc;

use circinus_analyzer::Surroundings;
use circinus_analyzer::command::{CommandAnalysis, Gain, Part, analyze};
use circinus_analyzer::overlay::Overlay;
use circinus_core::action::{Flag, Tier};
use circinus_core::effect::Effect;
use proptest::prelude::*;

use crate::sample::around;

fn with(overlay: &str) -> Surroundings {
    let overlay = Overlay::parse(overlay).unwrap_or_else(|error| panic!("{error}: {overlay}"));
    Surroundings { overlay: Arc::new(overlay), ..around() }
}

#[test]
fn rows_add_to_listed_and_unlisted_programs() {
    let around = with(
        r#"
        [git.subs.push]
        also = ["send-pack"]
        tier = 3
        flags = ["catastrophic"]
        options = [{ f = ["--tags"], effects = ["INSTALL"] }]
        [shipit]
        effects = ["SEND"]
        options = [{ f = ["-f", "--force"], tier = 2, flags = ["persist-host"] }]
        subs.prod = { tier = 3 }
        [ls]
        flags = ["guard"]
        "#,
    );
    for (command, tier, effects, flags) in [
        ("git push origin main", Tier::T3, vec![Effect::Send, Effect::Destroy], vec![Flag::Catastrophic]),
        ("git -C /x push --tags", Tier::T3, vec![Effect::Install], vec![Flag::Catastrophic]),
        ("git commit -m push", Tier::T1, vec![], vec![]),
        ("git log", Tier::T0, vec![], vec![]),
        ("shipit", Tier::T1, vec![Effect::Exec, Effect::Send], vec![]),
        ("sudo shipit -xf", Tier::T3, vec![Effect::Persist], vec![Flag::PersistHost]),
        ("bash -c 'shipit --env eu prod'", Tier::T3, vec![Effect::Send], vec![]),
        ("./shipit", Tier::T1, vec![Effect::Exec, Effect::Send], vec![]),
        ("x=$(ls)", Tier::T3, vec![Effect::Guard], vec![Flag::Guard]),
        ("echo ls", Tier::T0, vec![], vec![]),
    ] {
        let found = analyze(command, &around);
        assert_eq!(found.tier, tier, "{command}: {found:?}");
        assert!(effects.iter().all(|effect| found.effects.contains(*effect)), "{command}: {found:?}");
        assert_eq!(found.flags.iter().collect::<Vec<_>>(), flags, "{command}: {found:?}");
    }
    let found = analyze("git push", &around);
    let by_overlay = |gain| found.reasons.iter().any(|r| r.gain == gain && r.cause.part == Part::Overlay(2));
    assert!(by_overlay(Gain::Tier(Tier::T3)) && by_overlay(Gain::Flag(Flag::Catastrophic)), "{found:?}");
}

#[test]
fn what_would_loosen_is_refused_where_it_stands() {
    for (text, problem, marked) in [
        ("[rm]\nargs = [\"ignore\"]\n", "changes how words are read", "args"),
        ("[curl]\nstdin = \"unread\"\n", "changes how words are read", "stdin"),
        ("[git.subs.push]\ntier = 0\n", "would loosen `push`", "0"),
        ("[unheard-of]\ntier = 0\n", "would loosen `unheard-of`", "0"),
        ("[git.subs.push]\noptions = [{ f = [\"--mirror\"], tier = 1 }]\n", "would loosen", "1"),
        ("[sudo]\neffects = []\n", "adds nothing", "[]"),
        ("[sudo]\nflags = []\n", "adds nothing", "[]"),
        ("[rm]\noptions = [{ f = [\"-r\"], only_says = true }]\n", "changes how words are read", "only_says"),
        ("[rm]\noptions = [{ f = [\"-r\"], value = \"ignore\" }]\n", "changes how words are read", "value"),
        ("[rm]\noptions = [{ f = [\"r\"] }]\n", "is no option", "\"r\""),
        ("[rm]\noptions = [{ tier = 2 }]\n", "without its spellings", "{ tier = 2 }"),
        ("[rm]\neffects = [\"HARM\"]\n", "no effect", "\"HARM\""),
        ("[rm]\nflags = [\"store-down\"]\n", "no flag that a command can have", "\"store-down\""),
        ("[rm]\ntier = 4\n", "must be 0, 1, 2 or 3", "4"),
        ("[rm]\ntire = 2\n", "unknown key `tire`", "tire"),
        ("rm = 2\n", "must be a table", "2"),
        ("[\"/bin/rm\"]\ntier = 2\n", "no name of a program", "\"/bin/rm\""),
        ("[a]\nalso = [\"b\"]\n[b]\ntier = 2\n", "occurs twice", "b"),
        ("[a.subs.b.subs.c.subs.d.subs.e.subs.f]\ntier = 2\n", "nested too deep", "subs"),
        ("[rm\n", "", ""),
    ] {
        let error = Overlay::parse(text).expect_err(text);
        assert!(error.problem.contains(problem), "{text}: {error}");
        let at = text.get(error.span.clone()).unwrap_or_default();
        assert!(marked.is_empty() || at == marked, "{text}: {error} marks {at:?}");
        assert!(!error.hint.is_empty());
    }
}

const PROGRAMS: &[&str] =
    &["rm", "git", "curl", "shipit", "sudo", "ls", "bash", "echo", "xargs", "cat", "python3"];
const SUBS: &[&str] = &["push", "status", "commit", "prod"];
const OPTIONS: &[&str] = &["-f", "--force", "-r", "if=", "-c"];
const EFFECTS: &[&str] = &["SEND", "EXEC", "DESTROY", "GUARD", "READ"];
const FLAGS: &[&str] = &["opaque", "catastrophic", "guard", "persist_ws", "persist_host", "secret_sink"];
/// Pieces of commands, with those in which an analysis is taken back in part.
const PIECES: &[&str] = &[
    "rm -rf build",
    "git push --force",
    "git status",
    "curl https://h.example.org/x",
    "shipit -f prod",
    "sudo ",
    "ls",
    "bash -c '",
    "'",
    "echo ",
    "xargs ",
    "cat ~/.ssh/id_rsa",
    " | ",
    " && ",
    "; ",
    "$(",
    ")",
    "python3 -c '",
    "os.system(\"rm -rf ~\")",
    "ssh host ",
    "docker exec box ",
    "unheard rm -rf x ",
    "eval ",
    " > out.txt",
    "f() { ",
    " ; }; f",
    "if true; then ",
    "; fi",
    "source ~/.bashrc",
    "dd if=/dev/zero of=/dev/sda",
    "node -e 'rm -rf x'",
];

fn rows() -> impl Strategy<Value = String> {
    let one = |words: &'static [&'static str]| proptest::sample::select(words);
    let gains =
        (proptest::option::of(2..4_u8), proptest::option::of(one(EFFECTS)), proptest::option::of(one(FLAGS)))
            .prop_map(|(tier, effect, flag)| {
                let tier = tier.map(|tier| format!("tier = {tier}"));
                let effect = effect.map(|effect| format!("effects = [\"{effect}\"]"));
                let flag = flag.map(|flag| format!("flags = [\"{flag}\"]"));
                [tier, effect, flag].into_iter().flatten().collect::<Vec<_>>()
            });
    let option = (one(OPTIONS), gains.clone()).prop_map(|(name, gains)| {
        let parts = std::iter::once(format!("f = [\"{name}\"]")).chain(gains).collect::<Vec<_>>();
        format!("options = [{{ {} }}]", parts.join(", "))
    });
    let row = (proptest::option::of(one(SUBS)), gains, proptest::option::of(option));
    proptest::collection::btree_map(one(PROGRAMS), row, 1..6).prop_map(|rows| {
        let rows = rows.into_iter().map(|(program, (sub, gains, option))| {
            let sub = sub.map(|sub| format!(".subs.{sub}")).unwrap_or_default();
            format!("[{program}{sub}]\n{}\n{}\n", gains.join("\n"), option.unwrap_or_default())
        });
        rows.collect()
    })
}

fn assert_no_less_strict(less: &CommandAnalysis, more: &CommandAnalysis) {
    assert!(less.tier <= more.tier);
    assert!(less.flags.is_subset(more.flags));
    assert!(less.effects.is_subset(more.effects));
    for slot in &less.slots {
        let same = more.slots.iter().find(|other| {
            (other.role, other.effect, &other.value, &other.place)
                == (slot.role, slot.effect, &slot.value, &slot.place)
        });
        let same = same.unwrap_or_else(|| panic!("{slot:?} is missing"));
        assert!(slot.tier_on_gap <= same.tier_on_gap);
        assert!(slot.flags_unless_granted.is_subset(same.flags_unless_granted));
    }
    assert_eq!((&less.writes, &less.reads, &less.source), (&more.writes, &more.reads, &more.source));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_overlay_makes_any_command_less_strict(
        overlay in rows(),
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 1..8),
    ) {
        let command = pieces.concat();
        assert_no_less_strict(&analyze(&command, &around()), &analyze(&command, &with(&overlay)));
    }

    #[test]
    fn any_text_is_an_overlay_or_an_error_that_points_into_it(text in any::<String>()) {
        if let Err(error) = Overlay::parse(&text) {
            prop_assert!(error.span.start <= text.len() && error.span.end <= text.len());
        }
    }
}
