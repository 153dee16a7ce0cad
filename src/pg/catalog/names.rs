//! Names of databases and relations, and the relation of a file, from the catalog caches. Names without a schema are resolved
//! here, by the search_path of the session; pgperf's internal SQL uses a different one (see
//! `session::setting::with_own_sql`).

use crate::pg::sql::text::Text;
use crate::pg::{encoding, error};
use pgrx::fcinfo::direct_function_call;
use pgrx::{IntoDatum, pg_sys};
use std::ffi::{CStr, c_char};

/// A relation by its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationName {
    pub schema: String,
    pub relation: String,
    /// pg_class.relkind
    pub kind: char,
}

/// The relation of this database, or of all, that the file belongs to; None: dropped, or created by a
/// transaction that has not committed. The server keeps the answer until the catalog changes.
pub fn relation_of_file(tablespace: u32, file: u32) -> Option<pg_sys::Oid> {
    let [tablespace, file] =
        [tablespace, file].map(|number| pg_sys::Oid::from(number).into_datum());
    // SAFETY: a function of SQL that takes two oids and returns one or NULL; inside a transaction.
    unsafe { direct_function_call(pg_sys::pg_filenode_relation, &[tablespace, file]) }
}

/// The relation that the session's search_path finds by this name, which may have a schema; None: there is none. Raises the
/// server's own error about a text that is no name, so call it within a subtransaction if a user gave it.
pub fn relation_named(name: &str) -> Option<pg_sys::Oid> {
    error::watch_texts();
    let name = Text::from(name).into_datum();
    // SAFETY: a function of SQL that takes a text and returns an oid or NULL; inside a transaction.
    unsafe { direct_function_call(pg_sys::to_regclass, &[name]) }
}

/// The schemas of the session's search_path that are there and that the current role may use, in its order.
pub fn searched_schemas() -> Vec<String> {
    // SAFETY: inside a transaction; a copy of a list of oids, null being the empty one.
    unsafe {
        let path = pg_sys::fetch_search_path(false);
        let length = if path.is_null() { 0 } else { (*path).length };
        let schema = |i: i32| (*(*path).elements.add(i as usize)).oid_value;
        let names = (0..length).filter_map(|i| text(pg_sys::get_namespace_name(schema(i))));
        let names = names.collect();
        pg_sys::list_free(path);
        names
    }
}

/// None: the relation no longer exists.
pub fn relation_name(relation: pg_sys::Oid) -> Option<RelationName> {
    // SAFETY: looked up in the caches inside a transaction; unknown oids give null or zero.
    unsafe {
        Some(RelationName {
            relation: text(pg_sys::get_rel_name(relation))?,
            schema: text(pg_sys::get_namespace_name(pg_sys::get_rel_namespace(
                relation,
            )))?,
            kind: char::from(pg_sys::get_rel_relkind(relation) as u8),
        })
    }
}

/// None: the database no longer exists.
pub fn database_name(database: u32) -> Option<String> {
    // SAFETY: as above.
    unsafe { text(pg_sys::get_database_name(database.into())) }
}

/// Copies a string of the server's, null being none, and frees it.
///
/// # Safety
/// Null, or a C string of its own in palloc'd memory.
unsafe fn text(string: *mut c_char) -> Option<String> {
    if string.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    unsafe {
        let copy = encoding::from_c(CStr::from_ptr(string));
        pg_sys::pfree(string.cast());
        Some(copy)
    }
}
