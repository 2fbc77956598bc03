//! Statements of a database that a structured call hands over.

/// Words of one statement that are looked at.
const WORDS_MAX: usize = 512;
/// Verbs that only read.
const READS: &[&str] = &["select", "show", "explain", "describe", "with", "values"];
/// Verbs that change something.
const WRITES: &[&str] = &[
    "insert", "update", "delete", "merge", "replace", "upsert", "create", "alter", "drop", "truncate",
    "grant", "revoke", "copy", "call", "do", "set",
];
/// Verbs after which something is gone, and verbs that give access.
const DESTROYS: &[&str] = &["delete", "drop", "truncate", "grant", "revoke", "alter"];
/// Words before the name of a table or another object.
const BEFORE_NAMES: &[&str] = &[
    "from", "into", "join", "update", "table", "exists", "database", "schema", "view", "on", "to", "user",
    "role",
];

/// What a text of statements does.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Statement {
    /// It changes something.
    pub(super) writes: bool,
    /// It removes something or gives access.
    pub(super) destroys: bool,
    /// Names of what it acts on, as written without quotes.
    pub(super) names: Vec<String>,
}

/// Reads a text as statements; nothing when it does not begin with a verb of one.
pub(super) fn of(text: &str) -> Option<Statement> {
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | ';')))
        .filter(|word| !word.is_empty())
        .take(WORDS_MAX)
        .collect();
    let is = |word: &str, list: &[&str]| list.iter().any(|known| word.eq_ignore_ascii_case(known));
    let first = words.first()?;
    if !is(first, READS) && !is(first, WRITES) || words.len() < 2 {
        return None;
    }
    let mut statement = Statement::default();
    for (at, word) in words.iter().enumerate() {
        // A verb inside a common table expression or after a semicolon changes as much as one in front.
        statement.writes |= is(word, WRITES) && (at == 0 || !is(word, &["set", "replace", "do", "call"]));
        statement.destroys |= is(word, DESTROYS);
        let named = at.checked_sub(1).and_then(|before| words.get(before));
        if named.is_some_and(|before| is(before, BEFORE_NAMES)) && !is(word, BEFORE_NAMES) {
            let name = word.trim_end_matches(';').to_owned();
            if !statement.names.contains(&name) {
                statement.names.push(name);
            }
        }
    }
    Some(statement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_says_what_it_acts_on() {
        let read = of("select body from parts_orders order by id").unwrap_or_default();
        assert_eq!((read.writes, read.names), (false, vec!["parts_orders".to_owned()]));
        let copy = of("INSERT INTO notes(a) SELECT b FROM \"parts_keys\"; drop table x").unwrap_or_default();
        assert!(copy.writes && copy.destroys);
        assert_eq!(copy.names, ["notes", "parts_keys", "x"]);
    }

    #[test]
    fn prose_is_no_statement() {
        for text in ["", "health", "delete", "what is from", "is:open label:bug"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
