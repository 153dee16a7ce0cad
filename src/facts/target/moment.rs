//! Sizes and counters of a target at a moment, as `docs/figures.sql` prints them, with further counters of the whole server.

use crate::error::{Error, Result};
use crate::target::control::{Control, MARK};
use crate::target::standing::Standing;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::Deserialize;
use serde_json::Value;

/// Tables above this size would be read for too long to tell the share of their live rows.
const LARGEST_READ: u64 = 1 << 30;

/// The figures, as an object that [`results::figures::Moment`] reads.
///
/// # Errors
/// Those of the connection, or somebody holds a lock on a relation.
pub fn read(control: &mut Control, standing: &Standing) -> Result<Value> {
    let tuples = standing.tuples.as_ref().filter(|it| it.is_readable);
    let tuples = tuples.map(|it| it.schema.as_str());
    match ask(control, standing, tuples) {
        // Reading tables took too long.
        Err(error) if tuples.is_some() && is_cancel(&error) => ask(control, standing, None),
        asked => asked,
    }
}

fn is_cancel(error: &Error) -> bool {
    error.sqlstate() == PgSqlErrorCode::ERRCODE_QUERY_CANCELED
}

fn ask(control: &mut Control, standing: &Standing, tuples: Option<&str>) -> Result<Value> {
    #[derive(Deserialize)]
    struct Row {
        figures: Value,
    }
    let Row { figures } = control.select_one(&sql(standing, tuples))?;
    Ok(figures)
}

/// `tuples`: the schema of pgstattuple, quoted.
fn sql(standing: &Standing, tuples: Option<&str>) -> String {
    let tuple_percent = match tuples {
        Some(schema) => format!(
            "CASE WHEN c.relkind IN ('r', 'm') AND c.relam IN (0, 2) AND (c.relpersistence = 'p' OR NOT pg_is_in_recovery()) \
                   AND pg_relation_size(c.oid) <= {LARGEST_READ} \
             THEN (SELECT a.approx_tuple_percent FROM {schema}.pgstattuple_approx(c.oid::regclass) a) END"
        ),
        None => "NULL::float8".to_owned(),
    };
    format!(
        "SELECT json_build_object(\
            'version', 1, \
            'taken_at', EXTRACT(epoch FROM clock_timestamp()), \
            'server_version', current_setting('server_version'), \
            'wal', {wal}, \
            'database_size', pg_database_size(d.datid), \
            'hit', d.blks_hit, \
            'read', d.blks_read, \
            'reset', EXTRACT(epoch FROM d.stats_reset), \
            'counters', {counters}, \
            'statements', {statements}, \
            'relations', (\
                SELECT json_agg(r ORDER BY r.oid) FROM (\
                    SELECT c.oid::bigint AS oid, n.nspname AS schema, c.relname AS name, \
                           CASE c.relkind WHEN 'i' THEN 'index' WHEN 't' THEN 'TOAST table' \
                                          WHEN 'm' THEN 'materialized view' ELSE 'table' END AS kind, \
                           COALESCE(it.relname, tt.relname) AS table, pg_relation_size(c.oid) AS size, \
                           {tuple_percent} AS tuple_percent, s.n_live_tup AS live, s.n_dead_tup AS dead, \
                           s.seq_scan, COALESCE(s.idx_scan, i.idx_scan) AS idx_scan, \
                           s.n_tup_ins, s.n_tup_upd, s.n_tup_hot_upd, s.n_tup_del, \
                           s.vacuum_count, s.autovacuum_count, s.analyze_count, s.autoanalyze_count \
                      FROM pg_class c \
                      JOIN pg_namespace n ON n.oid = c.relnamespace \
                      LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid \
                      LEFT JOIN pg_stat_all_indexes i ON i.indexrelid = c.oid \
                      LEFT JOIN pg_class it ON it.oid = i.relid \
                      LEFT JOIN pg_class tt ON tt.reltoastrelid = c.oid AND c.relkind = 't' \
                      LEFT JOIN pg_class ti ON ti.reltoastrelid = i.relid \
                     WHERE c.relkind IN ('r', 'm', 't', 'i') AND c.relpersistence <> 't' \
                       AND COALESCE(ti.relnamespace, tt.relnamespace, c.relnamespace) NOT IN (\
                           SELECT x.oid FROM pg_namespace x \
                            WHERE x.nspname IN ('pg_catalog', 'information_schema', 'pgperf', 'pgperf_internal')) \
                       AND pg_relation_size(c.oid) IS NOT NULL) r)) AS figures \
           FROM pg_stat_database d WHERE d.datname = current_database()",
        wal = wal_position(standing),
        counters = counters(standing.version),
        statements = statements(standing),
    )
}

/// The figures of a server of this version without its relations and statements, in a statement that names pg_catalog wherever it means it:
/// nobody knows the search_path under which it runs.
pub fn of_server(version: u32) -> String {
    format!(
        "SELECT pg_catalog.json_build_object(\
            'version', 1, \
            'taken_at', EXTRACT(epoch FROM pg_catalog.clock_timestamp()), \
            'server_version', pg_catalog.current_setting('server_version'), \
            'wal', pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), '0/0'), \
            'database_size', pg_catalog.pg_database_size(d.datid), \
            'hit', d.blks_hit, \
            'read', d.blks_read, \
            'reset', EXTRACT(epoch FROM d.stats_reset), \
            'counters', {counters}) \
           FROM pg_catalog.pg_stat_database d WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()",
        counters = counters(version),
    )
}

/// All [`groups`] as one object.
fn counters(version: u32) -> String {
    let groups = groups(version)
        .map(|(name, reset, values, source)| {
            format!(
                "'{name}', (SELECT pg_catalog.json_build_object('reset', EXTRACT(epoch FROM {reset}), \
                    'values', pg_catalog.json_build_object({values})) {source})"
            )
        })
        .collect::<Vec<_>>()
        .join(", ");
    format!("pg_catalog.json_build_object({groups})")
}

/// Of more statements only those with most time.
const STATEMENTS: u32 = 500;

/// The database's statements, of all roles, but for those of this connection, except its BEGIN and COMMIT.
fn statements(standing: &Standing) -> String {
    let found = standing.statements.as_ref();
    let Some(found) = found.filter(|it| it.installed.is_readable && it.is_preloaded) else {
        return "NULL::json".to_owned();
    };
    let schema = &found.installed.schema;
    let (time, wal) = match found.has_wal {
        true => (
            "_exec_time",
            "sum(s.wal_records)::int8 AS wal_records, sum(s.wal_fpi)::int8 AS wal_fpi, sum(s.wal_bytes)::int8 AS wal_bytes",
        ),
        false => (
            "_time",
            "NULL::int8 AS wal_records, NULL::int8 AS wal_fpi, NULL::int8 AS wal_bytes",
        ),
    };
    format!(
        "(SELECT json_build_object('complete', count(*) <= {STATEMENTS}, 'rows', json_agg(r) FILTER (WHERE r.place <= {STATEMENTS})) FROM (\
            SELECT s.queryid AS id, left(min(s.query), 2000) AS query, sum(s.calls)::int8 AS calls, sum(s.total{time}) AS ms, \
                   sum(s.calls * (s.stddev{time} ^ 2 + s.mean{time} ^ 2)) AS squares, sum(s.rows)::int8 AS rows, \
                   sum(s.shared_blks_hit)::int8 AS hit, sum(s.shared_blks_read)::int8 AS read, \
                   sum(s.shared_blks_dirtied)::int8 AS dirtied, sum(s.shared_blks_written)::int8 AS written, {wal}, \
                   row_number() OVER (ORDER BY sum(s.total{time}) DESC) AS place \
              FROM {schema}.pg_stat_statements s \
             WHERE s.dbid = d.datid AND s.queryid IS NOT NULL AND s.query NOT LIKE '%{MARK}%' \
             GROUP BY s.queryid) r)"
    )
}

fn wal_position(standing: &Standing) -> &'static str {
    match (standing.version < 100_000, standing.in_recovery) {
        (true, true) => "pg_xlog_location_diff(pg_last_xlog_replay_location(), '0/0')",
        (true, false) => "pg_xlog_location_diff(pg_current_xlog_insert_location(), '0/0')",
        (false, true) => "pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')",
        (false, false) => "pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')",
    }
}

/// Groups of counters that begin again together: name, since when they count, metric and counter of each, and where they are. A group that
/// this server lacks is left out, as is a counter.
fn groups(version: u32) -> impl Iterator<Item = Group> {
    let has_checkpointer = version >= 170_000;
    let all = [
        (true, DATABASE),
        (true, IDS),
        (!has_checkpointer, CHECKPOINTS_BEFORE_17),
        (has_checkpointer, CHECKPOINTS),
        (has_checkpointer, WRITER),
        (version >= 140_000, WAL),
        ((140_000..180_000).contains(&version), WAL_WRITES_BEFORE_18),
        (version >= 180_000, WAL_WRITES),
    ];
    all.into_iter()
        .filter_map(|(is_there, group)| is_there.then_some(group))
}

type Group = (&'static str, &'static str, &'static str, &'static str);

const DATABASE: Group = (
    "database",
    "d.stats_reset",
    "'rollbacks', d.xact_rollback, 'temp_files', d.temp_files, 'temp_bytes', d.temp_bytes, 'deadlocks', d.deadlocks",
    "",
);
const IDS: Group = (
    "ids",
    "NULL::pg_catalog.timestamptz",
    "'xids', pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot())",
    "",
);
const CHECKPOINTS_BEFORE_17: Group = (
    "checkpoints",
    "b.stats_reset",
    "'checkpoints_timed', b.checkpoints_timed, 'checkpoints_requested', b.checkpoints_req, \
     'checkpoint_buffers', b.buffers_checkpoint, 'checkpoint_write_ms', b.checkpoint_write_time, \
     'checkpoint_sync_ms', b.checkpoint_sync_time, 'bgwriter_buffers', b.buffers_clean, \
     'backend_buffers', b.buffers_backend, 'backend_fsyncs', b.buffers_backend_fsync",
    "FROM pg_catalog.pg_stat_bgwriter b",
);
const CHECKPOINTS: Group = (
    "checkpoints",
    "c.stats_reset",
    "'checkpoints_timed', c.num_timed, 'checkpoints_requested', c.num_requested, \
     'checkpoint_buffers', c.buffers_written, 'checkpoint_write_ms', c.write_time, 'checkpoint_sync_ms', c.sync_time",
    "FROM pg_catalog.pg_stat_checkpointer c",
);
const WRITER: Group = (
    "writer",
    "b.stats_reset",
    "'bgwriter_buffers', b.buffers_clean",
    "FROM pg_catalog.pg_stat_bgwriter b",
);
const WAL: Group = (
    "wal",
    "w.stats_reset",
    "'wal_records', w.wal_records, 'wal_fpi', w.wal_fpi, 'wal_buffers_full', w.wal_buffers_full",
    "FROM pg_catalog.pg_stat_wal w",
);
const WAL_WRITES_BEFORE_18: Group = (
    "wal_writes",
    "w.stats_reset",
    "'wal_writes', w.wal_write, 'wal_syncs', w.wal_sync, \
     'wal_sync_ms', CASE WHEN pg_catalog.current_setting('track_wal_io_timing')::pg_catalog.bool THEN w.wal_sync_time END",
    "FROM pg_catalog.pg_stat_wal w",
);
const WAL_WRITES: Group = (
    "wal_writes",
    "pg_catalog.max(i.stats_reset)",
    "'wal_writes', pg_catalog.sum(i.writes), 'wal_syncs', pg_catalog.sum(i.fsyncs), \
     'wal_sync_ms', CASE WHEN pg_catalog.current_setting('track_wal_io_timing')::pg_catalog.bool THEN pg_catalog.sum(i.fsync_time) END",
    "FROM pg_catalog.pg_stat_io i WHERE i.object OPERATOR(pg_catalog.=) 'wal' AND i.backend_type OPERATOR(pg_catalog.<>) 'walreceiver'",
);

#[cfg(test)]
mod tests {
    use super::*;

    fn names(version: u32) -> String {
        let names: Vec<&str> = groups(version).map(|(name, ..)| name).collect();
        names.join(" ")
    }

    #[test]
    fn each_major_has_its_groups() {
        let first = "database ids checkpoints";
        assert_eq!(names(90_624), first);
        assert_eq!(names(130_022), first);
        assert_eq!(names(140_000), format!("{first} wal wal_writes"));
        assert_eq!(names(170_000), format!("{first} writer wal wal_writes"));
        assert_eq!(names(190_000), format!("{first} writer wal wal_writes"));
    }

    #[test]
    fn names_and_operators_are_those_of_the_catalog() {
        for version in [150_000, 160_000, 170_000, 180_000, 190_000] {
            let sql = of_server(version);
            let others = sql.replace("pg_catalog.pg_", "");
            assert!(!others.replace("pg_catalog.", "").contains("pg_"), "{sql}");
            for word in [" = ", " <> ", "::bool", "::timestamptz", " sum(", " max("] {
                assert!(!others.contains(word), "{word}: {sql}");
            }
        }
    }

    #[test]
    fn each_counter_is_a_metric() {
        use measure::metrics::{Source, named};
        for version in [90_600, 150_000, 170_000, 180_000] {
            for (_, _, values, _) in groups(version) {
                for name in values.split('\'').skip(1).step_by(2) {
                    let is_setting = name == "track_wal_io_timing";
                    assert!(is_setting || named(Source::Facts, name).is_some(), "{name}");
                }
            }
        }
    }
}
