//! The parameters in a statement's text, as the server's own scanner sees them: a `$1` within quotes or a comment is not a
//! parameter.

use crate::pg::session::refusal;
use pgrx::pg_sys;
use std::ffi::CStr;

/// The scanner's code of a parameter. The first codes of the grammar are the same in every supported version: PL/pgSQL, which has
/// the same scanner, depends on that.
const PARAM: i32 = 267;

/// A parameter that the scanner has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterToken {
    /// Where its dollar sign is, in bytes of the database's encoding.
    pub at: usize,
    /// The number behind it.
    pub number: usize,
}

/// The parameters of the only statement of a text that [`refusal::check_command`] accepts: those that a Bind message has to bring values
/// for. Raises the server's own errors of quotes that are not closed and the like.
pub fn of_statement(sql: &CStr) -> Vec<ParameterToken> {
    match refusal::is_analyzed(sql) {
        true => scan(sql),
        // What a PREPARE or CREATE FUNCTION has are its own.
        false => Vec::new(),
    }
}

fn scan(sql: &CStr) -> Vec<ParameterToken> {
    let mut found = Vec::new();
    // SAFETY: the scanner allocates in the current memory context; keywords are constants of the server. The text outlives it.
    unsafe {
        let mut state = pg_sys::core_yy_extra_type::default();
        // The scanner keeps it.
        let state = &raw mut state;
        let keywords = (&raw const pg_sys::ScanKeywordTokens).cast();
        let scanner = pg_sys::scanner_init(
            sql.as_ptr(),
            state,
            &raw const pg_sys::ScanKeywords,
            keywords,
        );
        let (mut value, mut location) = (pg_sys::core_YYSTYPE::default(), 0);
        loop {
            match pg_sys::core_yylex(&mut value, &mut location, scanner) {
                0 => break,
                PARAM => found.push(ParameterToken {
                    at: location as usize,
                    number: value.ival as usize,
                }),
                _ => {}
            }
        }
        pg_sys::scanner_finish(scanner);
    }
    found
}
