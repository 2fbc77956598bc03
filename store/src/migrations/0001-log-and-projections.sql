-- Forward only: a released file is never edited, the next change is the next number.

-- The log. `hash` is BLAKE3(hash of the row before | seq | at_ms | kind | version | payload).
CREATE TABLE events (
    seq     INTEGER PRIMARY KEY CHECK (seq > 0),
    at_ms   INTEGER NOT NULL,
    kind    INTEGER NOT NULL,
    version INTEGER NOT NULL,
    payload BLOB    NOT NULL,
    hash    BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;

CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;

-- Identity of a delivery -> the event it became. It is entered before the event, to learn whether it is new.
CREATE TABLE deliveries (
    delivery BLOB    PRIMARY KEY CHECK (length(delivery) = 32),
    seq      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Host names of sessions are long and repeat in every row; rows refer to a number.
CREATE TABLE sessions (
    id      INTEGER PRIMARY KEY,
    session TEXT    NOT NULL UNIQUE,
    opened  INTEGER REFERENCES events (seq),
    closed  INTEGER REFERENCES events (seq)
) STRICT;

-- Each content once. The body goes when retention says so, the digest stays.
CREATE TABLE contents (
    id     INTEGER PRIMARY KEY,
    digest BLOB    NOT NULL UNIQUE CHECK (length(digest) = 32),
    body   BLOB
) STRICT;

-- What an artifact's event does not hold: its operands, packed. The event holds their digest.
CREATE TABLE artifacts (
    seq      INTEGER PRIMARY KEY REFERENCES events (seq),
    session  INTEGER NOT NULL REFERENCES sessions (id),
    content  INTEGER NOT NULL REFERENCES contents (id),
    operands BLOB    NOT NULL
) STRICT;

-- When a content was last recorded.
CREATE INDEX artifacts_by_content ON artifacts (content, seq);

-- Edges by parent, for "what came of this"; the child's event holds them in full.
CREATE TABLE provenance (
    parent    INTEGER NOT NULL,
    child     INTEGER NOT NULL REFERENCES artifacts (seq),
    mechanism TEXT    NOT NULL CHECK (mechanism IN ('observed', 'inferred')),
    PRIMARY KEY (parent, child, mechanism)
) STRICT, WITHOUT ROWID;

-- Content that waits for its verdict; the row leaves in the transaction that records one.
CREATE TABLE tasks (
    content  INTEGER PRIMARY KEY REFERENCES contents (id),
    artifact INTEGER NOT NULL REFERENCES artifacts (seq)
) STRICT;

-- First verdict per key wins.
CREATE TABLE evidence (
    content  BLOB    NOT NULL CHECK (length(content) = 32),
    analyser TEXT    NOT NULL,
    version  INTEGER NOT NULL,
    config   BLOB    NOT NULL,
    level    INTEGER NOT NULL,
    seq      INTEGER NOT NULL UNIQUE REFERENCES events (seq),
    PRIMARY KEY (content, analyser, version, config)
) STRICT, WITHOUT ROWID;

CREATE TABLE decisions (
    seq     INTEGER PRIMARY KEY REFERENCES events (seq),
    session INTEGER NOT NULL REFERENCES sessions (id),
    verdict INTEGER NOT NULL,
    rule    INTEGER,
    at_ms   INTEGER NOT NULL
) STRICT;

CREATE INDEX decisions_by_session ON decisions (session, seq);
