//! Tokens whose prefix tells what they open, and where they may go.

use std::borrow::Cow;

use super::token;

/// One kind of secret and the hosts it is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretKind {
    /// Name for people, such as `GitHub token`.
    pub name: &'static str,
    /// Text that every such token begins with.
    pub prefix: &'static str,
    /// Fewest bytes of a whole token.
    pub bytes_min: usize,
    /// Hosts that may receive it, with all their sub-domains; empty when the token does not tell.
    pub homes: &'static [&'static str],
}

const fn kind(
    name: &'static str,
    prefix: &'static str,
    bytes_min: usize,
    homes: &'static [&'static str],
) -> SecretKind {
    SecretKind { name, prefix, bytes_min, homes }
}

const GITHUB: &[&str] = &["github.com", "githubusercontent.com", "ghcr.io"];
const AWS: &[&str] = &["amazonaws.com", "aws.amazon.com", "amazonaws.com.cn"];
const SLACK: &[&str] = &["slack.com"];
const OPENAI: &[&str] = &["openai.com"];
const STRIPE: &[&str] = &["stripe.com"];

/// Longer prefixes stand before the shorter ones that they begin with.
static KINDS: [SecretKind; 38] = [
    kind("GitHub fine-grained token", "github_pat_", 40, GITHUB),
    kind("GitHub token", "ghp_", 30, GITHUB),
    kind("GitHub OAuth token", "gho_", 30, GITHUB),
    kind("GitHub user token", "ghu_", 30, GITHUB),
    kind("GitHub app token", "ghs_", 30, GITHUB),
    kind("GitHub refresh token", "ghr_", 30, GITHUB),
    kind("GitLab token", "glpat-", 20, &["gitlab.com"]),
    kind("AWS access key", "AKIA", 20, AWS),
    kind("AWS temporary access key", "ASIA", 20, AWS),
    kind("Slack bot token", "xoxb-", 24, SLACK),
    kind("Slack user token", "xoxp-", 24, SLACK),
    kind("Slack app token", "xoxa-", 24, SLACK),
    kind("Slack refresh token", "xoxr-", 24, SLACK),
    kind("Slack session token", "xoxs-", 24, SLACK),
    kind("Slack client token", "xoxc-", 24, SLACK),
    kind("Slack application token", "xapp-", 24, SLACK),
    kind("Anthropic key", "sk-ant-", 24, &["anthropic.com", "claude.ai", "claude.com"]),
    kind("OpenRouter key", "sk-or-", 24, &["openrouter.ai"]),
    kind("OpenAI project key", "sk-proj-", 24, OPENAI),
    kind("OpenAI service key", "sk-svcacct-", 24, OPENAI),
    kind("Stripe live key", "sk_live_", 24, STRIPE),
    kind("Stripe test key", "sk_test_", 24, STRIPE),
    kind("Stripe restricted key", "rk_live_", 24, STRIPE),
    kind("Stripe webhook secret", "whsec_", 24, STRIPE),
    kind("Google API key", "AIza", 35, &["googleapis.com", "google.com"]),
    kind("Google OAuth token", "ya29.", 30, &["googleapis.com", "google.com"]),
    kind("Google OAuth secret", "GOCSPX-", 28, &["googleapis.com", "google.com"]),
    kind("npm token", "npm_", 40, &["npmjs.org", "npmjs.com"]),
    kind("PyPI token", "pypi-AgE", 40, &["pypi.org"]),
    kind("crates token", "cio", 35, &["crates.io"]),
    kind("Hugging Face token", "hf_", 30, &["huggingface.co", "hf.co"]),
    kind("DigitalOcean token", "dop_v1_", 60, &["digitalocean.com"]),
    kind("SendGrid key", "SG.", 50, &["sendgrid.com"]),
    kind("Linear key", "lin_api_", 30, &["linear.app"]),
    kind("Notion token", "ntn_", 40, &["notion.com", "notion.so"]),
    kind("Docker token", "dckr_pat_", 28, &["docker.com", "docker.io"]),
    kind("Terraform token", "atlasv1.", 30, &["terraform.io", "hashicorp.com"]),
    kind("signed web token", "eyJ", 36, &[]),
];

static PRIVATE_KEY: SecretKind = kind("private key", "-----BEGIN ", 27, &[]);

/// All kinds of secret that a prefix tells, longer prefixes before the shorter ones that they begin with; the
/// private key, which spans lines, is not among them.
pub fn secret_kinds() -> &'static [SecretKind] {
    &KINDS
}

/// The kind of a known secret by the raw text of a token, or `None` for an unknown or example token.
///
/// A JSON web token (RFC 7519) must have its three parts; a private key is known by its PEM line
/// (RFC 7468). The canonical form of a token is recognised as well.
pub fn secret_home(token: &str) -> Option<&'static SecretKind> {
    if token.starts_with(PRIVATE_KEY.prefix) && token.contains("PRIVATE KEY-----") {
        return Some(&PRIVATE_KEY);
    }
    let kind = KINDS.iter().find(|kind| has_prefix(token, kind.prefix) && token.len() >= kind.bytes_min)?;
    let sound = token.bytes().all(|b| token::is_token_byte(b) || b == b'=')
        && token.bytes().any(|b| b.is_ascii_digit())
        && !token::is_placeholder(token)
        && (kind.prefix != "eyJ" || token.split('.').filter(|part| !part.is_empty()).count() == 3)
        && if kind.prefix.ends_with("IA") { is_access_key(token) } else { is_mixed(token, kind.prefix) };
    sound.then_some(kind)
}

/// The text with every known secret in it cut to its prefix, for labels and summaries, which are stored in
/// clear.
///
/// INVARIANT (no-secret-in-clear): what a person may read in the log is masked before it is stored.
pub fn masked(text: &str) -> Cow<'_, str> {
    let mut out = masked_once(text);
    // What a mask leaves of another piece may be a secret where the whole piece was none. Each round makes the text shorter.
    while let Cow::Owned(again) = masked_once(&out) {
        out = Cow::Owned(again);
    }
    out
}

fn masked_once(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    let word = |c: char| !(c.is_ascii() && token::is_token_byte(c as u8) || c == '.');
    let pieces = text.split(word).map(|piece| piece.trim_end_matches('.'));
    for piece in pieces.filter(|piece| piece.len() >= SECRET_BYTES_MIN) {
        // A secret may stand behind a name, as in a path or a query; every place where one can begin is tried.
        let begins = piece.char_indices().map(|(at, _)| at).take(MASK_OFFSETS_MAX);
        let found = begins.filter_map(|at| piece.get(at..)).find_map(|rest| Some((rest, secret_home(rest)?)));
        if let Some((secret, kind)) = found {
            out = Cow::Owned(out.replace(secret, &format!("{}***", kind.prefix)));
        }
    }
    out
}

/// The shortest known secret.
const SECRET_BYTES_MIN: usize = 20;

/// Places tried in one piece of text; a label has no more characters.
const MASK_OFFSETS_MAX: usize = 256;

/// Whether what follows the prefix is random: both cases, or hexadecimal. A name in snake case is not.
fn is_mixed(token: &str, prefix: &str) -> bool {
    let rest = token.as_bytes().get(prefix.len()..).unwrap_or(&[]);
    let cases = rest.iter().any(u8::is_ascii_uppercase) && rest.iter().any(u8::is_ascii_lowercase);
    cases || rest.iter().all(u8::is_ascii_hexdigit)
}

/// Whether a token in canonical form is a known secret.
pub(super) fn is_secret(canonical: &str) -> bool {
    secret_home(canonical).is_some()
}

/// Compares with both base64 alphabets taken as one, so that raw and canonical tokens match alike.
fn has_prefix(token: &str, prefix: &str) -> bool {
    let fold = |byte: u8| match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => other,
    };
    token.len() >= prefix.len() && token.bytes().zip(prefix.bytes()).all(|(a, b)| fold(a) == fold(b))
}

fn is_access_key(token: &str) -> bool {
    token.len() == 20 && token.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_prefix_names_its_home_in_both_alphabets() {
        let raw = "ghp_7Kd93mQz0Lw5Tn28Rx64Vb1Yc8Fh3Js0Pg2A";
        let home = secret_home(raw).expect("a GitHub token");
        assert_eq!(home.homes.first(), Some(&"github.com"));
        assert_eq!(secret_home(&raw.replace('_', "/")), Some(home));
        assert!(secret_home("ghp_short1").is_none());
    }

    #[test]
    fn example_keys_are_not_secrets() {
        assert!(secret_home("AKIAIOSFODNN7EXAMPLE").is_none());
        assert!(secret_home("sk-ant-your-api-key-goes-here-00000").is_none());
    }

    #[test]
    fn longer_prefixes_come_first() {
        for (at, kind) in KINDS.iter().enumerate() {
            let hidden = KINDS.iter().take(at).any(|earlier| kind.prefix.starts_with(earlier.prefix));
            assert!(!hidden, "{} can never be reached", kind.prefix);
        }
    }

    #[test]
    fn no_known_secret_is_shorter_than_the_filter() {
        assert!(KINDS.iter().all(|kind| kind.bytes_min >= SECRET_BYTES_MIN));
        assert!(
            KINDS.iter().all(|kind| kind.bytes_min > kind.prefix.len() + "***".len()),
            "masks are shorter"
        );
    }

    #[test]
    fn a_secret_is_masked_wherever_it_stands_in_a_line() {
        let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
        let lines = [
            format!("curl -H 'Authorization: Bearer {secret}' https://api.acme.io"),
            format!("git clone https://user:{secret}@github.com/acme/tool"),
            format!("TOKEN={secret} ./deploy; echo {secret}"),
            format!("open https://t.acme.io/p?k={secret}&x=1"),
        ];
        for line in lines {
            let masked = masked(&line);
            assert!(!masked.contains("16C7e42F292c6912E7710c838347Ae178B4a"), "{masked}");
            assert!(masked.contains("ghp_***"), "{masked}");
        }
        assert_eq!(masked("cargo test --locked"), "cargo test --locked");
        let (first, second) = (format!("npm_{}", "Ab1".repeat(12)), format!("npm_{}", "Cd2".repeat(12)));
        assert_eq!(masked(&format!("{second} {first}{second}example")), "npm_*** npm_******example");
    }
}
