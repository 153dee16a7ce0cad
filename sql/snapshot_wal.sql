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
       wal_records >= 0 AS records, wal_bytes >= 0 AS bytes, (fpi_percent BETWEEN 0 AND 100) IS NOT FALSE AS images,
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
-- Counters that fell began again, each by itself: what they counted in between is unknown.
BEGIN;
INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes)
SELECT pgperf.local_node(), :last + 1000 + n, now() + n * interval '1 s', 7, 1, 1, 1, 1, '{"wal": {"status": "ok"}}' FROM generate_series(1, 3) n;
INSERT INTO pgperf.wal_history (node_id, sample_id, taken_at, insert_lsn, flush_lsn, redo_lsn, wal_records, wal_fpi, wal_bytes, wal_fpi_bytes, wal_buffers_full,
    wal_write, wal_sync, wal_write_time_ms, wal_sync_time_ms, next_xid, xact_commit)
SELECT s.node_id, s.sample_id, s.taken_at, c.lsn, c.lsn, '0/0', c.n, c.n, c.n, c.n, c.n, c.n, c.n, c.n, c.n, c.n::text::xid8, c.n
FROM pgperf.samples s, LATERAL (SELECT '0/0'::pg_lsn + x AS lsn, x AS n FROM (SELECT 9000 - 4000 * (s.sample_id - :last - 1000) % 8000) y(x)) c
WHERE s.sample_id > :last + 1000;
SELECT d.sample_id - :last - 1000 AS n, count(f.value) AS figures, count(f.value) FILTER (WHERE f.value = '4000') AS as_they_are, string_agg(f.key, ' ' ORDER BY f.key) FILTER (WHERE f.value < '0') AS negative
FROM pgperf.wal_deltas d, jsonb_each(to_jsonb(d) - '{node_id,sample_id,taken_at,run_id,seconds,redo_bytes}'::text[]) f
WHERE d.sample_id > :last + 1001 AND f.value <> 'null' GROUP BY 1 ORDER BY 1;
ROLLBACK;
DROP EXTENSION pg_walinspect;
DROP SCHEMA "Where ever";
DROP TABLE written;
