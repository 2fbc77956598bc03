//! Every bound of the core, with its reason. Reaching one gives the stricter outcome and a named reason.

/// Slots of one action. Real commands have under twenty; above it the action is flagged opaque.
pub const SLOTS_MAX: usize = 512;

/// Operands kept for one artifact. A 1 MB listing of links has under ten thousand; what lies beyond is not
/// indexed but searched for in the text when an action names it.
pub const OPERANDS_PER_ARTIFACT_MAX: usize = 16_384;

/// Inferred edges kept for one artifact; the gate looks each operand up again, so none is lost to it.
pub const QUOTES_PER_ARTIFACT_MAX: usize = 256;

/// Bytes of one artifact that are searched for operands.
pub const EXTRACT_BYTES_MAX: usize = 8 << 20;

/// Influences kept in one explanation, worst first; all of them count in the verdict.
pub const INFLUENCES_EXPLAINED_MAX: usize = 32;

/// Recorded copies followed from one file back to its sources.
pub const ANCESTORS_MAX: usize = 4_096;

/// Characters of a label or summary.
pub const LABEL_CHARS_MAX: usize = 200;

/// Views applied one inside another.
pub const VIEW_DEPTH_MAX: usize = 2;

/// Questions kept of one decision: one for each rule, target, effect and evidence. An action with more of
/// them cannot be approved as a whole.
pub const QUESTIONS_MAX: usize = 256;

/// How long an approval waits for its action, in milliseconds: long enough to go back to the agent, short
/// enough that nobody finds it by surprise on another day.
pub const APPROVAL_MS_MAX: u64 = 60 * 60 * 1_000;

/// Bytes of normalised code that make a copy of it a span: about six lines. Shorter pieces are common idiom.
pub const SPAN_BYTES_MIN: usize = 200;

/// Fingerprints kept for one artifact: one in about 85 bytes of all that is searched, in two readings.
pub const PRINTS_PER_ARTIFACT_MAX: usize = 262_144;

/// Earlier artifacts that one composed text is compared with byte by byte, those that share most first.
pub const COMPARED_ARTIFACTS_MAX: usize = 64;

/// Files with copied code that one run of a build or test tool is explained by; all of them raise its tier.
pub const RUNNER_FILES_MAX: usize = 256;

/// Distinct unexplained pieces counted for one site and session. The sum that makes a plain read a transfer is
/// reached long before.
pub const CARRIED_PIECES_MAX: usize = 1_024;

/// Operands of one action that are searched for before an interruption.
pub const SEARCHED_OPERANDS_MAX: usize = 16;

/// Host processes kept for one session. A session is resumed a few times; the oldest is forgotten first, and
/// a process that is forgotten must be bound again.
pub const HOSTS_PER_SESSION_MAX: usize = 8;

/// Spans of activity kept, oldest joined first: a joined span covers more time, so less counts as the user's.
pub const ACTIVITY_SPANS_MAX: usize = 4_096;

/// Two events closer than this belong to one span of activity: no call that the host waits for runs longer.
pub const ACTIVITY_GAP_MS: u64 = 15 * 60 * 1_000;
