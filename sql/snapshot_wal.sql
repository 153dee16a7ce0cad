-- The WAL's counters and contents.
SET client_min_messages = warning;
SELECT pgperf.snapshot_wal() AS first \gset
CREATE TABLE written AS SELECT generate_series(1, 10000) AS id;
SELECT pgperf.snapshot_wal() AS second \gset
SELECT b.insert_lsn > a.insert_lsn AS moved, b.insert_lsn >= b.flush_lsn AS in_order,
       b.wal_records >= a.wal_records AND b.wal_bytes >= a.wal_bytes AND b.wal_fpi >= a.wal_fpi AS counts_up,
       b.wal_buffers_full IS NOT NULL AND b.wal_write IS NOT NULL AND b.wal_sync IS NOT NULL AS counted,
       (b.wal_write_time_ms IS NULL) = (current_setting('track_wal_io_timing') = 'off') AS timed_if_set,
       b.next_xid > a.next_xid AS xids_used,
       b.redo_lsn <= b.insert_lsn AND b.checkpoint_began_at <= b.taken_at + interval '1 s' AS after_a_checkpoint
FROM pgperf.wal_history a, pgperf.wal_history b WHERE a.sample_id = :first AND b.sample_id = :second;
SELECT reason FROM pgperf.sample_outcomes WHERE sample_id = :second;
SELECT count(*) AS resource_managers FROM pgperf.wal_rmgr_history WHERE sample_id = :second;
SELECT count(*) AS looked FROM pgperf.wal_history WHERE sample_id = :second AND rmgr_end_lsn IS NOT NULL;

-- The differences.
SELECT seconds > 0 AS some_time, lsn_bytes > 0 AS moved, lsn_bytes_per_s > 0 AS rate, xids > 0 AS xids,
       wal_records >= 0 AS records, wal_bytes >= 0 AS bytes, fpi_percent IS NULL AS images_unknown,
       redo_bytes >= 0 AS since_redo, checkpoint_age_s > -1 AS since_checkpoint
FROM pgperf.wal_deltas WHERE sample_id = :second;

-- With pg_walinspect, wherever it is installed.
CREATE SCHEMA "Where ever";
CREATE EXTENSION pg_walinspect SCHEMA "Where ever";
SELECT pgperf.snapshot_wal() AS third \gset
INSERT INTO written SELECT generate_series(1, 10000);
SELECT pgperf.snapshot_wal() AS fourth \gset
SELECT resource_manager, record_type, records > 9000 AS many, record_bytes > 0 AS has_bytes, fpi_bytes >= 0 AS has_images, sampled_percent,
       error_margin_percent, r.start_lsn < r.end_lsn AS in_order
FROM pgperf.wal_rmgr_history r WHERE sample_id = :fourth AND (resource_manager, record_type) = ('Heap', 'INSERT');
-- A sample begins where the previous one ended.
SELECT min(b.start_lsn) = max(a.end_lsn) AS without_gap
FROM pgperf.wal_rmgr_history a, pgperf.wal_rmgr_history b WHERE a.sample_id = :third AND b.sample_id = :fourth;
SELECT rmgr_sampled_percent, rmgr_lost_percent, rmgr_start_lsn < rmgr_end_lsn AS in_order FROM pgperf.wal_history WHERE sample_id = :fourth;
SELECT round(sum(bytes_percent)) AS percent, sum(records) > 9000 AS many FROM pgperf.wal_rmgr_estimates WHERE sample_id = :fourth;
SELECT fpi_percent BETWEEN 0 AND 100 AS images_known FROM pgperf.wal_deltas WHERE sample_id = :fourth;

-- More than 16 MB of WAL is read in windows.
DO $$
BEGIN
    FOR i IN 1 .. 20 LOOP
        PERFORM pg_logical_emit_message(false, 'pgperf', repeat('x', 1000000));
        INSERT INTO written SELECT generate_series(1, 1000);
    END LOOP;
END $$;
SELECT pgperf.snapshot_wal() AS fifth \gset
SELECT rmgr_sampled_percent > 0 AND rmgr_sampled_percent < 100 AS in_part, rmgr_lost_percent AS lost FROM pgperf.wal_history WHERE sample_id = :fifth;
-- A range that begins with WAL that no longer exists is reported as lost.
SELECT sample_id AS last FROM pgperf.wal_history ORDER BY sample_id DESC LIMIT 1 \gset
BEGIN;
UPDATE pgperf.wal_history SET rmgr_end_lsn = '0/100' WHERE sample_id = :last;
SELECT pgperf.snapshot_wal() AS lost \gset
SELECT rmgr_lost_percent > 0 AS lost FROM pgperf.wal_history WHERE sample_id = :lost;
SELECT reason LIKE '%lost (the WAL was removed before it was read)%' AS told FROM pgperf.sample_outcomes WHERE sample_id = :lost;
ROLLBACK;
DROP EXTENSION pg_walinspect;
DROP SCHEMA "Where ever";
DROP TABLE written;
