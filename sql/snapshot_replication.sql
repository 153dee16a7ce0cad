-- Slots and subscriptions; a standby needs a server of its own (tests/history/collectors.rs).
SET client_min_messages = warning;
SELECT count(*) AS rows FROM pgperf.replication_history;
SELECT status, rows, reason FROM pgperf.snapshot('{replication}');
SELECT slot_name FROM pg_create_physical_replication_slot('pgperf_regress_slot', true);
CREATE TABLE written AS SELECT generate_series(1, 1000) AS id;
SET client_min_messages = error;
CREATE SUBSCRIPTION pgperf_regress_subscription CONNECTION 'dbname=nowhere' PUBLICATION nothing WITH (connect = false);
SET client_min_messages = warning;
SELECT min(sample_id) AS sample FROM pgperf.snapshot('{replication}') \gset
SELECT kind, name, database_name, active, state, slot_type, wal_status, retained_bytes > 0 AS retains, xmin_age, apply_error_count
FROM pgperf.replication_history WHERE sample_id = :sample ORDER BY 1;
SELECT min(sample_id) AS sample FROM pgperf.snapshot('{replication}') \gset
SELECT kind, name, seconds > 0 AS time, apply_error_count, retained_bytes > 0 AS retains
FROM pgperf.replication_deltas WHERE sample_id = :sample ORDER BY 1;
ALTER SUBSCRIPTION pgperf_regress_subscription SET (slot_name = NONE);
DROP SUBSCRIPTION pgperf_regress_subscription;
SELECT pg_drop_replication_slot('pgperf_regress_slot');
DROP TABLE written;
