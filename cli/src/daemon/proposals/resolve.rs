//! From a person's words to the act that they mean, and what to show them before they confirm it.

use std::fs;

use circinus_core::digest::Digest;
use circinus_core::effect::{Effect, Effects};
use circinus_core::endorsement::{Acknowledgement, Act, Approval, EndorseError, Endorsement, Scope, Subject};
use circinus_core::evidence::Level;
use circinus_core::id::{ActId, ArtifactId, DecisionId, EvidenceId, SessionId, WorkspaceId};
use circinus_core::index::Snapshot;
use circinus_core::limits;
use circinus_core::operand::{Kind, Operand, PathContext};
use circinus_core::origin::Origin;
use circinus_core::policy::{Profile, Verdict, origin_row};
use circinus_core::time::UnixMillis;
use circinus_store::{OpenError, QueryError, Reader};
use thiserror::Error;

use super::{Proposal, is_revocable};
use crate::daemon::files;
use crate::daemon::service::Service;
use crate::ui::escape_untrusted;
use crate::{clock, reason, stated};

/// Digits of a digest that tell a content from others; as many as are shown.
const DIGEST_DIGITS_MIN: usize = 12;

/// Why a person's words cannot be stated.
#[derive(Debug, Error)]
pub(in crate::daemon) enum ResolveError {
    /// No id of that form.
    #[error("`{0}` is no id of that kind; hint: {1}")]
    NotAnId(String, &'static str),
    /// Nothing of that id.
    #[error("there is no {0}; hint: `circinus log` lists what is recorded")]
    Unknown(String),
    /// The decision was no question.
    #[error("{0} was answered with {1}, and only a REVIEW can be approved; hint: {2}")]
    NotAsked(DecisionId, Verdict, &'static str),
    /// It asked more than is kept.
    #[error("{0} asks about too many things to be approved as one; hint: let the agent make smaller calls")]
    TooMany(DecisionId),
    /// There is an approval already.
    #[error("{0} is approved already ({1}); hint: let the agent try again")]
    Already(DecisionId, ActId),
    /// Not standing.
    #[error("{0} is not in force; hint: `circinus endorse` lists what is")]
    NotInForce(ActId),
    /// No effect of that name.
    #[error("`{0}` is no effect; hint: FETCH, EXEC, INSTALL, SEND, PERSIST, CRED, DESTROY, WRITE or READ")]
    NoEffect(String),
    /// Not allowed.
    #[error(transparent)]
    Endorse(#[from] EndorseError),
    /// Looks like an attack, and this is the judgement to name.
    #[error("the subject looks like an attack; hint: read the source, then add --acknowledge {0}")]
    Adverse(EvidenceId),
    /// The named judgement is not about the subject.
    #[error("{0} is no adverse judgement of the subject; hint: `circinus log` lists judgements, such as v12")]
    NotItsEvidence(EvidenceId),
    /// No scope of that name.
    #[error("`{0}` is no scope; hint: once, session or workspace")]
    NoScope(String),
    /// No session.
    #[error("no session of this workspace is known; hint: name one with --session, or use --scope workspace")]
    NoSession,
    /// Neither a value nor a file.
    #[error(
        "`{0}` is no URL, host, package, address, image, remote, path, artifact or digest; hint: write a URL whole and a path with its slash"
    )]
    NoSubject(String),
    /// Not a directory.
    #[error("{0} is no directory; hint: name one that is there")]
    NotADirectory(String),
    /// Several contents begin so.
    #[error("several contents begin with `{0}`; hint: give more digits")]
    Ambiguous(String),
    /// Not judged.
    #[error("the content is not judged yet; hint: try again in a moment")]
    Pending,
    /// Nothing to acknowledge.
    #[error(
        "analysis found nothing in this content; hint: `circinus explain` names the content that counted"
    )]
    Harmless,
    /// No profile of that name.
    #[error("`{0}` is no profile; hint: realtime, balanced, strict or critical")]
    NoProfile(String),
    /// The database.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database.
    #[error(transparent)]
    Query(#[from] QueryError),
}

type Resolved = Result<(Act, Vec<String>), ResolveError>;

impl Service {
    /// The act that a proposal means, and lines that say so to the person.
    pub(super) fn resolve(&self, proposal: &Proposal, snapshot: &Snapshot) -> Resolved {
        match proposal {
            Proposal::Approve { decision } => self.approval(decision, snapshot),
            Proposal::Endorse { .. } => self.endorsement(proposal, snapshot),
            Proposal::Revoke { act } => revocation(act, snapshot),
            Proposal::Trust { path, cwd } => self.trust(path, cwd),
            Proposal::Acknowledge { subject, cwd } => self.acknowledgement(subject, cwd, snapshot),
            Proposal::Profile { name } => profile(name.as_deref(), self.profile_in(snapshot)),
        }
    }

    fn approval(&self, id: &str, snapshot: &Snapshot) -> Resolved {
        let id: DecisionId = parsed(id, "use the id of the decision, such as d42")?;
        let reader = Reader::open(&self.database)?;
        let record = reader.decision(id)?.ok_or_else(|| ResolveError::Unknown(id.to_string()))?.record;
        let explanation = &record.explanation;
        if explanation.verdict != Verdict::Review {
            let hint = match explanation.verdict {
                Verdict::Block => "name the target in your own prompt, or run the step yourself",
                Verdict::Allow | Verdict::Review => "nothing is to be done",
            };
            return Err(ResolveError::NotAsked(id, explanation.verdict, hint));
        }
        if explanation.questions.is_empty() {
            return Err(ResolveError::TooMany(id));
        }
        let waiting = snapshot.statements().find(
            |(_, stated)| matches!(&stated.act, Act::Approved(known) if known.decision == id && known.expires > clock::now()),
        );
        if let Some((act, _)) = waiting {
            return Err(ResolveError::Already(id, act));
        }
        let label = |influence: &circinus_core::explain::Influence| {
            let artifact = influence.artifact.and_then(|id| snapshot.artifact(id));
            artifact.map_or_else(
                || influence.origin.describe().to_owned(),
                |artifact| escape_untrusted(&artifact.label),
            )
        };
        let shown = vec![
            format!("{id}: {}", escape_untrusted(&format!("{} {}", record.tool, record.summary))),
            reason::sentence(explanation, &record.tool, label),
            "It may run once, in the session that asked; the same call is asked about again after that."
                .to_owned(),
        ];
        let approval = Approval {
            identity: record.identity,
            session: snapshot.root_of(&record.session).clone(),
            decision: id,
            questions: record.explanation.questions.clone(),
            expires: UnixMillis(clock::now().0.saturating_add(limits::APPROVAL_MS_MAX)),
        };
        Ok((Act::Approved(approval), shown))
    }

    fn endorsement(&self, proposal: &Proposal, snapshot: &Snapshot) -> Resolved {
        let Proposal::Endorse { subject, effects, scope, session, expires_s, acknowledge, cwd } = proposal
        else {
            return Err(ResolveError::NoSubject(String::new()));
        };
        let workspace = WorkspaceId::new(files::workspace_of(cwd, &self.site.home));
        let effect = |name: &String| {
            Effect::from_name(&name.to_ascii_uppercase())
                .ok_or_else(|| ResolveError::NoEffect(escape_untrusted(name)))
        };
        let effects = effects.iter().map(effect).collect::<Result<Vec<_>, _>>()?;
        let scope = match scope.as_str() {
            "once" => Scope::Once(workspace.clone()),
            "workspace" => Scope::Workspace(workspace.clone()),
            "session" => Scope::Session(session_meant(session.as_deref(), &workspace, snapshot)?),
            other => return Err(ResolveError::NoScope(escape_untrusted(other))),
        };
        let subject = self.subject(subject, cwd, snapshot)?;
        let (level, contents) = standing(&subject, &workspace, snapshot);
        let acknowledged = acknowledge
            .as_deref()
            .map(|id| parsed(id, "use the id of the judgement, such as v12"))
            .transpose()?;
        let endorsement = Endorsement {
            subject,
            effects: Effects::of(effects),
            scope,
            expires: expires_s
                .map(|seconds| UnixMillis(clock::now().0.saturating_add(seconds.saturating_mul(1_000)))),
            level,
            acknowledged,
        };
        match acknowledged {
            Some(id) if !snapshot.adverse(id).is_some_and(|content| contents.contains(&content)) => {
                return Err(ResolveError::NotItsEvidence(id));
            }
            None if level == Level::Adverse => {
                let found = self.adverse_of(&contents)?;
                return Err(found.map_or(EndorseError::Unacknowledged.into(), ResolveError::Adverse));
            }
            _ => endorsement.check()?,
        }
        let shown = vec![
            format!("{} may {}", stated::subject(&endorsement.subject), endorsement.effects),
            format!("where: {}", stated::scope(&endorsement.scope)),
            format!("evidence about it now: {level}"),
        ];
        Ok((Act::Endorsed(endorsement), shown))
    }

    /// The first adverse judgement of any of these contents.
    fn adverse_of(&self, contents: &[Digest]) -> Result<Option<EvidenceId>, ResolveError> {
        let reader = Reader::open(&self.database)?;
        for content in contents {
            let rows = reader.evidence(*content)?;
            if let Some(row) = rows.iter().find(|row| row.judgement.level == Level::Adverse) {
                return Ok(Some(EvidenceId(row.seq)));
            }
        }
        Ok(None)
    }

    /// What a person means: an artifact or a digest, a file that is there, or a value.
    fn subject(&self, text: &str, cwd: &str, snapshot: &Snapshot) -> Result<Subject, ResolveError> {
        if let Some(content) = content(text, snapshot)? {
            return Ok(Subject::Content(content));
        }
        let paths = self.paths(cwd);
        let path = Operand::parse(Kind::Path, text, &paths);
        if let Some(bytes) = path.as_ref().and_then(|path| files::read(path.canonical()).ok()) {
            return Ok(Subject::Content(Digest::of(&bytes)));
        }
        let kinds = [Kind::Url, Kind::Email, Kind::Package, Kind::Git, Kind::Ip, Kind::Host, Kind::Image];
        let is_path = text.starts_with(['/', '.', '~']);
        let value =
            if is_path { None } else { kinds.iter().find_map(|kind| Operand::parse(*kind, text, &paths)) };
        let value = value.or(path.filter(|_| is_path));
        value.map(Subject::Operand).ok_or_else(|| ResolveError::NoSubject(escape_untrusted(text)))
    }

    fn paths(&self, cwd: &str) -> PathContext {
        self.site.around(cwd, &files::workspace_of(cwd, &self.site.home)).paths
    }

    fn trust(&self, path: &str, cwd: &str) -> Resolved {
        let directory = Operand::parse(Kind::Path, path, &self.paths(cwd))
            .filter(|path| fs::metadata(path.canonical()).is_ok_and(|file| file.is_dir()))
            .ok_or_else(|| ResolveError::NotADirectory(escape_untrusted(path)))?;
        let shown = vec![
            format!("{} and what is below it now counts as your own", reason::operand(&directory)),
            "What comes into it later is judged by where it comes from; evidence counts as before."
                .to_owned(),
        ];
        let scope = Scope::Workspace(WorkspaceId::new(directory.canonical()));
        Ok((
            Act::Endorsed(Endorsement {
                subject: Subject::Directory(directory),
                effects: origin_row(Origin::WsTracked).effects,
                scope,
                expires: None,
                level: Level::Benign,
                acknowledged: None,
            }),
            shown,
        ))
    }

    fn acknowledgement(&self, text: &str, cwd: &str, snapshot: &Snapshot) -> Resolved {
        let content =
            content(text, snapshot)?.ok_or_else(|| ResolveError::Unknown(escape_untrusted(text)))?;
        let workspace = WorkspaceId::new(files::workspace_of(cwd, &self.site.home));
        let level = level_of(&content, snapshot);
        match level {
            Level::Pending => return Err(ResolveError::Pending),
            Level::None | Level::Benign => return Err(ResolveError::Harmless),
            Level::Failed | Level::Suspicious | Level::Adverse => {}
        }
        let rows = snapshot.judgements(&content);
        let mut signals: Vec<&str> =
            rows.iter().flat_map(|row| row.findings.iter()).map(|finding| &*finding.signal).collect();
        signals.sort_unstable();
        signals.dedup();
        let mut shown = vec![format!("content {}: {level} ({})", content.short(), signals.join(" "))];
        let holders = snapshot.artifacts().filter(|(_, artifact)| artifact.content == content).take(3);
        shown.extend(holders.map(|(id, artifact)| format!("{id}: {}", escape_untrusted(&artifact.label))));
        shown.push(format!("counts as harmless in {}", escape_untrusted(workspace.as_str())));
        Ok((Act::Acknowledged(Acknowledgement { content, workspace, level }), shown))
    }
}

fn parsed<T: std::str::FromStr>(text: &str, hint: &'static str) -> Result<T, ResolveError> {
    text.parse().map_err(|_| ResolveError::NotAnId(escape_untrusted(text), hint))
}

fn revocation(act: &str, snapshot: &Snapshot) -> Resolved {
    let id: ActId = parsed(act, "use the id of what was stated, such as e7")?;
    let (_, statement) = snapshot
        .statements()
        .find(|(known, stated)| *known == id && is_revocable(&stated.act))
        .ok_or(ResolveError::NotInForce(id))?;
    let shown = vec![format!("{id} no longer holds: {}", stated::line(statement))];
    Ok((Act::Revoked { act: id }, shown))
}

fn profile(name: Option<&str>, now: Profile) -> Resolved {
    let named = |name: &str| Profile::ALL.into_iter().find(|profile| profile.name() == name);
    let chosen = match name {
        None => None,
        Some(name) => Some(named(name).ok_or_else(|| ResolveError::NoProfile(escape_untrusted(name)))?),
    };
    let then = chosen.map_or_else(|| "the configured one".to_owned(), |profile| profile.to_string());
    Ok((Act::ProfileChanged { profile: chosen }, vec![format!("profile: {now}, then {then}")]))
}

/// The session that a scope means.
fn session_meant(
    named: Option<&str>,
    workspace: &WorkspaceId,
    snapshot: &Snapshot,
) -> Result<SessionId, ResolveError> {
    if let Some(named) = named {
        let id = SessionId::new(named);
        let known = snapshot.session(&id).map(|session| session.root.clone());
        return known.ok_or_else(|| ResolveError::Unknown(format!("session {}", escape_untrusted(named))));
    }
    let here = snapshot.sessions().filter(|(_, session)| session.workspace == *workspace);
    let newest = here.max_by_key(|(_, session)| session.opened);
    newest.map(|(_, session)| session.root.clone()).ok_or(ResolveError::NoSession)
}

/// The content that an artifact id, a digest or its first digits name; none when the text is no such thing.
fn content(text: &str, snapshot: &Snapshot) -> Result<Option<Digest>, ResolveError> {
    if let Ok(id) = text.parse::<ArtifactId>() {
        let artifact = snapshot.artifact(id).ok_or_else(|| ResolveError::Unknown(id.to_string()))?;
        return Ok(Some(artifact.content));
    }
    let is_digest = text.len() >= DIGEST_DIGITS_MIN && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_digest {
        return Ok(None);
    }
    let digits = text.to_ascii_lowercase();
    let mut found: Vec<Digest> = snapshot
        .artifacts()
        .map(|(_, artifact)| artifact.content)
        .filter(|content| content.to_string().starts_with(&digits))
        .collect();
    found.sort_unstable();
    found.dedup();
    match found.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(*one)),
        _ => Err(ResolveError::Ambiguous(digits)),
    }
}

/// The worst evidence about a subject in a workspace, and the contents that it is about.
fn standing(subject: &Subject, workspace: &WorkspaceId, snapshot: &Snapshot) -> (Level, Vec<Digest>) {
    match subject {
        Subject::Content(content) => (level_of(content, snapshot), vec![*content]),
        Subject::Directory(_) => (Level::Benign, Vec::new()),
        Subject::Operand(operand) => {
            let here = snapshot.sessions().filter(|(_, session)| session.workspace == *workspace);
            let held = here.flat_map(|(id, _)| {
                snapshot
                    .visible(operand, id)
                    .into_iter()
                    .map(|found| (snapshot.level(found.artifact, id), found.artifact.content))
            });
            let mut held: Vec<(Level, Digest)> = held.collect();
            held.sort_unstable();
            held.dedup();
            let level = held.iter().map(|(level, _)| *level).max().unwrap_or_default();
            (level, held.into_iter().map(|(_, content)| content).collect())
        }
    }
}

/// What analysis says about a content, whoever looks.
fn level_of(content: &Digest, snapshot: &Snapshot) -> Level {
    let judgements = snapshot.judgements(content).iter().map(|judgement| judgement.level).max();
    let pending = if snapshot.is_settled(content) { Level::None } else { Level::Pending };
    judgements.unwrap_or_default().max(pending)
}
