//! The worked cases as data: what happens in a session, and what the host is answered, in two profiles.
//!
//! Each file of `cases/` is one case with the threat of `docs/THREAT-MODEL.md` that it shows; all of them go
//! through the real hook, socket and store.

mod script;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use self::script::{Ask, Case, Expected, Step};
use super::answer::Answer;
use super::payloads::Session;
use super::process::until;
use super::world::World;

const PROFILES: [&str; 2] = ["balanced", "strict"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/daemon/cases")
}

/// Every case by the name of its file.
fn cases() -> BTreeMap<String, Case> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| {
        let case = serde_json::from_str(&fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.file_name().unwrap().to_str().unwrap().to_owned(), case)
    };
    files.filter(|path| path.extension().is_some_and(|it| it == "json")).map(read).collect()
}

/// One case while it is played.
struct Play {
    world: World,
    session: Session,
    calls: u32,
    is_down: bool,
}

impl Play {
    fn new(profile: &str) -> Self {
        let world = World::new();
        fs::create_dir_all(world.home()).unwrap();
        World::mode(world.home(), 0o700);
        fs::write(world.home().join("config.toml"), format!("profile = \"{profile}\"\n")).unwrap();
        let session = Session::new("first", &world.project());
        Self { world, session, calls: 0, is_down: false }
    }

    /// The case's words with the folders of this world.
    fn placed(&self, value: &Value) -> Value {
        let text = value.to_string();
        let (project, home) = (self.world.project(), self.world.at("user"));
        let text = text.replace("PROJECT", project.to_str().unwrap()).replace("HOME", home.to_str().unwrap());
        serde_json::from_str(&text).unwrap()
    }

    fn next_call(&mut self) -> String {
        self.calls += 1;
        format!("call-{}", self.calls)
    }

    fn step(&mut self, step: &Step, profile: &str) -> Result<(), String> {
        let event = match step {
            Step::Prompt(text) => {
                self.session.event("UserPromptSubmit", serde_json::json!({ "prompt": text }))
            }
            Step::Page { url, text, agent } => {
                let call = self.next_call();
                by(agent.as_deref(), self.session.page(&call, url, text))
            }
            Step::Did { tool, input, response, agent } => {
                let call = self.next_call();
                let (input, response) = (self.placed(input), self.placed(response));
                by(agent.as_deref(), self.session.after(&call, tool, input, response))
            }
            Step::Event { name, fields } => self.session.event(name, self.placed(fields)),
            Step::Disk(files) => {
                files.iter().for_each(|(path, text)| self.write(path, text));
                return Ok(());
            }
            Step::Session(id) => {
                self.session = Session::new(id, &self.world.project());
                return Ok(());
            }
            Step::Restart(_) => {
                self.world.kill();
                return Ok(());
            }
            Step::Outage(_) => {
                // A home that others can enter is refused, so no daemon starts.
                self.world.stop();
                World::mode(self.world.home(), 0o755);
                self.is_down = true;
                return Ok(());
            }
            Step::Ask(ask) => return self.ask(ask, profile),
        };
        match self.world.send(&event) {
            Answer::Silent => Ok(()),
            other => Err(format!("{event}: {other:?}")),
        }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.world.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Waits until everything recorded was judged: a case is about the answer with all evidence at hand.
    fn judged(&self) {
        until("everything is judged", || {
            let log = self.world.log();
            let of = |kind: &str| log.iter().filter(|row| row["kind"] == kind).collect::<Vec<_>>();
            let judged: Vec<_> = of("evidence").iter().map(|row| &row["content"]).collect();
            of("artifact").iter().all(|row| row["bytes"] == 0 || judged.contains(&&row["content"]))
        });
    }

    fn ask(&mut self, ask: &Ask, profile: &str) -> Result<(), String> {
        if !self.is_down {
            self.judged();
        }
        let call = self.next_call();
        let input = self.placed(&ask.input);
        let expected = if profile == "strict" { &ask.strict } else { &ask.balanced };
        let answer = self.world.send(&self.session.before(&call, &ask.tool, input.clone()));
        let given = Expected::given(&answer);
        let wanted = if *expected == Expected::Flagged { &Expected::Allow } else { expected };
        if given.as_ref() != Some(wanted) {
            let told = self.world.circinus(&["explain", "last"]).out;
            return Err(format!(
                "{profile}: {} {input}: wanted {expected:?}, got {answer:?}\n{told}",
                ask.tool
            ));
        }
        if matches!(expected, Expected::Allow) {
            return Ok(());
        }
        self.explained(ask, expected).map_err(|said| format!("{profile}: {} {input}: {said}", ask.tool))
    }

    /// The recorded decision names its source; a flagged one is on record although nothing was said.
    fn explained(&self, ask: &Ask, expected: &Expected) -> Result<(), String> {
        if self.is_down {
            return Ok(());
        }
        let flagged = *expected == Expected::Flagged;
        let mut explained = Value::Null;
        until("the decision is recorded", || {
            let ran = self.world.circinus(&["explain", "last", "--json"]);
            explained = serde_json::from_str(&ran.out).unwrap_or_default();
            !explained.is_null() && (!flagged || explained["verdict"] == "ALLOW")
        });
        let influences = explained["influences"].as_array().unwrap();
        let flags = explained["flags"].as_array().unwrap();
        if flagged && influences.is_empty() && flags.is_empty() {
            return Err(format!("nothing flags it: {explained}"));
        }
        let Some(from) = &ask.from else { return Ok(()) };
        let named = influences.iter().any(|it| it["source"].as_str().unwrap().contains(from.as_str()));
        if named { Ok(()) } else { Err(format!("`{from}` is not named: {explained}")) }
    }
}

/// The event as one of a subagent's.
fn by(agent: Option<&str>, mut event: Value) -> Value {
    if let Some(agent) = agent {
        event["agent_id"] = agent.into();
    }
    event
}

#[test]
fn every_case_ends_as_it_says() {
    let mut failed = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 14, "only {} cases were found", cases.len());
    for (file, case) in &cases {
        for profile in PROFILES {
            let mut play = Play::new(profile);
            let ended = case.steps.iter().try_for_each(|step| play.step(step, profile));
            failed.extend(ended.err().map(|said| format!("{file} ({}): {said}", case.story)));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// The threat model and the cases name one another: no threat without a case, and no case without a threat.
#[test]
fn every_threat_is_shown_by_a_case() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/THREAT-MODEL.md");
    let page = fs::read_to_string(page).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| TH"));
    let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, case) in cases() {
        shown.entry(case.threat).or_default().push(file.trim_end_matches(".json").to_owned());
    }
    let threats: Vec<_> = rows
        .map(|row| {
            let id = row.split('|').nth(1).unwrap().trim();
            for file in shown.get(id).unwrap_or_else(|| panic!("no case shows {id}")) {
                assert!(row.contains(&format!("`{file}`")), "{id} does not name {file}");
            }
            id.to_owned()
        })
        .collect();
    assert!(shown.keys().all(|id| threats.contains(id)), "{threats:?}, {:?}", shown.keys());
}
