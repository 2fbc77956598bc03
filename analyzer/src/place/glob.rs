//! Patterns of the shell against a path.

/// Whether `path` is one that `pattern` expands to if it exists (bash manual, 3.5.8): no wildcard stands for
/// a slash, nor for a dot at the start of a name.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let (mut patterns, mut names) = (pattern.split('/'), path.split('/'));
    loop {
        match (patterns.next(), names.next()) {
            (None, None) => return true,
            (Some(pattern), Some(name)) if name_matches(pattern.as_bytes(), name.as_bytes()) => {}
            _ => return false,
        }
    }
}

/// One name; backtracks to the last `*` only, so the work is bounded by the product of the lengths.
fn name_matches(pattern: &[u8], name: &[u8]) -> bool {
    if name.first() == Some(&b'.') && pattern.first() != Some(&b'.') {
        return false;
    }
    let (mut p, mut n) = (0, 0);
    let mut back = None;
    while n < name.len() {
        let byte = name.get(n).copied().unwrap_or_default();
        let step = match pattern.get(p) {
            Some(b'*') => {
                back = Some((p, n));
                p += 1;
                continue;
            }
            Some(b'?') => Some(1),
            Some(b'[') => set(pattern.get(p..).unwrap_or_default(), byte),
            Some(literal) if *literal == byte => Some(1),
            _ => None,
        };
        match (step, back) {
            (Some(step), _) => {
                p += step;
                n += 1;
            }
            (None, Some((star, from))) => {
                p = star + 1;
                n = from + 1;
                back = Some((star, n));
            }
            (None, None) => return false,
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(|byte| *byte == b'*')
}

/// The length of a bracket expression at the start of `pattern`, if it stands for `byte`.
fn set(pattern: &[u8], byte: u8) -> Option<usize> {
    let end = pattern.iter().skip(2).position(|b| *b == b']')? + 2;
    let inside = pattern.get(1..end)?;
    let (negated, inside) = match inside.split_first() {
        Some((b'!' | b'^', rest)) => (true, rest),
        _ => (false, inside),
    };
    let ranged =
        inside.windows(3).any(|part| matches!(part, [low, b'-', high] if (*low..=*high).contains(&byte)));
    (negated != (ranged || inside.contains(&byte))).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_as_the_shell_expands_them() {
        for (pattern, path) in [
            ("/h/.s?h/id_*", "/h/.ssh/id_rsa"),
            ("/w/.en[v]", "/w/.env"),
            ("/w/.e*v", "/w/.env"),
            ("/w/[!x]d_rsa", "/w/id_rsa"),
            ("/w/id_[q-s]sa", "/w/id_rsa"),
        ] {
            assert!(matches(pattern, path), "{pattern}");
        }
        for (pattern, path) in [
            ("/w/*", "/w/.env"),
            ("/h/*/id_rsa", "/h/.ssh/id_rsa"),
            ("/h/*", "/h/a/b"),
            ("/w/.env?", "/w/.env"),
        ] {
            assert!(!matches(pattern, path), "{pattern}");
        }
    }
}
