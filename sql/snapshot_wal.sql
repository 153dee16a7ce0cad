-- The WAL's counters, and what it consists of.
SET client_min_messages = warning;
SELECT pgperf.snapshot_wal() AS first \gset
CREATE TABLE written AS SELECT generate_series(1, 10000) AS id;
SELECT pgperf.snapshot_wal() AS second \gset
SELECT b.insert_lsn > a.insert_lsn AS moved, b.insert_lsn >= b.flush_lsn AS in_order,
       b.wal_records >= a.wal_records AND b.wal_bytes >= a.wal_bytes AND b.wal_fpi >= a.wal_fpi AS counts_up,
       b.wal_buffers_full IS NOT NULL AND b.wal_write IS NOT NULL AND b.wal_sync IS NOT NULL AS counted,
       (b.wal_write_time_ms IS NULL) = (current_setting('track_wal_io_timing') = 'off') AS timed_if_set
FROM pgperf.wal_history a, pgperf.wal_history b WHERE a.sample_id = :first AND b.sample_id = :second;
SELECT reason FROM pgperf.sample_outcomes WHERE sample_id = :second;
SELECT count(*) AS resource_managers FROM pgperf.wal_rmgr_history WHERE sample_id = :second;

-- With pg_walinspect, wherever it is installed.
CREATE SCHEMA "Where ever";
CREATE EXTENSION pg_walinspect SCHEMA "Where ever";
SELECT pgperf.snapshot_wal() AS third \gset
INSERT INTO written SELECT generate_series(1, 10000);
SELECT pgperf.snapshot_wal() AS fourth \gset
SELECT resource_manager, record_type, records > 9000 AS many, record_bytes > 0 AS has_bytes, fpi_bytes >= 0 AS has_images, sampled_percent,
       r.start_lsn < r.end_lsn AS in_order
FROM pgperf.wal_rmgr_history r WHERE sample_id = :fourth AND (resource_manager, record_type) = ('Heap', 'INSERT');
-- A sample begins where the one before ended.
SELECT min(b.start_lsn) = max(a.end_lsn) AS without_gap
FROM pgperf.wal_rmgr_history a, pgperf.wal_rmgr_history b WHERE a.sample_id = :third AND b.sample_id = :fourth;
DROP EXTENSION pg_walinspect;
DROP SCHEMA "Where ever";
DROP TABLE written;
