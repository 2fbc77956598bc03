//! The hooks as the client takes them from the plugin, without any entry in its settings.

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use super::client::{Run, play};
use super::model::turns;
use super::page::{ALLOWED, obey, read_page};
use super::record::assert_refused;
use super::stage::{Stage, build_hook};

#[test]
fn the_plugin_guards_as_the_settings_do() {
    let Some(stage) = Stage::set() else { return };
    build_hook();
    for program in ["circinus", "circinus-hook"] {
        let built = Path::new(env!("CARGO_BIN_EXE_circinus")).with_file_name(program);
        symlink(built, stage.at("bin").join(program)).unwrap();
    }
    stage.allow(&ALLOWED);
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_str().unwrap();
    for arguments in
        [&["plugin", "marketplace", "add", repository][..], &["plugin", "install", "circinus@circinus"]]
    {
        let done = stage.command(stage.client()).args(arguments).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {done:?}");
    }
    let doctor = stage.circinus(&["doctor", "--json"]);
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.contains("advisory: registered"), "{doctor}");

    let played = play(&stage, &turns(vec![read_page(), obey(), json!("done")]), &Run::default());
    assert_refused(&stage, &played, "mcp__demo__echo");
}
