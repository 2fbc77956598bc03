//! The command table: what each known program does with its options and operands.
//!
//! `data/commands*.toml` is compiled by `build.rs`; every entry carries examples that a test checks.

use circinus_core::action::{Flag, Tier};
use circinus_core::effect::Effect;

/// What a program, or one of its subcommands, does.
#[derive(Debug)]
pub(super) struct Rule {
    /// How much is at stake at the least.
    pub(super) tier: Tier,
    /// What it does at the least.
    pub(super) effects: &'static [Effect],
    /// Facts that hold whenever it runs.
    pub(super) flags: &'static [Flag],
    /// Its output comes from another machine.
    pub(super) remote: bool,
    /// It picks up code of the workspace by itself and runs it: a build, a test, a script by its name.
    pub(super) runs: bool,
    /// What each operand is; the last one repeats.
    pub(super) args: &'static [Role],
    /// What the last operand is, when it differs.
    pub(super) last: Option<Role>,
    /// Options that matter: those that take a value, and those that change what happens.
    pub(super) options: &'static [Opt],
    /// What becomes of standard input.
    pub(super) stdin: Stdin,
    /// What the subcommands do.
    pub(super) subs: &'static [(&'static str, Rule)],
    /// What a subcommand that is not listed does.
    pub(super) others: Others,
    /// What cannot be said in data.
    pub(super) special: Special,
}

/// An option.
#[derive(Debug)]
pub(super) struct Opt {
    /// Its spellings, dashes and all.
    pub(super) names: &'static [&'static str],
    /// What its value is, if it takes one.
    pub(super) value: Option<Role>,
    /// The tier is at least this with it.
    pub(super) tier: Tier,
    /// Added with it.
    pub(super) effects: &'static [Effect],
    /// Added with it.
    pub(super) flags: &'static [Flag],
    /// What the operands are with it.
    pub(super) args: Option<&'static [Role]>,
    /// With it, a request changes something at its address.
    pub(super) sends: bool,
    /// With it, the program only says what it would do, or how it is used.
    pub(super) only_says: bool,
}

impl Opt {
    /// Whether it changes what the program does to anything but its own output.
    pub(super) fn acts(&self) -> bool {
        self.tier > Tier::T0 || !self.effects.is_empty() || !self.flags.is_empty()
    }
}

/// What a word is to the program that gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A selector, a count, a format: never gated.
    Ignore,
    /// A goal of a build; one that is spelled with its coordinates is fetched first.
    Goal,
    /// Text that is carried along.
    Content,
    /// A file whose content reaches the output.
    Read,
    /// A file or directory of which only names and attributes are seen.
    List,
    /// A file that is written.
    Write,
    /// A directory that is filled.
    Tree,
    /// A file that is changed in place.
    Edit,
    /// A file or directory that is removed, or overwritten beyond recovery.
    Delete,
    /// A file that is copied elsewhere.
    Source,
    /// A file that is executed.
    Run,
    /// Inline code of a language.
    Code(&'static str),
    /// A shell command line.
    Shell,
    /// The first word of a command; the rest of the words are its arguments.
    Command,
    /// A request method, by which a request reads or changes.
    Method,
    /// A request method or an address.
    MethodOrUrl,
    /// A manifest: a file, or an address.
    UrlOrFile,
    /// An operand by which the system is changed.
    Changes,
    /// A setting of the system, which is shown, or changed where it has a value.
    Setting,
    /// The value of a variable that says the same, by its name or the beginning of it.
    Variable(&'static str),
    /// What is read of a cluster, by its kind and name.
    Resource,
    /// A task of a build tool or a framework, by its name.
    Task,
    /// What is built or set up: a place of the workspace, or an address whose content runs.
    Context,
    /// A file, or an address, that is opened in another program.
    Opened,
    /// A list of what to install.
    ConfigFile,
    /// A file mode; one that lets others run a file as its owner grants that.
    Mode,
    /// A network address that is read, or written to when the action sends.
    Url,
    /// A host that is talked to; `user@host:path` is taken apart.
    Host,
    /// A package of an ecosystem.
    Package(&'static str),
    /// A container image.
    Image,
    /// A git repository that is read.
    Git,
    /// A git repository that is written.
    GitTo,
    /// A `source:target` pair of a push.
    Refspec,
    /// A `key=value` setting of git.
    GitSetting,
    /// What is sent: `@file`, `name=@file` and `-` name content.
    Upload,
    /// A file that is sent.
    UploadFile,
    /// What is sent as it stands.
    Sent,
    /// Statements of a database.
    Sql,
    /// A connection string or host of a database.
    Database,
    /// A directory that the rest happens in.
    Dir,
    /// The name of a process, a unit or a job.
    Process,
    /// A configuration file that can make the program run things.
    Config,
}

/// What becomes of standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stdin {
    /// It is not read.
    Unread,
    /// It comes out again, filtered or changed; files named as operands take its place.
    Passed,
    /// It comes out again decoded, so that its text is not known any more.
    Decoded,
    /// It is code when no operand is.
    Code(&'static str),
    /// It goes out to another machine.
    Sent,
    /// It is written to the operands, and comes out again.
    Teed,
    /// It is not read, and what comes out is a secret.
    Secret,
}

/// What a subcommand that is not listed does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// The program has no subcommands.
    None,
    /// What the program does.
    Same,
    /// What its verb says.
    Verbs,
}

/// Programs whose arguments follow no common scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    None,
    Assign,
    Awk,
    Cd,
    Circinus,
    Clone,
    CommandQuery,
    Copy,
    Decode,
    DeleteAll,
    Discard,
    Docker,
    Download,
    Echo,
    Editor,
    Env,
    Eval,
    Fd,
    Find,
    GhApi,
    GitConfig,
    Inner,
    Kill,
    Link,
    Make,
    Mktemp,
    Netcat,
    Npx,
    Printenv,
    Push,
    Python,
    Read,
    Rewrite,
    Rsync,
    Sed,
    Socat,
    Source,
    Ssh,
    Stage,
    Sudo,
    Tar,
    Terminal,
    Test,
    Words,
    Xargs,
}

include!(concat!(env!("OUT_DIR"), "/commands.rs"));

/// What is known of the program of that base name.
pub(super) fn lookup(name: &str) -> Option<&'static Rule> {
    find(PROGRAMS, name)
}

impl Rule {
    /// The subcommand of that name.
    pub(super) fn sub(&self, name: &str) -> Option<&'static Rule> {
        find(self.subs, name)
    }
}

fn find(rows: &'static [(&'static str, Rule)], name: &str) -> Option<&'static Rule> {
    let at = rows.binary_search_by(|(row, _)| (*row).cmp(name)).ok()?;
    rows.get(at).map(|(_, rule)| rule)
}

#[cfg(test)]
mod tests {
    use circinus_core::action::Tier;
    use circinus_core::effect::Effects;

    use super::*;

    include!(concat!(env!("OUT_DIR"), "/examples.rs"));

    /// The tier and effects that an example names.
    fn expected(words: &str) -> (Option<Tier>, Effects) {
        let mut tier = None;
        let mut effects = Effects::NONE;
        for word in words.split_ascii_whitespace() {
            match Tier::ALL.into_iter().find(|tier| tier.to_string() == word) {
                Some(found) => tier = Some(found),
                None => effects = effects.with(Effect::from_name(word).expect("the name of an effect")),
            }
        }
        (tier, effects)
    }

    #[test]
    fn every_row_does_what_its_examples_say() {
        let around = crate::surroundings::sample();
        let mut wrong = Vec::new();
        for (program, line, holds) in EXAMPLES {
            let (command, words) = line.rsplit_once(" => ").expect("an arrow");
            let (tier, effects) = expected(words);
            let found = crate::command::analyze(command, &around);
            let good = if *holds {
                tier.is_none_or(|tier| tier == found.tier) && effects.is_subset(found.effects)
            } else {
                tier.is_none_or(|tier| found.tier < tier) && found.effects.intersection(effects).is_empty()
            };
            if !good {
                let no = if *holds { "" } else { "not " };
                wrong.push(format!(
                    "{program}: {no}{line}, found {} {} {}",
                    found.tier, found.effects, found.flags
                ));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
