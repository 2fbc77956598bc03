//! What is exported: a range of the log, read in pages.

use std::collections::HashSet;

use circinus_core::digest::Digest;
use circinus_core::endorsement::{Act, Scope, Statement};
use circinus_core::event::{Event, Recorded};
use circinus_core::id::{EventSeq, SessionId};
use circinus_core::time::UnixMillis;
use circinus_store::{QueryError, Reader};

use super::ExportError;

/// Events read at once.
const PAGE_EVENTS: usize = 500;

/// Which events are wanted; the default wants all.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only what names this session, and verdicts on contents that it saw.
    pub session: Option<SessionId>,
    /// Only what was recorded at this time or later.
    pub since: Option<UnixMillis>,
}

/// The selected events of a log, up to the one that was last when the export began: every pass sees the same.
pub struct Log<'a> {
    reader: &'a Reader,
    selection: Selection,
    last: EventSeq,
    contents: HashSet<Digest>,
    progress: Box<dyn Fn(u64) + 'a>,
}

impl<'a> Log<'a> {
    /// Selects; `progress` is told how many events each page looked at.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn new(
        reader: &'a Reader,
        selection: Selection,
        progress: impl Fn(u64) + 'a,
    ) -> Result<Self, QueryError> {
        let last = EventSeq(reader.counts()?.events);
        let mut log =
            Self { reader, selection, last, contents: HashSet::new(), progress: Box::new(progress) };
        if log.selection.session.is_some() {
            log.contents = log.contents_of_the_session()?;
        }
        Ok(log)
    }

    /// Where artifacts are looked up that an event refers to.
    #[must_use]
    pub const fn reader(&self) -> &Reader {
        self.reader
    }

    /// How many events one pass looks at.
    #[must_use]
    pub const fn events(&self) -> u64 {
        self.last.0
    }

    /// Hands over every selected event, oldest first.
    ///
    /// # Errors
    /// Of the log, and the first of `each`.
    pub fn each(
        &self,
        mut each: impl FnMut(&Recorded) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        self.pages(|page| {
            page.iter().filter(|recorded| self.wants(recorded)).try_for_each(&mut each)?;
            (self.progress)(page.len() as u64);
            Ok(())
        })
    }

    fn contents_of_the_session(&self) -> Result<HashSet<Digest>, QueryError> {
        let mut contents = HashSet::new();
        self.pages(|page| {
            for recorded in page {
                if let Event::Ingested(artifact) = &recorded.event
                    && self.selection.session.as_ref() == Some(&artifact.session)
                {
                    contents.insert(artifact.content);
                }
            }
            Ok::<(), QueryError>(())
        })?;
        Ok(contents)
    }

    /// Hands over the whole range, a page at a time.
    fn pages<E: From<QueryError>>(
        &self,
        mut each: impl FnMut(&[Recorded]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut from = EventSeq(1);
        while from <= self.last {
            let page = self.reader.events(from, PAGE_EVENTS)?;
            let Some(end) = page.last().map(|recorded| recorded.seq) else { break };
            each(&page)?;
            from = EventSeq(end.0 + 1);
        }
        Ok(())
    }

    fn wants(&self, recorded: &Recorded) -> bool {
        recorded.seq <= self.last
            && self.selection.since.is_none_or(|since| recorded.at >= since)
            && self.selection.session.as_ref().is_none_or(|wanted| match &recorded.event {
                Event::Judged { judgement, .. } => self.contents.contains(&judgement.key.content),
                event => session(event) == Some(wanted),
            })
    }
}

/// The session that an event names.
#[must_use]
pub fn session(event: &Event) -> Option<&SessionId> {
    match event {
        Event::SessionOpened(opened) => Some(&opened.session),
        Event::Ingested(artifact) => Some(&artifact.session),
        Event::Decided(record) => Some(&record.session),
        Event::SessionClosed { session } => Some(session),
        Event::HostBound(bound) => Some(&bound.session),
        Event::Impersonated(event) => Some(&event.session),
        Event::Stated(statement) => session_of_statement(statement),
        Event::Requested(requested) => requested.session.as_ref(),
        Event::Judged { .. } | Event::AskUnreliable { .. } | Event::Settled(_) | Event::Unanswered(_) => None,
    }
}

const fn session_of_statement(statement: &Statement) -> Option<&SessionId> {
    match &statement.act {
        Act::Approved(approval) => Some(&approval.session),
        Act::Confirmed(confirmation) => Some(&confirmation.session),
        Act::Endorsed(endorsement) => match &endorsement.scope {
            Scope::Session(session) => Some(session),
            Scope::Once(_) | Scope::Workspace(_) => None,
        },
        Act::Revoked { .. } | Act::Acknowledged(_) | Act::ProfileChanged { .. } => None,
    }
}
