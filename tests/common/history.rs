//! History of every kind, and whether a copy has all of it.

use super::runs::Runs;
use super::{Cluster, output_with};
use postgres::Client;

/// Permanent tables of pgperf whose rows nobody could update or delete once they are published.
pub const UNIDENTIFIED: &str = "SELECT string_agg(c.oid::regclass::text, ', ') FROM pg_class c \
    WHERE c.relnamespace::regnamespace::text IN ('pgperf', 'pgperf_internal') AND c.relkind IN ('r', 'p') AND c.relpersistence = 'p' \
      AND c.relreplident <> 'f' \
      AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND c.relreplident = 'd')";

/// Leaves rows in every table of pgperf, and in partitions of every kind.
pub fn fill(session: &mut Client) {
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    session.age_history("50 days");
    session.value("SELECT count(*) FROM pgperf.maintain()");
    session.value("SELECT pgperf.snapshot_wal()");
    session.value(
        "UPDATE pgperf.wal_history SET taken_at = taken_at - interval '1000 days' WHERE taken_at > now() - interval '1 day'",
    );
    session.value("CREATE EXTENSION pg_walinspect");
    session.value("UPDATE pgperf.collectors SET enabled = true WHERE name = 'wal'");
    session.value("UPDATE pgperf.finding_rules SET threshold = 80 WHERE rule = 'connections'");
    session.value("SELECT pgperf.note('release 42')");
    session.value("SELECT pgperf.create_workload('one', script => 'SELECT 1;')");
    session.value("CALL pgperf.init()");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    session.finish_run("'tpcb-like', clients => 2, duration => '1 s', sample_interval => '0.2 s', transaction_log => true, hit_curve => true, plans => true, \
         drain_sql => 'SELECT true', \
         disturbances => '[{\"sql\": \"SELECT 1\", \"at\": \"0 s\"}]'");
    session.value(
        "SELECT pgperf.start_sweep('select-only', clients => '{1}', repetitions => 2, transactions_per_client => 5)",
    );
    session.value("CALL pgperf.wait_sweep()");
    // As of a search, which would take its time.
    session.value(
        "INSERT INTO pgperf_internal.stored_rate_searches (node_id, run_id, spec, outcome) \
         SELECT node_id, max(run_id), '{}', 'none holds' FROM pgperf.runs GROUP BY node_id",
    );
    session.value(
        "INSERT INTO pgperf.rate_search_steps (node_id, run_id, step_no, rate, began_at, seconds, verdict, decided, observed) \
         SELECT node_id, run_id, 1, 12.5, now(), 10, 'fails', true, '[]' FROM pgperf_internal.stored_rate_searches",
    );
    let interrupted = session.start_busy_run(
        "script => 'SELECT 1;', rate => 50, duration => '1 h', sample_interval => '0.2 s', resume => true",
    );
    let leader = session.leader(interrupted);
    session.value(&format!("SELECT pg_terminate_backend({leader})"));
    session.wait_for_status(interrupted, "interrupted");
    let failed = session.start_run("script => 'SELECT 1 / 0;', transactions_per_client => 1");
    session.wait_for_status(failed, "failed");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
}

/// The number and checksum of rows of each table and sequence of pgperf. Since 19 positions in the WAL are written with all their zeros.
pub fn contents(session: &mut Client) -> Vec<(String, i64, String)> {
    let relations = session
        .query(
            "SELECT relname::text, format( \
                'SELECT count(*), md5(string_agg(regexp_replace(t::text, ''/0+([0-9A-F])'', E''/\\\\1'', ''g''), E''\\n'' ORDER BY t::text)) FROM (SELECT %s FROM %s) t', \
                CASE relkind WHEN 'S' THEN 'last_value, is_called' ELSE '*' END, oid::regclass) \
             FROM pg_class WHERE relnamespace::regnamespace::text IN ('pgperf', 'pgperf_internal') AND relkind IN ('r', 'p', 'S') \
             ORDER BY relname",
            &[],
        )
        .expect("the relations");
    relations
        .iter()
        .map(|relation| {
            let name: String = relation.get(0);
            let row = session
                .query_one(relation.get::<_, &str>(1), &[])
                .expect(&name);
            (
                name,
                row.get(0),
                row.get::<_, Option<String>>(1).unwrap_or_default(),
            )
        })
        .collect()
}

/// Dumps a cluster's database `postgres`, with the target's programs, and restores it into a new database of another cluster
/// or of the same.
pub fn copy(from: &Cluster, to: &Cluster, database: &str, format: &str) {
    to.run_sql(&format!("CREATE DATABASE {database}"));
    let dump = to
        .program("pg_dump")
        .env("PGHOST", from.socket_dir())
        .env("PGPORT", from.port().to_string())
        .arg(format!("--format={format}"))
        .output()
        .expect("pg_dump");
    assert!(
        dump.status.success(),
        "{}",
        String::from_utf8_lossy(&dump.stderr)
    );
    let mut restore = if format == "plain" {
        let mut psql = to.program("psql");
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database]);
        psql
    } else {
        let mut pg_restore = to.program("pg_restore");
        pg_restore.args(["--exit-on-error", "-d", database]);
        pg_restore
    };
    let output = output_with(&mut restore, &dump.stdout);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The same through a file, as is usual for large databases: `format` is custom or directory, restored by that many
/// processes, and dumped by as many if the format allows it.
pub fn copy_by(from: &Cluster, to: &Cluster, database: &str, format: &str, jobs: u32) {
    let dir = super::server::server_tempdir();
    let archive = dir.path().join("archive");
    let jobs = format!("--jobs={jobs}");
    let mut dump = to.program("pg_dump");
    dump.env("PGHOST", from.socket_dir())
        .env("PGPORT", from.port().to_string())
        .arg(format!("--format={format}"))
        .arg("--file")
        .arg(&archive);
    if format == "directory" {
        dump.arg(&jobs);
    }
    super::run(&mut dump);
    to.run_sql(&format!("CREATE DATABASE {database}"));
    let mut restore = to.program("pg_restore");
    restore
        .args(["--exit-on-error", "-d", database, &jobs])
        .arg(&archive);
    super::run(&mut restore);
}

/// All that this node has, of another one: the same numbers, at other times, with other figures.
const COPY: &str = "DO $$
DECLARE
    own uuid := pgperf.local_node();
    other uuid := gen_random_uuid();
    t record;
BEGIN
    INSERT INTO pgperf.nodes
    SELECT (jsonb_populate_record(n, jsonb_build_object('node_id', other, 'name', {name}, 'system_identifier', n.system_identifier + 1, 'first_of', NULL))).*
    FROM pgperf.nodes n WHERE node_id = own;
    FOR t IN
        SELECT c.oid::regclass AS name, bool_or(a.attname = 'taken_at') AS has_time,
               array_agg(a.attname::text)
                   FILTER (WHERE a.atttypid IN ('int8'::regtype, 'float8'::regtype) AND a.attname !~ '(_id|_no|_mark|epoch|queryid|_seed|_hash)$') AS figures
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
          AND c.relname <> 'nodes'
        GROUP BY c.oid HAVING bool_or(a.attname = 'node_id')
    LOOP
        EXECUTE format('INSERT INTO %1$s SELECT r.* FROM %1$s h,
                LATERAL (SELECT coalesce(jsonb_object_agg(key, 3 * value::numeric + 1), ''{}'') AS figures FROM jsonb_each_text(to_jsonb(h))
                         WHERE key = ANY ($3) AND value IS NOT NULL) f,
                LATERAL jsonb_populate_record(NULL::%1$s, to_jsonb(h) || f.figures || jsonb_build_object(''node_id'', $2 %2$s)) r
            WHERE h.node_id = $1 ON CONFLICT DO NOTHING',
            t.name, CASE WHEN t.has_time THEN ', ''taken_at'', h.taken_at + interval ''{later}''' ELSE '' END)
        USING own, other, t.figures;
    END LOOP;
END $$";

/// Nodes with the history of this one.
pub trait Copies {
    /// Copies all that this node has to one of this name, later by an interval.
    fn copy_node(&mut self, name: &str, later: &str);
}

impl Copies for Client {
    fn copy_node(&mut self, name: &str, later: &str) {
        let name = format!("'{}'", name.replace('\'', "''"));
        let copy = COPY.replace("{name}", &name).replace("{later}", later);
        self.batch_execute(&copy).expect("another node");
    }
}
