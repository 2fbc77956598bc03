//! The shell's state inside one call: variables, functions, working directory.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::ir::Node;
use super::value::{Arg, Stream};
use crate::Surroundings;

/// Variables kept: a script that sets more is not followed further, its variables are unknown.
const VARIABLES_MAX: usize = 512;

/// Variables, functions and the working directory.
#[derive(Clone, Debug)]
pub(super) struct Env {
    variables: HashMap<String, Arg>,
    pub(super) functions: HashMap<String, Node>,
    /// `None` once a `cd` led somewhere unknown.
    pub(super) cwd: Option<String>,
    /// What is read from the descriptors that this text opened.
    descriptors: BTreeMap<u32, Stream>,
    /// Names that stand for other names.
    references: HashMap<String, String>,
    /// Variables that cannot be set again.
    locked: HashSet<String>,
}

/// Descriptors followed; one more than that reads as all of them together.
const DESCRIPTORS_MAX: usize = 32;
/// The first number that the shell gives to a descriptor that is opened by name (bash manual, 3.6).
const DESCRIPTOR_NAMED_MIN: u32 = 10;

impl Env {
    /// What a fresh shell has.
    pub(super) fn new(around: &Surroundings) -> Self {
        let mut variables = HashMap::new();
        let mut set = |name: &str, value: &str| variables.insert(name.to_owned(), Arg::literal(value));
        set("HOME", around.home());
        set("IFS", " \t\n");
        if let Some(temp) = around.temp_dirs.first() {
            set("TMPDIR", temp);
        }
        Self {
            variables,
            functions: HashMap::new(),
            cwd: Some(around.cwd().to_owned()),
            descriptors: BTreeMap::new(),
            references: HashMap::new(),
            locked: HashSet::new(),
        }
    }

    /// The value of a variable; unknown unless set here.
    pub(super) fn get(&self, name: &str) -> Option<Arg> {
        match name {
            "PWD" => Some(self.cwd.as_deref().map_or_else(|| Arg::unknown("$PWD"), Arg::literal)),
            _ => self.variables.get(name).cloned(),
        }
    }

    /// Sets a variable, unless it cannot be set again.
    pub(super) fn set(&mut self, name: &str, value: Arg) {
        if self.locked.contains(name) {
            return;
        }
        if self.variables.len() < VARIABLES_MAX || self.variables.contains_key(name) {
            self.variables.insert(name.to_owned(), value);
        }
    }

    /// From here on `name` stands for the variable `target`.
    pub(super) fn refer(&mut self, name: &str, target: &str) {
        if self.references.len() < VARIABLES_MAX {
            self.references.insert(name.to_owned(), target.to_owned());
        }
    }

    /// The variable that a name stands for.
    pub(super) fn referred<'n>(&'n self, name: &'n str) -> &'n str {
        self.references.get(name).map_or(name, String::as_str)
    }

    /// From here on the variable keeps its value.
    pub(super) fn lock(&mut self, name: &str) {
        if self.locked.len() < VARIABLES_MAX {
            self.locked.insert(name.to_owned());
        }
    }

    /// Opens a descriptor for reading, by its number or (`None`) a free one; returns the number.
    pub(super) fn open(&mut self, number: Option<u32>, stream: Stream) -> u32 {
        let free = || self.descriptors.keys().last().map_or(DESCRIPTOR_NAMED_MIN, |n| n + 1);
        let number = number.unwrap_or_else(|| free().max(DESCRIPTOR_NAMED_MIN));
        if self.descriptors.len() < DESCRIPTORS_MAX || self.descriptors.contains_key(&number) {
            self.descriptors.insert(number, stream);
        } else if let Some(mut last) = self.descriptors.last_entry() {
            last.get_mut().append(&stream);
        }
        number
    }

    /// What is read from a descriptor; from one that is not known, whatever is open.
    pub(super) fn descriptor(&self, number: &Arg) -> Stream {
        match number.text.parse::<u32>().ok().filter(|_| number.known) {
            Some(number) => self.descriptors.get(&number).cloned().unwrap_or_default(),
            None => {
                let mut all = Stream::default();
                self.descriptors.values().for_each(|stream| all.append(stream));
                all
            }
        }
    }

    /// What holds after either of two ways was taken.
    pub(super) fn join(&mut self, other: Self) {
        if self.cwd != other.cwd {
            self.cwd = None;
        }
        for (name, value) in other.variables {
            match self.variables.get_mut(&name) {
                Some(mine) if *mine == value => {}
                Some(mine) => {
                    mine.known = false;
                    mine.taint.absorb(&value.taint);
                }
                None => {
                    let mut value = value;
                    value.known = false;
                    self.set(&name, value);
                }
            }
        }
        self.functions.extend(other.functions);
        self.references.extend(other.references);
        // What only one of the ways locks can be set after the other.
        self.locked.retain(|name| other.locked.contains(name));
        for (number, stream) in other.descriptors {
            match self.descriptors.get_mut(&number) {
                Some(mine) if *mine == stream => {}
                Some(mine) => mine.append(&stream),
                None => {
                    self.open(Some(number), stream);
                }
            }
        }
    }
}
