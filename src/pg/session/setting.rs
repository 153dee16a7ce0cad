//! Session settings: [`set`] with the rights of the session's user, [`impose`] regardless of them.

use crate::pg::encoding;
use pgrx::pg_sys;
use std::ffi::{CStr, c_int};

/// With it, a double precision is written such that reading it gives the same. A lower value cuts digits off.
pub const EXACT_NUMBERS: (&str, &str) = ("extra_float_digits", "1");

/// With it, names, operators and types without a schema are those of the catalog alone. An operator without an exact match
/// there, such as `oid = regclass`, would otherwise be found in any other schema of the path.
pub const CATALOG_NAMES: (&str, &str) = ("search_path", "pg_catalog, pg_temp");

/// Such a path for pgperf's own statements on a user's tables, whose triggers, policies and expressions of indexes may need the
/// names that the session's path finds. The operators of such a statement are ones that the catalog has for just these types.
pub fn catalog_first(path: &str) -> String {
    joined("pg_catalog", path)
}

/// A search_path with a schema, quoted where it has to be, before all others. As text, an empty one has no element.
pub fn joined(first: &str, path: &str) -> String {
    match path.trim() {
        "" => first.to_owned(),
        path => format!("{first}, {path}"),
    }
}

/// With it, a backslash in a literal is itself.
pub const PLAIN_LITERALS: (&str, &str) = ("standard_conforming_strings", "on");

/// With it, pg_class has all relations: Citus hides shards from sessions, and from background workers of extensions. Other servers lack it.
pub const ALL_RELATIONS: (&str, &str) = ("citus.override_table_visibility", "off");

/// Whether this session writes numbers with all their digits.
pub fn numbers_are_exact() -> bool {
    // SAFETY: reads a variable of this process.
    unsafe { pg_sys::extra_float_digits >= 1 }
}

/// Whether this session reads names as with [`CATALOG_NAMES`].
fn names_are_of_catalog() -> bool {
    // SAFETY: a variable of this process: null, or the text of the setting.
    unsafe {
        let path = pg_sys::namespace_search_path;
        !path.is_null() && CStr::from_ptr(path).to_bytes() == CATALOG_NAMES.1.as_bytes()
    }
}

/// Whether this session reads literals as with [`PLAIN_LITERALS`].
fn literals_are_plain() -> bool {
    #[cfg(feature = "since19")]
    let plain = true; // No session of 19 reads them otherwise.
    #[cfg(not(feature = "since19"))]
    // SAFETY: reads a variable of this process.
    let plain = unsafe { pg_sys::standard_conforming_strings };
    plain
}

/// Runs `body`, pgperf's own SQL, so that it means what is written, whatever the session has: with [`CATALOG_NAMES`],
/// [`PLAIN_LITERALS`] and [`EXACT_NUMBERS`]. Where they are in force, it costs nothing.
pub fn with_own_sql<T>(body: impl FnOnce() -> T) -> T {
    let level = for_own_sql();
    let result = body();
    leave(level);
    result
}

/// Sets what [`with_own_sql`] needs, on a level of settings of its own; None: it is in force.
fn for_own_sql() -> Option<c_int> {
    let in_force = [
        (CATALOG_NAMES, names_are_of_catalog()),
        (PLAIN_LITERALS, literals_are_plain()),
        (EXACT_NUMBERS, numbers_are_exact()),
    ];
    let mut unlike = [("", ""); 3];
    let mut count = 0;
    for (setting, _) in in_force.into_iter().filter(|(_, is_set)| !is_set) {
        unlike[count] = setting;
        count += 1;
    }
    (count > 0).then(|| enter(&unlike[..count]))
}

/// Runs `body`, which writes values of somebody else's SQL, with [`EXACT_NUMBERS`].
pub fn with_exact_numbers<T>(body: impl FnOnce() -> T) -> T {
    let level = (!numbers_are_exact()).then(|| enter(&[EXACT_NUMBERS]));
    let result = body();
    leave(level);
    result
}

/// Sets a setting for the rest of the session, as SET does; raises the server's own error if it must not.
pub fn set(name: &str, value: &str) {
    apply(name, value, pg_sys::GucAction::GUC_ACTION_SET, true);
}

/// Makes the session's user the current one, as SET ROLE NONE does, which everybody may. Needs no transaction.
pub fn reset_role() {
    let (context, action) = (
        pg_sys::GucContext::PGC_USERSET,
        pg_sys::GucAction::GUC_ACTION_SET,
    );
    apply_as("role", "none", context, action, true);
}

/// Sets a setting until the transaction ends, as SET LOCAL does.
pub fn for_transaction(name: &str, value: &str) {
    apply(name, value, pg_sys::GucAction::GUC_ACTION_LOCAL, true);
}

/// The same as [`with`] with several settings.
pub fn with_all<T>(settings: &[(&str, &str)], body: impl FnOnce() -> T) -> T {
    let level = enter(settings);
    let result = body();
    leave(Some(level));
    result
}

/// Sets settings on a new level, to be left in the order in which levels are entered; the abort after an ERROR does that, too.
fn enter(settings: &[(&str, &str)]) -> c_int {
    // SAFETY: a level of its own.
    let level = unsafe { pg_sys::NewGUCNestLevel() };
    for (name, value) in settings {
        apply(name, value, pg_sys::GucAction::GUC_ACTION_SAVE, true);
    }
    level
}

fn leave(level: Option<c_int>) {
    if let Some(level) = level {
        // SAFETY: a level of `enter`.
        unsafe { pg_sys::AtEOXact_GUC(true, level) };
    }
}

/// Runs `body` with a setting that is restored afterwards; after an ERROR the (sub)transaction's abort does that.
/// `body` must not end the transaction.
pub fn with<T>(name: &str, value: &str, body: impl FnOnce() -> T) -> T {
    with_all(&[(name, value)], body)
}

/// Checks that [`set`] would succeed, and raises its error if not.
pub fn check(name: &str, value: &str) {
    apply(name, value, pg_sys::GucAction::GUC_ACTION_SET, false);
}

/// Sets a setting until the transaction ends that is pgperf's own choice, not its user's: also one that only superusers may set.
pub fn impose(name: &str, value: &str) {
    let action = pg_sys::GucAction::GUC_ACTION_LOCAL;
    apply_as(name, value, pg_sys::GucContext::PGC_SUSET, action, true);
}

fn apply(name: &str, value: &str, action: pg_sys::GucAction::Type, change: bool) {
    // SAFETY: only looks at the session's user.
    let context = match unsafe { pg_sys::superuser() } {
        true => pg_sys::GucContext::PGC_SUSET,
        false => pg_sys::GucContext::PGC_USERSET,
    };
    apply_as(name, value, context, action, change);
}

fn apply_as(
    name: &str,
    value: &str,
    context: pg_sys::GucContext::Type,
    action: pg_sys::GucAction::Type,
    change: bool,
) {
    // A NUL byte ends a text for the server.
    let text = |text: &str| encoding::c_string(text.split('\0').next().unwrap_or_default());
    let (Ok(name), Ok(value)) = (text(name), text(value)) else {
        return;
    };
    // SAFETY: valid strings that the server copies.
    unsafe {
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            context,
            pg_sys::GucSource::PGC_S_SESSION,
            action,
            change,
            0,
            false,
        );
    }
}

/// A value as the setting would hold it, numbers in its own unit: `4096` of `4MB`. For values that [`check`] has passed; the
/// setting itself is as before.
pub fn canonical(name: &str, value: &str) -> Option<String> {
    held(name, |action| apply(name, value, action, true))
}

/// The same of a value that a reload of the configuration would give it; raises the server's error if that would refuse it.
pub fn canonical_after_reload(name: &str, value: &str) -> Option<String> {
    let context = pg_sys::GucContext::PGC_SIGHUP;
    held(name, |action| apply_as(name, value, context, action, true))
}

fn held(name: &str, set: impl FnOnce(pg_sys::GucAction::Type)) -> Option<String> {
    // SAFETY: a level of its own, which is left in any case: after an error the transaction's end does it.
    let level = unsafe { pg_sys::NewGUCNestLevel() };
    set(pg_sys::GucAction::GUC_ACTION_SAVE);
    let held = text(name);
    // SAFETY: the level from above.
    unsafe { pg_sys::AtEOXact_GUC(false, level) };
    held
}

/// Checks that the server would start with a value in its configuration, as far as it can be told from the value; raises the
/// server's error if not.
pub fn check_for_start(name: &str, value: &str) {
    let (context, action) = (
        pg_sys::GucContext::PGC_POSTMASTER,
        pg_sys::GucAction::GUC_ACTION_SET,
    );
    apply_as(name, value, context, action, false);
}

/// A value as the setting would hold it, from its `vartype` in pg_settings alone: for settings that cannot be changed even for a
/// moment. None: not a value of that type.
pub fn parsed(name: &str, vartype: &str, value: &str) -> Option<String> {
    let (name, text) = (
        encoding::c_string(name).ok()?,
        encoding::c_string(value).ok()?,
    );
    let (mut whole, mut real, mut is_on) = (0, 0.0, false);
    // SAFETY: valid strings and out-pointers; the hint may be null.
    unsafe {
        let flags = pg_sys::GetConfigOptionFlags(name.as_ptr(), true);
        match vartype {
            "integer" => pg_sys::parse_int(text.as_ptr(), &mut whole, flags, std::ptr::null_mut())
                .then(|| whole.to_string()),
            "real" => pg_sys::parse_real(text.as_ptr(), &mut real, flags, std::ptr::null_mut())
                .then(|| real.to_string()),
            "bool" => pg_sys::parse_bool(text.as_ptr(), &mut is_on).then(|| is_on.to_string()),
            "enum" => Some(value.to_ascii_lowercase()),
            _ => Some(value.to_owned()),
        }
    }
}

/// Whether a boolean setting is on in this session; false if there is none of that name.
pub fn is_on(name: &str) -> bool {
    text(name).as_deref() == Some("on")
}

/// The search_path of this session, as text.
pub fn search_path() -> String {
    text(CATALOG_NAMES.0).unwrap_or_default()
}

/// A setting of this session as text, numbers in their own unit; None if there is none of that name.
pub fn text(name: &str) -> Option<String> {
    let name = encoding::c_string(name).ok()?;
    // SAFETY: a valid string; with `missing_ok` the result is null or a string of the server's, copied at once.
    unsafe {
        let value = pg_sys::GetConfigOption(name.as_ptr(), true, false);
        (!value.is_null()).then(|| encoding::from_c(CStr::from_ptr(value)))
    }
}
