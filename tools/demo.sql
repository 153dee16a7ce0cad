-- A few rows of each history table, for tools/demo.
\pset footer off
\echo
\echo 'Every run is kept: pgperf.runs'
SELECT run_id, kind, workload, clients, status, started_at::timestamp(0), ended_at::timestamp(0) FROM pgperf.runs ORDER BY run_id;
\echo 'With its result: pgperf.run_summary'
SELECT run_id, transactions, round(tps::numeric, 1) AS tps, round(latency_avg_ms::numeric, 3) AS latency_avg_ms,
       round(latency_p95_ms::numeric, 3) AS p95_ms, round(latency_p99_ms::numeric, 3) AS p99_ms, failed,
       round(wal_bytes_per_tx::numeric) AS wal_bytes_per_tx, round(hit_percent::numeric, 2) AS hit_percent
  FROM pgperf.run_summary WHERE kind <> 'load' ORDER BY run_id;
\echo 'Its course: pgperf.run_intervals (the last five of the run)'
SELECT interval_no, transactions, round(tps::numeric, 1) AS tps, round(latency_avg_ms::numeric, 3) AS latency_avg_ms,
       round(latency_p99_ms::numeric, 3) AS p99_ms, in_checkpoint
  FROM (SELECT * FROM pgperf.run_intervals WHERE run_id = (SELECT max(run_id) FROM pgperf.runs)
         ORDER BY interval_no DESC LIMIT 5) AS last ORDER BY interval_no;
\echo 'Its statements: pgperf.run_statements'
SELECT left(statement, 50) AS statement, calls, round(latency_avg_ms::numeric, 4) AS latency_avg_ms,
       shared_blks_hit, shared_blks_dirtied, wal_bytes
  FROM pgperf.run_statements WHERE run_id = (SELECT max(run_id) FROM pgperf.runs) ORDER BY script_no, command_no;
\echo 'Bloat before and after: pgperf.bloat_history'
SELECT sample_id, relation_name, method, size_bytes, live_tuples, dead_tuples,
       round(dead_percent::numeric, 2) AS dead_percent, round(bloat_percent::numeric, 2) AS bloat_percent
  FROM pgperf.bloat_history WHERE relation_kind = 'table' ORDER BY sample_id DESC, size_bytes DESC LIMIT 8;
\echo 'What fills the buffers: pgperf.buffer_usage_history'
SELECT sample_id, relation_name, usage_count, buffers, dirty
  FROM pgperf.buffer_usage_history WHERE relation_name IS NOT NULL AND sample_id = (SELECT max(sample_id) FROM pgperf.buffer_usage_history)
 ORDER BY buffers DESC LIMIT 5;
\echo 'WAL: pgperf.wal_history'
SELECT sample_id, taken_at::time(0), insert_lsn, wal_records, wal_fpi, wal_bytes
  FROM pgperf.wal_history ORDER BY sample_id DESC LIMIT 5;
\echo 'Distance to wraparound: pgperf.wraparound_history'
SELECT sample_id, database_name, relation_name, next_xid, frozen_xid_age, multixact_age
  FROM pgperf.wraparound_history WHERE sample_id = (SELECT max(sample_id) FROM pgperf.wraparound_history)
 ORDER BY frozen_xid_age DESC LIMIT 5;
\echo 'More: SELECT * FROM pgperf.report(run_id); every relation: \\d pgperf.*'
