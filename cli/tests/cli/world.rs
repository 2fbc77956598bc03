//! A private home, project and installation for one test.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use circinus::command::setup::Surroundings;
use tempfile::TempDir;

/// Unix time of every test, in milliseconds.
pub(super) const NOW_MS: u64 = 1_700_000_000_000;

/// Folders `home`, `project`, `bin` and `data` under one that is removed at the end.
pub(super) struct World {
    root: TempDir,
}

impl World {
    /// A home and a project without settings, both programs installed, a host of the given version.
    pub(super) fn new(host: Option<&str>) -> Self {
        let world = Self { root: tempfile::tempdir().unwrap() };
        for folder in ["home", "project", "bin", "path"] {
            fs::create_dir(world.at(folder)).unwrap();
        }
        world.program("bin/circinus", "");
        world.program("bin/circinus-hook", "");
        if let Some(version) = host {
            world.program("path/claude", &format!("echo '{version} (Claude Code)'"));
        }
        world
    }

    /// A path below the root.
    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    /// Makes an executable script.
    pub(super) fn program(&self, path: &str, body: &str) {
        let path = self.at(path);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Writes a settings file and gives its path.
    pub(super) fn settings(&self, path: &str, text: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// The surroundings of a command run in the project.
    pub(super) fn surroundings(&self) -> Surroundings {
        let root = self.at("");
        let env = move |name: &str| match name {
            "HOME" => Some(root.join("home").into()),
            "PATH" => Some(root.join("path").into()),
            "CIRCINUS_HOME" => Some(root.join("data").into()),
            _ => None,
        };
        Surroundings::new(env, self.at("project"), self.at("bin/circinus"), NOW_MS)
    }

    /// `text` with the root of this world named `ROOT`, so that it can be compared.
    pub(super) fn anonymous(&self, text: &str) -> String {
        text.replace(self.at("").to_str().unwrap().trim_end_matches('/'), "ROOT")
    }

    /// Names in the folder of a file, sorted.
    pub(super) fn names_beside(path: &Path) -> Vec<String> {
        let listed = fs::read_dir(path.parent().unwrap()).unwrap();
        let mut names: Vec<String> =
            listed.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}
