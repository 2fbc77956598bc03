//! Code that removes the home directory, or everything.

/// What stands for the home directory in code.
const HOMES: &[&str] = &[
    "Path.home()",
    "os.homedir()",
    "homedir()",
    "Dir.home",
    "expanduser(\"~\")",
    "expanduser('~')",
    "environ[\"HOME\"]",
    "environ['HOME']",
    "getenv(\"HOME\")",
    "getenv('HOME')",
    "env.HOME",
    "ENV[\"HOME\"]",
    "ENV['HOME']",
    "$ENV{HOME}",
    "\"/\"",
    "'/'",
    "\"~\"",
    "'~'",
];
/// Calls that may stand between a removal and its path.
const CONVERSIONS: &[&str] =
    &["Path", "pathlib.", "os.path.", "os.", "require(\"os\").", "require('os').", "str", "process."];

/// Whether a removal has the home directory, or the root, for its very argument.
pub(super) fn removes_home(text: &str, calls: &[&str]) -> bool {
    HOMES.iter().any(|home| {
        text.match_indices(home).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            let before = CONVERSIONS.iter().fold(before.trim_end_matches([' ', '(']), |before, word| {
                before.strip_suffix(word).map_or(before, |rest| rest.trim_end_matches([' ', '(']))
            });
            let after = text.get(at + home.len()..).unwrap_or_default().trim_start_matches([' ', ')']);
            // What is joined to it makes it another path.
            let whole = !after.starts_with(['/', '+', '.', '"', '\'']);
            whole && calls.iter().any(|call| before.ends_with(call.trim_end_matches(['(', ' '])))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLS: &[&str] = &["rmtree", "rmSync", "FileUtils.rm", "rm_rf"];

    #[test]
    fn only_the_very_argument_of_a_removal_is_what_it_removes() {
        for code in [
            "shutil.rmtree('/')",
            "shutil.rmtree(Path.home())",
            "rmtree(os.path.expanduser('~'), True)",
            "fs.rmSync(os.homedir(), {recursive: true})",
            "fs.rmSync(require('os').homedir(), { recursive: true })",
            "FileUtils.rm_rf(Dir.home)",
            "FileUtils.rm_rf '/'",
        ] {
            assert!(removes_home(code, CALLS), "{code}");
        }
        for code in [
            "rmtree(Path.home() / 'old')",
            "rmtree('build'); x.split('/')",
            "rmtree(os.path.join(os.path.expanduser('~'), 'old'))",
            "fs.rmSync(os.homedir() + '/old')",
            "home = Path.home(); rmtree(tmp)",
        ] {
            assert!(!removes_home(code, CALLS), "{code}");
        }
    }
}
