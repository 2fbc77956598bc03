//! Every bound of the store, with its reason. Reaching one gives a named error and keeps nothing back.

use std::time::Duration;

/// Bytes of one database page. An ingest touches about ten pages and the write-ahead log pays for whole ones:
/// by `circinus-loadtest limits` 4,096 costs 7.2 times the logical bytes, 2,048 costs 4.3 and 1,024 costs 2.9,
/// while each halving makes a single ingest about a tenth slower.
pub const PAGE_BYTES: u32 = 2_048;

/// Bytes of one artifact's body. Frames of the socket are smaller; this bounds callers that are not.
pub const BODY_BYTES_MAX: usize = 64 << 20;

/// Bytes of one encoded event, operands apart. Labels, edges and findings are bounded by their makers and
/// stay far below.
pub const PAYLOAD_BYTES_MAX: usize = 4 << 20;

/// Bytes of one artifact's packed operands. What is searched for operands is a quarter of this, and each is
/// kept with little more than its own text.
pub const OPERANDS_BYTES_MAX: usize = 32 << 20;

/// Commits that wait for the writer. Sixty-four clients with a dozen events each fit.
pub const QUEUE_COMMITS_MAX: usize = 1_024;

/// Bytes that wait for the writer. Bounds memory when bodies are large; above it producers are refused.
pub const QUEUE_BYTES_MAX: usize = 96 << 20;

/// Commits of one transaction. Beyond it the fsync is already shared by so many that latency only grows.
pub const GROUP_COMMITS_MAX: usize = 256;

/// Bytes of one transaction, after which no further commit joins it. Keeps the page cache of one group small.
pub const GROUP_BYTES_MAX: usize = 8 << 20;

/// Length of the write-ahead log, in bytes, above which an idle writer copies it back.
pub const WAL_IDLE_BYTES: u64 = 1 << 20;

/// Length of the write-ahead log, in bytes, above which even a busy writer copies it back between groups.
pub const WAL_FORCED_BYTES: u64 = 32 << 20;

/// How long the queue must be empty before the writer counts as idle.
pub const IDLE: Duration = Duration::from_millis(200);

/// How long an opening waits for the lock that makes it the only one. A child that the last holder forked shares the
/// lock until it executes its program, which takes long only on a loaded machine.
pub const LOCK_WAIT: Duration = Duration::from_millis(250);

/// How long a connection waits for a lock that another process holds on the file.
pub const BUSY_MS_MAX: u32 = 2_000;

/// How long a text is kept after it was last recorded, in milliseconds: thirty days. A person who looks into what
/// happened does so within weeks.
pub const BODY_AGE_MS_MAX: u64 = 30 * 24 * 3_600 * 1_000;

/// Bytes of all texts together: some weeks of heavy use.
pub const BODIES_BYTES_MAX: u64 = 1 << 30;

/// Texts looked at in one slice of a sweep, so that a commit never waits long for one.
pub const SWEPT_MAX: usize = 256;

/// Between two sweeps: an age of days needs no finer one.
pub const SWEEP_EVERY: Duration = Duration::from_secs(3_600);

/// Former databases that restores keep beside the present one; a person moves them away.
pub const FORMER_MAX: u32 = 100;

/// Rows of one page of any query.
pub const PAGE_ROWS_MAX: usize = 1_000;

/// Problems that `verify` lists before it stops looking.
pub const PROBLEMS_MAX: usize = 100;

/// Cached prepared statements of one connection; the store has fewer than this.
pub const STATEMENTS_CACHED: usize = 64;
