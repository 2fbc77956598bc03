//! The shell's state inside one call: variables, functions, working directory.

use std::collections::HashMap;

use super::ir::Node;
use super::value::Arg;
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
}

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
        Self { variables, functions: HashMap::new(), cwd: Some(around.cwd().to_owned()) }
    }

    /// The value of a variable; unknown unless set here.
    pub(super) fn get(&self, name: &str) -> Option<Arg> {
        match name {
            "PWD" => Some(self.cwd.as_deref().map_or_else(|| Arg::unknown("$PWD"), Arg::literal)),
            _ => self.variables.get(name).cloned(),
        }
    }

    /// Sets a variable.
    pub(super) fn set(&mut self, name: &str, value: Arg) {
        if self.variables.len() < VARIABLES_MAX || self.variables.contains_key(name) {
            self.variables.insert(name.to_owned(), value);
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
    }
}
