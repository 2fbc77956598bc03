//! What a person reads when the configuration is wrong; the texts are snapshots.

use std::fs;

use circinus::config::Config;

fn message(bytes: &[u8]) -> String {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("config.toml"), bytes).unwrap();
    let error = Config::load(home.path()).unwrap_err().to_string();
    error.replace(home.path().to_str().unwrap(), "HOME")
}

#[test]
fn errors_show_line_caret_and_what_is_allowed() {
    for (name, text) in [
        ("unknown_key", "# mine\nprofil = \"strict\"\n"),
        ("unknown_profile", "profile = \"paranoid\"\n"),
        ("upper_case", "profile = \"Strict\"\n"),
        ("wrong_type", "profile = 3\n"),
        ("unknown_nested_key", "profile = \"strict\"\n\n[claude_code]\nhook_timeout = 5\n"),
        ("out_of_range", "[claude_code]\nhook_timeout_s = 5\n"),
        ("negative", "[claude_code]\nhook_timeout_s = -45\n"),
        ("not_a_table", "claude_code = true\n"),
        ("syntax", "profile = \n"),
        ("repeated", "profile = \"strict\"\nprofile = \"balanced\"\n"),
        ("hidden", "\"pro\u{202e}file\" = \"\u{1b}\"\n"),
    ] {
        insta::assert_snapshot!(format!("config_{name}"), message(text.as_bytes()));
    }
    insta::assert_snapshot!("config_latin1", message(b"# caf\xe9\n"));
}
