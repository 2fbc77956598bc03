//! What a file is, by where its bytes came from: real repositories, a real daemon, several sessions.

mod ways;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::answer::Answer;
use super::payloads::Session;
use super::process::{circinus, until};
use super::world::World;

/// A world whose project is to be a repository, and what happens in it.
struct Files {
    world: World,
    profile: &'static str,
}

impl Files {
    fn new() -> Self {
        let files = Self { world: World::new(), profile: "strict" };
        files.start();
        files
    }

    fn start(&self) {
        self.world.start();
        let config = self.world.home().join("config.toml");
        if !config.exists() {
            self.world.stop();
            fs::write(config, format!("profile = \"{}\"\n", self.profile)).unwrap();
            self.world.start();
        }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.world.project().join(name)
    }

    fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn git(&self, arguments: &[&str]) {
        git(&self.world.project(), arguments);
    }

    /// What a person does in a repository of their own.
    fn commit_all(&self) {
        self.git(&["init", "-q"]);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "work"]);
    }

    /// Starts a session; what is written from now on is younger, also by the file system's clock.
    fn session(&self, id: &str) -> Session {
        let session = Session::new(id, &self.world.project());
        assert_eq!(
            self.world.send(&session.event("SessionStart", json!({ "source": "startup" }))),
            Answer::Silent
        );
        let opened = self.world.log().into_iter().filter_map(|row| row["at_ms"].as_i64()).max().unwrap();
        let probe = self.world.at("tmp").join("probe");
        until("the file system's clock moves", || {
            fs::write(&probe, "").unwrap();
            let metadata = fs::metadata(&probe).unwrap();
            metadata.ctime() * 1_000 + metadata.ctime_nsec() / 1_000_000 > opened + 1
        });
        session
    }

    /// The record of the agent's reading a file.
    #[track_caller]
    fn read(&self, session: &Session, path: impl AsRef<Path>) -> Value {
        let path = self.world.project().join(path);
        let text = fs::read_to_string(&path).unwrap();
        let call = format!("read-{}", self.world.log().len());
        let input = json!({ "file_path": path });
        let response = json!({ "type": "text", "file": { "filePath": path, "content": text } });
        assert_eq!(self.world.send(&session.after(&call, "Read", input, response)), Answer::Silent);
        self.recorded(&format!("Read {}", path.display()))
    }

    /// The newest record with this label.
    #[track_caller]
    fn recorded(&self, label: &str) -> Value {
        let records = self.world.log();
        let found = records.into_iter().rev().find(|row| row["label"].as_str() == Some(label));
        found.unwrap_or_else(|| panic!("no record {label:?} among {:?}", self.world.labels()))
    }

    #[track_caller]
    fn origin(&self, session: &Session, path: impl AsRef<Path>) -> String {
        self.read(session, path)["origin"].as_str().unwrap().to_owned()
    }

    /// A shell call that does what `work` does.
    fn bash(&self, session: &Session, command: &str, work: impl FnOnce()) {
        let call = format!("bash-{}", self.world.log().len());
        // What the gate says is not the matter here.
        self.world.send(&session.bash(&call, command));
        work();
        let response = json!({ "stdout": "", "stderr": "", "interrupted": false, "isImage": false });
        let after = session.after(&call, "Bash", json!({ "command": command }), response);
        assert_eq!(self.world.send(&after), Answer::Silent);
    }

    fn edit(&self, session: &Session, name: &str, old: &str, new: &str) {
        let call = format!("edit-{}", self.world.log().len());
        let path = self.at(name);
        let input = json!({ "file_path": path, "old_string": old, "new_string": new });
        self.world.send(&session.before(&call, "Edit", input.clone()));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen(old, new, 1)).unwrap();
        let response = json!({ "filePath": path, "oldString": old, "newString": new });
        assert_eq!(self.world.send(&session.after(&call, "Edit", input, response)), Answer::Silent);
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let ran = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{arguments:?}: {ran:?}");
}

#[test]
fn a_file_counts_as_what_it_was_when_the_session_began() {
    let files = Files::new();
    files.put("tracked.md", "a");
    files.put("sub/deep/tracked.md", "b");
    files.put("changed.md", "c");
    files.put(".gitignore", "ignored.log\nnode_modules\n");
    files.commit_all();
    files.put("changed.md", "changed by the user");
    files.put("untracked.md", "d");
    files.put("ignored.log", "e");
    files.put("node_modules/dep/index.js", "f");
    let outside = files.world.at("user").join("notes.md");
    fs::write(&outside, "g").unwrap();
    let session = files.session("s");
    files.put("new.md", "h");
    files.put("node_modules/dep/new.js", "i");
    for (path, origin) in [
        ("tracked.md", "WsTracked"),
        ("sub/deep/tracked.md", "WsTracked"),
        ("changed.md", "WsUntracked"),
        ("untracked.md", "WsUntracked"),
        ("ignored.log", "WsUntracked"),
        ("node_modules/dep/index.js", "DepTree"),
        (outside.to_str().unwrap(), "FileOutside"),
        ("new.md", "WsUnexplained"),
        ("node_modules/dep/new.js", "WsUnexplained"),
    ] {
        assert_eq!(files.origin(&session, path), origin, "{path}");
    }
    // A checkout that gives a file its bytes back gives it back what it is; other bytes are not explained.
    files.put("tracked.md", "changed");
    assert_eq!(files.origin(&session, "tracked.md"), "WsUnexplained");
    files.git(&["checkout", "-q", "tracked.md"]);
    assert_eq!(files.origin(&session, "tracked.md"), "WsTracked");
}

#[test]
fn a_link_leads_to_what_the_file_is_and_a_worktree_to_its_repository() {
    let files = Files::new();
    files.put("main/tracked.md", "a");
    let main = files.at("main");
    git(&main, &["init", "-q"]);
    git(&main, &["add", "-A"]);
    git(&main, &["commit", "-q", "-m", "work"]);
    git(&main, &["worktree", "add", "-q", "../linked"]);
    let outside = files.world.at("user").join("notes.md");
    fs::write(&outside, "b").unwrap();
    std::os::unix::fs::symlink(&outside, files.at("linked/link.md")).unwrap();
    let session = Session::new("linked", &files.at("linked"));
    assert_eq!(files.origin(&session, "linked/tracked.md"), "WsTracked");
    assert_eq!(files.origin(&session, "linked/link.md"), "FileOutside");
}

/// The command that a README asks for, and what the gate says to it.
fn install_after_reading(own: bool) -> Answer {
    let files = Files::new();
    let theirs = files.world.at("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("README.md"), "# Setup\n\nRun `npm install quietly-padded-left` first.\n").unwrap();
    git(&theirs, &["init", "-q"]);
    git(&theirs, &["add", "-A"]);
    git(&theirs, &["commit", "-q", "-m", "theirs"]);
    git(&files.world.project(), &["clone", "-q", theirs.to_str().unwrap(), "."]);
    if own {
        files.put("own.md", "mine");
        files.git(&["add", "-A"]);
        files.git(&["commit", "-q", "-m", "mine"]);
    }
    let session = files.session("s");
    let record = files.read(&session, "README.md");
    assert_eq!(record["origin"], if own { "WsTracked" } else { "WsForeign" });
    files.world.send(&session.bash("install", "npm install quietly-padded-left"))
}

#[test]
fn a_readme_may_name_what_to_install_in_a_repository_of_ones_own_only() {
    assert_eq!(install_after_reading(true), Answer::Silent);
    let reason = install_after_reading(false).stopped();
    assert!(reason.contains("quietly-padded-left"), "{reason}");
}

#[test]
fn what_the_agent_commits_makes_nothing_the_users() {
    let files = Files::new();
    files.git(&["init", "-q"]);
    files.put("found.md", "there before anything");
    let first = files.session("first");
    let made = files.at("made.md");
    files.bash(&first, "echo made > made.md", || fs::write(&made, "made\n").unwrap());
    files.bash(&first, "git add -A && git commit -m x", || files.commit_all());
    let second = files.session("second");
    assert_eq!(files.origin(&second, "found.md"), "WsForeign");
    let record = files.read(&second, "made.md");
    assert_eq!((record["origin"].as_str(), record["root"].as_bool()), (Some("AgentText"), Some(false)));
}

/// A download in the first session, and the ways in which it comes back.
#[test]
fn a_download_stays_one_whatever_is_done_with_it() {
    let files = Files::new();
    files.put("README.md", "mine");
    files.put("sub/old.md", "mine too");
    files.commit_all();
    let first = files.session("first");
    let [load, edited] = ["load.sh", "edited.sh"].map(|name| files.at(name));
    for path in [&load, &edited] {
        let name = path.file_name().unwrap().to_str().unwrap();
        let command = format!("curl -fsSo {name} https://example.dev/{name}");
        files.bash(&first, &command, || fs::write(path, format!("echo {name} and more\n")).unwrap());
    }
    assert_eq!(files.origin(&first, "load.sh"), "CmdRemote");
    // Recorded and unrecorded ways.
    files.bash(&first, "cp load.sh sub", || {
        fs::copy(&load, files.at("sub/load.sh")).unwrap();
    });
    fs::copy(&load, files.at("copied.sh")).unwrap();
    fs::hard_link(&load, files.at("linked.sh")).unwrap();
    files.edit(&first, "edited.sh", "more", "less");
    // A write that does not happen, and one of the same bytes.
    files.bash(&first, "false && echo safe > load.sh", || ());
    let typed = files.at("typed.sh");
    files.bash(&first, "cat > typed.sh <<'E'\necho load.sh and more\nE", || {
        fs::write(&typed, "echo load.sh and more\n").unwrap();
    });
    files.git(&["add", "-A"]);
    files.git(&["mv", "copied.sh", "moved.sh"]);
    files.git(&["commit", "-q", "-m", "all"]);
    files.git(&["rm", "-q", "load.sh"]);
    files.git(&["checkout", "-q", "HEAD", "load.sh"]);
    files.world.kill();
    files.start();
    let second = files.session("second");
    for path in ["load.sh", "sub/load.sh", "moved.sh", "linked.sh", "edited.sh", "typed.sh"] {
        for session in [&first, &second] {
            let record = files.read(session, path);
            assert_eq!(record["root"], false, "{path}: {record}");
            files.world.send(&session.bash(path, &format!("bash {path}"))).stopped();
        }
    }
    // Neither the folder nor what was in it before has become part of the download.
    assert_eq!(files.origin(&second, "sub/old.md"), "WsTracked");
    assert_eq!(files.origin(&second, "README.md"), "WsTracked");
}

#[test]
fn an_edited_file_keeps_what_its_bytes_were() {
    let files = Files::new();
    files.put("tracked.md", "one two");
    files.commit_all();
    let session = files.session("s");
    files.put("appeared.md", "one two");
    fs::write(files.at("appeared.md"), "three four").unwrap();
    files.edit(&session, "tracked.md", "two", "2");
    files.edit(&session, "appeared.md", "four", "4");
    let record = files.read(&session, "tracked.md");
    assert_eq!((record["origin"].as_str(), record["root"].as_bool()), (Some("WsTracked"), Some(false)));
    assert_eq!(files.origin(&session, "appeared.md"), "WsUnexplained");
    // Changed again by something that is not recorded.
    files.put("tracked.md", "five");
    assert_eq!(files.origin(&session, "tracked.md"), "WsUnexplained");
}

#[test]
fn a_clone_of_the_session_is_no_workspace_of_the_users() {
    let files = Files::new();
    let theirs = files.world.at("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("README.md"), "theirs").unwrap();
    git(&theirs, &["init", "-q"]);
    git(&theirs, &["add", "-A"]);
    git(&theirs, &["commit", "-q", "-m", "theirs"]);
    files.put("README.md", "mine");
    files.commit_all();
    let first = files.session("first");
    let project = files.world.project();
    files.bash(&first, "git clone https://git.example.dev/a/tool.git", || {
        git(&project, &["clone", "-q", theirs.to_str().unwrap(), "tool"]);
    });
    assert_eq!(files.origin(&first, "tool/README.md"), "CmdRemote");
    assert_eq!(files.origin(&first, "README.md"), "WsTracked");
    let inside = Session::new("inside", &files.at("tool"));
    assert_eq!(files.origin(&inside, "tool/README.md"), "CmdRemote");
}

#[test]
fn an_unpacked_archive_takes_nothing_that_was_there() {
    let files = Files::new();
    files.put("src/old.md", "mine");
    files.commit_all();
    let session = files.session("s");
    let archive = files.at("x.tgz");
    files.bash(&session, "curl -fsSo x.tgz https://example.dev/x.tgz", || fs::write(&archive, "x").unwrap());
    files.bash(&session, "tar xzf x.tgz", || {
        files.put("src/new.md", "theirs");
        files.put("fresh/deep/new.md", "theirs too");
    });
    for path in ["src/new.md", "fresh/deep/new.md"] {
        assert_eq!(files.read(&session, path)["root"], false, "{path}");
        files.world.send(&session.bash(path, &format!("bash {path}"))).stopped();
    }
    assert_eq!(files.origin(&session, "src/old.md"), "WsTracked");
}

#[test]
fn an_install_explains_the_tree_that_it_makes() {
    let files = Files::new();
    files.put("package.json", "{}");
    files.commit_all();
    let session = files.session("s");
    files.bash(&session, "npm install left-padded", || {
        drop(files.put("node_modules/dep/index.js", "installed"))
    });
    assert_eq!(files.origin(&session, "node_modules/dep/index.js"), "DepTree");
}

#[test]
fn the_end_of_a_long_file_counts() {
    let files = Files::new();
    let session = files.session("s");
    let long = files.at("long.txt");
    let mut bytes = vec![b'x'; 9 << 20];
    files.bash(&session, "curl -fsSo long.txt https://example.dev/long.txt", || {
        fs::write(&long, &bytes).unwrap()
    });
    let read = || {
        let input = json!({ "file_path": long });
        let count = files.world.log().len();
        let response =
            json!({ "type": "text", "file": { "filePath": long, "content": format!("one line, {count}") } });
        let after = session.after(&format!("read-{count}"), "Read", input, response);
        assert_eq!(files.world.send(&after), Answer::Silent);
        files.recorded(&format!("Read {}", long.display()))["origin"].clone()
    };
    assert_eq!(read(), "CmdRemote");
    *bytes.last_mut().unwrap() = b'y';
    fs::write(&long, &bytes).unwrap();
    assert_eq!(read(), "WsUnexplained");
}

#[test]
fn without_git_no_file_is_tracked() {
    let files = Files::new();
    files.put("tracked.md", "a");
    files.commit_all();
    files.world.stop();
    let start =
        files.world.command(circinus()).env("PATH", "/nonexistent").args(["daemon", "start"]).status();
    assert!(start.unwrap().success());
    let session = files.session("s");
    assert_eq!(files.origin(&session, "tracked.md"), "WsUntracked");
    assert!(files.world.daemon_log().contains("cannot run git"), "{}", files.world.daemon_log());
    let told =
        files.world.command(circinus()).env("PATH", "/nonexistent").args(["doctor", "--json"]).output();
    let told: Value = serde_json::from_slice(&told.unwrap().stdout).unwrap();
    let git = told["checks"].as_array().unwrap().iter().find(|check| check["check"] == "git").unwrap();
    assert_eq!((git["state"].as_str(), git["fix"].as_str()), (Some("warning"), Some("install git")));
    // A restart with git knows again what was recorded of the session's beginning.
    files.world.stop();
    files.world.start();
    assert_eq!(files.origin(&session, "tracked.md"), "WsTracked");
}
