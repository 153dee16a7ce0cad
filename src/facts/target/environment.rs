//! The target's build and extensions, in the words of a run's environment.

use crate::collect::rows::Row;
use crate::error::Result;
use crate::facts::environment::fact::{CategoryFacts, Fact, text};
use crate::facts::environment::machine;
use crate::target::control::Control;
use crate::target::standing::Standing;
use serde::Deserialize;

/// Facts that somebody who compares servers wants to know.
pub fn read(control: &mut Control, standing: &Standing) -> Result<Vec<Fact>> {
    let build: Row = control.select_one(&sql(standing))?;
    let mut server = CategoryFacts::new("server");
    for (name, value) in build {
        let Some(value) = text(&value) else { continue };
        match name.as_str() {
            "block_size" | "wal_block_size" | "segment_size" | "wal_segment_size"
            | "database_size" => server.add_with_unit(name, value, "bytes"),
            _ => server.add(name, value),
        }
    }
    if !standing.reads_control {
        server.add_unknown(
            "system_identifier",
            "the role may not call pg_control_system()",
        );
    }
    let round_trip = control.round_trip_ms()?;
    server.add_with_unit("round_trip", format!("{round_trip:.3}"), "ms");
    #[derive(Deserialize)]
    struct Extension {
        name: String,
        version: String,
    }
    let mut extensions = CategoryFacts::new("extension");
    let found: Vec<Extension> = control.select(
        "SELECT e.extname AS name, e.extversion AS version FROM pg_extension e ORDER BY 1",
    )?;
    for Extension { name, version } in found {
        extensions.add(name, version);
    }
    Ok([server.into_vec(), extensions.into_vec()].concat())
}

/// The machine here, on which the clients of a target run.
pub fn of_clients() -> Vec<Fact> {
    const NOTE: &str = "the machine of the clients, not of the server";
    let noted = |fact: Fact| Fact {
        note: Some(fact.note.unwrap_or_else(|| NOTE.to_owned())),
        ..fact
    };
    machine::facts().into_iter().map(noted).collect()
}

fn sql(standing: &Standing) -> String {
    let version = standing.version;
    let locale_provider = match version {
        150_000.. => "d.datlocprovider::text",
        _ => "NULL",
    };
    let identifier = match standing.reads_control {
        true => "(SELECT c.system_identifier::text FROM pg_control_system() c)",
        false => "NULL",
    };
    format!(
        "SELECT version() AS version, {version} AS version_number, \
                {identifier} AS system_identifier, pg_is_in_recovery() AS in_recovery, \
                pg_postmaster_start_time() AS started_at, \
                current_setting('block_size') AS block_size, current_setting('wal_block_size') AS wal_block_size, \
                (SELECT s.setting::int8 * current_setting('block_size')::int8 FROM pg_settings s WHERE s.name = 'segment_size') AS segment_size, \
                (SELECT s.setting::int8 * CASE s.unit WHEN 'B' THEN 1 ELSE current_setting('wal_block_size')::int8 END \
                   FROM pg_settings s WHERE s.name = 'wal_segment_size') AS wal_segment_size, \
                current_setting('data_checksums') AS data_checksums, current_setting('debug_assertions') AS debug_assertions, \
                current_setting('huge_pages_status', true) AS huge_pages_status, \
                pg_encoding_to_char(d.encoding) AS encoding, d.datcollate AS collation, d.datctype AS character_type, \
                {locale_provider} AS locale_provider, pg_database_size(d.oid) AS database_size \
           FROM pg_database d WHERE d.datname = current_database()"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clients_machine_says_whose_it_is() {
        let facts = of_clients();
        assert!(!facts.is_empty() && facts.iter().all(|fact| fact.note.is_some()));
    }
}
