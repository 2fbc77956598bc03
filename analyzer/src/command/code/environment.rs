//! Inline code that shows its environment: where credentials are kept.

use circinus_core::action::Tier;
use circinus_core::effect::Effect;

use super::super::machine::Machine;
use super::super::secret::is_secret_variable;

/// How a program calls its environment.
const ENVIRONMENTS: &[&str] = &["os.environ", "process.env", "Deno.env", "Bun.env"];
/// The same where the name alone gives all of it.
const WHOLE_ENVIRONMENTS: &[&str] = &["%ENV", "ENV.to_", "ENV.each", "ENV.map", "getenv()", "os.Environ()"];
/// Calls that give one variable by its name.
const GETS: &[&str] = &["getenv", "Getenv", "environ", "process.env", "ENV", "Deno.env", "Bun.env"];
/// Variables of one text that are looked at.
const VARIABLES_MAX: usize = 256;

/// Code that reads its environment as a whole, or a variable that holds a credential, and talks to nobody with
/// it: what else would it do than show it?
pub(super) fn shown(machine: &mut Machine<'_>, by: &str, text: &str) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let all = WHOLE_ENVIRONMENTS.iter().any(|name| text.contains(name));
    let whole = all
        || ENVIRONMENTS.iter().flat_map(|name| text.match_indices(name)).any(|(at, name)| {
            let before = text.get(..at).unwrap_or_default();
            let rest = text.get(at + name.len()..).unwrap_or_default().trim_start();
            let of_one = rest.starts_with(['[', '{', '.']) || rest.starts_with(is_word);
            let of_all = [".items", ".values", ".copy", ".toObject"];
            !before.ends_with(is_word) && (!of_one || of_all.iter().any(|call| rest.starts_with(call)))
        });
    if whole {
        machine.found.by_rule("reads all variables", |found| {
            found.raise(Tier::T1);
            found.effect(Effect::Cred);
        });
    }
    if GETS.iter().any(|name| text.contains(name)) {
        let names = text.split(|c: char| !is_word(c)).filter(|word| is_secret_variable(word));
        names.take(VARIABLES_MAX).for_each(|name| machine.found.shows_variable(by, name));
    }
}
