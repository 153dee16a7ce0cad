-- Tables and indexes: changes since the previous sample, without waiting for locks.
SET client_min_messages = warning;
CREATE TABLE measured (id int PRIMARY KEY, filler text) WITH (autovacuum_enabled = off, fillfactor = 50);
CREATE TABLE untouched (id int) WITH (autovacuum_enabled = off);
INSERT INTO measured SELECT i, 'x' FROM generate_series(1, 1000) i;
SELECT pg_stat_force_next_flush();
SELECT min(sample_id) AS first FROM pgperf.snapshot('{tables}') \gset
SELECT relation_name, relation_kind, table_name, size_bytes = pg_relation_size(relation_oid) AS same_size, n_tup_ins, n_live_tup, seq_scan IS NULL AS is_index
FROM pgperf.relation_history WHERE sample_id = :first AND relation_name IN ('measured', 'measured_pkey', 'untouched') ORDER BY 1;
UPDATE measured SET filler = 'y' WHERE id <= 500;
DELETE FROM measured WHERE id > 900;
SELECT count(*) FROM measured;
SET enable_seqscan = off;
SELECT id FROM measured WHERE id = 7;
RESET enable_seqscan;
SELECT pg_stat_force_next_flush();
SELECT min(sample_id) AS second FROM pgperf.snapshot('{tables}') \gset
-- A relation that did not change has no row.
SELECT relation_name FROM pgperf.relation_history WHERE sample_id = :second AND relation_name IN ('measured', 'untouched');
SELECT n_tup_ins, n_tup_upd, n_tup_del, n_tup_hot_upd > 0 AS hot, seq_scan > 0 AS scanned, n_dead_tup > 0 AS dead, vacuum_count,
       hot_percent = 100.0 * n_tup_hot_upd / n_tup_upd AS hot_share, n_tup_upd_per_s > 0 AS per_second, seconds > 0 AS time
FROM pgperf.relation_rates WHERE sample_id = :second AND relation_name = 'measured';
SELECT idx_scan > 0 AS used, idx_tup_read > 0 AS counted, seq_scan IS NULL AS is_index
FROM pgperf.relation_deltas WHERE sample_id = :second AND relation_name = 'measured_pkey';
-- All relations together.
SELECT relations = (SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'm', 't', 'i') AND relpersistence <> 't') AS counted, left_out,
       n_tup_upd >= 500 AS updated
FROM pgperf.relation_deltas WHERE sample_id = :second AND relation_oid = 0;
-- A change after a pause counts from the previous sample, not from the previous row.
INSERT INTO untouched VALUES (1);
SELECT pg_stat_force_next_flush();
SELECT min(sample_id) AS third FROM pgperf.snapshot('{tables}') \gset
SELECT n_tup_ins, round(seconds::numeric, 3) = round(extract(epoch FROM d.taken_at - s.taken_at), 3) AS since_the_sample_before
FROM pgperf.relation_deltas d, pgperf.samples s
WHERE d.sample_id = :third AND d.relation_name = 'untouched' AND s.sample_id = :second;
SELECT (n_tup_newpage_upd IS NULL) = (current_setting('server_version_num')::int < 160000) AS of_16,
       (total_vacuum_time IS NULL) = (current_setting('server_version_num')::int < 180000) AS of_18
FROM pgperf.relation_history WHERE sample_id = :third AND relation_name = 'untouched';
-- If the previous row was deleted, an older one does not take its place.
INSERT INTO untouched VALUES (2);
SELECT pg_stat_force_next_flush();
SELECT min(sample_id) AS fourth FROM pgperf.snapshot('{tables}') \gset
DELETE FROM pgperf.relation_history WHERE sample_id = :third;
SELECT n_tup_ins IS NULL AS unknown FROM pgperf.relation_deltas WHERE sample_id = :fourth AND relation_name = 'untouched';
DROP TABLE measured, untouched;
