-- Long waits for locks and the order of autovacuum, from PostgreSQL 19 on. With older versions, the collectors give this as the reason.
SET client_min_messages = warning;
SELECT current_setting('server_version_num')::int >= 190000 AS has_them, min(sample_id) AS first,
       bool_and(status = CASE WHEN current_setting('server_version_num')::int >= 190000 THEN 'ok' ELSE 'skipped' END) AS as_expected,
       bool_and((reason IS NULL) = (current_setting('server_version_num')::int >= 190000)) AS reason_if_skipped
FROM pgperf.snapshot('{locks,autovacuum}') \gset
SELECT :'as_expected' AS as_expected, :'reason_if_skipped' AS reason_if_skipped;
SELECT (count(*) >= 10) = :'has_them'::boolean AS all_types, count(*) FILTER (WHERE lock_type IN ('relation', 'transactionid', 'advisory')) = 3 * :'has_them'::boolean::int AS known_ones,
       coalesce(bool_and(num_nulls(waits, wait_time, fastpath_exceeded) = 0), true) AS counted
FROM pgperf.lock_history WHERE sample_id = :first;

-- More relations than the fast path of a session has room for; a table that autovacuum may not touch, with half its rows dead.
CREATE TABLE many (id integer) PARTITION BY LIST (id);
DO $$ BEGIN FOR n IN 1..300 LOOP EXECUTE format('CREATE TABLE many_%s PARTITION OF many FOR VALUES IN (%1$s)', n); END LOOP; END $$;
SELECT count(*) AS rows FROM many;
CREATE TABLE due WITH (autovacuum_enabled = off) AS SELECT generate_series(1, 10000) AS id;
ANALYZE due;
DELETE FROM due WHERE id <= 5000;
SELECT pg_stat_force_next_flush();
SELECT min(sample_id) AS second FROM pgperf.snapshot('{locks,autovacuum}') \gset
SELECT coalesce(bool_or(fastpath_exceeded >= 100 AND seconds > 0), NOT :'has_them'::boolean) AS past_the_fast_path FROM pgperf.lock_deltas WHERE sample_id = :second AND lock_type = 'relation';
DROP TABLE many, due;
