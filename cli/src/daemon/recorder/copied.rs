//! What explains the bytes that a call wrote, its own earlier steps included.

use circinus_core::action::{FileWrite, ToolCall, WriteSource};
use circinus_core::operand::Operand;
use circinus_core::origin::Origin;

use super::Recorder;
use crate::daemon::files::{self, Explained, Place, Prior};
use crate::host::AnnouncedCall;

/// How often the writes of a call are gone through: in a loop a later command runs before an earlier one.
const ROUNDS: usize = 2;

impl Recorder<'_> {
    /// What explains the bytes of each write of a call.
    pub(super) fn made(
        &self,
        call: &AnnouncedCall,
        writes: &[FileWrite],
        prior: Option<&Prior>,
    ) -> Vec<Explained> {
        let mut made: Vec<(&FileWrite, Explained)> = Vec::with_capacity(writes.len());
        for round in 0..ROUNDS {
            for (at, write) in writes.iter().enumerate() {
                let explained = self.made_by(call, write, &made, prior);
                match made.get_mut(at).filter(|_| round > 0) {
                    Some(known) => known.1 = explained,
                    None => made.push((write, explained)),
                }
            }
        }
        made.into_iter().map(|(_, explained)| explained).collect()
    }

    fn made_by(
        &self,
        call: &AnnouncedCall,
        write: &FileWrite,
        made: &[(&FileWrite, Explained)],
        prior: Option<&Prior>,
    ) -> Explained {
        let origin = match &write.from {
            WriteSource::Remote(_) => Origin::CmdRemote,
            WriteSource::Agent if matches!(call.call, ToolCall::EditFile { .. }) => {
                return self.copied(std::slice::from_ref(&write.path), &[], prior);
            }
            WriteSource::Agent => Origin::AgentText,
            WriteSource::Built => Origin::WsUntracked,
            WriteSource::Local => Origin::CmdLocal,
            WriteSource::Files(sources) => return self.copied(sources, made, prior),
        };
        Explained::of(origin)
    }

    /// What explains bytes that came from files: of the sources that are recorded their artifacts alone decide,
    /// of the others the least. A source that the call itself wrote is what it was before and what the call made
    /// of it, whichever of them was copied.
    fn copied(
        &self,
        sources: &[Operand],
        made: &[(&FileWrite, Explained)],
        prior: Option<&Prior>,
    ) -> Explained {
        let mut copy = Explained::of(Origin::AgentText);
        for source in sources {
            let mut known: Vec<Explained> = made
                .iter()
                .filter(|(write, _)| covers(write, source))
                .map(|(_, made)| made.clone())
                .collect();
            match prior.and_then(|prior| prior.at(source)) {
                Some(Place::File(was) | Place::Folder(was)) => known.push(was.clone()),
                Some(Place::Absent) if !known.is_empty() => {}
                Some(Place::Absent) | None => known.push(self.explain(source)),
            }
            for was in known {
                copy.secrecy = copy.secrecy.max(was.secrecy);
                if !was.recorded {
                    copy.origin = files::lesser(copy.origin, was.origin);
                }
                for parent in was.parents {
                    if copy.parents.iter().all(|known| known.parent != parent.parent) {
                        copy.parents.push(parent);
                    }
                }
            }
        }
        copy
    }
}

/// Whether a write may have made what lies at `path`.
fn covers(write: &FileWrite, path: &Operand) -> bool {
    write.path == *path || write.tree && files::is_inside(path.canonical(), write.path.canonical())
}
