//! Reading the replay format.

use std::fs;
use std::path::Path;

use circinus_loadtest::replay::format::{Kind, Session, Verdict};
use circinus_loadtest::replay::source::{Sessions, SourceError, files, suite_of};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

fn line(session: &str, event: &str) -> String {
    format!(
        "{{\"t_ms\":1,\"event\":\"{event}\",\"session_id\":\"{session}\",\"cwd\":\"/w\",\"agent_id\":\"a\"}}\n"
    )
}

fn all(path: &Path) -> Vec<Result<Session, SourceError>> {
    Sessions::open(path, |file| file).unwrap().collect()
}

fn written(name: &str, content: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    (folder, path)
}

fn three_lines() -> String {
    [line("one", "SessionStart"), line("one", "Stop"), line("two", "SessionStart")].concat()
}

fn check_three_lines(sessions: Vec<Result<Session, SourceError>>) {
    let sessions: Vec<Session> = sessions.into_iter().map(Result::unwrap).collect();
    let shape: Vec<_> = sessions.iter().map(|session| (session.id.as_str(), session.events.len())).collect();
    assert_eq!(shape, [("one", 2), ("two", 1)]);
    assert_eq!(sessions[0].events[0].extra["agent_id"], "a");
    assert_eq!(sessions[0].suite, "own.suite");
}

#[test]
fn sessions_are_grouped_by_their_id() {
    let (_folder, path) = written("own.suite.jsonl", three_lines().as_bytes());
    check_three_lines(all(&path));
}

#[test]
fn compressed_files_may_have_several_frames() {
    let text = three_lines();
    let (head, tail) = text.as_bytes().split_at(70);
    let mut packed = compress_to_vec(head, CompressionLevel::Fastest);
    packed.extend(compress_to_vec(tail, CompressionLevel::Fastest));
    let (_folder, path) = written("own.suite.jsonl.zst", &packed);
    check_three_lines(all(&path));
}

#[test]
fn a_truncated_compressed_file_is_an_error_that_names_it() {
    let packed = compress_to_vec(three_lines().as_bytes(), CompressionLevel::Fastest);
    let (_folder, path) = written("cut.jsonl.zst", &packed[..packed.len() - 9]);
    let error = all(&path).pop().unwrap().unwrap_err().to_string();
    assert!(error.contains("cut.jsonl.zst") && error.starts_with("cannot read"), "{error}");
}

#[test]
fn a_malformed_line_is_named_by_file_and_number() {
    let text = format!("{}\n{{\"event\": 5}}\n", three_lines());
    let (_folder, path) = written("bad.jsonl", text.as_bytes());
    let sessions = all(&path);
    // The session that the bad line would have belonged to is not played in part.
    assert_eq!(sessions.len(), 2);
    let error = sessions.into_iter().nth(1).unwrap().unwrap_err().to_string();
    assert!(error.contains("bad.jsonl` line 5: not an event"), "{error}");
}

#[test]
fn a_session_in_two_places_is_refused() {
    let text = three_lines() + &line("one", "Stop");
    let (_folder, path) = written("split.jsonl", text.as_bytes());
    let error = all(&path).pop().unwrap().unwrap_err();
    assert!(matches!(error, SourceError::SessionSplit { line: 4, .. }), "{error}");
}

#[test]
fn labels_say_kind_and_expected_decisions() {
    let text = "{\"event\":\"PreToolUse\",\"session_id\":\"s\",\"cwd\":\"/w\",\"label\":{\"kind\":\"attack\",\"expect\":[\"REVIEW\",\"BLOCK\"]}}";
    let (_folder, path) = written("l.jsonl", text.as_bytes());
    let session = all(&path).pop().unwrap().unwrap();
    let label = session.events[0].label.clone().unwrap();
    assert_eq!((label.kind, label.expect), (Kind::Attack, vec![Verdict::Review, Verdict::Block]));
    assert!(session.is_attack());
}

#[test]
fn a_folder_gives_its_recordings_in_order() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    for name in ["sub/b.jsonl.zst", "a.jsonl", "notes.md"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let suites: Vec<String> = files(folder.path()).unwrap().iter().map(|path| suite_of(path)).collect();
    assert_eq!(suites, ["a", "b"]);
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(files(empty.path()), Err(SourceError::Empty { .. })));
}
