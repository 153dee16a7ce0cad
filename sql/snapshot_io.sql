-- Reads and writes by kind of process, from PostgreSQL 16 on. With older versions, the collector gives this as the reason.
SET client_min_messages = warning;
SELECT min(sample_id) AS first, current_setting('server_version_num')::int >= 160000 AS has_io,
       bool_and(status = CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'ok' ELSE 'skipped' END) AS as_expected,
       bool_and((reason IS NULL) = (current_setting('server_version_num')::int >= 160000)) AS reason_if_skipped
FROM pgperf.snapshot('{io}') \gset
SELECT :'as_expected' AS as_expected, :'reason_if_skipped' AS reason_if_skipped;
CREATE TABLE written AS SELECT generate_series(1, 10000) AS id;
SELECT pg_stat_force_next_flush();
SELECT count(*) AS written FROM written;
SELECT min(sample_id) AS second FROM pgperf.snapshot('{io}') \gset
SELECT coalesce(bool_or(backend_type = 'client backend' AND object = 'relation' AND hits > 0), NOT :'has_io') AS counted,
       coalesce(bool_and(reads > 0 OR writes > 0 OR writebacks > 0 OR extends > 0 OR hits > 0 OR evictions > 0 OR reuses > 0 OR fsyncs > 0), NOT :'has_io') AS no_empty_rows,
       coalesce(bool_and(read_time IS NULL), NOT :'has_io') = (current_setting('track_io_timing') = 'off') AS timed_if_set
FROM pgperf.io_history WHERE sample_id = :second AND object <> 'wal';
SELECT coalesce(bool_or(extends > 0 AND seconds > 0 AND extends_per_s > 0), NOT :'has_io') AS extended
FROM pgperf.io_deltas WHERE sample_id = :second AND backend_type = 'client backend' AND object = 'relation';
DROP TABLE written;
