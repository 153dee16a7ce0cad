//! ALTER SYSTEM, and the file that it writes: `postgresql.auto.conf`.

use crate::pg::encoding;
use crate::pg::process::worker;
use crate::pg::sql::quote::{quote_ident, quote_literal};
use pgrx::{PgLogLevel, pg_sys};
use std::ffi::CStr;

/// What the file says of a setting; None: nothing. Raises the server's error if the file cannot be read.
pub fn line(name: &str) -> Option<String> {
    let mut found = None;
    let (mut head, mut tail) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: both out-pointers are valid. The server makes a list of its own, which is looked at and given back; after
    // an ERROR the (sub)transaction's end does that.
    unsafe {
        pg_sys::ParseConfigFile(
            c"postgresql.auto.conf".as_ptr(),
            true,
            std::ptr::null(),
            0,
            0,
            PgLogLevel::ERROR as i32,
            &mut head,
            &mut tail,
        );
        let mut item = head;
        while !item.is_null() {
            let own = encoding::from_c(CStr::from_ptr((*item).name));
            if own.eq_ignore_ascii_case(name) {
                // Of several lines the last one counts.
                found = Some(encoding::from_c(CStr::from_ptr((*item).value)));
            }
            item = (*item).next;
        }
        pg_sys::FreeConfigVariables(head);
    }
    found
}

/// The line that the file has for a value, as the server writes it, without its end.
pub fn file_line(name: &str, value: &str) -> Vec<u8> {
    let value = value.replace('\\', "\\\\").replace('\'', "''");
    encoding::encode(&format!("{name} = '{value}'")).into_owned()
}

/// `ALTER SYSTEM SET`, or `RESET` with None, as the current user; raises the server's error if that is not possible. Inside
/// a transaction, but no part of it: what is written stays.
pub fn set(name: &str, value: Option<&str>) {
    let quoted: Vec<String> = name.split('.').map(quote_ident).collect();
    let name = quoted.join(".");
    let sql = match value {
        Some(value) => format!("ALTER SYSTEM SET {name} = {}", quote_literal(value)),
        None => format!("ALTER SYSTEM RESET {name}"),
    };
    let Ok(sql) = encoding::c_string(&sql) else {
        return;
    };
    // SAFETY: the parser returns a list of the one statement above, of the type that the function takes.
    unsafe {
        let list = pg_sys::pg_parse_query(sql.as_ptr());
        let statement = (*(*list).elements).ptr_value.cast::<pg_sys::RawStmt>();
        pg_sys::AlterSystemSetConfigFile((*statement).stmt.cast());
    }
}

/// Whether [`set`] takes a value of this setting as it is: not where the file may not have it, and not of lists whose
/// elements are quoted.
pub fn takes(name: &str) -> bool {
    let Ok(name) = encoding::c_string(name) else {
        return false;
    };
    let refused =
        pg_sys::GUC_DISALLOW_IN_FILE | pg_sys::GUC_DISALLOW_IN_AUTO_FILE | pg_sys::GUC_LIST_QUOTE;
    // SAFETY: a valid string; an unknown name has no flags.
    unsafe { pg_sys::GetConfigOptionFlags(name.as_ptr(), true) as u32 & refused == 0 }
}

/// Makes the server read its configuration again. It does so before it starts another process.
pub fn reload() {
    if worker::postmaster_lives() {
        // SAFETY: the postmaster is this process's parent; the signal that pg_reload_conf sends.
        unsafe { libc::kill(pg_sys::PostmasterPid, libc::SIGHUP) };
    }
}
