//! Where the host looks for settings.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::file::SettingsFile;
use super::{Scope, Source};

#[cfg(target_os = "macos")]
const MANAGED_DIR: &str = "/Library/Application Support/ClaudeCode";
#[cfg(not(target_os = "macos"))]
const MANAGED_DIR: &str = "/etc/claude-code";

/// The folder of the managed drop-ins.
const DROP_IN_DIR: &str = "managed-settings.d";

/// Files of the managed drop-in folder that are looked at; an administrator has a handful.
const DROP_INS_MAX: usize = 256;

/// The folders that hold settings.
#[derive(Clone, Debug)]
pub struct SurveyPaths {
    config_dir: PathBuf,
    project: PathBuf,
    managed_dir: PathBuf,
}

impl SurveyPaths {
    /// The folders for a user's environment and a project: `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    ///
    /// `None` when neither it nor `HOME` is an absolute path.
    pub fn new(env: &dyn Fn(&str) -> Option<OsString>, project: &Path) -> Option<Self> {
        let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let config_dir =
            absolute("CLAUDE_CONFIG_DIR").or_else(|| absolute("HOME").map(|home| home.join(".claude")))?;
        Some(Self { config_dir, project: project.to_owned(), managed_dir: MANAGED_DIR.into() })
    }

    /// The same with another folder for managed settings.
    #[must_use]
    pub fn with_managed_dir(mut self, managed_dir: PathBuf) -> Self {
        self.managed_dir = managed_dir;
        self
    }

    /// The same with managed settings below another root of the file system.
    #[must_use]
    pub fn with_managed_below(self, root: &Path) -> Self {
        let managed_dir = root.join(MANAGED_DIR.trim_start_matches('/'));
        self.with_managed_dir(managed_dir)
    }

    /// The file of a scope; of managed settings, the main one.
    #[must_use]
    pub fn file(&self, scope: Scope) -> PathBuf {
        match scope {
            Scope::User => self.config_dir.join("settings.json"),
            Scope::Project => self.project.join(".claude/settings.json"),
            Scope::Local => self.project.join(".claude/settings.local.json"),
            Scope::Managed => self.managed_dir.join("managed-settings.json"),
        }
    }

    /// The managed file that is ours alone: a drop-in beside the administrator's own.
    #[must_use]
    pub fn managed_drop_in(&self) -> PathBuf {
        self.managed_dir.join(DROP_IN_DIR).join("circinus.json")
    }

    /// All settings files, read; drop-ins in the order of their names.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        let mut files: Vec<(Scope, PathBuf)> = Vec::new();
        for scope in [Scope::User, Scope::Project, Scope::Local, Scope::Managed] {
            let path = self.file(scope);
            // In the home folder, the project's file is the user's.
            if files.iter().all(|(_, known)| *known != path) {
                files.push((scope, path));
            }
        }
        let mut sources: Vec<Source> = files.into_iter().map(|(scope, path)| read(scope, path)).collect();
        sources.extend(self.drop_ins());
        sources
    }

    fn drop_ins(&self) -> Vec<Source> {
        let dir = self.managed_dir.join(DROP_IN_DIR);
        let listed: io::Result<Vec<PathBuf>> = fs::read_dir(&dir).and_then(|entries| {
            entries
                .take(DROP_INS_MAX.saturating_add(1))
                .map(|entry| entry.map(|entry| entry.path()))
                .collect()
        });
        let failed = |path, reason| vec![Source { scope: Scope::Managed, path, text: Err(reason) }];
        match listed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                let reason = format!("cannot list {}: {error}", dir.display());
                failed(dir, reason)
            }
            Ok(paths) if paths.len() > DROP_INS_MAX => {
                let reason = format!("{} has more than {DROP_INS_MAX} files", dir.display());
                failed(dir, reason)
            }
            Ok(mut paths) => {
                paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
                paths.sort();
                paths.into_iter().map(|path| read(Scope::Managed, path)).collect()
            }
        }
    }
}

fn read(scope: Scope, path: PathBuf) -> Source {
    let text = SettingsFile::read(&path)
        .map(|file| file.text().map(str::to_owned))
        .map_err(|error| error.to_string());
    Source { scope, path, text }
}
