-- Reports and summaries of made-up runs, so that every figure is known.
\set VERBOSITY default
\pset format unaligned
\pset tuples_only on
INSERT INTO pgperf.nodes (node_id, name, system_identifier, database_oid, database_name)
VALUES ('00000000-0000-0000-0000-0000000000aa', 'db1', 1, 1, 'elsewhere');
CREATE ROLE regress_pgperf_runner;
CREATE ROLE regress_pgperf_stranger;
CREATE ROLE regress_pgperf_monitor IN ROLE pg_monitor;

-- Runs that do not exist.
SELECT pgperf.report(4711);
SELECT pgperf.report('no such label');
SELECT pgperf.report('0');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.report('db1/1');

-- A finished run.
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, label, workload, role, clients, query_mode, scale,
    random_seed, spec, stored_status, started_at, measured_at, ended_at, server_version)
VALUES ('00000000-0000-0000-0000-0000000000aa', 1, 'run', 'baseline', 'tpcb-like', 'regress_pgperf_runner',
    4, 'prepared', 10, 42,
    '{"transaction_type": "<builtin: TPC-B (sort of)>", "duration_s": 20, "max_tries": 1,
      "call": {"workload": "tpcb-like", "clients": 4, "duration": "00:00:20", "label": "baseline",
               "settings": {"synchronous_commit": "off"}, "collectors": ["bloat@1h", "wal"]}}',
    'finished', '2026-01-01 12:00', '2026-01-01 12:00', '2026-01-01 12:00:20', '15.20');
INSERT INTO pgperf_internal.run_totals
VALUES ('00000000-0000-0000-0000-0000000000aa', 1, 20, 180000, 0, 0, 0, 0, 0, 0, 0, 0, 1200,
    0.443, 0.21, 0.401, 0.612, 0.701, 1.002, 3.1, 9.12, 15.002, NULL, NULL, 12.345, 0, NULL, 720000, 180000,
    92160000, 1260000, 2160, 2999400, 600, 5400, NULL);
INSERT INTO pgperf.run_statements
SELECT '00000000-0000-0000-0000-0000000000aa', 1, 1, '<builtin: TPC-B (sort of)>', command_no, statement,
       is_sql, 180000, 0, 0, avg, avg / 2, avg, avg * 1.5, avg * 2, avg * 3, avg * 4, avg * 4.5, avg * 5, rows, hit, read,
       dirtied, 0, wal / 80, 100, wal, NULL
FROM (VALUES
    (1, E'\\set aid random(1, 100000 * :scale)', false, 0.001, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint),
    (2, 'BEGIN;', true, 0.004, 0, 0, 0, 0, 0),
    (3, 'UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;', true, 0.082, 180000, 900000, 500, 4000, 48600000),
    (4, 'END;', true, 0.3, 0, 0, 0, 0, 6120000)
) AS c (command_no, statement, is_sql, avg, rows, hit, read, dirtied, wal);
INSERT INTO pgperf.run_metrics (node_id, run_id, category, metric, value, unit)
SELECT '00000000-0000-0000-0000-0000000000aa', 1, category, metric, value, unit
FROM (VALUES ('size', 'database_growth_bytes', 12582912, 'bytes'), ('pgperf', 'pgperf_history_bytes', 65536, 'bytes'),
    ('pgperf', 'pgperf_wal_bytes', 122880, 'bytes'), ('pgperf', 'pgperf_xids', 25, 'transaction ids'),
    ('workload', 'nopm', 1234.5, 'per minute')) AS m (category, metric, value, unit);
SELECT pgperf.report('db1/1');
-- The lines are rows, so that they can be searched.
SELECT line FROM pgperf.report('baseline') AS line WHERE line LIKE 'tps%';

-- A failed run with a number of transactions, retries, a rate, a latency limit, and several scripts.
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, workload, role, clients, query_mode, random_seed, spec,
    stored_status, server_version, sqlstate, error)
VALUES ('00000000-0000-0000-0000-0000000000aa', 2, 'run', 'script', 'regress_pgperf_runner', 2, 'extended', 7,
    jsonb_build_object('transaction_type', 'multiple scripts', 'transactions_per_client', 500, 'rate', 100,
        'latency_limit_ms', 5, 'max_tries', 3,
        'call', jsonb_build_object('script', E'\\set a 1\nSELECT :a;\n', 'clients', 2,
            'transactions_per_client', 500, 'rate', 100, 'latency_limit', '5 ms', 'max_tries', 3,
            'random_seed', 7, 'label', 'it''s')),
    'failed', '15.20', '57P01', 'terminating connection due to administrator command');
INSERT INTO pgperf_internal.run_totals
VALUES ('00000000-0000-0000-0000-0000000000aa', 2, 10, 900, 50, 30, 20, 0, 90, 120, 50, 9, 0,
    2.5, 1.25, 2, 3, 4, 5, 6, 7, 8, 0.5, 9, 3, 0, NULL, 0, 0, 90000, 900, 0, 0, 0, 0, NULL);
INSERT INTO pgperf.run_statements (node_id, run_id, script_no, script, command_no, statement, is_sql, calls, failed, latency_avg_ms)
VALUES ('00000000-0000-0000-0000-0000000000aa', 2, 1, 'first', 1, E'SELECT\n  1;', true, 400, 0, 1),
       ('00000000-0000-0000-0000-0000000000aa', 2, 2, 'second', 1, 'SELECT 2;', true, 500, 50, 2);
INSERT INTO pgperf.run_scripts (node_id, run_id, script_no, script, weight, transactions, tps, failed, serialization_failures,
    deadlock_failures, other_failures, retried, retries, skipped, late, latency_avg_ms, latency_stddev_ms)
VALUES ('00000000-0000-0000-0000-0000000000aa', 2, 1, 'first', 1, 400, 40, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1),
       ('00000000-0000-0000-0000-0000000000aa', 2, 2, 'select-only', 1, 500, 50, 50, 30, 20, 0, 90, 120, 50, 9, 3, 1.5);
INSERT INTO pgperf.run_errors
VALUES ('00000000-0000-0000-0000-0000000000aa', 2, 1, '2026-01-01', '2026-01-01', 1, 'second', 1, '40001',
        'could not serialize access due to concurrent update', NULL, 50),
       ('00000000-0000-0000-0000-0000000000aa', 2, 2, '2026-01-01', '2026-01-01', NULL, NULL, NULL, '57P01',
        'terminating connection due to administrator command', NULL, 1);
SELECT pgperf.report('db1/2');

-- A run that did not reach its end has no totals: its intervals are added up. The histograms hold 1, 2, 3 and 4 ms.
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, workload, role, clients, query_mode, random_seed, spec,
    stored_status, server_version, origin_node_id, origin_run_id)
VALUES ('00000000-0000-0000-0000-0000000000aa', 3, 'run', 'select-only', 'regress_pgperf_runner', 1, 'simple', 1,
    '{"duration_s": 60, "max_tries": 1, "call": {"workload": "select-only"}}', 'running', '15.20',
    '00000000-0000-0000-0000-0000000000bb', 9);
INSERT INTO pgperf.run_intervals (node_id, run_id, interval_no, started_at, seconds, transactions, tps,
    latency_avg_ms, latency_stddev_ms, latency_max_ms, failed, retried, retries, skipped, late, wal_bytes,
    shared_blks_hit, shared_blks_read, histogram)
VALUES ('00000000-0000-0000-0000-0000000000aa', 3, 1, '2026-01-01', 1, 2, 2, 1.5, 0.5, 2, 0, 0, 0, 0, 0, 100, 3, 0,
        '\x1c84931300000006000000000000000200000000000000080000034630b8a0003ff0000000000000e71502fd0102'),
       ('00000000-0000-0000-0000-0000000000aa', 3, 2, '2026-01-01', 1, 2, 2, 3.5, 0.5, 4, 1, 0, 0, 0, 0, 300, 3, 2,
        '\x1c84931300000005000000000000000200000000000000080000034630b8a0003ff0000000000000ed18027702'),
       ('00000000-0000-0000-0000-0000000000aa', 3, 3, '2026-01-01', 1, 0, 0, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL);
SELECT pgperf.report('db1/3');

-- A load.
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, workload, role, clients, query_mode, scale, spec,
    stored_status, server_version)
VALUES ('00000000-0000-0000-0000-0000000000aa', 4, 'load', 'tpcb-like', 'regress_pgperf_runner', 1, 'simple', 10,
    '{"call": {"workload": "tpcb-like", "scale": 10}}', 'finished', '15.20');
INSERT INTO pgperf_internal.run_totals (node_id, run_id, seconds, transactions, failed, serialization_failures,
    deadlock_failures, retried, retries, skipped, late, warmup_transactions, wal_bytes)
VALUES ('00000000-0000-0000-0000-0000000000aa', 4, 2.5, 3, 0, 0, 0, 0, 0, 0, 0, 0, 134217728);
INSERT INTO pgperf.run_statements (node_id, run_id, script_no, script, command_no, statement, is_sql, calls, failed,
    latency_avg_ms, rows)
VALUES ('00000000-0000-0000-0000-0000000000aa', 4, 1, 'init', 1, 'drop tables', true, 1, 0, 10, NULL),
       ('00000000-0000-0000-0000-0000000000aa', 4, 1, 'init', 2, 'generate', true, 1, 0, 2000, 1000110),
       ('00000000-0000-0000-0000-0000000000aa', 4, 1, 'init', 3, 'vacuum', true, 1, 0, 490, NULL);
SELECT pgperf.report('db1/4');

-- Everything that follows pgbench's lines fits into 80 columns, including large figures, names and calls.
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, label, workload, role, clients, query_mode, spec, stored_status, server_version,
    sqlstate, error)
VALUES ('00000000-0000-0000-0000-0000000000aa', 5, 'run', 'one with a label that some people would find long, and others not',
    'script', 'regress_pgperf_runner', 64, 'prepared',
    '{"transaction_type": "large", "duration_s": 950400, "max_tries": 1,
      "call": {"workload": "large", "clients": 64, "duration": "11 days", "before_sql": "SET search_path = s",
               "settings": {"work_mem": "64MB", "synchronous_commit": "off", "plan_cache_mode": "force_generic_plan"},
               "collectors": ["wal", "wraparound", "database", "checkpoints", "waits", "host", "replication", "settings"]}}',
    'failed', '15.20 (Debian 15.20-0+deb12u1)', '57P01', 'terminating connection due to administrator command, and so on, and on');
INSERT INTO pgperf_internal.run_totals
SELECT (jsonb_populate_record(t, '{"run_id": 5, "seconds": 950400, "transactions": 95040000000, "latency_avg_ms": 123456.789,
    "latency_p50_ms": 123456.789, "latency_p90_ms": 234567.891, "latency_p95_ms": 345678.912, "latency_p99_ms": 456789.123,
    "latency_p999_ms": 567891.234, "latency_p9999_ms": 678912.345, "latency_max_ms": 789123.456, "wal_bytes": 95040000000000,
    "wal_records": 950400000000000, "wal_fpi": 95040000000000, "shared_blks_hit": 9504000000000000, "shared_blks_read": 95040000000000}')).*
FROM pgperf_internal.run_totals t WHERE run_id = 1 AND node_id = '00000000-0000-0000-0000-0000000000aa';
INSERT INTO pgperf.run_statements
SELECT (jsonb_populate_record(s, '{"run_id": 5, "calls": 95040000000, "latency_avg_ms": 123456.789, "latency_p95_ms": 345678.912,
    "latency_p99_ms": 456789.123, "rows": 95040000000000000, "shared_blks_hit": 95040000000000000, "shared_blks_read": 9504000000000000,
    "shared_blks_dirtied": 950400000000000, "wal_bytes": 950400000000000}'
    || jsonb_build_object('statement', 'SELECT ' || repeat('a_column, ', 30) || '1;'))).*
FROM pgperf.run_statements s WHERE run_id = 1 AND command_no = 3 AND node_id = '00000000-0000-0000-0000-0000000000aa';
INSERT INTO pgperf.run_metrics (node_id, run_id, category, metric, value, unit)
VALUES ('00000000-0000-0000-0000-0000000000aa', 5, 'workload', 'a_metric_with_a_name_of_some_length', 123456789012.5, 'of some unit whose name is long');
INSERT INTO pgperf.run_errors
VALUES ('00000000-0000-0000-0000-0000000000aa', 5, 1, '2026-01-01', '2026-01-01', 1, 'a script', 1, '40001',
        'could not serialize access due to read/write dependencies among transactions', NULL, 1234567890);
SELECT run, count(*) > 2 AS lines, max(length(line)) <= 80 AS fits
FROM generate_series(1, 5) AS run, pgperf.report('db1/' || run) WITH ORDINALITY AS r (line, n)
WHERE n > (SELECT min(m) FROM pgperf.report('db1/' || run) WITH ORDINALITY AS e (line, m) WHERE line = '')
GROUP BY run ORDER BY run;
SELECT pgperf.report('db1/5');
SELECT count(pgperf_internal.remove_run(r.node_id, r.run_id)) > 0 AS removed FROM pgperf_internal.stored_runs r WHERE r.run_id = 5 AND r.node_id = '00000000-0000-0000-0000-0000000000aa';

-- The newest run of this node, whose leader is not alive.
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, workload, role, clients, query_mode, spec, stored_status, server_version)
VALUES (pgperf.local_node(), 9000000000000000, 'run', 'tpcb-like', 'gone since', 1, 'prepared',
    '{"transaction_type": "<builtin: TPC-B (sort of)>", "duration_s": 60, "max_tries": 1,
      "call": {"workload": "tpcb-like"}}', 'preparing', '15.20');
SELECT line FROM pgperf.report() AS line WHERE line LIKE 'status%' OR line LIKE 'no tr%';
SELECT count(*) > 0 FROM pgperf.report(9000000000000000);

-- The report where only ASCII can be shown.
SET client_encoding = 'LATIN1';
SELECT line FROM pgperf.report('db1/3') AS line WHERE line LIKE 'tps over%';
SET client_encoding = 'UTF8';

-- The same as pages, documents and comments.
SELECT run, page LIKE '<!DOCTYPE html>%</html>', length(page) = octet_length(page), page ~ 'Throughput', page ~ '<figure'
FROM generate_series(1, 4) AS run, pgperf.report_html('db1/' || run) AS page;
SELECT replace(pgperf.report_html(), E'\n', ' ') ~ 'class="status interrupted"', replace(pgperf.report_html(9000000000000000), E'\n', ' ') ~ 'no interval was stored';
SELECT pgperf.report_markdown('baseline');
SELECT doc ->> 'format_version', doc #>> '{run,tps}', jsonb_array_length(doc -> 'statements'), doc #>> '{metrics,0,metric}', doc -> 'wal'
FROM pgperf.report_json('baseline') AS doc;
SELECT jsonb_pretty((doc #> '{timeline,intervals,0}') - 'heat'), jsonb_array_length(doc #> '{timeline,intervals}'), doc #> '{latency,counts}'
FROM pgperf.report_json('db1/3') AS doc;
SELECT pgperf.report_json(4712);
SELECT replace(pgperf.compare_html('baseline', 'db1/3'), E'\n', '') LIKE '<!DOCTYPE html>%baseline%</html>';

-- The same as relations.
\pset tuples_only off
SELECT run_id, kind, label, workload, clients, status, transactions, duration_s, tps, latency_avg_ms,
       round(latency_stddev_ms::numeric, 6) AS latency_stddev_ms, latency_p50_ms, latency_max_ms,
       failed, retried, retries, skipped, late, wal_bytes, wal_bytes_per_tx, hit_percent
FROM pgperf.run_summary WHERE node_id = '00000000-0000-0000-0000-0000000000aa' ORDER BY run_id;
SELECT database_growth_bytes, own_history_bytes, own_wal_bytes, own_xids
FROM pgperf.run_summary WHERE node_id = '00000000-0000-0000-0000-0000000000aa' AND run_id = 1;
-- An imported run that has not ended does not continue here.
SELECT run_id, status FROM pgperf.runs WHERE node_id = '00000000-0000-0000-0000-0000000000aa' ORDER BY run_id;
SELECT count(*) FROM pgperf.progress;

-- Percentiles need something to count.
SELECT pgperf.histogram_quantiles('{}', '{0.5, 0.99}'), pgperf.histogram_quantiles('{NULL}', '{0.5}'),
       pgperf.histogram_quantiles(NULL, '{0.5}');
SELECT pgperf.histogram_quantiles('{"\\x00"}', '{0.5}');
SELECT pgperf.histogram_quantiles('{}', '{1.5}');

-- Only a role that may see the run gets its report.
\pset tuples_only on
SET ROLE regress_pgperf_stranger;
SELECT pgperf.report('baseline');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.report_html('baseline');
SELECT pgperf.report_json('baseline');
SELECT pgperf.report_markdown('baseline');
SELECT pgperf.compare_html('baseline', 'db1/3');
SELECT count(*) FROM pgperf.run_summary;
SET ROLE regress_pgperf_monitor;
SELECT count(*) > 0 FROM pgperf.report('baseline');
SELECT count(*) FROM pgperf.run_summary WHERE run_id = 1;
SET ROLE regress_pgperf_runner;
SELECT count(*) > 0 FROM pgperf.report('baseline');
SELECT length(pgperf.report_html('baseline')) > 1000, pgperf.report_json('baseline') ? 'run', pgperf.report_markdown('baseline') ~ 'tps';
RESET ROLE;

SELECT count(pgperf_internal.remove_run(r.node_id, r.run_id)) > 0 AS removed FROM pgperf_internal.stored_runs r WHERE r.node_id = '00000000-0000-0000-0000-0000000000aa' OR r.run_id = 9000000000000000;
DELETE FROM pgperf.nodes WHERE node_id = '00000000-0000-0000-0000-0000000000aa';
DROP ROLE regress_pgperf_runner;
DROP ROLE regress_pgperf_stranger;
DROP ROLE regress_pgperf_monitor;
