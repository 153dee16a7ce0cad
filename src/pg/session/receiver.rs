//! The destination of a statement's rows: formatted as for the protocol, or dropped. They are counted in both cases, and
//! stored on request.

use crate::pg::raw;
use engine::KeptResults;
use pgrx::pg_sys;
use serde::{Deserialize, Serialize};
use std::ffi::CStr;

/// The treatment of the rows that a statement returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultMode {
    /// Deform, detoast, run the output functions and convert to the client's encoding, as for a real
    /// client, then count the bytes.
    Format,
    /// Drop the rows.
    Discard,
}

/// A `DestReceiver` of the server, with our counters behind it. The server sees only the first field.
#[repr(C)]
pub struct Receiver {
    base: pg_sys::DestReceiver,
    /// Reset after each row, like the protocol's.
    row_context: pg_sys::MemoryContext,
    /// Output functions of the columns, in the executing query's memory; null until the first row.
    columns: *mut pg_sys::FmgrInfo,
    rows: u64,
    bytes: u64,
    mode: ResultMode,
    kept: KeptResults,
}

/// A row's header in the protocol: one byte of type, four of length, two for the number of columns.
const ROW_HEADER_BYTES: u64 = 7;
/// A column's length word.
const COLUMN_HEADER_BYTES: u64 = 4;

impl Receiver {
    /// A receiver on the heap, so that the server's pointer to it stays valid while it lives.
    pub fn new(mode: ResultMode) -> Box<Receiver> {
        // SAFETY: creates a memory context under the one that lives as long as the process.
        let row_context = unsafe {
            pg_sys::AllocSetContextCreateExtended(
                pg_sys::TopMemoryContext,
                c"pgperf row".as_ptr(),
                pg_sys::ALLOCSET_DEFAULT_MINSIZE as usize,
                pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
                pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
            )
        };
        Box::new(Receiver {
            base: pg_sys::DestReceiver {
                receiveSlot: Some(mode.callback()),
                rStartup: Some(startup),
                rShutdown: Some(ignore),
                rDestroy: Some(ignore),
                mydest: pg_sys::CommandDest::DestNone,
            },
            row_context,
            columns: std::ptr::null_mut(),
            rows: 0,
            bytes: 0,
            mode,
            kept: KeptResults::default(),
        })
    }

    /// What the executor is given.
    pub fn as_dest(&mut self) -> *mut pg_sys::DestReceiver {
        &raw mut self.base
    }

    /// Rows and bytes received since the last call.
    pub fn take_counts(&mut self) -> (u64, u64) {
        (
            std::mem::take(&mut self.rows),
            std::mem::take(&mut self.bytes),
        )
    }

    /// Whether to keep the results from now on. Separate callbacks do it, so that other statements pay nothing.
    pub fn keep(&mut self, on: bool) {
        if on {
            self.kept.clear();
            self.base.rStartup = Some(keep_columns);
            self.base.receiveSlot = Some(keep_row);
        } else {
            self.base.rStartup = Some(startup);
            self.base.receiveSlot = Some(self.mode.callback());
        }
    }

    /// What was kept since `keep(true)`.
    pub fn kept(&self) -> &KeptResults {
        &self.kept
    }

    /// Tells the receiver that the next query of its command begins.
    ///
    /// # Safety
    /// `dest` is what [`Receiver::as_dest`] gave, of a receiver that lives.
    pub(super) unsafe fn begin_query(dest: *mut pg_sys::DestReceiver) {
        // SAFETY: see above; `dest` is the first field.
        unsafe { (*dest.cast::<Receiver>()).kept.begin_query() };
    }
}

type ReceiveSlot =
    unsafe extern "C-unwind" fn(*mut pg_sys::TupleTableSlot, *mut pg_sys::DestReceiver) -> bool;

impl ResultMode {
    fn callback(self) -> ReceiveSlot {
        match self {
            ResultMode::Format => format_row,
            ResultMode::Discard => discard_row,
        }
    }
}

// The callbacks run below the executor. They call the server bare and own nothing that would need
// dropping, so an ERROR may jump over them; what is kept belongs to the receiver.

unsafe extern "C-unwind" fn startup(
    dest: *mut pg_sys::DestReceiver,
    _operation: i32,
    _descriptor: pg_sys::TupleDesc,
) {
    // SAFETY: `dest` is the first field of a live Receiver. The memory of earlier columns belonged
    // to a query that has ended.
    unsafe { (*dest.cast::<Receiver>()).columns = std::ptr::null_mut() };
}

unsafe extern "C-unwind" fn keep_columns(
    dest: *mut pg_sys::DestReceiver,
    operation: i32,
    descriptor: pg_sys::TupleDesc,
) {
    // SAFETY: `dest` is the first field of a live Receiver; the descriptor is the executor's, its names are
    // NUL-terminated.
    unsafe {
        startup(dest, operation, descriptor);
        let names = (0..(*descriptor).natts as usize)
            .map(|i| CStr::from_ptr((*attribute(descriptor, i)).attname.data.as_ptr()));
        (*dest.cast::<Receiver>()).kept.begin_result(names);
    }
}

unsafe extern "C-unwind" fn ignore(_dest: *mut pg_sys::DestReceiver) {}

unsafe extern "C-unwind" fn discard_row(
    _slot: *mut pg_sys::TupleTableSlot,
    dest: *mut pg_sys::DestReceiver,
) -> bool {
    // SAFETY: `dest` is the first field of a live Receiver.
    unsafe { (*dest.cast::<Receiver>()).rows += 1 };
    true
}

unsafe extern "C-unwind" fn format_row(
    slot: *mut pg_sys::TupleTableSlot,
    dest: *mut pg_sys::DestReceiver,
) -> bool {
    // SAFETY: as the executor calls it.
    unsafe { format_columns(slot, dest, |_, _| ()) };
    true
}

unsafe extern "C-unwind" fn keep_row(
    slot: *mut pg_sys::TupleTableSlot,
    dest: *mut pg_sys::DestReceiver,
) -> bool {
    // SAFETY: as the executor calls it.
    unsafe {
        (*dest.cast::<Receiver>()).kept.begin_row();
        format_columns(slot, dest, |receiver, text| receiver.kept.push(text));
    }
    true
}

/// Formats and counts a row; `each` sees every column as text, NULL as an empty one.
#[inline(always)]
unsafe fn format_columns(
    slot: *mut pg_sys::TupleTableSlot,
    dest: *mut pg_sys::DestReceiver,
    each: impl Fn(&mut Receiver, &CStr),
) {
    // SAFETY: `dest` is the first field of a live Receiver and `slot` a valid slot of the executor;
    // attribute arrays have as many elements as the descriptor says; the output functions' memory is
    // that of the running query, allocated at its first row.
    unsafe {
        let receiver = &mut *dest.cast::<Receiver>();
        let descriptor = (*slot).tts_tupleDescriptor;
        let count = (*descriptor).natts;
        if receiver.columns.is_null() {
            receiver.columns = output_functions(descriptor);
        }
        if i32::from((*slot).tts_nvalid) < count {
            raw::slot_getsomeattrs_int(slot, count);
        }
        let caller_context = pg_sys::CurrentMemoryContext;
        pg_sys::CurrentMemoryContext = receiver.row_context;
        let mut bytes = ROW_HEADER_BYTES + COLUMN_HEADER_BYTES * count as u64;
        for i in 0..count as usize {
            if *(*slot).tts_isnull.add(i) {
                each(receiver, c"");
                continue;
            }
            let text = raw::OutputFunctionCall(receiver.columns.add(i), *(*slot).tts_values.add(i));
            let formatted = CStr::from_ptr(text);
            each(receiver, formatted);
            let len = formatted.count_bytes();
            let sent = raw::pg_server_to_client(text, len as i32);
            // The same pointer back means that nothing had to be converted.
            bytes += if std::ptr::eq(sent, text) {
                len as u64
            } else {
                CStr::from_ptr(sent).count_bytes() as u64
            };
        }
        pg_sys::CurrentMemoryContext = caller_context;
        raw::MemoryContextReset(receiver.row_context);
        receiver.rows += 1;
        receiver.bytes += bytes;
    }
}

/// Looks up each column's output function, in the current (per-query) memory context.
unsafe fn output_functions(descriptor: pg_sys::TupleDesc) -> *mut pg_sys::FmgrInfo {
    // SAFETY: the caller passes a valid descriptor; the array has room for each of its attributes.
    unsafe {
        let count = (*descriptor).natts as usize;
        let size = count.max(1) * std::mem::size_of::<pg_sys::FmgrInfo>();
        let columns = raw::palloc(size).cast::<pg_sys::FmgrInfo>();
        for i in 0..count {
            let attribute = attribute(descriptor, i);
            let mut function = pg_sys::InvalidOid;
            let mut varlena = false;
            raw::getTypeOutputInfo((*attribute).atttypid, &mut function, &mut varlena);
            raw::fmgr_info(function, columns.add(i));
        }
        columns
    }
}

/// The descriptor's attribute; since 18 they stand behind an array of compact ones.
#[cfg(not(feature = "since18"))]
pub(in crate::pg) unsafe fn attribute(
    descriptor: pg_sys::TupleDesc,
    i: usize,
) -> *const pg_sys::FormData_pg_attribute {
    // SAFETY: the caller passes a valid descriptor and an index below its count.
    unsafe { (*descriptor).attrs.as_ptr().add(i) }
}

#[cfg(feature = "since18")]
pub(in crate::pg) unsafe fn attribute(
    descriptor: pg_sys::TupleDesc,
    i: usize,
) -> *const pg_sys::FormData_pg_attribute {
    // SAFETY: as above; the full attributes follow the compact ones directly.
    unsafe {
        let behind = (*descriptor)
            .compact_attrs
            .as_ptr()
            .add((*descriptor).natts as usize);
        behind.cast::<pg_sys::FormData_pg_attribute>().add(i)
    }
}
