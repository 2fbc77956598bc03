//! Secrets on a command line: tokens by their shape, variables by their name.

use circinus_core::operand::{Operand, secret_home};

use super::value::{Homes, Taint};

/// Variables that hold a credential by convention, and the hosts that it is for.
const VARIABLES: &[(&str, Homes)] = &[
    ("ANTHROPIC_API_KEY", &["anthropic.com"]),
    ("ANTHROPIC_AUTH_TOKEN", &["anthropic.com"]),
    ("AWS_ACCESS_KEY_ID", &["amazonaws.com"]),
    ("AWS_SECRET_ACCESS_KEY", &["amazonaws.com"]),
    ("AWS_SESSION_TOKEN", &["amazonaws.com"]),
    ("CARGO_REGISTRY_TOKEN", &["crates.io"]),
    ("CLAUDE_CODE_OAUTH_TOKEN", &["anthropic.com", "claude.ai"]),
    ("CLOUDFLARE_API_TOKEN", &["cloudflare.com"]),
    ("GEMINI_API_KEY", &["googleapis.com"]),
    ("GH_TOKEN", &["github.com", "ghcr.io"]),
    ("GITHUB_TOKEN", &["github.com", "ghcr.io"]),
    ("GITLAB_TOKEN", &["gitlab.com"]),
    ("GOOGLE_API_KEY", &["googleapis.com"]),
    ("HF_TOKEN", &["huggingface.co"]),
    ("NPM_TOKEN", &["npmjs.org", "npmjs.com"]),
    ("OPENAI_API_KEY", &["openai.com"]),
    ("OPENROUTER_API_KEY", &["openrouter.ai"]),
    ("SLACK_BOT_TOKEN", &["slack.com"]),
    ("SLACK_TOKEN", &["slack.com"]),
    ("STRIPE_SECRET_KEY", &["stripe.com"]),
];

/// Tokens looked at in one text.
const TOKENS_MAX: usize = 4_096;

/// The hosts that a variable's credential is for, if its name says so.
pub(super) fn homes_of_variable(name: &str) -> Option<Homes> {
    VARIABLES
        .binary_search_by(|(row, _)| (*row).cmp(name))
        .ok()
        .and_then(|at| VARIABLES.get(at))
        .map(|row| row.1)
}

/// Whether a variable holds a credential, if its name can be trusted to say so.
pub(super) fn is_secret_variable(name: &str) -> bool {
    let words: Vec<String> = name.split('_').map(str::to_ascii_uppercase).collect();
    let last = words.last().map(String::as_str).unwrap_or_default();
    let is_key = |before: &String| {
        matches!(
            before.as_str(),
            "API" | "ACCESS" | "PRIVATE" | "SECRET" | "SIGNING" | "ENCRYPTION" | "DEPLOY"
        )
    };
    let key = last == "KEY" && words.iter().rev().nth(1).is_some_and(is_key);
    let spelled = |word: &String| {
        matches!(word.as_str(), "SECRET" | "SECRETS" | "PASSWORD" | "PASSWD" | "PASSPHRASE" | "CREDENTIALS")
    };
    key || matches!(last, "TOKEN" | "APIKEY" | "PAT")
        || words.iter().any(spelled)
        || homes_of_variable(name).is_some()
}

/// The variables of a text such as `$A-${B}` that hold credentials by their names.
pub(super) fn secret_variables(text: &str) -> impl Iterator<Item = &str> {
    let names = text.split('$').skip(1).map(|rest| {
        let rest = rest.trim_start_matches('{');
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    });
    names.filter(|name| is_secret_variable(name))
}

/// The secrets that stand in a text as they are.
pub(crate) fn secrets_in(text: &str) -> Vec<Homes> {
    let mut found = Vec::new();
    if text.contains("PRIVATE KEY-----") && text.contains("-----BEGIN ") {
        found.push(&[][..]);
    }
    let is_token = |c: char| c.is_ascii_alphanumeric() || "-_.+/~".contains(c);
    for token in text.split(|c: char| !is_token(c)).filter(|token| token.len() >= 20).take(TOKENS_MAX) {
        // A path or a URL path may hold the token as one component.
        for part in [token].into_iter().chain(token.split('/')) {
            if let Some(kind) = secret_home(part).filter(|kind| !found.contains(&kind.homes)) {
                found.push(kind.homes);
            }
        }
    }
    found
}

/// Whether a secret for `homes` may go to the host that `destination` names.
pub(crate) fn is_home(homes: Homes, destination: &[Operand]) -> bool {
    use circinus_core::operand::Kind;
    destination.iter().filter(|operand| matches!(operand.kind(), Kind::Host | Kind::Site)).any(|operand| {
        let host = operand.canonical();
        homes
            .iter()
            .any(|home| host == *home || host.strip_suffix(home).is_some_and(|rest| rest.ends_with('.')))
    })
}

impl Taint {
    /// Adds the secrets that stand in `text`.
    pub(super) fn add_secrets_of(&mut self, text: &str) {
        secrets_in(text).into_iter().for_each(|homes| self.add_secret(homes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_sorted_so_that_the_search_finds_them() {
        assert!(VARIABLES.is_sorted_by_key(|row| row.0));
        assert_eq!(homes_of_variable("GH_TOKEN"), Some(&["github.com", "ghcr.io"][..]));
        assert_eq!(homes_of_variable("PATH"), None);
    }

    #[test]
    fn variables_of_credentials_are_told_by_their_names() {
        for name in ["DB_PASSWORD", "STAGE_API_KEY", "deploy_token", "CI_SECRET_VALUE", "GH_TOKEN"] {
            assert!(is_secret_variable(name), "{name}");
        }
        for name in ["PATH", "KEY", "KEYBOARD", "TOKENS_MAX", "PRIMARY_KEY", "SORT_KEY"] {
            assert!(!is_secret_variable(name), "{name}");
        }
        let found: Vec<_> = secret_variables("a $X-${MY_TOKEN:-none}, $DB_PASSWORD").collect();
        assert_eq!(found, ["MY_TOKEN", "DB_PASSWORD"]);
    }

    #[test]
    fn a_token_is_found_in_a_header_and_in_a_path() {
        let token = "ghp_7Kd93mQz0Lw5Tn28Rx64Vb1Yc8Fh3Js0Pg2A";
        for text in [
            format!("Authorization: Bearer {token}"),
            format!("https://h.example/{token}/x"),
            format!("t={token}&u=1"),
        ] {
            assert_eq!(secrets_in(&text).len(), 1, "{text}");
        }
        assert!(secrets_in("ordinary-words-in-a-long-kebab-case-name").is_empty());
    }
}
