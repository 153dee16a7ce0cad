//! A session of the server while a capture is under way.

use super::{control, values};
use crate::pg::process::{dsm::Segment, latch, random};
use crate::pg::sql::xact;
use crate::pg::{encoding, raw, server};
use capture::area::{Area, Scope, ShareOf};
use capture::record::{End, Ending, Protocol, Start, Unrecorded, Work};
use capture::recorder::{Beginning, Recorder};
use capture::ring::Pushed;
use pgrx::pg_sys;
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// Settings that decide what statements mean, or how long they take.
const SETTINGS: [&CStr; 22] = [
    c"search_path",
    c"role",
    c"client_encoding",
    c"TimeZone",
    c"DateStyle",
    c"IntervalStyle",
    c"extra_float_digits",
    c"bytea_output",
    c"standard_conforming_strings",
    c"default_transaction_isolation",
    c"default_transaction_read_only",
    c"default_transaction_deferrable",
    c"synchronous_commit",
    c"statement_timeout",
    c"lock_timeout",
    c"work_mem",
    c"plan_cache_mode",
    c"jit",
    c"enable_seqscan",
    c"enable_indexscan",
    c"enable_hashjoin",
    c"enable_nestloop",
];

/// What this session leaves to the capture that is under way.
struct Taking {
    /// Its number.
    number: u64,
    writer: u64,
    share: f64,
    share_of: ShareOf,
    /// None: the session is not captured.
    recorder: Option<Recorder>,
    /// The memory of the recorder; unmapped after it.
    segment: Option<Segment>,
    /// The error that the main loop has reported.
    error: Option<[u8; 5]>,
    /// Whether the block that is open has failed, so that only its end is accepted.
    has_failed: bool,
}

thread_local! {
    static TAKING: RefCell<Option<Taking>> = const { RefCell::new(None) };
}

/// Shows `look` what the session leaves, if it is captured. Whatever goes wrong in it ends that, not the statement.
fn observe(look: impl FnOnce(&mut Taking)) {
    TAKING.with(|taking| {
        let Ok(mut taking) = taking.try_borrow_mut() else {
            return;
        };
        let observed = catch_unwind(AssertUnwindSafe(|| {
            if let Some(taking) = taking.as_mut().filter(|it| it.number == control::number()) {
                look(taking);
            }
        }));
        if observed.is_err()
            && let Some(taking) = taking.as_mut()
        {
            taking.recorder = None;
        }
    });
}

/// The same of what it records.
fn record(tell: impl FnOnce(&mut Recorder)) {
    observe(|taking| {
        if let Some(recorder) = &mut taking.recorder {
            tell(recorder);
        }
    });
}

/// Takes part in the capture that is under way, if that has not been decided yet.
fn take_part() {
    // SAFETY: reads the state of this process. A transaction that has failed is not to be recorded, and must not look into the catalog.
    if unsafe { raw::IsAbortedTransactionBlockState() } {
        return;
    }
    TAKING.with(|taking| {
        let Ok(mut taking) = taking.try_borrow_mut() else {
            return;
        };
        let known = taking.as_ref().map_or(0, |taking| taking.number);
        let Some(announced) = control::announced().filter(|announced| announced.number != known)
        else {
            return;
        };
        if let Some(before) = taking.take() {
            before.unmap();
        }
        // An ERROR for want of memory would be the statement's.
        let join =
            || xact::catch(|| catch_unwind(AssertUnwindSafe(|| Taking::join(announced))).ok());
        // A cancel is the statement's.
        let joined = latch::holding_cancel(join);
        *taking = Some(
            joined
                .ok()
                .flatten()
                .unwrap_or_else(|| Taking::none(announced)),
        );
    });
}

impl Taking {
    fn none(announced: control::Announced) -> Taking {
        Taking {
            number: announced.number,
            writer: announced.writer,
            share: 1.0,
            share_of: ShareOf::Sessions,
            recorder: None,
            segment: None,
            error: None,
            has_failed: false,
        }
    }

    fn join(announced: control::Announced) -> Taking {
        let none = Taking::none(announced);
        let Some(segment) = Segment::attach_in_transaction(announced.segment) else {
            return none;
        };
        let area = Area::open(segment.words());
        let place = area
            .scope()
            .ok()
            .filter(is_in_scope)
            .and_then(|scope| Some((area.claim()?, scope)));
        let Some((place, scope)) = place else {
            segment.unmap();
            return none;
        };
        static REGISTERED: Once = Once::new();
        // SAFETY: a callback of this library, which stays loaded.
        REGISTERED
            .call_once(|| unsafe { pg_sys::before_shmem_exit(Some(exit), pg_sys::Datum::from(0)) });
        let mut recorder = Recorder::new(place, who());
        // SAFETY: reads the state of this process.
        let began_before = unsafe {
            raw::IsTransactionBlock()
                && raw::GetCurrentTransactionStartTimestamp()
                    != raw::GetCurrentStatementStartTimestamp()
        };
        if began_before {
            recorder.pass_transaction();
        }
        Taking {
            share: scope.share,
            share_of: scope.share_of,
            recorder: Some(recorder),
            segment: Some(segment),
            ..none
        }
    }

    fn unmap(mut self) {
        self.recorder = None;
        if let Some(segment) = self.segment.take() {
            segment.unmap();
        }
    }

    fn wake(&self, pushed: Pushed) {
        if matches!(pushed, Pushed::HalfFull) {
            latch::wake(self.writer);
        }
    }
}

/// Whether a share of this size has the next one.
fn draws(share: f64) -> bool {
    share >= 1.0 || random::fraction() < share
}

fn is_in_scope(scope: &Scope) -> bool {
    let names =
        |wanted: &[String], name: &str| wanted.is_empty() || wanted.iter().any(|it| it == name);
    scope.database == u32::from(server::database())
        && (scope.share_of != ShareOf::Sessions || draws(scope.share))
        && names(&scope.applications, &text_of(c"application_name"))
        && (scope.roles.is_empty() || names(&scope.roles, &role()))
}

/// The role that logged in, or the one that it has become by SET SESSION AUTHORIZATION. Without a look into the catalog.
fn role() -> String {
    text_of(c"session_authorization")
}

fn text_of(setting: &CStr) -> String {
    // SAFETY: a setting's name; null, or a text that is copied at once.
    unsafe {
        let text = pg_sys::GetConfigOption(setting.as_ptr(), true, false);
        if text.is_null() {
            String::new()
        } else {
            encoding::from_c(CStr::from_ptr(text))
        }
    }
}

fn who() -> Start {
    let setting = |name: &&CStr| (name.to_string_lossy().into_owned(), text_of(name));
    Start {
        pid: std::process::id() as i32,
        at: now(),
        role: role(),
        application: text_of(c"application_name"),
        settings: SETTINGS.iter().map(setting).collect(),
    }
}

fn now() -> i64 {
    // SAFETY: reads the clock.
    unsafe { raw::GetCurrentTimestamp() }
}

/// A statement that is not planned has this key: there is one at a time.
const UTILITY: usize = 0;

/// A client's query is about to start.
///
/// # Safety
/// A query that the server is to start.
pub unsafe fn start(query: *mut pg_sys::QueryDesc) {
    // SAFETY: see above.
    if !unsafe { is_the_clients((*query).plannedstmt) } {
        return;
    }
    take_part();
    observe(|taking| {
        let Some(recorder) = taking.begins() else {
            return;
        };
        // SAFETY: see above; the plan and the source text outlive the query.
        unsafe {
            let (query, plan) = (&*query, &*(*query).plannedstmt);
            let reads = query.operation == pg_sys::CmdType::CMD_SELECT
                && plan.rowMarks.is_null()
                && !plan.hasModifyingCTE;
            let bytes = recorder.open(&Beginning {
                key: std::ptr::from_ref(query) as usize,
                text: part(query.sourceText, plan.stmt_location, plan.stmt_len),
                protocol: protocol(),
                work: if reads { Work::Reads } else { Work::Changes },
                visible: visible(query.snapshot),
                unrecorded: None,
                ..beginning()
            });
            if values::write(bytes, query.params).is_err() {
                recorder.lose();
            }
        }
    });
}

impl Taking {
    /// The recorder, if the transaction of the statement that begins is taken.
    fn begins(&mut self) -> Option<&mut Recorder> {
        self.error = None;
        let share = match self.share_of {
            ShareOf::Transactions => self.share,
            ShareOf::Sessions => 1.0,
        };
        let recorder = self.recorder.as_mut()?;
        recorder.begins(|| draws(share)).then_some(recorder)
    }
}

/// Whether it is what the client has sent, and not what a rule adds to that.
///
/// # Safety
/// A plan of the active portal.
unsafe fn is_the_clients(plan: *const pg_sys::PlannedStmt) -> bool {
    // SAFETY: see above; the portal has a list of plans.
    unsafe {
        let Some(plans) = pg_sys::ActivePortal
            .as_ref()
            .and_then(|portal| portal.stmts.as_ref())
        else {
            return true;
        };
        let plans = std::slice::from_raw_parts(plans.elements, plans.length as usize);
        let mut plans = plans
            .iter()
            .map(|cell| cell.ptr_value.cast::<pg_sys::PlannedStmt>().cast_const());
        // Of INSTEAD rules, none has the command's tag.
        match plans.clone().any(|other| (*other).canSetTag) {
            true => (*plan).canSetTag,
            false => plans.next() == Some(plan),
        }
    }
}

/// What is the same for all.
fn beginning() -> Beginning<'static> {
    // SAFETY: reads the state of this process.
    unsafe {
        Beginning {
            key: UTILITY,
            level: raw::GetCurrentTransactionNestLevel(),
            text: b"",
            protocol: Protocol::Simple,
            work: Work::Utility,
            message: raw::GetCurrentStatementStartTimestamp(),
            visible: None,
            unrecorded: None,
        }
    }
}

/// # Safety
/// A text of the server, and the place of a statement in it.
unsafe fn part<'t>(text: *const c_char, location: c_int, length: c_int) -> &'t [u8] {
    // SAFETY: see above. Of a rule the place may be unknown.
    unsafe {
        match (usize::try_from(location), usize::try_from(length)) {
            (Ok(location), Ok(length @ 1..)) => {
                std::slice::from_raw_parts(text.add(location).cast(), length)
            }
            (Ok(location), _) => CStr::from_ptr(text.add(location)).to_bytes(),
            (Err(_), _) => CStr::from_ptr(text).to_bytes(),
        }
    }
}

/// That of the active portal.
fn protocol() -> Protocol {
    // SAFETY: the portal is active, since a statement at top level runs in one.
    unsafe {
        match pg_sys::ActivePortal.as_ref() {
            Some(portal) if !portal.prepStmtName.is_null() => Protocol::Prepared,
            Some(portal) if !portal.cplan.is_null() => Protocol::Extended,
            _ => Protocol::Simple,
        }
    }
}

/// # Safety
/// Null, or a snapshot.
unsafe fn visible<'s>(snapshot: pg_sys::Snapshot) -> Option<(u32, &'s [u32])> {
    // SAFETY: see above; a transaction id is a word of 32 bits. A standby has none of its own transactions.
    unsafe {
        let snapshot = snapshot.as_ref()?;
        let is_plain = snapshot.snapshot_type == pg_sys::SnapshotType::SNAPSHOT_MVCC;
        if !is_plain || snapshot.takenDuringRecovery {
            return None;
        }
        let in_progress = match snapshot.xcnt {
            0 => &[],
            count => std::slice::from_raw_parts(snapshot.xip.cast::<u32>(), count as usize),
        };
        Some((snapshot.xmax.into(), in_progress))
    }
}

/// A query was run, or a part of it.
///
/// # Safety
/// A query that was run.
pub unsafe fn ran(query: *mut pg_sys::QueryDesc) {
    // SAFETY: see above.
    let rows = unsafe { (*(*query).estate).es_processed };
    record(|recorder| recorder.ran(query as usize, rows, now()));
}

/// Its triggers have fired.
pub fn finished(query: *mut pg_sys::QueryDesc) {
    record(|recorder| recorder.ran(query as usize, 0, now()));
}

/// It is over.
pub fn ended(query: *mut pg_sys::QueryDesc) {
    record(|recorder| recorder.close(query as usize));
}

/// A client's statement that is not planned is about to be executed.
///
/// # Safety
/// A statement, and the text that it is from.
pub unsafe fn start_utility(statement: *mut pg_sys::PlannedStmt, text: *const c_char) {
    // SAFETY: see above.
    if !unsafe { is_the_clients(statement) } {
        return;
    }
    take_part();
    observe(|taking| {
        let Some(recorder) = taking.begins() else {
            return;
        };
        // SAFETY: see above.
        unsafe {
            let statement = &*statement;
            let text = part(text, statement.stmt_location, statement.stmt_len);
            let (work, unrecorded) = kind(statement.utilityStmt, text);
            let snapshot = match pg_sys::ActiveSnapshotSet() {
                true => pg_sys::GetActiveSnapshot(),
                false => std::ptr::null_mut(),
            };
            let bytes = recorder.open(&Beginning {
                text,
                protocol: protocol(),
                work,
                visible: visible(snapshot),
                unrecorded,
                ..beginning()
            });
            capture::record::write_count(bytes, 0);
        }
    });
}

/// # Safety
/// The tree of a statement that is not planned.
unsafe fn kind(tree: *mut pg_sys::Node, text: &[u8]) -> (Work, Option<Unrecorded>) {
    use pg_sys::TransactionStmtKind::*;
    // SAFETY: see above; each tag has its struct.
    unsafe {
        match (*tree).type_ {
            pg_sys::NodeTag::T_TransactionStmt => {
                let work = match (*tree.cast::<pg_sys::TransactionStmt>()).kind {
                    TRANS_STMT_BEGIN | TRANS_STMT_START => Work::Begins,
                    TRANS_STMT_COMMIT | TRANS_STMT_ROLLBACK | TRANS_STMT_PREPARE => Work::Ends,
                    _ => Work::Utility,
                };
                (work, None)
            }
            pg_sys::NodeTag::T_CopyStmt => {
                let copy = &*tree.cast::<pg_sys::CopyStmt>();
                let from_client = copy.is_from && copy.filename.is_null();
                let unrecorded = from_client
                    .then_some(Unrecorded::CopyFrom)
                    .or_else(|| secret(text));
                (Work::Utility, unrecorded)
            }
            pg_sys::NodeTag::T_CreateRoleStmt
            | pg_sys::NodeTag::T_AlterRoleStmt
            | pg_sys::NodeTag::T_AlterRoleSetStmt
            | pg_sys::NodeTag::T_AlterSystemStmt
            | pg_sys::NodeTag::T_CreateSubscriptionStmt
            | pg_sys::NodeTag::T_AlterSubscriptionStmt
            | pg_sys::NodeTag::T_CreateForeignServerStmt
            | pg_sys::NodeTag::T_AlterForeignServerStmt
            | pg_sys::NodeTag::T_CreateUserMappingStmt
            | pg_sys::NodeTag::T_AlterUserMappingStmt => (Work::Utility, Some(Unrecorded::Secret)),
            _ => (Work::Utility, secret(text)),
        }
    }
}

/// A text that may hold a password: of a role, a user mapping, a subscription, or one that was to be and has an error.
fn secret(text: &[u8]) -> Option<Unrecorded> {
    let has = |word: &[u8]| {
        text.windows(word.len())
            .any(|part| part.eq_ignore_ascii_case(word))
    };
    // Connection strings may be URLs.
    (has(b"password") || has(b"://")).then_some(Unrecorded::Secret)
}

/// It was executed.
///
/// # Safety
/// Null, or what it has completed.
pub unsafe fn end_utility(completion: *const pg_sys::QueryCompletion) {
    // SAFETY: see above.
    let rows = unsafe { completion.as_ref() }.map_or(0, |completion| completion.nprocessed);
    observe(|taking| {
        let ends_failed = std::mem::take(&mut taking.has_failed);
        let Some(recorder) = &mut taking.recorder else {
            return;
        };
        let now = now();
        recorder.ran(UTILITY, rows, now);
        recorder.close(UTILITY);
        // The server has told of that transaction's end when it failed.
        if ends_failed {
            let end = End {
                xid: None,
                lsn: 0,
                ..end_at(Ending::Aborted, now)
            };
            let pushed = recorder.end(end, false);
            taking.wake(pushed);
        }
    });
}

/// The server reports an error to the client: it was not caught by a function. A session does not begin to take part with it, since the
/// catalog is not to be asked before the transaction is aborted.
pub fn failed(code: c_int, while_executing: bool) {
    let error = sqlstate(code);
    observe(|taking| {
        if while_executing {
            taking.error = Some(error);
            return;
        }
        // SAFETY: a variable of this process: null, or the text of the message.
        let text = unsafe {
            match pg_sys::debug_query_string {
                // At the end of messages: of the statement that ended last.
                text if text.is_null() => {
                    if let Some(recorder) = &mut taking.recorder {
                        recorder.failed_at_end(error);
                    }
                    return;
                }
                text => CStr::from_ptr(text).to_bytes(),
            }
        };
        if let Some(recorder) = taking.begins() {
            let beginning = Beginning {
                text,
                unrecorded: secret(text),
                ..beginning()
            };
            recorder.failed(&beginning, error, now());
        }
        taking.error = Some(error);
    });
}

/// The five characters of a code: six bits each.
fn sqlstate(code: c_int) -> [u8; 5] {
    std::array::from_fn(|at| (code >> (6 * at) & 0x3f) as u8 + b'0')
}

fn end_at(ending: Ending, at: i64) -> End {
    // SAFETY: reads the state of this process, whose transaction is about to end.
    unsafe {
        let xid = u32::from(raw::GetTopTransactionIdIfAny());
        End {
            at,
            ending,
            xid: (xid != 0).then_some(xid),
            lsn: if xid != 0 {
                pg_sys::XactLastCommitEnd
            } else {
                0
            },
            isolation: pg_sys::XactIsoLevel as u8,
            read_only: pg_sys::XactReadOnly,
        }
    }
}

/// The transaction has committed or aborted. `executing`: a statement was being executed; `is_error`: that error ended it.
pub fn transaction_ended(ending: Ending, executing: bool, is_error: bool) {
    observe(|taking| {
        let error = taking.error.take();
        let Some(recorder) = &mut taking.recorder else {
            return;
        };
        let now = now();
        let inside = executing && !is_error;
        if !inside {
            recorder.close_from(0, executing, error.or(is_error.then_some(*b"XX000")), now);
        }
        let pushed = recorder.end(end_at(ending, now), inside);
        // SAFETY: reads the state of this process.
        taking.has_failed = is_error && unsafe { raw::IsTransactionBlock() };
        taking.wake(pushed);
    });
}

/// A part of the transaction was rolled back, by an error of the statement that was being executed or by ROLLBACK TO.
pub fn subtransaction_aborted(level: i32, by_error: bool) {
    observe(|taking| {
        let error = taking.error.take();
        if let Some(recorder) = &mut taking.recorder {
            recorder.close_from(
                level,
                by_error,
                error.or(by_error.then_some(*b"XX000")),
                now(),
            );
        }
    });
}

unsafe extern "C-unwind" fn exit(_code: c_int, _arg: pg_sys::Datum) {
    observe(|taking| {
        if let Some(recorder) = &mut taking.recorder {
            recorder.leave(now());
        }
        taking.recorder = None;
    });
}
