//! Reads an overlay, and refuses what would take something away.

use std::collections::BTreeMap;
use std::ops::Range;

use circinus_core::action::{Flag, Flags, Tier};
use circinus_core::effect::{Effect, Effects};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::{Addition, Overlay, OverlayError, Row};
use crate::command::Builtin;

/// Subcommands below one another; no program of the built-in table has more than three.
const SUBS_DEPTH_MAX: usize = 4;

/// Keys of the built-in table that say how words are read.
const READING: [&str; 9] =
    ["args", "last", "stdin", "others", "special", "remote", "value", "sends", "only_says"];

/// What a wrong row gets as a hint.
const ADDS: &str = "an overlay may only add: also, tier, effects, flags, options, subs";

type Table<'t> = DeTable<'t>;
type Value<'t> = Spanned<DeValue<'t>>;
type Key<'t> = Spanned<DeString<'t>>;
type Read<T> = Result<T, OverlayError>;

/// A text with the starts of its lines.
struct Source<'t>(&'t str);

impl Source<'_> {
    fn line(&self, at: usize) -> usize {
        self.0.get(..at).map_or(1, |head| head.matches('\n').count() + 1)
    }
}

pub(super) fn overlay(text: &str) -> Read<Overlay> {
    let table = DeTable::parse(text).map_err(|error| {
        let end = text.len()..text.len();
        wrong(error.message().trim_end(), error.span().unwrap_or(end), "the file is TOML (toml.io)")
    })?;
    let source = Source(text);
    let mut overlay = Overlay::default();
    for (program, value) in table.get_ref() {
        let builtin = Builtin::of_program(program.get_ref());
        let (row, also) = row(program, value, builtin, &source, SUBS_DEPTH_MAX)?;
        let names = std::iter::once((program.get_ref().as_ref().into(), program.span())).chain(also);
        add(&mut overlay.rows, names, &row)?;
    }
    Ok(overlay)
}

fn add(
    rows: &mut BTreeMap<Box<str>, Row>,
    names: impl Iterator<Item = (Box<str>, Range<usize>)>,
    row: &Row,
) -> Read<()> {
    for (name, span) in names {
        if rows.insert(name.clone(), row.clone()).is_some() {
            return Err(wrong(format!("`{name}` occurs twice"), span, "put all of it into one row"));
        }
    }
    Ok(())
}

type Also = Vec<(Box<str>, Range<usize>)>;

/// A program or a subcommand, and its other names.
fn row(
    key: &Key<'_>,
    value: &Value<'_>,
    builtin: Builtin,
    source: &Source<'_>,
    depth: usize,
) -> Read<(Row, Also)> {
    let name = key.get_ref();
    if name.is_empty() || name.contains(['/', ' ']) {
        return Err(wrong(format!("`{name}` is no name of a program"), key.span(), "use its base name"));
    }
    let table = table(value, name)?;
    let mut row = Row::default();
    row.addition.line = source.line(key.span().start);
    let mut also = Vec::new();
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "also" => also = strings(key, value)?,
            "options" => row.options = options(value, builtin, source)?,
            "subs" => {
                let Some(depth) = depth.checked_sub(1) else {
                    return Err(wrong("subcommands nested too deep", key.span(), "four levels are read"));
                };
                row.subs = subs(value, builtin, source, depth)?;
            }
            _ => addition(&mut row.addition, key, value, builtin.tier(), name)?,
        }
    }
    Ok((row, also))
}

fn subs(
    value: &Value<'_>,
    builtin: Builtin,
    source: &Source<'_>,
    depth: usize,
) -> Read<BTreeMap<Box<str>, Row>> {
    let mut rows = BTreeMap::new();
    for (key, value) in table(value, "subs")? {
        let (row, also) = row(key, value, builtin.sub(key.get_ref()), source, depth)?;
        add(&mut rows, std::iter::once((key.get_ref().as_ref().into(), key.span())).chain(also), &row)?;
    }
    Ok(rows)
}

fn options(value: &Value<'_>, builtin: Builtin, source: &Source<'_>) -> Read<Vec<(Vec<Box<str>>, Addition)>> {
    let hint = "options = [{ f = [\"--force\"], tier = 2 }]";
    let Some(list) = value.get_ref().as_array() else {
        return Err(wrong("options must be a list", value.span(), hint));
    };
    let mut options = Vec::new();
    for value in list {
        let table = table(value, "an option")?;
        let Some((key, names)) = table.iter().find(|(key, _)| key.get_ref() == "f") else {
            return Err(wrong("an option without its spellings `f`", value.span(), hint));
        };
        let names = strings(key, names)?;
        if let Some((name, span)) = names
            .iter()
            .find(|(name, _)| name.len() < 2 || !name.starts_with(['-', '+']) && !name.ends_with('='))
        {
            return Err(wrong(format!("`{name}` is no option"), span.clone(), "write it with its dashes"));
        }
        let names: Vec<_> = names.into_iter().map(|(name, _)| name).collect();
        let floor = names.iter().map(|name| builtin.option_tier(name)).max().unwrap_or_default();
        let line = source.line(value.span().start);
        let mut adds = Addition { line, ..Addition::default() };
        for (key, value) in table.iter().filter(|(key, _)| key.get_ref() != "f") {
            addition(&mut adds, key, value, floor, &names.join(" "))?;
        }
        options.push((names, adds));
    }
    Ok(options)
}

/// A key that adds something.
fn addition(to: &mut Addition, key: &Key<'_>, value: &Value<'_>, floor: Tier, of: &str) -> Read<()> {
    match key.get_ref().as_ref() {
        "tier" => to.tier = tier(value, floor, of)?,
        "effects" => {
            for (name, span) in strings(key, value)? {
                let effect = Effect::from_name(&name).ok_or_else(|| {
                    let names = Effects::ALL.iter().map(Effect::name).collect::<Vec<_>>().join(", ");
                    wrong(format!("`{name}` is no effect"), span, format!("effects are {names}"))
                })?;
                to.effects = to.effects.with(effect);
            }
        }
        "flags" => {
            for (name, span) in strings(key, value)? {
                let flag = FLAGS.into_iter().find(|flag| flag.name() == name.replace('-', "_"));
                let flag = flag.ok_or_else(|| {
                    let names = FLAGS.map(Flag::name).join(", ");
                    wrong(
                        format!("`{name}` is no flag that a command can have"),
                        span,
                        format!("flags are {names}"),
                    )
                })?;
                to.flags = Flags::union(to.flags, Flags::of([flag]));
            }
        }
        reading if READING.contains(&reading) => {
            let problem = format!("`{reading}` changes how words are read, which could loosen `{of}`");
            return Err(wrong(problem, key.span(), ADDS));
        }
        other => return Err(wrong(format!("unknown key `{other}`"), key.span(), ADDS)),
    }
    Ok(())
}

/// Flags that a command has by itself; the others are found by the gate.
const FLAGS: [Flag; 6] =
    [Flag::Guard, Flag::PersistHost, Flag::PersistWs, Flag::Opaque, Flag::SecretSink, Flag::Catastrophic];

fn tier(value: &Value<'_>, floor: Tier, of: &str) -> Read<Tier> {
    let number = value.get_ref().as_integer().and_then(|integer| integer.as_str().parse::<usize>().ok());
    let Some(tier) = number.and_then(|number| Tier::ALL.get(number).copied()) else {
        return Err(wrong("tier must be 0, 1, 2 or 3", value.span(), "2 is irreversible or external"));
    };
    if tier < floor {
        let problem =
            format!("tier {} would loosen `{of}`, which has tier {} anyway", tier as u8, floor as u8);
        return Err(wrong(problem, value.span(), "an overlay may only tighten; leave the key out"));
    }
    Ok(tier)
}

fn table<'v, 't>(value: &'v Value<'t>, of: &str) -> Read<&'v Table<'t>> {
    value.get_ref().as_table().ok_or_else(|| {
        let problem = format!("`{of}` must be a table, found {}", value.get_ref().type_str());
        wrong(problem, value.span(), "write [program] on a line of its own, its keys below")
    })
}

/// A list of strings, which must not be empty.
fn strings(key: &Key<'_>, value: &Value<'_>) -> Read<Vec<(Box<str>, Range<usize>)>> {
    let name = key.get_ref();
    let list = value.get_ref().as_array().ok_or_else(|| {
        wrong(format!("{name} must be a list of strings"), value.span(), format!("{name} = [\"...\"]"))
    })?;
    if list.is_empty() {
        let problem = format!("an empty list of {name} adds nothing and takes nothing away");
        return Err(wrong(problem, value.span(), "an overlay may only tighten; leave the key out"));
    }
    let strings = list.iter().map(|item| match item.get_ref().as_str() {
        Some(text) => Ok((text.into(), item.span())),
        None => Err(wrong(format!("{name} holds something else than strings"), item.span(), "quote it")),
    });
    strings.collect()
}

fn wrong(problem: impl Into<String>, span: Range<usize>, hint: impl Into<String>) -> OverlayError {
    OverlayError { problem: problem.into(), span, hint: hint.into() }
}
