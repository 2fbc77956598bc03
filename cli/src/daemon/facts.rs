//! What the texts and the file system say about an action, for the gate, which sees neither.

use std::fs;

use circinus_analyzer::Surroundings;
use circinus_analyzer::command::ShellGrammar;
use circinus_core::action::{Action, Facts, Role, SlotValue};
use circinus_core::copied::{self, Code};
use circinus_core::effect::Effect;
use circinus_core::id::ArtifactId;
use circinus_core::index::Snapshot;
use circinus_core::limits::RUNNER_FILES_MAX;
use circinus_core::lineage::Inferred;
use circinus_core::operand::{self, Kind, Operand};
use circinus_core::origin::Origin;
use circinus_core::payload::{self, Payload, Piece};

use super::files;
use super::texts::Texts;

/// Files of one action that are looked at for bytes that are known from elsewhere. An action that names more
/// is no single script, and each costs a read.
const RECOGNISED_MAX: usize = 32;

/// The facts about an action in the state as it is now.
pub(super) fn of(
    action: &Action,
    around: &Surroundings,
    snapshot: &Snapshot,
    texts: &Texts,
    seal: &[u8; 32],
) -> Facts {
    Facts {
        settled: settled(action, around, snapshot),
        gone: gone(action, snapshot),
        recognised: recognised(action, snapshot),
        sightings: texts.sightings(action, snapshot),
        copies: copies(action, snapshot, texts),
        rooted: Vec::new(),
        payloads: payloads(action, snapshot, texts, seal),
    }
}

/// Files with copied code that are no longer there.
fn gone(action: &Action, snapshot: &Snapshot) -> Vec<Operand> {
    if action.slots.iter().all(|slot| slot.value != SlotValue::Workspace) {
        return Vec::new();
    }
    let files = snapshot.copied_files(&action.session).take(RUNNER_FILES_MAX);
    files.filter(|file| fs::symlink_metadata(file.canonical()).is_err()).cloned().collect()
}

/// Files that nothing binds under their names, by what was recorded of the same bytes elsewhere.
fn recognised(action: &Action, snapshot: &Snapshot) -> Vec<(Operand, ArtifactId)> {
    let files = action.slots.iter().filter_map(|slot| match &slot.value {
        SlotValue::File(path) if snapshot.binding(path).is_none() => Some(path),
        _ => None,
    });
    let known = files.take(RECOGNISED_MAX).filter_map(|path| {
        let content = files::content_of(path.canonical())?;
        Some((path.clone(), snapshot.holding(&content)?))
    });
    known.collect()
}

/// Copied code in what the action would run or make persist.
fn copies(action: &Action, snapshot: &Snapshot, texts: &Texts) -> Vec<(usize, Inferred)> {
    let mut found = Vec::new();
    for (place, slot) in action.slots.iter().enumerate() {
        let runs = slot.role == Role::Designator && matches!(slot.effect, Effect::Exec | Effect::Persist);
        if let (true, SlotValue::Text(text)) = (runs, &slot.value) {
            let commands = operand::command_lines(text, &ShellGrammar);
            let code = Code { text, commands: &commands };
            let edges = copied::edges(code, &action.session, snapshot, texts);
            found.extend(edges.into_iter().map(|edge| (place, edge)));
        }
    }
    found
}

/// What plain reads of the action would carry beyond what the session has read.
fn payloads(action: &Action, snapshot: &Snapshot, texts: &Texts, seal: &[u8; 32]) -> Vec<(usize, Payload)> {
    let payload = |operands: &[Operand]| {
        let known = operands.first().is_none_or(|value| !snapshot.visible(value, &action.session).is_empty());
        let (site, pieces) = payload::pieces(operands).filter(|_| !known)?;
        let pieces = texts.unexplained(pieces, &action.session, snapshot);
        let pieces: Vec<_> = pieces.iter().map(|piece| Piece::of(piece, seal)).collect();
        (!pieces.is_empty()).then_some(Payload { site, pieces })
    };
    let reads = action.slots.iter().enumerate().filter(|(_, slot)| slot.effect == Effect::Fetch);
    let designated = reads.filter_map(|(place, slot)| match &slot.value {
        SlotValue::Operands(operands) => Some((place, payload(operands)?)),
        _ => None,
    });
    designated.collect()
}

/// What the action names and was there before: paths in the workspace since before the session, or made by the
/// agent itself; variables.
fn settled(action: &Action, around: &Surroundings, snapshot: &Snapshot) -> Vec<Operand> {
    let paths = action.slots.iter().filter_map(|slot| match &slot.value {
        SlotValue::Operands(operands) => operands.first().filter(|operand| operand.kind() == Kind::Path),
        SlotValue::File(path) => Some(path),
        SlotValue::Remote(_) | SlotValue::Text(_) | SlotValue::Workspace => None,
    });
    let made = |path: &Operand| {
        let bound = snapshot.binding(path).and_then(|bound| snapshot.artifact(bound.artifact));
        bound.is_some_and(|artifact| {
            artifact.origin == Origin::AgentText || artifact.origin.is_workspace_file()
        })
    };
    let opened = snapshot.session(&action.session).map(|session| session.opened);
    let there = |path: &Operand| {
        files::is_inside(path.canonical(), &around.paths.workspace)
            && opened.is_some_and(|opened| files::is_older_than(path.canonical(), opened))
    };
    let paths = paths.filter(|path| made(path) || there(path));
    // Which credentials a workspace works with stands in its own files.
    let variables = action.slots.iter().filter_map(|slot| match &slot.value {
        SlotValue::Operands(operands) if slot.effect == Effect::Cred => operands.first(),
        _ => None,
    });
    paths.chain(variables.filter(|operand| operand.kind() == Kind::Value)).cloned().collect()
}
