\set SHOW_CONTEXT never
SET client_min_messages = warning;
-- Partitions, retention, and the samples that are kept.
SELECT name, enabled, retention, hourly_retention, daily_retention FROM pgperf.collectors;
UPDATE pgperf.collectors SET retention = '3 days', daily_retention = NULL WHERE name = 'wal';
SELECT name, enabled, retention, hourly_retention, daily_retention FROM pgperf.collectors WHERE name = 'wal';
UPDATE pgperf.collectors SET retention = '-1 day' WHERE name = 'wal';
\echo :LAST_ERROR_SQLSTATE
UPDATE pgperf.collectors SET retention = '7 days', hourly_retention = '90 days', daily_retention = '2 years' WHERE name = 'wal';

-- Every table with samples is partitioned, has no index on the parent, and has its own default partition.
SELECT c.relname AS not_partitioned FROM pg_class c
 WHERE c.relnamespace = 'pgperf'::regnamespace AND c.relkind = 'r' AND c.relname LIKE '%\_history';
SELECT c.relname AS not_listed FROM pg_class c
 WHERE c.relnamespace = 'pgperf'::regnamespace AND c.relkind = 'p'
   AND c.relname NOT IN (SELECT table_name FROM pgperf_internal.history_tables);
SELECT t.table_name AS of_no_collector FROM pgperf_internal.history_tables t
  LEFT JOIN pgperf.collectors c ON c.name = t.collector AND t.table_name = ANY (c.history_tables) WHERE c.name IS NULL;
SELECT i.indexrelid::regclass AS on_a_parent FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
 WHERE c.relnamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace) AND c.relkind = 'p';
-- The partitions are in another schema.
SELECT c.oid::regclass AS among_the_public FROM pg_class c
 WHERE c.relnamespace = 'pgperf'::regnamespace AND (c.relispartition OR c.relkind = 'S');

SELECT action, count(*) > 0 AS some, bool_and(object LIKE table_name || '\_%') AS of_its_table, bool_and(note IS NULL) AS no_remark
  FROM pgperf.maintain(2) WHERE action = 'created' GROUP BY action;
SELECT count(*) AS nothing_left_to_do FROM pgperf.maintain(2);
SELECT count(*) > 0 AS taken FROM pgperf.snapshot('{wal,database}');
SELECT level, count(*) AS tables, bool_and(bytes IS NOT NULL) AS sized FROM pgperf.history_size GROUP BY level ORDER BY level DESC;
SELECT table_name, partitions, oldest_at < newest_at AS in_order, bytes_per_day IS NULL AS too_early
  FROM pgperf.history_size WHERE level = 'raw' AND table_name = 'wal_history';

-- A day long ago: each of its hours becomes one sample.
SELECT pgperf.local_node() AS node_id \gset
INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes)
SELECT :'node_id', -n, '2020-02-03 10:00+00'::timestamptz + n * interval '1 min', 1, 0, 0, 0, 0, '{}' FROM generate_series(1, 100) n;
INSERT INTO pgperf.buffer_counter_history (node_id, sample_id, taken_at, blks_hit, databases_mark)
SELECT :'node_id', -n, '2020-02-03 10:00+00'::timestamptz + n * interval '1 min', n, 1 FROM generate_series(1, 100) n;
UPDATE pgperf.collectors SET hourly_retention = NULL WHERE name = 'buffers';
SELECT action, table_name, object, rows, bytes > 0 AS freed, note FROM pgperf.maintain(2);
SELECT tableoid::regclass, taken_at AT TIME ZONE 'UTC' AS taken_at, blks_hit FROM pgperf.buffer_counter_history WHERE sample_id < 0 ORDER BY 2;
SELECT table_name, level, partition, starts_at AT TIME ZONE 'UTC' AS starts_at, ends_at AT TIME ZONE 'UTC' AS ends_at
  FROM pgperf.history_partitions WHERE starts_at < '2021-01-01' ORDER BY 1;
UPDATE pgperf.collectors SET hourly_retention = '90 days' WHERE name = 'buffers';
SELECT action, table_name, object, rows, bytes > 0 AS freed, note FROM pgperf.maintain(2);
SELECT count(*) AS old FROM pgperf.samples WHERE sample_id < 0;

SELECT * FROM pgperf.maintain(-1);
SELECT * FROM pgperf.maintain(budget => NULL);
SELECT pgperf.pin_run(-1);
\echo :LAST_ERROR_SQLSTATE
