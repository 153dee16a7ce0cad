-- What 1.2 has that 1.1 had not. `tools/integration --test upgrade` tells what is missing here; docs/upgrading.md how to write it.

-- As in the install script: nothing that somebody has planted in another schema is found while the objects are made.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- A function with other arguments is another function: at the end it is granted to whom the one before was.
SELECT pg_catalog.set_config('pgperf_update.functions', (
    SELECT pg_catalog.jsonb_agg(p.oid)::text FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'pgperf'::regnamespace), true);
SELECT pg_catalog.set_config('pgperf_update.granted', (
    SELECT COALESCE(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('oid', p.oid, 'name', p.proname, 'role', x.grantee, 'grantable', x.is_grantable)), '[]')::text
    FROM pg_catalog.pg_proc p CROSS JOIN LATERAL pg_catalog.aclexplode(p.proacl) x
    WHERE p.pronamespace = 'pgperf'::regnamespace AND x.grantee <> p.proowner
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_init_privs i CROSS JOIN LATERAL pg_catalog.aclexplode(i.initprivs) y
                      WHERE i.classoid = 'pg_catalog.pg_proc'::regclass AND i.objoid = p.oid AND y.grantee = x.grantee)), true);

-- Foreign keys among dumped tables, by which a parallel pg_restore loses rows; and functions with other arguments or columns.

DROP FUNCTION pgperf.wraparound_forecast(interval,uuid);

-- Unknown on a coordinator of Citus.
ALTER TABLE pgperf.run_intervals ALTER wal_bytes DROP NOT NULL, ALTER shared_blks_hit DROP NOT NULL, ALTER shared_blks_read DROP NOT NULL;


-- One sample has one row.
UPDATE pgperf.history_tables
SET key = '{node_id,sample_id,taken_at}',
    indexes = '{USING brin (taken_at),"(node_id, run_id) WHERE run_id IS NOT NULL"}'
WHERE table_name = 'samples';
ALTER TABLE pgperf.statement_texts REPLICA IDENTITY FULL;



-- Names of nodes become unique. A name stands for the newest node that has it, which keeps it; the others get a number.
DO $$
DECLARE
    node record;
    number integer;
BEGIN
    FOR node IN
        SELECT n.node_id, n.name
        FROM (SELECT x.node_id, x.name, x.created_at,
                     pg_catalog.row_number() OVER (PARTITION BY x.name ORDER BY x.created_at DESC, x.node_id) AS place
              FROM pgperf.nodes x) n
        WHERE n.place > 1
        ORDER BY n.name, n.place
    LOOP
        number := 2;
        WHILE EXISTS (SELECT FROM pgperf.nodes n WHERE n.name = pg_catalog.format('%s (%s)', node.name, number)) LOOP
            number := number + 1;
        END LOOP;
        UPDATE pgperf.nodes n SET name = pg_catalog.format('%s (%s)', node.name, number) WHERE n.node_id = node.node_id;
    END LOOP;
END
$$;
ALTER TABLE pgperf.nodes ADD CONSTRAINT nodes_name_key UNIQUE (name);
CREATE TRIGGER number_node_name BEFORE INSERT OR UPDATE OF name ON pgperf.nodes
    FOR EACH ROW EXECUTE FUNCTION pgperf.number_node_name();
ALTER TABLE pgperf.nodes ENABLE ALWAYS TRIGGER number_node_name;

CREATE FUNCTION pgperf.wraparound_forecast(
    history interval DEFAULT '1 day', node_id uuid DEFAULT NULL,
    OUT database_name text, OUT id_kind text, OUT limit_name text, OUT limit_age bigint, OUT age bigint, OUT ids_left bigint,
    OUT per_s float8, OUT per_s_low float8, OUT per_s_high float8, OUT intervals integer,
    OUT time_left interval, OUT time_left_low interval, OUT time_left_high interval, OUT covered interval, OUT reason text)
RETURNS SETOF record LANGUAGE sql STABLE ROWS 32
BEGIN ATOMIC
    WITH node AS MATERIALIZED (
        SELECT COALESCE(wraparound_forecast.node_id, (SELECT pgperf.local_node())) AS node_id),
    newest AS MATERIALIZED (
        SELECT h.taken_at, h.next_xid::text::bigint AS xid, h.next_multixid AS multixid
        FROM pgperf.wraparound_history h JOIN node USING (node_id) WHERE h.relation_name IS NULL
        ORDER BY h.sample_id DESC LIMIT 1),
    looked_at AS MATERIALIZED (
        SELECT h.*, h.next_xid::text::bigint AS xid
        FROM newest n, pgperf.wraparound_history h JOIN node USING (node_id)
        WHERE h.taken_at > n.taken_at - wraparound_forecast.history AND h.taken_at <= n.taken_at),
    stretch AS MATERIALIZED (
        SELECT min(h.taken_at) AS starts_at, NULLIF(n.taken_at - min(h.taken_at), '0') AS covered,
               LEAST('10 minutes', wraparound_forecast.history / 2) AS needed
        FROM looked_at h, newest n WHERE h.relation_name IS NULL GROUP BY n.taken_at),
    parts AS (
        SELECT DISTINCT ON (part) p.taken_at, p.xid, p.next_multixid AS multixid
        FROM (SELECT h.*, pg_catalog.floor(24 * EXTRACT(epoch FROM n.taken_at - h.taken_at)
                                           / EXTRACT(epoch FROM s.covered)) AS part
              FROM looked_at h, newest n, stretch s WHERE h.relation_name IS NULL) p
        ORDER BY part, p.taken_at),
    steps AS (
        SELECT EXTRACT(epoch FROM p.taken_at - pg_catalog.lag(p.taken_at) OVER w)::float8 AS seconds,
               p.xid - pg_catalog.lag(p.xid) OVER w AS xids,
               (p.multixid - pg_catalog.lag(p.multixid) OVER w + 4294967296) % 4294967296 AS multixids
        FROM (SELECT * FROM parts UNION SELECT n.taken_at, n.xid, n.multixid FROM newest n) p
        WINDOW w AS (ORDER BY p.taken_at)),
    used AS (
        SELECT k.id_kind, s.seconds, k.ids::float8 AS ids
        FROM steps s, LATERAL (VALUES ('xid', s.xids), ('multixact', s.multixids)) k(id_kind, ids)
        WHERE s.seconds > 0 AND k.ids BETWEEN 0 AND 2147483647),
    counted AS (
        SELECT k.id_kind, (SELECT count(*) FROM used u WHERE u.id_kind = k.id_kind) AS intervals
        FROM (VALUES ('xid'), ('multixact')) k(id_kind)),
    rates AS (
        SELECT r.id_kind, r.count, r.ids / r.seconds AS rate,
               (1.96 + 2.372 / (r.count - 1) + 2.823 / (r.count - 1) ^ 2 + 2.556 / (r.count - 1) ^ 3)
                   * pg_catalog.sqrt(r.count / (r.count - 1) * (
                       SELECT sum((u.ids - r.ids / r.seconds * u.seconds) ^ 2) FROM used u WHERE u.id_kind = r.id_kind))
                   / r.seconds AS margin
        FROM (SELECT u.id_kind, count(*)::float8 AS count, sum(u.ids) AS ids, sum(u.seconds) AS seconds
              FROM used u, stretch s WHERE s.covered > 0.9 * s.needed GROUP BY u.id_kind HAVING count(*) >= 4) r),
    databases AS (
        SELECT DISTINCT ON (h.database_name) h.*, n.xid - h.xid AS xids_since,
               (n.multixid - h.next_multixid + 4294967296) % 4294967296 AS multixids_since
        FROM looked_at h, newest n
        WHERE h.relation_name IS NULL
          -- What the newest complete sample no longer has was dropped.
          AND h.sample_id >= COALESCE((SELECT max(c.sample_id) FROM looked_at c WHERE c.relation_name IS NOT NULL), 0)
        ORDER BY h.database_name, h.sample_id DESC),
    limits AS (
        SELECT d.database_name, l.*
        FROM databases d,
             LATERAL (VALUES
                 ('xid', d.frozen_xid_age + d.xids_since, 'autovacuum', d.freeze_max_age),
                 ('xid', d.frozen_xid_age + d.xids_since, 'failsafe', d.failsafe_age),
                 ('xid', d.frozen_xid_age + d.xids_since, 'warning', 2147483647 - 40000000),
                 ('xid', d.frozen_xid_age + d.xids_since, 'stop', 2147483647 - 3000000),
                 ('multixact', d.multixact_age + d.multixids_since, 'autovacuum', d.multixact_freeze_max_age),
                 ('multixact', d.multixact_age + d.multixids_since, 'failsafe', d.multixact_failsafe_age),
                 ('multixact', d.multixact_age + d.multixids_since, 'warning', 2147483647 - 40000000),
                 ('multixact', d.multixact_age + d.multixids_since, 'stop', 2147483647 - 3000000))
                 l(id_kind, age, limit_name, limit_age)),
    forecasts AS (
        SELECT l.database_name, l.id_kind, l.limit_name, l.limit_age, l.age, GREATEST(l.limit_age - l.age, 0) AS ids_left,
               r.rate, CASE WHEN r.rate > r.margin THEN r.rate - r.margin WHEN r.rate IS NOT NULL THEN 0 END AS low, r.rate + r.margin AS high, r.count
        FROM limits l LEFT JOIN rates r USING (id_kind)),
    -- Why there is no rate, and from when on there will be one.
    missing AS (
        SELECT c.id_kind, c.intervals, s.covered,
               CASE WHEN EXISTS (SELECT FROM pgperf.wraparound_history h JOIN node USING (node_id), newest n
                                 WHERE h.relation_name IS NULL AND h.taken_at <= n.taken_at - wraparound_forecast.history)
                    THEN 'ask for a longer history'
                    ELSE pg_catalog.format('if samples go on, there will be an answer from %s on', pg_catalog.to_char(
                        GREATEST(pg_catalog.now(), s.starts_at + s.needed,
                                 s.starts_at + 4 * s.covered / NULLIF(c.intervals, 0)), 'YYYY-MM-DD HH24:MI:SS TZ')) END AS hint,
               pg_catalog.format('too little history: %s of %s minutes, %s of 4 intervals',
                   pg_catalog.round(COALESCE(EXTRACT(epoch FROM s.covered) / 60, 0), 1),
                   pg_catalog.round(EXTRACT(epoch FROM s.needed) / 60, 1), c.intervals) AS reason
        FROM counted c, stretch s)
    SELECT f.database_name, f.id_kind, f.limit_name, f.limit_age, f.age, f.ids_left, f.rate, f.low, f.high, f.count::integer,
           -- Beyond 30,000 years an interval overflows: that is never.
           CASE WHEN f.ids_left < 1e12 * f.rate OR f.ids_left = 0 AND f.rate IS NOT NULL
                THEN pg_catalog.justify_hours(pg_catalog.make_interval(secs => COALESCE(f.ids_left / NULLIF(f.rate, 0), 0))) END,
           CASE WHEN f.ids_left < 1e12 * f.high OR f.ids_left = 0 AND f.rate IS NOT NULL
                THEN pg_catalog.justify_hours(pg_catalog.make_interval(secs => COALESCE(f.ids_left / NULLIF(f.high, 0), 0))) END,
           CASE WHEN f.ids_left < 1e12 * f.low OR f.ids_left = 0 AND f.rate IS NOT NULL
                THEN pg_catalog.justify_hours(pg_catalog.make_interval(secs => COALESCE(f.ids_left / NULLIF(f.low, 0), 0))) END,
           m.covered,
           CASE WHEN f.rate IS NULL THEN m.reason || '; ' || m.hint
                WHEN f.ids_left IS NULL THEN 'the newest sample does not have this limit'
                WHEN f.ids_left > 0 AND f.rate = 0 THEN 'no ids were used in that time'
                WHEN f.ids_left >= 1e12 * f.rate AND f.ids_left > 0 THEN 'not within 30,000 years at that rate' END
    FROM forecasts f JOIN missing m USING (id_kind)
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
           'no samples of collector wraparound: SELECT pgperf.start_sampler(); after ten minutes there will be an answer'
    WHERE NOT EXISTS (SELECT FROM newest)
    ORDER BY 1, 2 DESC, 4;
END;

-- After pgperf.identify_rows is there. Partitions of the history that are there already get the replica identity that new
-- ones have. First the whole row: with a publication of all tables nothing could be deleted otherwise. A subscriber of 1.1
-- may have had samples twice, of which one stays.
DO $$
DECLARE
    h pgperf.history_tables;
    leaf pg_catalog.regclass;
    old_index pg_catalog.regclass;
BEGIN
    FOR h IN SELECT * FROM pgperf.history_tables LOOP
        EXECUTE pg_catalog.format('ALTER TABLE pgperf.%I REPLICA IDENTITY FULL', h.table_name);
        EXECUTE pg_catalog.format('ALTER TABLE pgperf.%I REPLICA IDENTITY FULL', h.table_name || '_kept');
        FOR leaf IN SELECT t.relid FROM pg_catalog.pg_partition_tree(pg_catalog.format('pgperf.%I', h.table_name)::pg_catalog.regclass) t WHERE t.isleaf LOOP
            EXECUTE pg_catalog.format('ALTER TABLE %s REPLICA IDENTITY FULL', leaf);
            CONTINUE WHEN h.key IS NULL;
            EXECUTE pg_catalog.format('DELETE FROM %1$s a USING %1$s b
                WHERE a.node_id OPERATOR(pg_catalog.=) b.node_id AND a.sample_id OPERATOR(pg_catalog.=) b.sample_id
                  AND a.taken_at OPERATOR(pg_catalog.=) b.taken_at AND a.ctid OPERATOR(pg_catalog.>) b.ctid', leaf);
            PERFORM pgperf.identify_rows((SELECT c.relname::text FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) leaf), h.key);
            EXECUTE pg_catalog.format('ALTER TABLE %s REPLICA IDENTITY DEFAULT', leaf);
            -- What the primary key makes needless.
            FOR old_index IN
                SELECT i.indexrelid FROM pg_catalog.pg_index i
                WHERE i.indrelid OPERATOR(pg_catalog.=) leaf AND NOT i.indisunique AND i.indpred IS NULL
                  AND (SELECT pg_catalog.array_agg(a.attname::text ORDER BY k.n) FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY k (attnum, n)
                       JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) leaf AND a.attnum OPERATOR(pg_catalog.=) k.attnum)
                      OPERATOR(pg_catalog.=) '{node_id,sample_id}'::text[]
            LOOP
                EXECUTE pg_catalog.format('DROP INDEX %s', old_index);
            END LOOP;
        END LOOP;
    END LOOP;
END
$$;




REVOKE EXECUTE ON FUNCTION pgperf.wraparound_forecast(interval, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.wraparound_forecast(interval, uuid) TO pg_monitor;

-- Columns of what belongs to runs. Views take what they pass on from here: 90_derived.sql.
COMMENT ON COLUMN pgperf.stored_runs.kind IS 'run or load';
COMMENT ON COLUMN pgperf.stored_runs.label IS 'The name that the call gave it; NULL: none';
COMMENT ON COLUMN pgperf.stored_runs.workload IS 'The workload or weighted mix that it ran; of a load, the workload whose tables it made';
COMMENT ON COLUMN pgperf.stored_runs.role IS 'The role that started it, whose sessions its clients are';
COMMENT ON COLUMN pgperf.stored_runs.clients IS 'Client sessions; of a load, its workers';
COMMENT ON COLUMN pgperf.stored_runs.query_mode IS 'simple, extended or prepared, as for pgbench -M';
COMMENT ON COLUMN pgperf.stored_runs.scale IS 'Scale of the workload''s tables, or what :scale is in scripts';
COMMENT ON COLUMN pgperf.stored_runs.random_seed IS 'The seed that its random values come from';
COMMENT ON COLUMN pgperf.stored_runs.spec IS 'All options in force, as a document; the key call has the arguments as they were given';
COMMENT ON COLUMN pgperf.stored_runs.stored_status IS 'The last status that its leader stored: waiting, preparing, warming up, running, draining, finished, stopped or failed';
COMMENT ON COLUMN pgperf.stored_runs.requested_at IS 'When it was asked for';
COMMENT ON COLUMN pgperf.stored_runs.started_at IS 'When its leader began; NULL: not yet';
COMMENT ON COLUMN pgperf.stored_runs.ended_at IS 'When it ended; NULL: it has not, or it was interrupted';
COMMENT ON COLUMN pgperf.stored_runs.start_lsn IS 'WAL position of the server when the measured part began';
COMMENT ON COLUMN pgperf.stored_runs.end_lsn IS 'WAL position of the server when the measured part ended';
COMMENT ON COLUMN pgperf.stored_runs.start_full_xid IS 'Next transaction id of the server, with its epoch, when the measured part began';
COMMENT ON COLUMN pgperf.stored_runs.end_full_xid IS 'Next transaction id of the server, with its epoch, when the measured part ended';
COMMENT ON COLUMN pgperf.stored_runs.server_version IS 'Version of the server that it ran on';
COMMENT ON COLUMN pgperf.stored_runs.leader_pid IS 'Process id of its leader on this server; another process may have it once the run has ended';
COMMENT ON COLUMN pgperf.stored_runs.origin_node_id IS 'Of an imported run: the node that it ran on; NULL: it ran here';
COMMENT ON COLUMN pgperf.stored_runs.sqlstate IS 'SQLSTATE of the error that it failed with; NULL: none';
COMMENT ON COLUMN pgperf.stored_runs.error IS 'Why it failed, why it was stopped, or why it does not go on by itself; NULL: no such reason';

COMMENT ON COLUMN pgperf.runs.status IS 'waiting, preparing, warming up, running, draining, finished, stopped, failed, or interrupted (its leader or the server went away)';
COMMENT ON COLUMN pgperf.runs.sweep_id IS 'The sweep that it belongs to (pgperf.sweeps); NULL: none';
COMMENT ON COLUMN pgperf.runs.sweep_point IS 'Of a run of a sweep: the number of its point (pgperf.sweep_points)';
COMMENT ON COLUMN pgperf.runs.sweep_repetition IS 'Of a run of a sweep: which repetition of its point it is, from 1';

COMMENT ON COLUMN pgperf.run_totals.seconds IS 'Length of the measured part in seconds';
COMMENT ON COLUMN pgperf.run_totals.transactions IS 'Successful transactions; of a load, rows';
COMMENT ON COLUMN pgperf.run_totals.failed IS 'Transactions that were given up: after the last try, or with continue_on_error for another error';
COMMENT ON COLUMN pgperf.run_totals.serialization_failures IS 'Failed transactions whose last error was a serialization failure';
COMMENT ON COLUMN pgperf.run_totals.deadlock_failures IS 'Failed transactions whose last error was a deadlock';
COMMENT ON COLUMN pgperf.run_totals.other_failures IS 'Transactions that failed by any other error (continue_on_error)';
COMMENT ON COLUMN pgperf.run_totals.retried IS 'Transactions that were tried more than once';
COMMENT ON COLUMN pgperf.run_totals.retries IS 'Further tries of all transactions together';
COMMENT ON COLUMN pgperf.run_totals.skipped IS 'Transactions that were not begun since they would have been later than latency_limit (with a rate)';
COMMENT ON COLUMN pgperf.run_totals.late IS 'Transactions that took longer than latency_limit';
COMMENT ON COLUMN pgperf.run_totals.warmup_transactions IS 'Transactions of the warm-up, which are part of no other figure';
COMMENT ON COLUMN pgperf.run_totals.latency_avg_ms IS 'Mean latency of successful transactions in ms; with a rate, from the time that each was due';
COMMENT ON COLUMN pgperf.run_totals.latency_stddev_ms IS 'Standard deviation of the latency in ms';
COMMENT ON COLUMN pgperf.run_totals.latency_p50_ms IS 'Latency in ms that half of the transactions stayed within';
COMMENT ON COLUMN pgperf.run_totals.latency_p90_ms IS 'Latency in ms that 90 % of the transactions stayed within';
COMMENT ON COLUMN pgperf.run_totals.latency_p95_ms IS 'Latency in ms that 95 % of the transactions stayed within';
COMMENT ON COLUMN pgperf.run_totals.latency_p99_ms IS 'Latency in ms that 99 % of the transactions stayed within';
COMMENT ON COLUMN pgperf.run_totals.latency_p999_ms IS 'Latency in ms that 99.9 % of the transactions stayed within';
COMMENT ON COLUMN pgperf.run_totals.latency_p9999_ms IS 'Latency in ms that 99.99 % of the transactions stayed within';
COMMENT ON COLUMN pgperf.run_totals.latency_max_ms IS 'Highest latency in ms';
COMMENT ON COLUMN pgperf.run_totals.lag_avg_ms IS 'How late successful transactions began on average, in ms, by the schedule of the rate; NULL: no rate';
COMMENT ON COLUMN pgperf.run_totals.lag_max_ms IS 'How late a successful transaction began at most, in ms; NULL: no rate';
COMMENT ON COLUMN pgperf.run_totals.connect_ms IS 'From the first client''s start until all clients were ready, in ms';
COMMENT ON COLUMN pgperf.run_totals.reconnects IS 'New sessions of clients (reconnect)';
COMMENT ON COLUMN pgperf.run_totals.reconnect_avg_ms IS 'How long a new session took on average, in ms; NULL: there was none';
COMMENT ON COLUMN pgperf.run_totals.bytes_returned IS 'Bytes of the rows that the clients received';
COMMENT ON COLUMN pgperf.run_totals.rows_returned IS 'Rows that the clients received';
COMMENT ON COLUMN pgperf.run_totals.wal_bytes IS 'Bytes of WAL records that the clients wrote';
COMMENT ON COLUMN pgperf.run_totals.wal_records IS 'WAL records that the clients wrote';
COMMENT ON COLUMN pgperf.run_totals.wal_fpi IS 'Full-page images in the clients'' WAL';
COMMENT ON COLUMN pgperf.run_totals.shared_blks_hit IS 'Blocks that the clients found in shared_buffers';
COMMENT ON COLUMN pgperf.run_totals.shared_blks_read IS 'Blocks that the clients had to read into shared_buffers';
COMMENT ON COLUMN pgperf.run_totals.shared_blks_dirtied IS 'Blocks that the clients changed which were clean before';
COMMENT ON COLUMN pgperf.run_totals.histogram IS 'Latencies of successful transactions: HdrHistogram V2 in nanoseconds';
COMMENT ON COLUMN pgperf.run_totals.parse_ms IS 'Of the average transaction: parse analysis and rewriting of its statements; 0 for prepared ones';
COMMENT ON COLUMN pgperf.run_totals.plan_ms IS 'Of the average transaction: planning its statements; 0 where generic plans were used';

COMMENT ON COLUMN pgperf.run_summary.duration_s IS 'Length of the measured part in seconds';
COMMENT ON COLUMN pgperf.run_summary.tps IS 'Successful transactions per second; of a load, rows per second';
COMMENT ON COLUMN pgperf.run_summary.wal_bytes_per_tx IS 'Bytes of the clients'' WAL by successful transactions';
COMMENT ON COLUMN pgperf.run_summary.hit_percent IS 'Of the blocks that the clients looked at, the share found in shared_buffers';
COMMENT ON COLUMN pgperf.run_summary.database_growth_bytes IS 'How much the database grew, without pgperf''s history; NULL: not measured';
COMMENT ON COLUMN pgperf.run_summary.own_history_bytes IS 'How much pgperf''s history grew meanwhile; NULL: not measured';
COMMENT ON COLUMN pgperf.run_summary.own_wal_bytes IS 'Bytes of WAL that pgperf itself wrote; NULL: not measured';
COMMENT ON COLUMN pgperf.run_summary.own_xids IS 'Transaction ids that pgperf itself used; NULL: not measured';
COMMENT ON COLUMN pgperf.run_summary.has_totals IS 'Whether the figures are its final totals; false: sums over its intervals so far, and what intervals do not know is NULL';

COMMENT ON COLUMN pgperf.run_intervals.interval_no IS 'Number of the interval, from 0';
COMMENT ON COLUMN pgperf.run_intervals.started_at IS 'When the interval began';
COMMENT ON COLUMN pgperf.run_intervals.seconds IS 'Length of the interval in seconds';
COMMENT ON COLUMN pgperf.run_intervals.tps IS 'Successful transactions per second in the interval';
COMMENT ON COLUMN pgperf.run_intervals.in_checkpoint IS 'Whether a checkpoint was being written at any time in it; NULL: not known';

COMMENT ON COLUMN pgperf.progress.elapsed_s IS 'Seconds of the measured part so far; NULL: it has not begun';
COMMENT ON COLUMN pgperf.progress.percent IS 'How far it is, by time or by the number of transactions; NULL: not known yet';
COMMENT ON COLUMN pgperf.progress.eta_s IS 'Seconds until it ends, by what is left of the duration or at the pace so far';
COMMENT ON COLUMN pgperf.progress.transactions IS 'Transactions so far';
COMMENT ON COLUMN pgperf.progress.tps IS 'Transactions per second in the last interval';
COMMENT ON COLUMN pgperf.progress.latency_avg_ms IS 'Mean latency in ms in the last interval';
COMMENT ON COLUMN pgperf.progress.latency_stddev_ms IS 'Standard deviation of the latency in ms in the last interval';
COMMENT ON COLUMN pgperf.progress.failed IS 'Failed transactions in the last interval';
COMMENT ON COLUMN pgperf.progress.lag_avg_ms IS 'How late transactions of the last interval began on average, in ms; NULL: no rate';

COMMENT ON COLUMN pgperf.run_scripts.script_no IS 'Number of the script, from 0';
COMMENT ON COLUMN pgperf.run_scripts.script IS 'Name of the script: a workload, or script 1, script 2 and so on';
COMMENT ON COLUMN pgperf.run_scripts.weight IS 'How often it is chosen, in proportion to the weights of the others';
COMMENT ON COLUMN pgperf.run_scripts.tps IS 'Successful transactions of the script per second';

COMMENT ON COLUMN pgperf.run_statements.script_no IS 'Number of the script, from 0';
COMMENT ON COLUMN pgperf.run_statements.script IS 'Name of the script';
COMMENT ON COLUMN pgperf.run_statements.command_no IS 'Place of the command in its script, from 0';
COMMENT ON COLUMN pgperf.run_statements.statement IS 'The command as the script has it; of a load, the step';
COMMENT ON COLUMN pgperf.run_statements.is_sql IS 'Whether it is executed by the server: true for statements, \syncpipeline and \endpipeline, false for other meta-commands';
COMMENT ON COLUMN pgperf.run_statements.calls IS 'How often it succeeded';
COMMENT ON COLUMN pgperf.run_statements.failed IS 'How often it ended its transaction or client by an error';
COMMENT ON COLUMN pgperf.run_statements.retries IS 'How often its error was the reason to try the transaction again';
COMMENT ON COLUMN pgperf.run_statements.latency_avg_ms IS 'Mean time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_stddev_ms IS 'Standard deviation of that time in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_p50_ms IS 'Time in ms that half of the calls stayed within';
COMMENT ON COLUMN pgperf.run_statements.latency_p90_ms IS 'Time in ms that 90 % of the calls stayed within';
COMMENT ON COLUMN pgperf.run_statements.latency_p95_ms IS 'Time in ms that 95 % of the calls stayed within';
COMMENT ON COLUMN pgperf.run_statements.latency_p99_ms IS 'Time in ms that 99 % of the calls stayed within';
COMMENT ON COLUMN pgperf.run_statements.latency_p999_ms IS 'Time in ms that 99.9 % of the calls stayed within';
COMMENT ON COLUMN pgperf.run_statements.latency_p9999_ms IS 'Time in ms that 99.99 % of the calls stayed within';
COMMENT ON COLUMN pgperf.run_statements.latency_max_ms IS 'Longest time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.rows IS 'Rows that all calls returned or changed';
COMMENT ON COLUMN pgperf.run_statements.shared_blks_hit IS 'Blocks found in shared_buffers, all calls together';
COMMENT ON COLUMN pgperf.run_statements.shared_blks_read IS 'Blocks read into shared_buffers, all calls together';
COMMENT ON COLUMN pgperf.run_statements.shared_blks_dirtied IS 'Blocks changed that were clean before, all calls together';
COMMENT ON COLUMN pgperf.run_statements.shared_blks_written IS 'Blocks that the client had to write itself, all calls together';
COMMENT ON COLUMN pgperf.run_statements.wal_records IS 'WAL records, all calls together; those of a commit belong to END or COMMIT';
COMMENT ON COLUMN pgperf.run_statements.wal_fpi IS 'Full-page images in the WAL, all calls together';
COMMENT ON COLUMN pgperf.run_statements.wal_bytes IS 'Bytes of WAL records, all calls together';
COMMENT ON COLUMN pgperf.run_statements.histogram IS 'Times of successful calls: HdrHistogram V2 in nanoseconds';

COMMENT ON COLUMN pgperf.run_transactions.client_id IS 'Number of the client, from 0';
COMMENT ON COLUMN pgperf.run_transactions.transaction_no IS 'Its transactions counted from 1, skipped and failed ones too';
COMMENT ON COLUMN pgperf.run_transactions.script_no IS 'Number of the script that it ran, from 0';
COMMENT ON COLUMN pgperf.run_transactions.outcome IS 'done, skipped, or why it failed: serialization, deadlock, other';
COMMENT ON COLUMN pgperf.run_transactions.ended_at IS 'When it ended';
COMMENT ON COLUMN pgperf.run_transactions.latency_ms IS 'Latency in ms of one that was done; with a rate, from the time that it was due';
COMMENT ON COLUMN pgperf.run_transactions.lag_ms IS 'How late it began, in ms; NULL: no rate, or it was not done';
COMMENT ON COLUMN pgperf.run_transactions.retries IS 'How often it was tried again';

COMMENT ON COLUMN pgperf.run_errors.error_no IS 'Number of the row within the run, from 0';
COMMENT ON COLUMN pgperf.run_errors.occurred_at IS 'When the error last occurred';
COMMENT ON COLUMN pgperf.run_errors.first_occurred_at IS 'When it first occurred';
COMMENT ON COLUMN pgperf.run_errors.client_id IS 'Number of the client, from 0; NULL: no client';
COMMENT ON COLUMN pgperf.run_errors.script IS 'The script, or vacuum, before_sql or after_sql; NULL: outside of any';
COMMENT ON COLUMN pgperf.run_errors.command_no IS 'Place of the command in its script, from 0; of before_sql and after_sql, that of the statement; NULL: outside of any';
COMMENT ON COLUMN pgperf.run_errors.sqlstate IS 'SQLSTATE of the error';
COMMENT ON COLUMN pgperf.run_errors.message IS 'Message of the last one';
COMMENT ON COLUMN pgperf.run_errors.detail IS 'Detail of the last one';
COMMENT ON COLUMN pgperf.run_errors.occurrences IS 'How often it occurred; the ninth and further kinds of a client''s errors are counted with its eighth';

COMMENT ON COLUMN pgperf.stored_segments.segment_no IS 'Number of the segment, from 0';
COMMENT ON COLUMN pgperf.stored_segments.started_at IS 'When its measured part began, after connecting and a warm-up';
COMMENT ON COLUMN pgperf.stored_segments.first_interval_no IS 'Its first row in pgperf.run_intervals';
COMMENT ON COLUMN pgperf.stored_segments.server_started_at IS 'When the server that it ran on had been started';

COMMENT ON COLUMN pgperf.run_segments.seconds IS 'Seconds of its stored intervals';
COMMENT ON COLUMN pgperf.run_segments.transactions IS 'Transactions of its stored intervals';
COMMENT ON COLUMN pgperf.run_segments.reason IS 'Why it ended early; NULL: it did not, or no reason is known';

COMMENT ON COLUMN pgperf.data_sets.schema_name IS 'Schema of the tables';
COMMENT ON COLUMN pgperf.data_sets.data_set IS 'Name of the data set; the built-in workloads share one';
COMMENT ON COLUMN pgperf.data_sets.scale IS 'Scale of the rows in them; 0: the tables are there, but not filled';
COMMENT ON COLUMN pgperf.data_sets.relations IS 'Oids of the tables';
COMMENT ON COLUMN pgperf.data_sets.run_id IS 'The load that last created or filled them; it may be deleted since';
COMMENT ON COLUMN pgperf.data_sets.created_at IS 'When they were created';

COMMENT ON COLUMN pgperf.run_settings.name IS 'Name of the setting';
COMMENT ON COLUMN pgperf.run_settings.unit IS 'Unit of setting and default_setting, as in pg_settings; NULL: none';

COMMENT ON COLUMN pgperf.run_environment.category IS 'server, extension, system, cpu, memory, file system or device';
COMMENT ON COLUMN pgperf.run_environment.note IS 'Why the value could not be read';

COMMENT ON COLUMN pgperf.run_metrics.unit IS 'Unit of the value';

COMMENT ON COLUMN pgperf.run_relations.relation_oid IS 'Oid of the relation';
COMMENT ON COLUMN pgperf.run_relations.schema_name IS 'Schema of the relation';
COMMENT ON COLUMN pgperf.run_relations.relation_name IS 'Name of the relation';
COMMENT ON COLUMN pgperf.run_relations.relation_kind IS 'table, index, TOAST table or materialized view';
COMMENT ON COLUMN pgperf.run_relations.end_size_bytes IS 'Size of the main fork in bytes at the end';
COMMENT ON COLUMN pgperf.run_relations.end_live_tuples IS 'Live rows at the end, as the statistics estimate them; NULL: an index';
COMMENT ON COLUMN pgperf.run_relations.start_dead_tuples IS 'Dead rows at the start, as the statistics estimate them; NULL: an index';
COMMENT ON COLUMN pgperf.run_relations.end_dead_tuples IS 'Dead rows at the end, as the statistics estimate them; NULL: an index';
COMMENT ON COLUMN pgperf.run_relations.end_tuple_percent IS 'Share of the size that live rows took at the end; NULL: the sample did not measure it';
COMMENT ON COLUMN pgperf.run_relations.end_bloat_percent IS 'Share of the size that rewriting would give back at the end; NULL: the sample did not measure it';
COMMENT ON COLUMN pgperf.run_relations.idx_scan IS 'Index scans during the run; of a table, over all its indexes';
COMMENT ON COLUMN pgperf.run_relations.n_tup_ins IS 'Rows inserted during the run';
COMMENT ON COLUMN pgperf.run_relations.n_tup_upd IS 'Rows updated during the run, HOT updates among them';
COMMENT ON COLUMN pgperf.run_relations.n_tup_hot_upd IS 'Rows updated during the run without new index entries (HOT)';
COMMENT ON COLUMN pgperf.run_relations.n_tup_del IS 'Rows deleted during the run';
COMMENT ON COLUMN pgperf.run_relations.vacuum_count IS 'Manual vacuums during the run, VACUUM FULL excepted';
COMMENT ON COLUMN pgperf.run_relations.autovacuum_count IS 'Vacuums by autovacuum during the run';
COMMENT ON COLUMN pgperf.run_relations.analyze_count IS 'Manual analyzes during the run';
COMMENT ON COLUMN pgperf.run_relations.autoanalyze_count IS 'Analyzes by autovacuum during the run';
COMMENT ON COLUMN pgperf.run_relations.blks_read IS 'Blocks of the relation read into shared_buffers during the run';
COMMENT ON COLUMN pgperf.run_relations.blks_hit IS 'Blocks of the relation found in shared_buffers during the run';

COMMENT ON COLUMN pgperf.run_checkpoint_cycle.tenth IS 'Position in the cycle: 1 (a checkpoint has just begun) to 10';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.cycles IS 'How many checkpoint cycles have intervals in this tenth';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.intervals IS 'How many intervals lie in this tenth';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.seconds IS 'Length of these intervals together, in seconds';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.tps IS 'Transactions per second in these intervals';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.latency_avg_ms IS 'Mean latency in ms in these intervals';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.wal_bytes_per_tx IS 'Bytes of the clients'' WAL by transactions in these intervals';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.in_checkpoint_percent IS 'Share of the time in which a checkpoint was being written';

COMMENT ON COLUMN pgperf.run_tables.table_name IS 'Name of the table in schema pgperf';

COMMENT ON COLUMN pgperf.pinned_runs.run_id IS 'The run';

COMMENT ON COLUMN pgperf.kept_runs.run_id IS 'The run';

COMMENT ON COLUMN pgperf.resume_points.run_id IS 'The run';

COMMENT ON COLUMN pgperf.baselines.name IS 'Name of the baseline';
COMMENT ON COLUMN pgperf.baselines.run_no IS 'Place of the run among those of the baseline, from 1';
COMMENT ON COLUMN pgperf.baselines.role IS 'The role that set the baseline';
COMMENT ON COLUMN pgperf.baselines.created_at IS 'When the baseline was set';

-- Columns of the history. Counters are cumulative; the views that take differences have theirs from here: 90_derived.sql.
COMMENT ON COLUMN pgperf.wal_history.insert_lsn IS 'Where the next WAL record goes';
COMMENT ON COLUMN pgperf.wal_history.flush_lsn IS 'Up to where the WAL has been flushed to disk';
COMMENT ON COLUMN pgperf.wal_history.wal_records IS 'WAL records written';
COMMENT ON COLUMN pgperf.wal_history.wal_fpi IS 'Full-page images in the WAL';
COMMENT ON COLUMN pgperf.wal_history.wal_buffers_full IS 'How often WAL was written because its buffers were full';
COMMENT ON COLUMN pgperf.wal_history.rmgr_end_lsn IS 'Where that range ends: the position of this sample';

COMMENT ON COLUMN pgperf.wal_rmgr_history.end_lsn IS 'Where the range ends: the position of this sample';
COMMENT ON COLUMN pgperf.wal_rmgr_history.resource_manager IS 'The part of the server that the records belong to: Heap, Btree, Transaction and so on';
COMMENT ON COLUMN pgperf.wal_rmgr_history.record_type IS 'Type of the records, as pg_walinspect names it';
COMMENT ON COLUMN pgperf.wal_rmgr_history.records IS 'Records in what was read';

COMMENT ON COLUMN pgperf.wal_rmgr_estimates.records IS 'Records in the whole range, estimated';
COMMENT ON COLUMN pgperf.wal_rmgr_estimates.record_bytes IS 'Bytes of the records in the whole range without their full-page images, estimated';
COMMENT ON COLUMN pgperf.wal_rmgr_estimates.fpi_bytes IS 'Bytes of full-page images in the whole range, estimated';

COMMENT ON COLUMN pgperf.wal_deltas.lsn_bytes_per_s IS 'lsn_bytes per second';
COMMENT ON COLUMN pgperf.wal_deltas.wal_records_per_s IS 'wal_records per second';
COMMENT ON COLUMN pgperf.wal_deltas.bytes_per_record IS 'Average bytes of a WAL record, full-page images included';

COMMENT ON COLUMN pgperf.bloat_history.schema_name IS 'Schema of the relation';
COMMENT ON COLUMN pgperf.bloat_history.relation_name IS 'Name of the relation';
COMMENT ON COLUMN pgperf.bloat_history.relation_kind IS 'table, index, TOAST table or materialized view';
COMMENT ON COLUMN pgperf.bloat_history.live_tuples IS 'Live rows; of an index, entries';
COMMENT ON COLUMN pgperf.bloat_history.live_percent IS 'live_bytes as a share of size_bytes';
COMMENT ON COLUMN pgperf.bloat_history.dead_tuples IS 'Dead rows that vacuum has not removed yet; of a B-tree, entries marked as dead';
COMMENT ON COLUMN pgperf.bloat_history.dead_percent IS 'dead_bytes as a share of size_bytes';
COMMENT ON COLUMN pgperf.bloat_history.free_percent IS 'free_bytes as a share of size_bytes';

COMMENT ON COLUMN pgperf.bloat_cursor.tables_only IS 'Whether the round is one of tables alone (method approx)';
COMMENT ON COLUMN pgperf.bloat_cursor.relations IS 'Oids of the relations of this round, in their order';
COMMENT ON COLUMN pgperf.bloat_cursor.next IS 'How many of them are done';

COMMENT ON COLUMN pgperf.buffer_usage_history.schema_name IS 'Schema of the relation; NULL where relation_name is';
COMMENT ON COLUMN pgperf.buffer_usage_history.relation_kind IS 'Kind of the relation; NULL where relation_name is';
COMMENT ON COLUMN pgperf.buffer_usage_history.buffers IS 'Number of buffers';
COMMENT ON COLUMN pgperf.buffer_usage_history.dirty IS 'How many of these buffers have changes that are not written yet';

COMMENT ON COLUMN pgperf.database_history.numbackends IS 'Sessions connected now';
COMMENT ON COLUMN pgperf.database_history.xact_commit IS 'Transactions committed';
COMMENT ON COLUMN pgperf.database_history.xact_rollback IS 'Transactions rolled back';
COMMENT ON COLUMN pgperf.database_history.blks_read IS 'Blocks read into shared_buffers';
COMMENT ON COLUMN pgperf.database_history.blks_hit IS 'Blocks found in shared_buffers';
COMMENT ON COLUMN pgperf.database_history.tup_returned IS 'Live rows fetched by sequential scans and index entries returned by index scans';
COMMENT ON COLUMN pgperf.database_history.tup_fetched IS 'Live rows fetched by index scans';
COMMENT ON COLUMN pgperf.database_history.tup_inserted IS 'Rows inserted';
COMMENT ON COLUMN pgperf.database_history.tup_updated IS 'Rows updated';
COMMENT ON COLUMN pgperf.database_history.tup_deleted IS 'Rows deleted';
COMMENT ON COLUMN pgperf.database_history.temp_files IS 'Temporary files that queries created';
COMMENT ON COLUMN pgperf.database_history.temp_bytes IS 'Bytes written to temporary files';
COMMENT ON COLUMN pgperf.database_history.deadlocks IS 'Deadlocks detected';
COMMENT ON COLUMN pgperf.database_history.checksum_failures IS 'Page checksum failures; NULL: checksums are off';
COMMENT ON COLUMN pgperf.database_history.checksum_last_failure IS 'When a page checksum last failed';
COMMENT ON COLUMN pgperf.database_history.active_time IS 'Milliseconds that sessions spent executing statements';
COMMENT ON COLUMN pgperf.database_history.idle_in_transaction_time IS 'Milliseconds that sessions were idle in a transaction';
COMMENT ON COLUMN pgperf.database_history.sessions IS 'Sessions begun';
COMMENT ON COLUMN pgperf.database_history.sessions_abandoned IS 'Sessions that ended because the client was lost';
COMMENT ON COLUMN pgperf.database_history.sessions_fatal IS 'Sessions that ended by a fatal error';
COMMENT ON COLUMN pgperf.database_history.sessions_killed IS 'Sessions that ended because somebody terminated them';
COMMENT ON COLUMN pgperf.database_history.parallel_workers_to_launch IS 'Parallel workers that queries planned to have; PostgreSQL 18';
COMMENT ON COLUMN pgperf.database_history.parallel_workers_launched IS 'Parallel workers that queries got; PostgreSQL 18';
COMMENT ON COLUMN pgperf.database_history.conflicts IS 'Queries cancelled by conflicts with recovery, on a standby';
COMMENT ON COLUMN pgperf.database_history.confl_tablespace IS 'Queries cancelled since their tablespace was dropped';
COMMENT ON COLUMN pgperf.database_history.confl_lock IS 'Queries cancelled by lock timeouts of recovery';
COMMENT ON COLUMN pgperf.database_history.confl_snapshot IS 'Queries cancelled since their snapshot was too old';
COMMENT ON COLUMN pgperf.database_history.confl_bufferpin IS 'Queries cancelled since they had a page pinned';
COMMENT ON COLUMN pgperf.database_history.confl_deadlock IS 'Queries cancelled by deadlocks with recovery';
COMMENT ON COLUMN pgperf.database_history.confl_active_logicalslot IS 'Uses of logical slots cancelled by recovery; PostgreSQL 16';

COMMENT ON COLUMN pgperf.checkpoint_history.num_timed IS 'Checkpoints that were due by checkpoint_timeout';
COMMENT ON COLUMN pgperf.checkpoint_history.num_requested IS 'Checkpoints that were asked for, by the amount of WAL or by a command';
COMMENT ON COLUMN pgperf.checkpoint_history.num_done IS 'Checkpoints that were completed; PostgreSQL 18';
COMMENT ON COLUMN pgperf.checkpoint_history.restartpoints_timed IS 'Restartpoints due by checkpoint_timeout, on a standby; PostgreSQL 17';
COMMENT ON COLUMN pgperf.checkpoint_history.restartpoints_req IS 'Restartpoints asked for, on a standby; PostgreSQL 17';
COMMENT ON COLUMN pgperf.checkpoint_history.restartpoints_done IS 'Restartpoints that were completed, on a standby; PostgreSQL 17';
COMMENT ON COLUMN pgperf.checkpoint_history.sync_time IS 'Milliseconds that checkpoints spent syncing files';
COMMENT ON COLUMN pgperf.checkpoint_history.buffers_written IS 'Buffers that checkpoints wrote';
COMMENT ON COLUMN pgperf.checkpoint_history.slru_written IS 'SLRU buffers that checkpoints wrote; PostgreSQL 18';
COMMENT ON COLUMN pgperf.checkpoint_history.buffers_clean IS 'Buffers that the background writer wrote';
COMMENT ON COLUMN pgperf.checkpoint_history.maxwritten_clean IS 'How often the background writer stopped because it had written bgwriter_lru_maxpages';
COMMENT ON COLUMN pgperf.checkpoint_history.buffers_backend_fsync IS 'How often a backend had to sync a file itself; PostgreSQL 15 and 16';
COMMENT ON COLUMN pgperf.checkpoint_history.buffers_alloc IS 'Buffers that were given a new page';
COMMENT ON COLUMN pgperf.checkpoint_history.stats_reset IS 'When these statistics were last reset';

COMMENT ON COLUMN pgperf.relation_history.schema_name IS 'Schema of the relation; NULL: all relations together';
COMMENT ON COLUMN pgperf.relation_history.relation_name IS 'Name of the relation; NULL: all relations together';
COMMENT ON COLUMN pgperf.relation_history.relation_kind IS 'table, index, TOAST table or materialized view; NULL: all relations together';
COMMENT ON COLUMN pgperf.relation_history.reltuples IS 'Rows by the last VACUUM, ANALYZE or CREATE INDEX; -1: never counted';
COMMENT ON COLUMN pgperf.relation_history.n_live_tup IS 'Live rows, estimated';
COMMENT ON COLUMN pgperf.relation_history.n_dead_tup IS 'Dead rows, estimated';
COMMENT ON COLUMN pgperf.relation_history.n_mod_since_analyze IS 'Rows changed since the last ANALYZE, estimated';
COMMENT ON COLUMN pgperf.relation_history.n_ins_since_vacuum IS 'Rows inserted since the last VACUUM, estimated';
COMMENT ON COLUMN pgperf.relation_history.last_seq_scan IS 'When it was last scanned sequentially; PostgreSQL 16';
COMMENT ON COLUMN pgperf.relation_history.last_idx_scan IS 'When an index of it was last scanned; PostgreSQL 16';
COMMENT ON COLUMN pgperf.relation_history.last_vacuum IS 'When it was last vacuumed by hand, VACUUM FULL excepted';
COMMENT ON COLUMN pgperf.relation_history.last_autovacuum IS 'When autovacuum last vacuumed it';
COMMENT ON COLUMN pgperf.relation_history.last_analyze IS 'When it was last analyzed by hand';
COMMENT ON COLUMN pgperf.relation_history.last_autoanalyze IS 'When autovacuum last analyzed it';
COMMENT ON COLUMN pgperf.relation_history.seq_scan IS 'Sequential scans';
COMMENT ON COLUMN pgperf.relation_history.seq_tup_read IS 'Live rows that sequential scans read';
COMMENT ON COLUMN pgperf.relation_history.idx_tup_read IS 'Entries that scans of this index returned';
COMMENT ON COLUMN pgperf.relation_history.idx_tup_fetch IS 'Live rows that index scans fetched';
COMMENT ON COLUMN pgperf.relation_history.n_tup_ins IS 'Rows inserted';
COMMENT ON COLUMN pgperf.relation_history.n_tup_upd IS 'Rows updated, HOT updates among them';
COMMENT ON COLUMN pgperf.relation_history.n_tup_del IS 'Rows deleted';
COMMENT ON COLUMN pgperf.relation_history.n_tup_hot_upd IS 'Rows updated without new index entries (HOT)';
COMMENT ON COLUMN pgperf.relation_history.n_tup_newpage_upd IS 'Rows updated whose new version went to another page; PostgreSQL 16';
COMMENT ON COLUMN pgperf.relation_history.vacuum_count IS 'Vacuums by hand, VACUUM FULL excepted';
COMMENT ON COLUMN pgperf.relation_history.autovacuum_count IS 'Vacuums by autovacuum';
COMMENT ON COLUMN pgperf.relation_history.analyze_count IS 'Analyzes by hand';
COMMENT ON COLUMN pgperf.relation_history.autoanalyze_count IS 'Analyzes by autovacuum';
COMMENT ON COLUMN pgperf.relation_history.total_autovacuum_time IS 'Milliseconds that autovacuum spent vacuuming it; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_history.total_analyze_time IS 'Milliseconds that manual analyzes took; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_history.total_autoanalyze_time IS 'Milliseconds that autovacuum spent analyzing it; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_history.blks_hit IS 'Blocks of the relation itself found in shared_buffers';

COMMENT ON COLUMN pgperf.relation_rates.hot_percent IS 'Share of HOT updates in the updates since the sample before';
COMMENT ON COLUMN pgperf.relation_rates.dead_percent IS 'Share of dead rows now, as the statistics estimate them';
COMMENT ON COLUMN pgperf.relation_rates.hit_percent IS 'Share of its blocks found in shared_buffers since the sample before';

COMMENT ON COLUMN pgperf.wraparound_history.database_name IS 'The database';
COMMENT ON COLUMN pgperf.wraparound_history.schema_name IS 'Schema of the relation; NULL: the database as a whole';

COMMENT ON COLUMN pgperf.horizon_history.holder_kind IS 'backend, standby feedback, prepared transaction or replication slot';
COMMENT ON COLUMN pgperf.horizon_history.role_name IS 'Role of the session or prepared transaction; NULL: a slot';
COMMENT ON COLUMN pgperf.horizon_history.state IS 'State of the session as in pg_stat_activity; of a slot, active or inactive; NULL: a prepared transaction';

COMMENT ON COLUMN pgperf.io_history.object IS 'What was read or written: relation, temp relation or wal';
COMMENT ON COLUMN pgperf.io_history.context IS 'normal, vacuum, bulkread, bulkwrite or init';
COMMENT ON COLUMN pgperf.io_history.reads IS 'Read operations';
COMMENT ON COLUMN pgperf.io_history.read_bytes IS 'Bytes read; PostgreSQL 18';
COMMENT ON COLUMN pgperf.io_history.writes IS 'Write operations';
COMMENT ON COLUMN pgperf.io_history.write_bytes IS 'Bytes written; PostgreSQL 18';
COMMENT ON COLUMN pgperf.io_history.write_time IS 'Milliseconds spent writing';
COMMENT ON COLUMN pgperf.io_history.writebacks IS 'Blocks that the kernel was asked to write to disk';
COMMENT ON COLUMN pgperf.io_history.writeback_time IS 'Milliseconds spent asking for that';
COMMENT ON COLUMN pgperf.io_history.extends IS 'Operations that extended files';
COMMENT ON COLUMN pgperf.io_history.extend_bytes IS 'Bytes by which files were extended; PostgreSQL 18';
COMMENT ON COLUMN pgperf.io_history.extend_time IS 'Milliseconds spent extending files';
COMMENT ON COLUMN pgperf.io_history.hits IS 'Blocks found in shared_buffers';
COMMENT ON COLUMN pgperf.io_history.evictions IS 'Blocks that were thrown out of a buffer to make it free';
COMMENT ON COLUMN pgperf.io_history.reuses IS 'Buffers of a ring that were used again, of bulk reads, bulk writes and vacuum';
COMMENT ON COLUMN pgperf.io_history.fsyncs IS 'Syncs of files';
COMMENT ON COLUMN pgperf.io_history.fsync_time IS 'Milliseconds spent syncing files';
COMMENT ON COLUMN pgperf.io_history.stats_reset IS 'When these statistics were last reset';

COMMENT ON COLUMN pgperf.wait_history.backend_type IS 'Type of the process, as in pg_stat_activity';
COMMENT ON COLUMN pgperf.wait_history.state IS 'State of the session, as in pg_stat_activity';
COMMENT ON COLUMN pgperf.wait_history.wait_event_type IS 'Type of what it waited for, as in pg_stat_activity; NULL: it did not wait';

COMMENT ON COLUMN pgperf.wait_rates.average_sessions IS 'Average number of sessions that were seen so';
COMMENT ON COLUMN pgperf.wait_rates.percent IS 'Their share of all sessions of the sample and source';

COMMENT ON COLUMN pgperf.host_history.cpus IS 'Number of CPUs';
COMMENT ON COLUMN pgperf.host_history.load_1 IS 'Load average over 1 minute';
COMMENT ON COLUMN pgperf.host_history.load_5 IS 'Load average over 5 minutes';
COMMENT ON COLUMN pgperf.host_history.load_15 IS 'Load average over 15 minutes';
COMMENT ON COLUMN pgperf.host_history.processes_running IS 'Processes that run or could run now';
COMMENT ON COLUMN pgperf.host_history.processes_blocked IS 'Processes that wait for I/O now';
COMMENT ON COLUMN pgperf.host_history.memory_total_bytes IS 'Memory of the machine';
COMMENT ON COLUMN pgperf.host_history.memory_free_bytes IS 'Memory that is not used for anything';
COMMENT ON COLUMN pgperf.host_history.memory_available_bytes IS 'Memory that programs could have without swapping, by the kernel''s estimate';
COMMENT ON COLUMN pgperf.host_history.memory_dirty_bytes IS 'Page cache that waits to be written to disk';
COMMENT ON COLUMN pgperf.host_history.memory_writeback_bytes IS 'Page cache that is being written to disk';
COMMENT ON COLUMN pgperf.host_history.huge_pages_total IS 'Huge pages in the pool (a number, not bytes)';
COMMENT ON COLUMN pgperf.host_history.huge_pages_free IS 'Huge pages of the pool that nobody uses';
COMMENT ON COLUMN pgperf.host_history.swap_total_bytes IS 'Swap space';
COMMENT ON COLUMN pgperf.host_history.swap_free_bytes IS 'Swap space that is free';
COMMENT ON COLUMN pgperf.host_history.server_processes IS 'Processes of this server';
COMMENT ON COLUMN pgperf.host_history.cpu_nice_ms IS 'Milliseconds of all CPUs in programs of lowered priority';
COMMENT ON COLUMN pgperf.host_history.cpu_system_ms IS 'Milliseconds of all CPUs in the kernel';
COMMENT ON COLUMN pgperf.host_history.cpu_idle_ms IS 'Milliseconds of all CPUs with nothing to do';
COMMENT ON COLUMN pgperf.host_history.cpu_iowait_ms IS 'Milliseconds of all CPUs with nothing to do but to wait for I/O';
COMMENT ON COLUMN pgperf.host_history.cpu_irq_ms IS 'Milliseconds of all CPUs in interrupts';
COMMENT ON COLUMN pgperf.host_history.cpu_softirq_ms IS 'Milliseconds of all CPUs in software interrupts';
COMMENT ON COLUMN pgperf.host_history.cpu_steal_ms IS 'Milliseconds that the hypervisor gave to others';
COMMENT ON COLUMN pgperf.host_history.context_switches IS 'Context switches of all CPUs';
COMMENT ON COLUMN pgperf.host_history.forks IS 'Processes and threads created';
COMMENT ON COLUMN pgperf.host_history.swap_in_pages IS 'Memory pages read from swap';
COMMENT ON COLUMN pgperf.host_history.swap_out_pages IS 'Memory pages written to swap';
COMMENT ON COLUMN pgperf.host_history.major_faults IS 'Page faults that had to read from disk';
COMMENT ON COLUMN pgperf.host_history.oom_kills IS 'Processes killed for want of memory';

COMMENT ON COLUMN pgperf.host_rates.cpu_user_percent IS 'Share of the CPUs'' time in programs since the sample before, those of lowered priority included';
COMMENT ON COLUMN pgperf.host_rates.cpu_system_percent IS 'Share of the CPUs'' time in the kernel since the sample before, interrupts included';
COMMENT ON COLUMN pgperf.host_rates.cpu_idle_percent IS 'Share of the CPUs'' time with nothing to do since the sample before';
COMMENT ON COLUMN pgperf.host_rates.cpu_iowait_percent IS 'Share of the CPUs'' time with nothing to do but to wait for I/O since the sample before';
COMMENT ON COLUMN pgperf.host_rates.cpu_steal_percent IS 'Share of the CPUs'' time that the hypervisor gave to others since the sample before';

COMMENT ON COLUMN pgperf.device_history.boot_id IS 'Another one: the machine was started again, and its counters with it';
COMMENT ON COLUMN pgperf.device_history.device IS 'Name of the block device';
COMMENT ON COLUMN pgperf.device_history.in_flight IS 'Requests under way now';
COMMENT ON COLUMN pgperf.device_history.read_ios IS 'Reads completed';
COMMENT ON COLUMN pgperf.device_history.read_merges IS 'Reads that were merged with another one';
COMMENT ON COLUMN pgperf.device_history.write_ios IS 'Writes completed';
COMMENT ON COLUMN pgperf.device_history.write_merges IS 'Writes that were merged with another one';
COMMENT ON COLUMN pgperf.device_history.write_sectors IS 'Sectors of 512 bytes written';
COMMENT ON COLUMN pgperf.device_history.write_ticks IS 'Milliseconds that all writes together waited';
COMMENT ON COLUMN pgperf.device_history.io_ticks IS 'Milliseconds in which the device had requests under way';
COMMENT ON COLUMN pgperf.device_history.time_in_queue IS 'Milliseconds that all requests together waited';
COMMENT ON COLUMN pgperf.device_history.discard_ios IS 'Discards completed';
COMMENT ON COLUMN pgperf.device_history.discard_merges IS 'Discards that were merged with another one';
COMMENT ON COLUMN pgperf.device_history.discard_sectors IS 'Sectors of 512 bytes discarded';
COMMENT ON COLUMN pgperf.device_history.discard_ticks IS 'Milliseconds that all discards together waited';
COMMENT ON COLUMN pgperf.device_history.flush_ios IS 'Flushes completed';
COMMENT ON COLUMN pgperf.device_history.flush_ticks IS 'Milliseconds that all flushes together waited';

COMMENT ON COLUMN pgperf.device_rates.seconds IS 'Seconds since the sample before; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.device_rates.r_s IS 'Reads per second';
COMMENT ON COLUMN pgperf.device_rates.rkb_s IS 'Kilobytes (1024) read per second';
COMMENT ON COLUMN pgperf.device_rates.rrqm_s IS 'Merged reads per second';
COMMENT ON COLUMN pgperf.device_rates.rrqm IS 'Share of the reads that were merged, in percent';
COMMENT ON COLUMN pgperf.device_rates.r_await IS 'Average milliseconds that a read took, waiting included';
COMMENT ON COLUMN pgperf.device_rates.rareq_sz IS 'Average size of a read in kilobytes (1024)';
COMMENT ON COLUMN pgperf.device_rates.w_s IS 'Writes per second';
COMMENT ON COLUMN pgperf.device_rates.wkb_s IS 'Kilobytes (1024) written per second';
COMMENT ON COLUMN pgperf.device_rates.wrqm_s IS 'Merged writes per second';
COMMENT ON COLUMN pgperf.device_rates.wrqm IS 'Share of the writes that were merged, in percent';
COMMENT ON COLUMN pgperf.device_rates.w_await IS 'Average milliseconds that a write took, waiting included';
COMMENT ON COLUMN pgperf.device_rates.wareq_sz IS 'Average size of a write in kilobytes (1024)';
COMMENT ON COLUMN pgperf.device_rates.d_s IS 'Discards per second';
COMMENT ON COLUMN pgperf.device_rates.dkb_s IS 'Kilobytes (1024) discarded per second';
COMMENT ON COLUMN pgperf.device_rates.drqm_s IS 'Merged discards per second';
COMMENT ON COLUMN pgperf.device_rates.drqm IS 'Share of the discards that were merged, in percent';
COMMENT ON COLUMN pgperf.device_rates.d_await IS 'Average milliseconds that a discard took, waiting included';
COMMENT ON COLUMN pgperf.device_rates.dareq_sz IS 'Average size of a discard in kilobytes (1024)';
COMMENT ON COLUMN pgperf.device_rates.f_s IS 'Flushes per second';
COMMENT ON COLUMN pgperf.device_rates.f_await IS 'Average milliseconds that a flush took, waiting included';
COMMENT ON COLUMN pgperf.device_rates.aqu_sz IS 'Average number of requests under way or waiting';
COMMENT ON COLUMN pgperf.device_rates.util IS 'Share of the time in which the device had requests under way, in percent';

-- Columns of the history of statements, replication and settings.
COMMENT ON COLUMN pgperf.statement_history.userid IS 'Oid of the role that executed it';
COMMENT ON COLUMN pgperf.statement_history.dbid IS 'Oid of the database in which it was executed';
COMMENT ON COLUMN pgperf.statement_history.toplevel IS 'Whether it was executed by itself, not within a function (pg_stat_statements.track = all)';
COMMENT ON COLUMN pgperf.statement_history.role_name IS 'Name of that role; NULL: it is gone, or all statements together';
COMMENT ON COLUMN pgperf.statement_history.database_name IS 'Name of that database; NULL: it is gone, or all statements together';
COMMENT ON COLUMN pgperf.statement_history.min_plan_time IS 'Shortest planning in milliseconds';
COMMENT ON COLUMN pgperf.statement_history.max_plan_time IS 'Longest planning in milliseconds';
COMMENT ON COLUMN pgperf.statement_history.mean_plan_time IS 'Average planning in milliseconds since the statement was first seen';
COMMENT ON COLUMN pgperf.statement_history.stddev_plan_time IS 'Standard deviation of planning in milliseconds';
COMMENT ON COLUMN pgperf.statement_history.min_exec_time IS 'Shortest execution in milliseconds';
COMMENT ON COLUMN pgperf.statement_history.max_exec_time IS 'Longest execution in milliseconds';
COMMENT ON COLUMN pgperf.statement_history.stddev_exec_time IS 'Standard deviation of execution in milliseconds';
COMMENT ON COLUMN pgperf.statement_history.plans IS 'How often it was planned; counted with pg_stat_statements.track_planning';
COMMENT ON COLUMN pgperf.statement_history.total_plan_time IS 'Milliseconds spent planning it; counted with pg_stat_statements.track_planning';
COMMENT ON COLUMN pgperf.statement_history.plan_time_squares IS 'Sum of the squares of the planning times in square milliseconds';
COMMENT ON COLUMN pgperf.statement_history.calls IS 'How often it was executed';
COMMENT ON COLUMN pgperf.statement_history.total_exec_time IS 'Milliseconds spent executing it';
COMMENT ON COLUMN pgperf.statement_history.rows IS 'Rows that it returned or changed';
COMMENT ON COLUMN pgperf.statement_history.shared_blks_hit IS 'Blocks that it found in shared_buffers';
COMMENT ON COLUMN pgperf.statement_history.shared_blks_read IS 'Blocks that it had to read into shared_buffers';
COMMENT ON COLUMN pgperf.statement_history.shared_blks_dirtied IS 'Blocks that it changed which were clean before';
COMMENT ON COLUMN pgperf.statement_history.shared_blks_written IS 'Blocks that it had to write itself';
COMMENT ON COLUMN pgperf.statement_history.local_blks_hit IS 'Blocks of temporary tables that it found in its local buffers';
COMMENT ON COLUMN pgperf.statement_history.local_blks_read IS 'Blocks of temporary tables that it had to read';
COMMENT ON COLUMN pgperf.statement_history.local_blks_dirtied IS 'Blocks of temporary tables that it changed which were clean before';
COMMENT ON COLUMN pgperf.statement_history.local_blks_written IS 'Blocks of temporary tables that it wrote';
COMMENT ON COLUMN pgperf.statement_history.temp_blks_read IS 'Blocks of temporary files (sorts, hashes) that it read';
COMMENT ON COLUMN pgperf.statement_history.temp_blks_written IS 'Blocks of temporary files (sorts, hashes) that it wrote';
COMMENT ON COLUMN pgperf.statement_history.shared_blk_write_time IS 'Milliseconds spent writing blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_history.local_blk_read_time IS 'Milliseconds spent reading blocks of temporary tables; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_history.local_blk_write_time IS 'Milliseconds spent writing blocks of temporary tables; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_history.temp_blk_read_time IS 'Milliseconds spent reading temporary files; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_history.temp_blk_write_time IS 'Milliseconds spent writing temporary files; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_history.wal_records IS 'WAL records that it wrote';
COMMENT ON COLUMN pgperf.statement_history.wal_fpi IS 'Full-page images in its WAL';
COMMENT ON COLUMN pgperf.statement_history.wal_bytes IS 'Bytes of its WAL';
COMMENT ON COLUMN pgperf.statement_history.wal_buffers_full IS 'How often the WAL buffers were full while it ran; pg_stat_statements 1.12';
COMMENT ON COLUMN pgperf.statement_history.jit_functions IS 'Functions that JIT compiled for it';
COMMENT ON COLUMN pgperf.statement_history.jit_generation_time IS 'Milliseconds spent generating code';
COMMENT ON COLUMN pgperf.statement_history.jit_inlining_count IS 'How often functions were inlined';
COMMENT ON COLUMN pgperf.statement_history.jit_inlining_time IS 'Milliseconds spent inlining functions';
COMMENT ON COLUMN pgperf.statement_history.jit_optimization_count IS 'How often its code was optimized';
COMMENT ON COLUMN pgperf.statement_history.jit_optimization_time IS 'Milliseconds spent optimizing its code';
COMMENT ON COLUMN pgperf.statement_history.jit_emission_count IS 'How often code was emitted';
COMMENT ON COLUMN pgperf.statement_history.jit_emission_time IS 'Milliseconds spent emitting code';
COMMENT ON COLUMN pgperf.statement_history.jit_deform_count IS 'Functions compiled that take rows apart; pg_stat_statements 1.11';
COMMENT ON COLUMN pgperf.statement_history.jit_deform_time IS 'Milliseconds spent compiling them; pg_stat_statements 1.11';
COMMENT ON COLUMN pgperf.statement_history.parallel_workers_to_launch IS 'Parallel workers that its plans asked for; pg_stat_statements 1.12';
COMMENT ON COLUMN pgperf.statement_history.parallel_workers_launched IS 'Parallel workers that it got; pg_stat_statements 1.12';
COMMENT ON COLUMN pgperf.statement_history.generic_plan_calls IS 'Executions with a generic plan; pg_stat_statements 1.13';
COMMENT ON COLUMN pgperf.statement_history.custom_plan_calls IS 'Executions with a plan of their own; pg_stat_statements 1.13';
COMMENT ON COLUMN pgperf.statement_history.stats_since IS 'When its counters began; pg_stat_statements 1.11';
COMMENT ON COLUMN pgperf.statement_history.minmax_stats_since IS 'When its minima and maxima began; pg_stat_statements 1.11';

COMMENT ON COLUMN pgperf.statement_rates.mean_exec_time IS 'Average execution in milliseconds since the sample before';
COMMENT ON COLUMN pgperf.statement_rates.stddev_exec_time IS 'Standard deviation of execution in milliseconds since the sample before';
COMMENT ON COLUMN pgperf.statement_rates.mean_plan_time IS 'Average planning in milliseconds since the sample before';
COMMENT ON COLUMN pgperf.statement_rates.hit_percent IS 'Of the blocks that it looked at since the sample before, the share found in shared_buffers';
COMMENT ON COLUMN pgperf.statement_rates.query IS 'Text of the statement, at most 10,000 characters; NULL: all statements together, or not stored';

COMMENT ON COLUMN pgperf.statement_texts.queryid IS 'Identifier of the statement, as in pg_stat_statements';
COMMENT ON COLUMN pgperf.statement_texts.dbid IS 'Oid of the database';
COMMENT ON COLUMN pgperf.statement_texts.query IS 'Text of the statement, at most 10,000 characters';

COMMENT ON COLUMN pgperf.replication_history.kind IS 'standby, slot or subscription';
COMMENT ON COLUMN pgperf.replication_history.database_name IS 'Database of a logical slot or a subscription';
COMMENT ON COLUMN pgperf.replication_history.client IS 'Address of the standby; NULL: a local socket';
COMMENT ON COLUMN pgperf.replication_history.active IS 'Whether it is connected: a standby, the user of a slot, the worker of a subscription';
COMMENT ON COLUMN pgperf.replication_history.state IS 'State of a standby''s WAL sender: startup, catchup, streaming, backup or stopping';
COMMENT ON COLUMN pgperf.replication_history.sync_state IS 'How commits wait for the standby: async, potential, sync or quorum';
COMMENT ON COLUMN pgperf.replication_history.write_lag_bytes IS 'From the current WAL position to what the standby has written';
COMMENT ON COLUMN pgperf.replication_history.flush_lag_bytes IS 'From the current WAL position to what is flushed: by a standby, or confirmed by a slot''s consumer; of a subscription, from what was received to what was reported as flushed';
COMMENT ON COLUMN pgperf.replication_history.replay_lag_bytes IS 'From the current WAL position to what the standby has replayed';
COMMENT ON COLUMN pgperf.replication_history.flush_lag_ms IS 'Milliseconds until recent WAL was flushed on the standby; NULL: nothing to wait for';
COMMENT ON COLUMN pgperf.replication_history.replay_lag_ms IS 'Milliseconds until recent WAL was replayed on the standby; NULL: nothing to wait for';
COMMENT ON COLUMN pgperf.replication_history.slot_type IS 'physical or logical';
COMMENT ON COLUMN pgperf.replication_history.plugin IS 'Output plugin of a logical slot';
COMMENT ON COLUMN pgperf.replication_history.wal_status IS 'Whether the WAL that the slot needs is there: reserved, extended, unreserved or lost';
COMMENT ON COLUMN pgperf.replication_history.safe_wal_size IS 'Bytes of WAL that can be written before the slot is in danger to be lost; NULL: no limit, or lost';
COMMENT ON COLUMN pgperf.replication_history.xmin_age IS 'Transactions since the oldest that the slot keeps vacuum from';
COMMENT ON COLUMN pgperf.replication_history.catalog_xmin_age IS 'The same for rows of the system catalogs';
COMMENT ON COLUMN pgperf.replication_history.inactive_since IS 'Since when nobody uses the slot; PostgreSQL 17';
COMMENT ON COLUMN pgperf.replication_history.conflicting IS 'Whether the logical slot was invalidated by a conflict with recovery; PostgreSQL 16';
COMMENT ON COLUMN pgperf.replication_history.invalidation_reason IS 'Why the slot was invalidated; PostgreSQL 17';
COMMENT ON COLUMN pgperf.replication_history.failover IS 'Whether the slot is synchronized to standbys; PostgreSQL 17';
COMMENT ON COLUMN pgperf.replication_history.synced IS 'Whether the slot was synchronized from a primary; PostgreSQL 17';
COMMENT ON COLUMN pgperf.replication_history.spill_txns IS 'Transactions that decoding spilled to disk';
COMMENT ON COLUMN pgperf.replication_history.spill_count IS 'How often decoding spilled transactions to disk';
COMMENT ON COLUMN pgperf.replication_history.spill_bytes IS 'Bytes of decoded transactions spilled to disk';
COMMENT ON COLUMN pgperf.replication_history.stream_txns IS 'Transactions in progress that decoding streamed';
COMMENT ON COLUMN pgperf.replication_history.stream_count IS 'How often transactions in progress were streamed';
COMMENT ON COLUMN pgperf.replication_history.stream_bytes IS 'Bytes of transactions in progress that were streamed';
COMMENT ON COLUMN pgperf.replication_history.total_txns IS 'Decoded transactions sent to the output plugin';
COMMENT ON COLUMN pgperf.replication_history.total_bytes IS 'Bytes of decoded transactions sent to the output plugin';
COMMENT ON COLUMN pgperf.replication_history.apply_error_count IS 'Errors of the subscription while it applied changes';
COMMENT ON COLUMN pgperf.replication_history.sync_error_count IS 'Errors of the subscription while it copied tables';
COMMENT ON COLUMN pgperf.replication_history.confl_insert_exists IS 'Rows to insert whose key was there; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.confl_update_origin_differs IS 'Rows to update that had been changed by another origin; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.confl_update_exists IS 'Updates to a key that was there; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.confl_update_missing IS 'Rows to update that were not there; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.confl_delete_origin_differs IS 'Rows to delete that had been changed by another origin; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.confl_delete_missing IS 'Rows to delete that were not there; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.confl_multiple_unique_conflicts IS 'Rows whose values were there under several unique keys; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.stats_reset IS 'When the counters of the slot or subscription were last reset';

COMMENT ON COLUMN pgperf.settings_history.name IS 'Name of the setting';
COMMENT ON COLUMN pgperf.settings_history.unit IS 'Unit of value, as in pg_settings; NULL: none';
COMMENT ON COLUMN pgperf.settings_history.pending_restart IS 'Whether another value waits for a restart';

-- Columns of what keeps samples and nodes.
COMMENT ON COLUMN pgperf.sample_outcomes.collector IS 'Name of the collector';
COMMENT ON COLUMN pgperf.sample_outcomes.status IS 'ok, skipped, failed or incomplete';
COMMENT ON COLUMN pgperf.sample_outcomes.rows IS 'Rows that it stored';
COMMENT ON COLUMN pgperf.sample_outcomes.elapsed_ms IS 'Milliseconds that it took';
COMMENT ON COLUMN pgperf.sample_outcomes.reason IS 'Why it was skipped or failed, or what is to be known about it; NULL: nothing';

COMMENT ON COLUMN pgperf.sampler_gaps.collector IS 'Name of the collector';
COMMENT ON COLUMN pgperf.sampler_gaps.last_at IS 'The last sample before the gap in which the collector was ok';
COMMENT ON COLUMN pgperf.sampler_gaps.seconds IS 'Length of the gap in seconds; one that has not ended, until now';
COMMENT ON COLUMN pgperf.sampler_gaps.reason IS 'Why there was no sample, as far as the samples tell';

COMMENT ON COLUMN pgperf.collectors.name IS 'Name of the collector';
COMMENT ON COLUMN pgperf.collectors.history_tables IS 'The tables that it writes';
COMMENT ON COLUMN pgperf.collectors.description IS 'Short description of what it stores';

COMMENT ON COLUMN pgperf.history_tables.table_name IS 'Name of the table in schema pgperf';

COMMENT ON COLUMN pgperf.history_partitions.table_name IS 'The history table';
COMMENT ON COLUMN pgperf.history_partitions.level IS 'raw, hourly, daily, pinned or rest';
COMMENT ON COLUMN pgperf.history_partitions.partition_name IS 'Name of the partition';
COMMENT ON COLUMN pgperf.history_partitions.partition IS 'The partition';
COMMENT ON COLUMN pgperf.history_partitions.starts_at IS 'First time that it holds; NULL: it has no range';
COMMENT ON COLUMN pgperf.history_partitions.ends_at IS 'Where its range ends; NULL: it has no range';

COMMENT ON COLUMN pgperf.history_size.table_name IS 'The table';
COMMENT ON COLUMN pgperf.history_size.level IS 'raw, hourly, daily, pinned, rest, runs or texts';
COMMENT ON COLUMN pgperf.history_size.partitions IS 'How many partitions it has on that level';
COMMENT ON COLUMN pgperf.history_size.bytes IS 'Their size with indexes and TOAST';
COMMENT ON COLUMN pgperf.history_size.newest_at IS 'Where the newest partition ends that holds rows, at most now; when the newest run was requested, or the newest text first seen';

COMMENT ON COLUMN pgperf.nodes.name IS 'Name of the node, at first host:port/database; it may be changed';
COMMENT ON COLUMN pgperf.nodes.system_identifier IS 'System identifier of the server, as pg_control_system() has it';
COMMENT ON COLUMN pgperf.nodes.database_oid IS 'Oid of the database on that server; 0: an imported node''s';
COMMENT ON COLUMN pgperf.nodes.database_name IS 'Name of the database';
COMMENT ON COLUMN pgperf.nodes.host IS 'Name of the machine; NULL: not known';
COMMENT ON COLUMN pgperf.nodes.created_at IS 'When the node was first seen';

-- Columns of workloads and sweeps.
COMMENT ON COLUMN pgperf.stored_workloads.name IS 'Name of the workload';
COMMENT ON COLUMN pgperf.stored_workloads.role IS 'The role that stored it; NULL: a built-in one';
COMMENT ON COLUMN pgperf.stored_workloads.description IS 'Short description; NULL: none';
COMMENT ON COLUMN pgperf.stored_workloads.scripts IS 'Its scripts: an array of name, text and weight';
COMMENT ON COLUMN pgperf.stored_workloads.variables IS 'Script variables that a run of it has unless it says otherwise';
COMMENT ON COLUMN pgperf.stored_workloads.settings IS 'Settings that the clients of a run of it have unless it says otherwise';
COMMENT ON COLUMN pgperf.stored_workloads.created_at IS 'When it was stored; NULL: a built-in one';

COMMENT ON COLUMN pgperf.workloads.kind IS 'built-in or stored';

COMMENT ON COLUMN pgperf.stored_sweeps.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf.stored_sweeps.label IS 'The name that the call gave it; NULL: none';
COMMENT ON COLUMN pgperf.stored_sweeps.role IS 'The role that started it';
COMMENT ON COLUMN pgperf.stored_sweeps.repetitions IS 'How many runs each point is to have';
COMMENT ON COLUMN pgperf.stored_sweeps.random_seed IS 'The seed of the order of runs, and of what the runs draw';
COMMENT ON COLUMN pgperf.stored_sweeps.spec IS 'All options of the sweep as a document';
COMMENT ON COLUMN pgperf.stored_sweeps.stored_status IS 'The last status that was stored: waiting, running, finished, stopped or failed';
COMMENT ON COLUMN pgperf.stored_sweeps.requested_at IS 'When it was asked for';
COMMENT ON COLUMN pgperf.stored_sweeps.resumed_at IS 'When it was last resumed; NULL: never';
COMMENT ON COLUMN pgperf.stored_sweeps.started_at IS 'When its worker began; NULL: not yet';
COMMENT ON COLUMN pgperf.stored_sweeps.ended_at IS 'When it ended; NULL: it has not, or it was interrupted';
COMMENT ON COLUMN pgperf.stored_sweeps.server_version IS 'Version of the server that it ran on';
COMMENT ON COLUMN pgperf.stored_sweeps.worker_pid IS 'Process id of its worker on this server; another process may have it once the sweep has ended';
COMMENT ON COLUMN pgperf.stored_sweeps.sqlstate IS 'SQLSTATE of the error that it failed with; NULL: none';
COMMENT ON COLUMN pgperf.stored_sweeps.error IS 'Why it failed or was stopped; NULL: no such reason';

COMMENT ON COLUMN pgperf.sweeps.status IS 'waiting, running, finished, stopped, failed, or interrupted (its worker or the server went away)';
COMMENT ON COLUMN pgperf.sweeps.points IS 'How many points the grid has';
COMMENT ON COLUMN pgperf.sweeps.finished IS 'How many runs are done';
COMMENT ON COLUMN pgperf.sweeps.attempts IS 'How many attempts at runs there were';
COMMENT ON COLUMN pgperf.sweeps.load_run_id IS 'The load that it is at; NULL: none';

COMMENT ON COLUMN pgperf.stored_sweep_points.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf.stored_sweep_points.point_no IS 'Number of the point, from 1';
COMMENT ON COLUMN pgperf.stored_sweep_points.workload IS 'Workload of the point''s runs';
COMMENT ON COLUMN pgperf.stored_sweep_points.clients IS 'Client sessions of the point''s runs';
COMMENT ON COLUMN pgperf.stored_sweep_points.scale IS 'Scale of the tables, loaded for the point or found; else what :scale is in scripts';
COMMENT ON COLUMN pgperf.stored_sweep_points.partitions IS 'Partitions of accounts as loaded for the point; NULL: it loads nothing, or none was named';
COMMENT ON COLUMN pgperf.stored_sweep_points.fillfactor IS 'Fillfactor of the tables as loaded for the point; NULL: it loads nothing, or none was named';
COMMENT ON COLUMN pgperf.stored_sweep_points.query_mode IS 'Query mode of the point''s runs';
COMMENT ON COLUMN pgperf.stored_sweep_points.settings IS 'Settings of the clients that vary with the point';

COMMENT ON COLUMN pgperf.sweep_attempts.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf.sweep_attempts.position IS 'Place of the run in the order of runs, from 1';
COMMENT ON COLUMN pgperf.sweep_attempts.attempt IS 'Number of the attempt at this run, from 1';
COMMENT ON COLUMN pgperf.sweep_attempts.point_no IS 'Number of the point';
COMMENT ON COLUMN pgperf.sweep_attempts.repetition IS 'Which repetition of the point, from 1';
COMMENT ON COLUMN pgperf.sweep_attempts.load_run_id IS 'The load before it; NULL: none, or it was deleted since';
COMMENT ON COLUMN pgperf.sweep_attempts.started_at IS 'When the attempt began';
COMMENT ON COLUMN pgperf.sweep_attempts.ended_at IS 'When the attempt ended; NULL: not known yet';
COMMENT ON COLUMN pgperf.sweep_attempts.sqlstate IS 'SQLSTATE of the error; NULL: none';
COMMENT ON COLUMN pgperf.sweep_attempts.error IS 'Why it failed; NULL: it did not';

COMMENT ON COLUMN pgperf.sweep_plan.attempts IS 'How many attempts there were';
COMMENT ON COLUMN pgperf.sweep_plan.done IS 'Whether one finished whose run is still there';

COMMENT ON COLUMN pgperf.sweep_points.tps IS 'Mean of the transactions per second of its finished runs';
COMMENT ON COLUMN pgperf.sweep_points.tps_ci_high IS 'Upper end of the 95 % interval of that mean; NULL: from one run no error can be told';
COMMENT ON COLUMN pgperf.sweep_points.run_ids IS 'The finished runs, in the order of repetitions';
COMMENT ON COLUMN pgperf.sweep_points.latency_avg_ms IS 'Average of the runs'' mean latencies in ms';
COMMENT ON COLUMN pgperf.sweep_points.latency_p50_ms IS 'Latency in ms that half of the transactions of all runs stayed within';
COMMENT ON COLUMN pgperf.sweep_points.latency_p95_ms IS 'Latency in ms that 95 % of the transactions of all runs stayed within';
COMMENT ON COLUMN pgperf.sweep_points.latency_p99_ms IS 'Latency in ms that 99 % of the transactions of all runs stayed within';
COMMENT ON COLUMN pgperf.sweep_points.latency_p999_ms IS 'Latency in ms that 99.9 % of the transactions of all runs stayed within';
COMMENT ON COLUMN pgperf.sweep_points.failed_transactions IS 'Failed transactions of the finished runs together';
COMMENT ON COLUMN pgperf.sweep_points.error IS 'An error of a run of the point; NULL: none';

COMMENT ON COLUMN pgperf.sweep_peak.combination IS 'What varies beside the number of clients, as ''name=value, ...''; empty: nothing';
COMMENT ON COLUMN pgperf.sweep_peak.point_no IS 'Number of the point with the highest mean tps';
COMMENT ON COLUMN pgperf.sweep_peak.clients IS 'At how many clients it was';
COMMENT ON COLUMN pgperf.sweep_peak.n IS 'How many of its runs have finished';

-- What views pass on from tables is described where it comes from. This comes last and fills what has no comment yet.
DO $$
DECLARE
    place record;
BEGIN
    -- What is called so means the same everywhere.
    FOR place IN
        SELECT c.relname, a.attname, CASE
            WHEN a.attname = 'node_id' THEN 'The node that the row belongs to (pgperf.nodes)'
            WHEN a.attname = 'sample_id' THEN 'The sample that the row belongs to (pgperf.samples); numbers grow with time within a node'
            WHEN a.attname = 'taken_at' THEN 'When the sample began'
            WHEN a.attname = 'seconds' THEN 'Seconds since the sample before, which the differences cover; NULL: there is none, or the clock was set back meanwhile'
            WHEN EXISTS (SELECT FROM pg_catalog.pg_attribute s WHERE s.attrelid = c.oid AND s.attname = 'sample_id')
                THEN 'The run during which the sample was taken; NULL: none'
            ELSE 'Number of the run on its node' END AS comment
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace = 'pgperf'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
          AND (a.attname IN ('node_id', 'sample_id', 'taken_at', 'run_id') OR a.attname = 'seconds' AND c.relname ~ '_deltas$')
          AND pg_catalog.col_description(c.oid, a.attnum) IS NULL
    LOOP
        EXECUTE pg_catalog.format('COMMENT ON COLUMN pgperf.%I.%I IS %L', place.relname, place.attname, place.comment);
    END LOOP;

    -- A column of a view that has the name of one of its source is that column; one that another called ..._per_s goes with
    -- (and all of the two views that have none of these) is a difference.
    FOR place IN
        WITH pairs AS (
            SELECT v.relname AS view_name, pg_catalog.replace(v.relname, '_deltas', '_history') AS source, 1 AS step
            FROM pg_catalog.pg_class v WHERE v.relnamespace = 'pgperf'::regnamespace AND v.relname ~ '_deltas$'
            UNION ALL
            SELECT v.relname, d.relname, 2
            FROM pg_catalog.pg_class v JOIN pg_catalog.pg_class d ON d.relnamespace = v.relnamespace
                 AND d.relname = pg_catalog.replace(v.relname, '_rates', '_deltas')
            WHERE v.relnamespace = 'pgperf'::regnamespace AND v.relname ~ '_rates$'
            UNION ALL
            SELECT * FROM (VALUES
                ('wait_rates', 'wait_history', 1), ('wal_rmgr_estimates', 'wal_rmgr_history', 1),
                ('runs', 'stored_runs', 1), ('run_intervals', 'run_totals', 1), ('run_scripts', 'run_totals', 1),
                ('run_summary', 'run_totals', 1), ('run_summary', 'runs', 2), ('run_segments', 'stored_segments', 1), ('progress', 'runs', 2),
                ('stored_workloads', 'workloads', 1), ('workloads', 'stored_workloads', 2), ('collector_settings', 'collectors', 1),
                ('sweeps', 'stored_sweeps', 1), ('sweep_plan', 'sweep_attempts', 1), ('sweep_runs', 'sweep_attempts', 1),
                ('sweep_runs', 'sweep_plan', 2), ('sweep_runs', 'run_summary', 3), ('sweep_points', 'stored_sweep_points', 1),
                ('sweep_peak', 'sweep_points', 2)) p (view_name, source, step))
        SELECT p.view_name, p.source, v.oid AS view_oid, s.oid AS source_oid
        FROM pairs p
        JOIN pg_catalog.pg_class v ON v.relnamespace = 'pgperf'::regnamespace AND v.relname = p.view_name
        JOIN pg_catalog.pg_class s ON s.relnamespace = 'pgperf'::regnamespace AND s.relname = p.source
        ORDER BY p.step, p.view_name
    LOOP
        DECLARE
            same record;
        BEGIN
            FOR same IN
                SELECT a.attname, CASE
                    WHEN o.attname <> a.attname THEN pg_catalog.format('%s per second', o.attname)
                    WHEN place.view_name ~ '_deltas$' AND (d.attname IS NOT NULL OR place.view_name IN ('wal_deltas', 'buffer_counter_deltas'))
                        THEN 'Difference from the sample before: ' || pg_catalog.col_description(place.source_oid, o.attnum)
                    ELSE pg_catalog.col_description(place.source_oid, o.attnum) END AS comment
                FROM pg_catalog.pg_attribute a
                JOIN pg_catalog.pg_attribute o ON o.attrelid = place.source_oid AND o.attnum > 0 AND NOT o.attisdropped
                     AND a.attname IN (o.attname, CASE WHEN place.view_name ~ '_deltas$' THEN o.attname || '_per_s' END)
                LEFT JOIN pg_catalog.pg_attribute d ON d.attrelid = a.attrelid AND d.attname = a.attname || '_per_s'
                WHERE a.attrelid = place.view_oid AND a.attnum > 0 AND NOT a.attisdropped
                  AND pg_catalog.col_description(a.attrelid, a.attnum) IS NULL
                  AND pg_catalog.col_description(place.source_oid, o.attnum) IS NOT NULL
            LOOP
                EXECUTE pg_catalog.format('COMMENT ON COLUMN pgperf.%I.%I IS %L', place.view_name, same.attname, same.comment);
            END LOOP;
        END;
    END LOOP;
END
$$;

-- What the server takes for privileges that come with the extension is not dumped: these are the user's own.
DO $$
DECLARE
    grants record;
    initial aclitem[];
BEGIN
    FOR grants IN
        SELECT p.oid, p.oid::regprocedure AS function, g.role, g.grantable
        FROM jsonb_to_recordset(current_setting('pgperf_update.granted')::jsonb) g (oid oid, name name, role oid, grantable boolean)
        JOIN pg_proc p ON p.proname = g.name AND p.pronamespace = 'pgperf'::regnamespace
        WHERE NOT EXISTS (SELECT FROM pg_proc o WHERE o.oid = g.oid)
          AND NOT current_setting('pgperf_update.functions')::jsonb @> to_jsonb(p.oid)
    LOOP
        initial := (SELECT i.initprivs FROM pg_init_privs i WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid);
        EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO %s %s', grants.function,
                       CASE grants.role WHEN 0 THEN 'PUBLIC' ELSE grants.role::regrole::text END,
                       CASE WHEN grants.grantable THEN 'WITH GRANT OPTION' END);
        UPDATE pg_init_privs i SET initprivs = initial WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid AND initial IS NOT NULL;
        DELETE FROM pg_init_privs i WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid AND initial IS NULL;
        DELETE FROM pg_shdepend d WHERE d.dbid = (SELECT b.oid FROM pg_database b WHERE b.datname = current_database())
            AND d.classid = 'pg_proc'::regclass AND d.objid = grants.oid AND d.refobjid = grants.role AND d.deptype = 'i';
    END LOOP;
END
$$;
