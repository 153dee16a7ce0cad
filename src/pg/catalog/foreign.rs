//! Foreign servers: the options of user mappings, of which the catalog shows other roles nothing.

use crate::pg::encoding;
use pgrx::pg_sys;
use std::ffi::CStr;

/// The options of the mapping that a role has for a server: its own, or else that of all roles. Raises the server's own error if there
/// is none. Passwords are among them.
pub fn mapping_options(role: pg_sys::Oid, server: pg_sys::Oid) -> Vec<(String, String)> {
    // SAFETY: a lookup inside a transaction; the list is empty (null) or has options, whose names and values end with a NUL byte and are
    // copied here.
    unsafe {
        let options = (*pg_sys::GetUserMapping(role, server)).options;
        let count = if options.is_null() {
            0
        } else {
            (*options).length
        };
        (0..count as usize)
            .map(|i| {
                let option = (*(*options).elements.add(i))
                    .ptr_value
                    .cast::<pg_sys::DefElem>();
                let name = CStr::from_ptr((*option).defname);
                let value = CStr::from_ptr(pg_sys::defGetString(option));
                (encoding::from_c(name), encoding::from_c(value))
            })
            .collect()
    }
}
