\set SHOW_CONTEXT never
-- The contents of shared_buffers.
CREATE TABLE buffered (id int PRIMARY KEY);
INSERT INTO buffered SELECT generate_series(1, 10000);
SELECT pgperf.snapshot_buffers() AS sample_id \gset
-- Every buffer is counted once.
SELECT sum(buffers) = (SELECT setting::bigint FROM pg_settings WHERE name = 'shared_buffers') AS all_buffers,
       bool_and(dirty <= buffers AND pinned <= buffers) AS parts_of_it,
       bool_and(usage_count BETWEEN 0 AND 5) AS counts_in_range
FROM pgperf.buffer_usage_history WHERE sample_id = :sample_id;
SELECT count(*) <= 1 AS one_row, bool_and(coalesce(database_name, schema_name, relation_name, relation_kind, fork) IS NULL) AS nameless,
       bool_and(dirty = 0) AS clean
FROM pgperf.buffer_usage_history WHERE sample_id = :sample_id AND usage_count IS NULL;
SELECT schema_name, relation_name, relation_kind, fork, sum(buffers) > 20 AS many
FROM pgperf.buffer_usage_history
WHERE sample_id = :sample_id AND database_name = current_database() AND relation_name LIKE 'buffered%' AND fork = 'main'
GROUP BY 1, 2, 3, 4 ORDER BY 2;
-- Catalogs without a file number in pg_class, and catalogs that all databases share.
SELECT relation_name, bool_and(database_name IS NULL) AS shared, sum(buffers) > 0 AS buffered
FROM pgperf.buffer_usage_history
WHERE sample_id = :sample_id AND schema_name = 'pg_catalog' AND relation_name IN ('pg_class', 'pg_database') GROUP BY 1 ORDER BY 1;
SELECT DISTINCT relation_kind, fork FROM pgperf.buffer_usage_history
WHERE sample_id = :sample_id AND relation_kind IN ('table', 'index') AND fork IN ('main', 'vm') ORDER BY 1, 2;

-- An open cursor pins its current page and, from 17 on, the next one, too. A changed page is dirty, pinned or not.
SELECT count(*) FROM buffered;
CHECKPOINT;
BEGIN;
DECLARE held CURSOR FOR SELECT * FROM buffered;
FETCH held;
SELECT pgperf.snapshot_buffers() AS held \gset
SELECT o.buffers = t.buffers AS same, o.pinned > 0 AS pinned, o.pinned = t.pinned AS pinned_there, o.dirty = t.dirty AS dirty_there
FROM (SELECT sum(buffers) AS buffers, sum(pinned) AS pinned, sum(dirty) AS dirty FROM pgperf.buffer_usage_history
      WHERE sample_id = :held AND relation_name = 'buffered' AND fork = 'main') o,
     (SELECT count(*) AS buffers, count(*) FILTER (WHERE pinning_backends > 0) AS pinned, count(*) FILTER (WHERE isdirty) AS dirty
      FROM pg_buffercache WHERE relfilenode = pg_relation_filenode('buffered') AND relforknumber = 0
        AND reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())) t;
COMMIT;
UPDATE buffered SET id = -id WHERE id <= 10;
SELECT pgperf.snapshot_buffers() AS changed \gset
SELECT sum(pinned) AS pinned, sum(dirty) > 0 AS dirty FROM pgperf.buffer_usage_history
WHERE sample_id = :changed AND relation_name = 'buffered' AND fork = 'main';

-- The counters, which only count up here.
SELECT blks_hit > 0 AND blks_read > 0 AND buffers_alloc > 0 AS counted,
       num_nonnulls(buffers_checkpoint, buffers_clean, maxwritten_clean, buffers_backend) AS written_by,
       (evictions IS NULL) = (current_setting('server_version_num')::int < 160000) AS evictions_since_16
FROM pgperf.buffer_counter_history WHERE sample_id = :sample_id;
SELECT count(*) FROM buffered;
SELECT pg_stat_force_next_flush();
SELECT pgperf.snapshot_buffers() AS later \gset
SELECT sample_id = :later AS this_one, seconds > 0 AS some_time, blks_hit > 0 AS hit, blks_read >= 0 AS read, buffers_alloc >= 0 AS allocated
FROM pgperf.buffer_counter_deltas WHERE sample_id IN (:sample_id, :later) AND sample_id > :sample_id;

-- The working set: cumulative figures, from a sample or made up.
SELECT scope, count(*) BETWEEN 1 AND 6 AS counts, max(percent) = 100 AS all_of_it, max(cache_percent) <= 100 AS within_cache,
       bool_and(low_bytes <= high_bytes OR high_bytes IS NULL) AS bracket, count(DISTINCT reason) AS reasons
FROM pgperf.working_set(:later) WHERE scope = 'server' GROUP BY scope;
SELECT max(buffers) > 20 AS buffered, bool_and(low_bytes IS NULL) AS no_bracket
FROM pgperf.working_set() WHERE scope = 'relation' AND relation_name = 'buffered';
-- Neither of these has any.
SELECT count(*) FROM pgperf.working_set(-1);
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM pgperf.working_set(node_id => '00000000-0000-0000-0000-000000000001');
\echo :LAST_ERROR_SQLSTATE
CREATE TABLE made_up (sample_id int, usage_count int, buffers int);
INSERT INTO made_up VALUES (1, NULL, 500), (1, 0, 100), (1, 1, 200), (1, 5, 200),
    (2, NULL, 500), (2, 4, 500), (3, 0, 300), (3, 1, 400), (3, 3, 300), (4, 1, 100), (4, 3, 400), (4, 5, 500),
    (5, NULL, 500), (5, 2, 300), (5, 3, 200);
BEGIN;
INSERT INTO pgperf.buffer_usage_history (node_id, sample_id, taken_at, usage_count, buffers, dirty, pinned)
SELECT '00000000-0000-0000-0000-000000000001', sample_id, now(), usage_count, buffers, 0, 0 FROM made_up;
SELECT s AS sample, usage_count, buffers, percent, cache_percent, low_bytes / 8192 AS low, high_bytes / 8192 AS high, reason
FROM generate_series(1, 5) s, pgperf.working_set(s, '00000000-0000-0000-0000-000000000001') WHERE scope = 'server'
ORDER BY 1, 2 DESC;
ROLLBACK;
DROP TABLE buffered, made_up;
