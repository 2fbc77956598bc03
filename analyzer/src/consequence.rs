//! Which acts are of high consequence: money, access, publishing, an account, the loss of what lies elsewhere.
//!
//! Vocabulary only. A word counts wherever it stands in the name of a tool or of a subcommand; whether the act
//! is one that changes something is the caller's to know.

/// Moving money or what is worth money.
const MONEY: &[&str] = &[
    "money",
    "pay",
    "payment",
    "payments",
    "payout",
    "transfer",
    "transaction",
    "transactions",
    "wire",
    "withdraw",
    "withdrawal",
    "deposit",
    "refund",
    "purchase",
    "buy",
    "sell",
    "trade",
    "checkout",
    "donate",
    "tip",
    "invoice",
    "charge",
];
/// Giving or taking access.
const ACCESS: &[&str] = &[
    "grant",
    "revoke",
    "permission",
    "permissions",
    "access",
    "share",
    "invite",
    "collaborator",
    "collaborators",
    "member",
    "members",
    "authorize",
    "iam",
    "acl",
    "policy",
    "unlock",
    "role",
    "visibility",
];
/// Making public.
const PUBLISH: &[&str] = &["publish", "release", "tweet", "gist"];
/// Changing who someone is to a service.
const ACCOUNT: &[&str] = &[
    "password",
    "passwords",
    "passcode",
    "credential",
    "credentials",
    "account",
    "profile",
    "secret",
    "secrets",
    "token",
    "user",
    "users",
    "mfa",
    "2fa",
];
/// Words that make an account's key of the word `key` after them; a key alone may be one of a keyboard.
const KEY_OF: &[&str] =
    &["api", "ssh", "gpg", "deploy", "access", "signing", "secret", "private", "public", "encryption"];

/// Whether one of the words is of high consequence.
pub(crate) fn is_high<'a>(words: impl IntoIterator<Item = &'a str>) -> bool {
    let mut before = "";
    words.into_iter().any(|word| {
        let key = matches!(word, "key" | "keys") && KEY_OF.contains(&before);
        before = word;
        key || [MONEY, ACCESS, PUBLISH, ACCOUNT].iter().any(|list| list.contains(&word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_access_publishing_and_accounts_are_of_high_consequence() {
        for tool in ["send money", "add collaborator", "publish package", "update password", "add ssh key"] {
            assert!(is_high(tool.split(' ')), "{tool}");
        }
        for tool in ["press key", "create event", "send message", "add comment", ""] {
            assert!(!is_high(tool.split(' ')), "{tool}");
        }
    }
}
