//! The server's build and the database, read through SQL.

use super::fact::{CategoryFacts, Fact, text};
use crate::catalog::distributed;
use crate::collect::rows::{self, Row};
use crate::error::Result;
use crate::pg::sql::subxact::subtransaction;

/// Facts that nobody can change once the cluster exists, or while it runs. Not whether JIT is available: to answer
/// that, the server loads the compiler, which takes longer than all the rest.
const BUILD: &str = "SELECT pg_catalog.version() AS version, \
        pg_catalog.current_setting('server_version_num') AS version_number, \
        pg_catalog.current_setting('block_size') AS block_size, \
        pg_catalog.current_setting('wal_block_size') AS wal_block_size, \
        (SELECT s.setting::pg_catalog.int8 * pg_catalog.current_setting('block_size')::pg_catalog.int8 FROM pg_catalog.pg_settings s WHERE s.name = 'segment_size') AS segment_size, \
        (SELECT s.setting FROM pg_catalog.pg_settings s WHERE s.name = 'wal_segment_size') AS wal_segment_size, \
        pg_catalog.current_setting('data_checksums') AS data_checksums, \
        pg_catalog.current_setting('debug_assertions') AS debug_assertions, \
        pg_catalog.current_setting('huge_pages_status', true) AS huge_pages_status, \
        pg_catalog.pg_encoding_to_char(d.encoding) AS encoding, d.datcollate AS collation, d.datctype AS character_type, \
        d.datlocprovider::pg_catalog.text AS locale_provider \
     FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()";

const CONFIGURE: &str = "SELECT c.setting AS value FROM pg_catalog.pg_config() c WHERE c.name = $1";

const EXTENSIONS: &str =
    "SELECT e.extname AS name, e.extversion AS value FROM pg_catalog.pg_extension e ORDER BY 1";

/// Everything of the server.
pub fn facts() -> Result<Vec<Fact>> {
    let mut server = CategoryFacts::new("server");
    for (name, value) in rows::select(BUILD, &[])?.into_iter().flatten() {
        let Some(text) = text(&value) else { continue };
        match name.as_str() {
            "block_size" | "wal_block_size" | "segment_size" | "wal_segment_size" => {
                server.add_with_unit(name, text, "bytes");
            }
            _ => server.add(name, text),
        }
    }
    for (name, key) in [("configure", "CONFIGURE"), ("compiler_flags", "CFLAGS")] {
        // pg_config() is for superusers, unless somebody has granted it.
        match subtransaction(|| rows::select(CONFIGURE, &[key.into()])) {
            Ok(found) => server.add_known(name, found?.first().and_then(value_of)),
            Err(error) => server.add_unknown(name, error.message),
        }
    }
    let distributed = distributed::tables()?;
    if !distributed.is_empty() {
        server.add_with_note(
            "distributed_tables",
            distributed.len(),
            distributed::REASON_OF_RUN,
        );
    }
    let mut extensions = CategoryFacts::new("extension");
    for row in rows::select(EXTENSIONS, &[])? {
        if let (Some(name), Some(value)) = (row.get("name").and_then(text), value_of(&row)) {
            extensions.add(name, value);
        }
    }
    Ok([server.into_vec(), extensions.into_vec()].concat())
}

fn value_of(row: &Row) -> Option<String> {
    row.get("value").and_then(text)
}
