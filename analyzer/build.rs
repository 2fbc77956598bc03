//! Compiles `data/commands*.toml` to sorted static rows, so that looking a program up costs no parsing.
//!
//! A name that occurs twice, a word that the table's types do not have, an unknown key or an entry without
//! an `is` and a `not` example fails the build.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde::Deserialize;

type Failure = Box<dyn std::error::Error>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    tier: u8,
    #[serde(default)]
    effects: Vec<String>,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    remote: bool,
    #[serde(default)]
    runs: bool,
    #[serde(default)]
    args: Vec<String>,
    last: Option<String>,
    #[serde(default)]
    options: Vec<OptionRow>,
    stdin: Option<String>,
    #[serde(default)]
    subs: BTreeMap<String, Row>,
    others: Option<String>,
    special: Option<String>,
    #[serde(default)]
    is: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OptionRow {
    f: Vec<String>,
    value: Option<String>,
    #[serde(default)]
    tier: u8,
    #[serde(default)]
    effects: Vec<String>,
    #[serde(default)]
    flags: Vec<String>,
    args: Option<Vec<String>>,
    #[serde(default)]
    sends: bool,
    #[serde(default)]
    only_says: bool,
}

fn main() -> Result<(), Failure> {
    println!("cargo::rerun-if-changed=data");
    println!("cargo::rerun-if-changed=build.rs");
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for entry in fs::read_dir("data")? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if !(name.starts_with("commands") && name.ends_with(".toml")) {
            continue;
        }
        let file: BTreeMap<String, Row> =
            toml::from_str(&fs::read_to_string(&path)?).map_err(|error| format!("{name}: {error}"))?;
        for (program, row) in file {
            if row.is.is_empty() || row.not.is_empty() {
                return Err(format!("{name}: {program} needs an `is` and a `not` example").into());
            }
            if rows.insert(program.clone(), row).is_some() {
                return Err(format!("{name}: {program} occurs twice").into());
            }
        }
    }
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("commands.rs"), programs(&rows)?)?;
    fs::write(Path::new(&out).join("examples.rs"), examples(&rows)?)?;
    Ok(())
}

fn programs(rows: &BTreeMap<String, Row>) -> Result<String, Failure> {
    let mut text = String::from("static PROGRAMS: &[(&str, Rule)] = &");
    table(rows, &mut text)?;
    text.push_str(";\n");
    Ok(text)
}

fn table(rows: &BTreeMap<String, Row>, text: &mut String) -> Result<(), Failure> {
    let mut named: BTreeMap<&str, (&str, &Row)> = BTreeMap::new();
    for (program, row) in rows {
        for name in row.also.iter().chain([program]) {
            if named.insert(name, (program, row)).is_some() {
                return Err(format!("{name} occurs twice").into());
            }
        }
    }
    text.push('[');
    for (name, (program, row)) in named {
        write!(text, "({name:?}, ")?;
        rule(row, text).map_err(|error| format!("{program}: {error}"))?;
        text.push_str("),\n");
    }
    text.push(']');
    Ok(())
}

fn rule(row: &Row, text: &mut String) -> Result<(), Failure> {
    write!(
        text,
        "Rule {{ tier: Tier::T{}, effects: {}, flags: {}, remote: {}, runs: {}, args: &{}, last: {}, stdin: {}, others: {}, \
         special: Special::{}, options: &[",
        row.tier,
        variants("Effect", &row.effects),
        variants("Flag", &row.flags),
        row.remote,
        row.runs,
        roles(&row.args)?,
        optional(row.last.as_deref())?,
        row.stdin.as_deref().map_or(Ok("Stdin::Unread".to_owned()), |word| with_parameter("Stdin", word))?,
        row.others.as_deref().map_or_else(
            || format!("Others::{}", if row.subs.is_empty() { "None" } else { "Same" }),
            |word| format!("Others::{}", camel(word)),
        ),
        row.special.as_deref().map_or_else(|| "None".to_owned(), camel),
    )?;
    let mut seen = Vec::new();
    for option in &row.options {
        for name in &option.f {
            if seen.contains(&name) || name.is_empty() {
                return Err(format!("option {name} occurs twice or is none").into());
            }
            seen.push(name);
        }
        write!(
            text,
            "Opt {{ names: &{:?}, value: {}, tier: Tier::T{}, effects: {}, flags: {}, args: {}, sends: {}, \
             only_says: {} }},",
            option.f,
            optional(option.value.as_deref())?,
            option.tier,
            variants("Effect", &option.effects),
            variants("Flag", &option.flags),
            match &option.args {
                Some(words) => format!("Some(&{})", roles(words)?),
                None => "None".into(),
            },
            option.sends,
            option.only_says,
        )?;
    }
    text.push_str("], subs: &");
    table(&row.subs, text)?;
    text.push('}');
    Ok(())
}

fn roles(words: &[String]) -> Result<String, Failure> {
    let roles: Result<Vec<_>, _> = words.iter().map(|word| with_parameter("Role", word)).collect();
    Ok(format!("[{}]", roles?.join(", ")))
}

fn optional(word: Option<&str>) -> Result<String, Failure> {
    word.map_or(Ok("None".into()), |word| Ok(format!("Some({})", with_parameter("Role", word)?)))
}

/// `code:python` is `Code("python")`; the compiler rejects what the type does not have.
fn with_parameter(name: &str, word: &str) -> Result<String, Failure> {
    if word.contains(['"', '\\']) {
        return Err(format!("{word:?} is no {name}").into());
    }
    Ok(match word.split_once(':') {
        Some((head, parameter)) => format!("{name}::{}({parameter:?})", camel(head)),
        None => format!("{name}::{}", camel(word)),
    })
}

fn variants(name: &str, words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("{name}::{}", camel(&word.to_lowercase()))).collect();
    format!("&[{}]", words.join(", "))
}

fn camel(word: &str) -> String {
    word.split(['-', '_'])
        .map(|part| {
            let mut letters = part.chars();
            letters
                .next()
                .map(|first| first.to_uppercase().chain(letters).collect::<String>())
                .unwrap_or_default()
        })
        .collect()
}

fn examples(rows: &BTreeMap<String, Row>) -> Result<String, Failure> {
    let mut text = String::from(
        "/// Program, example, whether it holds.\nstatic EXAMPLES: &[(&str, &str, bool)] = &[\n",
    );
    for (program, row) in rows {
        let mut open = vec![row];
        while let Some(row) = open.pop() {
            for (lines, holds) in [(&row.is, true), (&row.not, false)] {
                for line in lines {
                    writeln!(text, "({program:?}, {line:?}, {holds}),")?;
                }
            }
            open.extend(row.subs.values());
        }
    }
    text.push_str("];\n");
    Ok(text)
}
