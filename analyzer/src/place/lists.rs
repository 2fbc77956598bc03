//! The lists of paths that matter by name: secrets, what persists, what is vital.

/// Where writing loses nothing.
pub(super) const SINKS: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/stdin",
    "/dev/tty",
    "/dev/full",
    "/dev/urandom",
    "/dev/random",
];

/// Directories for scratch files on every system.
pub(super) const TEMP: &[&str] =
    &["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders"];

/// Directories without which a system does not run.
pub(super) const SYSTEM: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib64",
    "/opt",
    "/proc",
    "/root",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/sbin",
    "/usr/share",
    "/var",
    "/var/lib",
    "/var/log",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
    "/private",
    "/mnt",
    "/media",
];

/// Directories that hold backups by convention.
pub(super) const BACKUPS: &[&str] = &["/backup", "/backups", "/var/backups", "/mnt/backup", "/mnt/backups"];

/// Whether it is the home of some user.
pub(super) fn is_home(path: &str) -> bool {
    ["/home/", "/Users/"]
        .iter()
        .filter_map(|parent| path.strip_prefix(parent))
        .any(|name| !name.is_empty() && !name.contains('/') && name != "Shared")
}

/// Whether losing it loses the user's keys or backups; `inside` is relative to the home.
pub(super) fn is_keys_or_backups(inside: &str, pattern: bool) -> bool {
    let private_key = inside.strip_prefix(".ssh/id_").is_some_and(|name| !name.ends_with(".pub"));
    private_key
        || matches!(
            inside,
            ".ssh" | ".gnupg" | ".password-store" | "Library/Keychains" | "backup" | "backups" | "Backups"
        )
        || pattern && matches!(inside, "Documents" | "Desktop")
        || matches!(inside, "Documents" | "Desktop" | "Library" | ".config" | ".local" | ".local/share")
}

/// Directories and files below the home that hold secrets.
const SECRETS_IN_HOME: &[&str] = &[
    ".aws/credentials",
    ".aws/config",
    ".aws/sso/cache",
    ".azure",
    ".config/gcloud",
    ".config/gh/hosts.yml",
    ".docker/config.json",
    ".git-credentials",
    ".gnupg",
    ".kube/config",
    ".netrc",
    ".npmrc",
    ".password-store",
    ".pgpass",
    ".pypirc",
    ".config/git/credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
    ".config/hub",
    ".config/op",
    ".config/glab-cli/config.yml",
    ".claude/.credentials.json",
    ".codex/auth.json",
    "Library/Keychains",
    ".my.cnf",
    ".boto",
    ".s3cfg",
    ".config/rclone/rclone.conf",
    ".config/pypoetry/auth.toml",
    ".local/share/keyrings",
    ".mozilla/firefox",
    ".config/google-chrome",
    "Library/Application Support/Google/Chrome",
];

/// Names of secret files that lie anywhere.
const SECRET_NAMES: &[&str] =
    &[".env", ".env.local", ".env.production", ".envrc", "id_rsa", "id_ed25519", ".pypirc", ".netrc"];

/// Secrets that a pattern may stand for: those of the home, and those that lie anywhere, in the directory of
/// the pattern.
pub(super) fn secrets<'a>(pattern: &'a str, home: &'a str) -> impl Iterator<Item = String> + 'a {
    let directory = pattern.rsplit_once('/').map_or("", |(directory, _)| directory);
    let here = SECRET_NAMES.iter().map(move |name| format!("{directory}/{name}"));
    secrets_in_home(home).chain(here)
}

/// The paths below the home at which secrets lie.
pub(super) fn secrets_in_home(home: &str) -> impl Iterator<Item = String> + '_ {
    let home = home.trim_end_matches('/');
    let keys = [".ssh/id_rsa", ".ssh/id_ed25519"];
    keys.into_iter().chain(SECRETS_IN_HOME.iter().copied()).map(move |inside| format!("{home}/{inside}"))
}

/// Directories that builds and tools fill, and fill again.
const BUILT: &[&str] = &[
    "target",
    "build",
    "dist",
    "out",
    "node_modules",
    "coverage",
    "__pycache__",
    "tmp",
    "temp",
    "bin",
    "obj",
    "venv",
    "htmlcov",
    "_build",
    "results",
    "test-results",
    "playwright-report",
    "generated",
    "cache",
    "logs",
    "vendor",
    "output",
];

/// Whether a name is that of a directory which a build makes again; hidden ones are caches and worktrees,
/// except for the repository itself.
pub(super) fn is_built_name(name: &str) -> bool {
    let hidden = name.len() > 1 && name.starts_with('.') && !matches!(name, ".git" | ".github" | "..");
    let cache = name.ends_with("-cache") || name.ends_with("_cache") || name.ends_with(".egg-info");
    let build = name.strip_prefix("build-").is_some() || name.starts_with("cmake-build");
    BUILT.contains(&name) || hidden || cache || build
}

/// Files of the system that hold secrets.
const SECRETS_IN_SYSTEM: &[&str] =
    &["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssl/private", "/var/run/secrets", "/run/secrets"];

/// Endings of environment files that are meant to be shown.
const ENV_SAMPLES: &[&str] = &[".example", ".sample", ".template", ".dist", ".defaults", ".schema"];

/// Whether a file holds a secret, by the conventions for its path.
pub(super) fn is_secret(path: &str, home: &str) -> bool {
    let inside = path.strip_prefix(home.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    let in_home = inside.is_some_and(|inside| {
        SECRETS_IN_HOME.iter().any(|entry| covers(entry, inside))
            || inside == ".ssh/*"
            || inside.starts_with(".aws/*")
    });
    let is_environ = path.starts_with("/proc/") && path.ends_with("/environ");
    // Another user's home is laid out alike.
    let elsewhere = ["/.ssh/id_", "/.aws/credentials", "/.netrc", "/.git-credentials", "/.kube/config"];
    in_home
        || is_environ
        || SECRETS_IN_SYSTEM.iter().any(|entry| covers(entry, path.trim_end_matches('/')))
        || elsewhere.iter().any(|part| path.contains(part) && !path.ends_with(".pub"))
        || is_secret_name(path)
}

/// Whether the file name alone says that it holds a secret.
pub(super) fn is_secret_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let environment = name == ".env"
        || name
            .strip_prefix(".env.")
            .is_some_and(|_| !ENV_SAMPLES.iter().any(|ending| name.ends_with(ending)))
        || name.ends_with(".env") && name.len() > 4 && !name.contains("sample") && !name.contains("example");
    let key =
        [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore"].iter().any(|ending| name.ends_with(ending))
            && !name.contains(".pub")
            && name.len() > 4;
    let ssh = name.strip_prefix("id_").is_some_and(|kind| {
        ["rsa", "dsa", "ecdsa", "ed25519"].iter().any(|algorithm| kind.starts_with(algorithm))
            && !name.ends_with(".pub")
    });
    environment
        || key
        || ssh
        || is_hidden_secret(&name)
        || matches!(name.as_str(), ".pypirc" | ".netrc" | ".pgpass" | ".git-credentials")
}

/// Where an administrator manages the host's settings.
pub(super) const MANAGED: &str = "/etc/claude-code";

/// Our places that a pattern can stand for: the directory, and our programs beside it. One that says less of
/// the name than this stands for everything there.
pub(super) fn guards(pattern: &str, circinus_home: &str) -> impl Iterator<Item = String> {
    const SAID_MIN: usize = 2;
    let (directory, last) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let literal = last.split(['*', '?', '[']).next().unwrap_or_default();
    let programs = ["circinus", "circinus-hook"].map(|name| format!("{directory}/{name}"));
    let programs = programs.into_iter().filter(|program| is_guard_name(program));
    let all = programs.chain([circinus_home.trim_end_matches('/').to_owned()]);
    all.filter(move |place| literal.len() >= SAID_MIN || !place.starts_with(directory))
        .collect::<Vec<_>>()
        .into_iter()
}

/// Words of which one in the name of a hidden file says what it holds.
const SECRET_WORDS: &[&str] = &[
    "apikey",
    "credential",
    "credentials",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "secret",
    "secrets",
    "token",
    "tokens",
];

/// Whether a hidden file is named after a secret, as tools that keep one for the user name theirs.
fn is_hidden_secret(name: &str) -> bool {
    let sample = ENV_SAMPLES.iter().any(|ending| name.ends_with(ending));
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    name.starts_with('.') && !sample && words.any(|word| SECRET_WORDS.contains(&word))
}

/// Whether the name is that of a part of Circinus, wherever it lies.
pub(super) fn is_guard_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let installed = ["/bin/", "/systemd/", "/LaunchAgents/", "/LaunchDaemons/", "/libexec/"];
    matches!(name, "circinus.sock" | "circinus-hook.sock")
        || name.to_ascii_lowercase().contains("circinus") && installed.iter().any(|part| path.contains(part))
}

/// What the shell, the desktop or a daily tool reads by itself, below the home.
const PERSISTS_IN_HOME: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".inputrc",
    ".config/fish",
    ".pam_environment",
    ".config/environment.d",
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".xsessionrc",
    ".ssh/authorized_keys",
    ".ssh/authorized_keys2",
    ".ssh/config",
    ".ssh/rc",
    ".ssh/environment",
    ".gitconfig",
    ".config/git",
    ".git-templates",
    ".config/pip",
    ".pip",
    ".pydistutils.cfg",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".config/pnpm",
    ".bunfig.toml",
    ".cargo/config",
    ".cargo/config.toml",
    ".cargo/bin",
    ".gemrc",
    ".condarc",
    ".config/systemd",
    ".config/autostart",
    "Library/LaunchAgents",
    ".local/bin",
    "bin",
    ".bin",
    ".vimrc",
    ".config/nvim",
    ".vim",
    ".emacs",
    ".emacs.d",
    ".tmux.conf",
    ".config/tmux",
    ".config/Code/User",
    ".config/Cursor/User",
    "Library/Application Support/Code/User",
    "Library/Application Support/Cursor/User",
    ".local/share/bash-completion",
    ".config/bash-completion",
    ".zfunc",
    ".oh-my-zsh",
    ".mozilla/native-messaging-hosts",
    ".config/google-chrome/NativeMessagingHosts",
    ".config/direnv",
    ".direnvrc",
    ".gdbinit",
    ".psqlrc",
    ".irbrc",
    ".pryrc",
    ".claude.json",
    ".mcp.json",
    ".codex/config.toml",
    ".codex/AGENTS.md",
    ".gemini",
    ".cursor",
    "AGENTS.md",
    "CLAUDE.md",
    ".docker/cli-plugins",
    ".local/share/applications",
    ".config/containers",
    ".gnupg/gpg-agent.conf",
];

/// What the host obeys, below its configuration directory.
const PERSISTS_IN_HOST_CONFIG: &[&str] = &[
    "settings.json",
    "settings.local.json",
    "CLAUDE.md",
    "agents",
    "commands",
    "skills",
    "hooks",
    "plugins",
    "rules",
    "output-styles",
    "memory",
    "keybindings.json",
    "mcp.json",
];

/// What runs or instructs by itself, for the whole system.
const PERSISTS_IN_SYSTEM: &[&str] = &[
    "/etc",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/bin",
    "/sbin",
    "/opt/homebrew/bin",
    "/var/spool/cron",
    "/Library/LaunchDaemons",
    "/Library/LaunchAgents",
    "/Library/Application Support/ClaudeCode",
    "/usr/lib/systemd",
    "/lib/systemd",
    "/usr/local/etc",
    "/usr/share/bash-completion",
    "/boot",
    "/private/etc",
];

/// What runs or instructs by itself, from the root of a workspace.
const PERSISTS_AT_ROOT: &[&str] = &[
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    ".git/info/attributes",
    ".husky",
    ".pre-commit-config.yaml",
    ".lefthook.yml",
    "lefthook.yml",
    ".claude",
    ".mcp.json",
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".vscode/launch.json",
    ".vscode/extensions.json",
    ".idea/runConfigurations",
    ".devcontainer",
    ".devcontainer.json",
    ".github/workflows",
    ".github/actions",
    ".gitlab-ci.yml",
    ".circleci",
    "Jenkinsfile",
    "azure-pipelines.yml",
    ".travis.yml",
    ".drone.yml",
    "bitbucket-pipelines.yml",
    ".github/copilot-instructions.md",
    ".github/instructions",
    ".buildkite",
];

/// The same in any directory of a workspace.
const PERSISTS_ANYWHERE: &[&str] = &[
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "GEMINI.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".envrc",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".gitattributes",
    "conftest.py",
    "setup.py",
    "build.rs",
    "sitecustomize.py",
    "usercustomize.py",
];

pub(super) fn persists_in_home(inside: &str) -> bool {
    PERSISTS_IN_HOME.iter().any(|entry| covers(entry, inside))
}

pub(super) fn persists_in_host_config(inside: &str) -> bool {
    PERSISTS_IN_HOST_CONFIG.iter().any(|entry| covers(entry, inside)) || inside.contains("/memory/")
}

pub(super) fn persists_in_system(path: &str) -> bool {
    PERSISTS_IN_SYSTEM.iter().any(|entry| covers(entry, path))
}

pub(super) fn persists_in_workspace(inside: &str) -> bool {
    let name = inside.rsplit('/').next().unwrap_or(inside);
    let in_cargo = inside.ends_with(".cargo/config.toml") || inside.ends_with(".cargo/config");
    let in_cursor = inside.starts_with(".cursor/") || inside.contains("/.cursor/rules/");
    PERSISTS_AT_ROOT.iter().any(|entry| covers(entry, inside))
        || PERSISTS_ANYWHERE.iter().any(|entry| entry.eq_ignore_ascii_case(name))
        || in_cargo
        || in_cursor
        || inside.contains(".git/hooks/")
}

/// Whether `path` is `entry` or lies below it, whatever the case of ASCII letters.
fn covers(entry: &str, path: &str) -> bool {
    let head = path.get(..entry.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(entry))
        && path.get(entry.len()..).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
