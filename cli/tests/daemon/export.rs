//! What leaves the log for other tools, and the drawings of `explain`.

use std::fs;

use serde_json::Value;

use super::answer::Answer;
use super::payloads::{Session, hostile};
use super::world::World;

/// A world with a refused call in one session and a quiet call in another.
fn world() -> World {
    let world = World::new();
    world.start();
    let session = Session::new("told", &world.project());
    assert_eq!(world.send(&session.hostile_page("p", "exported.dev")), Answer::Silent);
    world.send(&session.bash("c", &hostile("exported.dev"))).stopped();
    let other = Session::new("other", &world.project());
    assert_eq!(world.send(&other.bash("c", "ls")), Answer::Silent);
    world
}

fn lines(world: &World, arguments: &[&str]) -> Vec<Value> {
    world.circinus(arguments).objects()
}

#[test]
fn json_lines_hold_every_event_in_order() {
    let world = world();
    let rows = lines(&world, &["export"]);
    assert_eq!(rows.len(), world.log().len());
    let places: Vec<_> = rows.iter().map(|row| row["seq"].as_u64().unwrap()).collect();
    assert!(places.is_sorted() && places[0] == 1, "{places:?}");
    let page = rows
        .iter()
        .find(|row| row["label"].as_str().is_some_and(|label| label.starts_with("WebFetch")))
        .unwrap();
    let refused = rows.iter().find(|row| row["verdict"] == "BLOCK").unwrap();
    let sources = refused["influences"].as_array().unwrap();
    assert!(sources.iter().any(|source| source["artifact"] == page["id"]), "{refused}");
    assert!(page["operands"].as_array().unwrap().iter().any(|hit| hit["operand"]["kind"] == "host"));
}

#[test]
fn flat_rows_have_the_same_columns_and_no_nesting() {
    let rows = lines(&world(), &["export", "--format", "flat"]);
    let columns: Vec<_> = rows[0].as_object().unwrap().keys().cloned().collect();
    for row in &rows {
        let row = row.as_object().unwrap();
        assert!(row.keys().eq(&columns), "{row:?}");
        assert!(!row.values().any(|value| value.is_array() || value.is_object()), "{row:?}");
    }
    assert!(rows.iter().any(|row| row["verdict"] == "BLOCK" && row["tool"] == "Bash"));
}

#[test]
fn a_session_is_exported_with_the_verdicts_on_what_it_saw() {
    let world = world();
    let rows = lines(&world, &["export", "--session", "told"]);
    assert!(rows.iter().any(|row| row["kind"] == "evidence"));
    assert!(rows.iter().all(|row| row["kind"] == "evidence" || row["session"] == "told"), "{rows:?}");
    assert_eq!(lines(&world, &["export", "--session", "absent"]), Vec::<Value>::new());
    assert_eq!(lines(&world, &["export", "--since", "30d"]).len(), lines(&world, &["export"]).len());
}

#[test]
fn provenance_refers_to_what_it_declares() {
    let document: Value =
        serde_json::from_str(&world().circinus(&["export", "--format", "prov"]).good()).unwrap();
    let named = |group: &str| document[group].as_object().unwrap();
    let used = named("used").values().find(|used| used["circinus:gap"] == "inferred").unwrap();
    assert!(named("entity").contains_key(used["prov:entity"].as_str().unwrap()));
    assert!(named("activity").contains_key(used["prov:activity"].as_str().unwrap()));
    for attributed in named("wasAttributedTo").values() {
        assert!(named("agent").contains_key(attributed["prov:agent"].as_str().unwrap()), "{attributed}");
    }
    for generated in named("wasGeneratedBy").values() {
        assert!(named("activity").contains_key(generated["prov:activity"].as_str().unwrap()), "{generated}");
    }
}

#[test]
fn findings_name_their_rule_and_their_way() {
    let report: Value =
        serde_json::from_str(&world().circinus(&["export", "--format", "sarif"]).good()).unwrap();
    let run = &report["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 1);
    let result = &run["results"][0];
    let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
    assert_eq!((&rule["id"], &result["level"]), (&result["ruleId"], &Value::from("error")));
    assert!(!report.to_string().contains("{source}"), "{report}");
    let way = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    let texts: Vec<_> = way.iter().map(|at| at["location"]["message"]["text"].as_str().unwrap()).collect();
    assert!(texts[0].starts_with("source: ") && texts.last().unwrap().starts_with("sink: "), "{texts:?}");
}

#[test]
fn telemetry_records_carry_their_time_and_severity() {
    let world = world();
    let requests = lines(&world, &["export", "--format", "otlp"]);
    let records = requests[0]["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap();
    assert_eq!(records.len(), lines(&world, &["export"]).len());
    let refused = records.iter().find(|record| record["severityText"] == "ERROR").unwrap();
    assert_eq!(refused["eventName"], "circinus.decision");
    assert!(refused["timeUnixNano"].as_str().unwrap().len() == 19, "{refused}");
    let tool = serde_json::json!({ "key": "gen_ai.tool.name", "value": { "stringValue": "Bash" } });
    assert!(refused["attributes"].as_array().unwrap().contains(&tool), "{refused}");
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let world = world();
    let file = world.at("export.jsonl");
    let name = file.to_str().unwrap();
    assert_eq!(world.circinus(&["export", "-o", name]).good(), "");
    let written = fs::read_to_string(&file).unwrap();
    assert_eq!(written, world.circinus(&["export"]).good());
    let again = world.circinus(&["export", "-o", name]);
    assert!(again.code == 2 && again.err.contains("hint: name another file"), "{again:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), written);
    let nowhere = world.circinus(&["export", "-o", "/dev/null/x"]);
    assert!(nowhere.code == 4 && nowhere.err.contains("/dev/null"), "{nowhere:?}");
}

#[test]
fn a_decision_is_drawn_without_anything_from_elsewhere() {
    let world = world();
    let page = world.circinus(&["explain", "last", "--html"]).good();
    for part in ["BLOCK", "<svg", "get.exported.dev", "default-src 'none'", "class=\"inferred\""] {
        assert!(page.contains(part), "`{part}` is not in\n{page}");
    }
    assert!(!page.contains("{source}") && !page.contains("{target}"), "{page}");
    let links = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!links.contains("<script") && !links.contains("src=") && !links.contains("href"), "{page}");
    let graph = world.circinus(&["explain", "last", "--dot"]).good();
    assert!(graph.starts_with("digraph ") && graph.contains("style=dashed"), "{graph}");
}
