CREATE TABLE pgperf.wal_history (
    node_id              uuid NOT NULL,
    sample_id            bigint NOT NULL,
    taken_at             timestamptz NOT NULL,
    run_id               bigint,
    insert_lsn           pg_lsn NOT NULL,
    flush_lsn            pg_lsn NOT NULL,
    wal_records          bigint,
    wal_fpi              bigint,
    wal_bytes            bigint,
    wal_fpi_bytes        bigint,
    wal_buffers_full     bigint,
    wal_write            bigint,
    wal_sync             bigint,
    wal_write_time_ms    float8,
    wal_sync_time_ms     float8,
    next_xid             xid8 NOT NULL,
    xact_commit          bigint,
    redo_lsn             pg_lsn,
    checkpoint_began_at  timestamptz,
    rmgr_start_lsn       pg_lsn,
    rmgr_end_lsn         pg_lsn,
    rmgr_sampled_percent float8,
    rmgr_lost_percent    float8
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('wal_history', 'wal');
COMMENT ON TABLE pgperf.wal_history IS 'The whole server''s WAL: position, and cumulative counters as read from the server; pgperf.wal_deltas has the differences';
COMMENT ON COLUMN pgperf.wal_history.wal_bytes IS 'Bytes of records; the distance between two LSNs is 1 to 4 % more (page headers, alignment)';
COMMENT ON COLUMN pgperf.wal_history.wal_fpi_bytes IS 'Bytes of full-page images; NULL before PostgreSQL 19';
COMMENT ON COLUMN pgperf.wal_history.wal_write IS 'Writes of WAL buffers; from PostgreSQL 18 on as counted in pg_stat_io (WAL receiver excluded)';
COMMENT ON COLUMN pgperf.wal_history.wal_sync IS 'Syncs of WAL files; from PostgreSQL 18 on as counted in pg_stat_io (WAL receiver excluded)';
COMMENT ON COLUMN pgperf.wal_history.wal_write_time_ms IS 'Milliseconds spent writing WAL; NULL unless track_wal_io_timing is on';
COMMENT ON COLUMN pgperf.wal_history.wal_sync_time_ms IS 'Milliseconds spent syncing WAL files; NULL unless track_wal_io_timing is on';
COMMENT ON COLUMN pgperf.wal_history.next_xid IS 'The next transaction id, with its epoch';
COMMENT ON COLUMN pgperf.wal_history.xact_commit IS 'Transactions that committed in this database, as its sessions have reported them (about once a second)';
COMMENT ON COLUMN pgperf.wal_history.redo_lsn IS 'Position where recovery would begin: the start of the last completed checkpoint';
COMMENT ON COLUMN pgperf.wal_history.checkpoint_began_at IS 'When that checkpoint began';
COMMENT ON COLUMN pgperf.wal_history.rmgr_start_lsn IS 'Start of the range whose contents were read (wal_rmgr_history), up to rmgr_end_lsn; NULL: not read';
COMMENT ON COLUMN pgperf.wal_history.rmgr_sampled_percent IS 'The share of that range that was read';
COMMENT ON COLUMN pgperf.wal_history.rmgr_lost_percent IS 'The share of the windows in that range whose WAL had been removed before it was read';

CREATE TABLE pgperf.wal_rmgr_history (
    node_id              uuid NOT NULL,
    sample_id            bigint NOT NULL,
    taken_at             timestamptz NOT NULL,
    run_id               bigint,
    start_lsn            pg_lsn NOT NULL,
    end_lsn              pg_lsn NOT NULL,
    resource_manager     text NOT NULL,
    record_type          text NOT NULL,
    records              bigint NOT NULL,
    record_bytes         bigint NOT NULL,
    fpi_bytes            bigint NOT NULL,
    sampled_percent      float8 NOT NULL,
    error_margin_percent float8
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('wal_rmgr_history', 'wal');
COMMENT ON TABLE pgperf.wal_rmgr_history IS 'Contents of the WAL between two samples, read through pg_walinspect if that is installed: up to 16 MB all of it, of more 16 windows of 1 MB and 16 more for each gigabyte, at most 64, spread over the range, within 50 ms; at the end of a run up to 1 GB all of it, of more windows of 16 MB, within 1 s. The figures are those of the windows; pgperf.wal_rmgr_estimates scales them up';
COMMENT ON COLUMN pgperf.wal_rmgr_history.start_lsn IS 'Start of the range: the end of the previous sample''s';
COMMENT ON COLUMN pgperf.wal_rmgr_history.record_bytes IS 'Bytes of the records without their full-page images';
COMMENT ON COLUMN pgperf.wal_rmgr_history.fpi_bytes IS 'Bytes of full-page images';
COMMENT ON COLUMN pgperf.wal_rmgr_history.sampled_percent IS 'The share of the range that was read; 100: all of it';
COMMENT ON COLUMN pgperf.wal_rmgr_history.error_margin_percent IS 'Half the width of the 95 % interval of the record type''s share of all bytes, in percentage points; 0: all was read; NULL: one window only';

CREATE VIEW pgperf.wal_rmgr_estimates AS
SELECT r.node_id, r.sample_id, r.taken_at, r.run_id, r.start_lsn, r.end_lsn, r.resource_manager, r.record_type,
       r.records * 100 / r.sampled_percent AS records,
       r.record_bytes * 100 / r.sampled_percent AS record_bytes,
       r.fpi_bytes * 100 / r.sampled_percent AS fpi_bytes,
       100 * (r.record_bytes + r.fpi_bytes)::float8
           / NULLIF(pg_catalog.sum(r.record_bytes + r.fpi_bytes) OVER s, 0)::float8 AS bytes_percent,
       r.error_margin_percent, r.sampled_percent
FROM pgperf.wal_rmgr_history r
WINDOW s AS (PARTITION BY r.node_id, r.sample_id);
COMMENT ON VIEW pgperf.wal_rmgr_estimates IS 'Estimated contents of the whole range of each sample of pgperf.wal_rmgr_history, assuming that the unread part is like the part that was read';
COMMENT ON COLUMN pgperf.wal_rmgr_estimates.bytes_percent IS 'Share of this record type in all bytes';
COMMENT ON COLUMN pgperf.wal_rmgr_estimates.error_margin_percent IS 'Half the width of the 95 % interval of bytes_percent, in percentage points';

-- A difference below zero becomes NULL: that counter began again. Positions and transaction ids go on
-- through restarts and crashes, so their differences need no common epoch.
CREATE VIEW pgperf.wal_deltas AS
SELECT x.node_id, x.sample_id, x.taken_at, x.run_id, x.seconds,
       x.lsn_bytes, x.wal_records, x.wal_fpi, x.wal_bytes, x.wal_fpi_bytes, x.wal_buffers_full, x.wal_write, x.wal_sync,
       x.wal_write_time_ms, x.wal_sync_time_ms, x.xids, x.xact_commit,
       x.lsn_bytes / NULLIF(x.seconds, 0) AS lsn_bytes_per_s,
       x.wal_records / NULLIF(x.seconds, 0) AS wal_records_per_s,
       x.wal_bytes::float8 / NULLIF(x.wal_records, 0) AS bytes_per_record,
       x.wal_bytes::float8 / NULLIF(x.xids, 0) AS bytes_per_xid,
       x.wal_bytes::float8 / NULLIF(x.xact_commit, 0) AS bytes_per_commit,
       COALESCE(100 * x.wal_fpi_bytes::float8 / NULLIF(x.wal_bytes, 0), r.fpi_percent) AS fpi_percent,
       CASE WHEN x.wal_bytes > 0 AND x.wal_fpi IS NOT NULL
            THEN LEAST(100, 100 * x.wal_fpi * pg_catalog.current_setting('block_size')::float8 / x.wal_bytes) END AS fpi_max_percent,
       x.redo_bytes, x.checkpoint_age_s
FROM (SELECT (d.h).node_id, (d.h).sample_id, (d.h).taken_at, (d.h).run_id, d.seconds,
             NULLIF(GREATEST((d.h).insert_lsn - (d.p).insert_lsn, -1), -1)::bigint AS lsn_bytes,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_records - (d.p).wal_records, -1), -1) END AS wal_records,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_fpi - (d.p).wal_fpi, -1), -1) END AS wal_fpi,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_bytes - (d.p).wal_bytes, -1), -1) END AS wal_bytes,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_fpi_bytes - (d.p).wal_fpi_bytes, -1), -1) END AS wal_fpi_bytes,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_buffers_full - (d.p).wal_buffers_full, -1), -1) END AS wal_buffers_full,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_write - (d.p).wal_write, -1), -1) END AS wal_write,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_sync - (d.p).wal_sync, -1), -1) END AS wal_sync,
             CASE WHEN d.same AND (d.h).wal_write_time_ms >= (d.p).wal_write_time_ms
                  THEN (d.h).wal_write_time_ms - (d.p).wal_write_time_ms END AS wal_write_time_ms,
             CASE WHEN d.same AND (d.h).wal_sync_time_ms >= (d.p).wal_sync_time_ms
                  THEN (d.h).wal_sync_time_ms - (d.p).wal_sync_time_ms END AS wal_sync_time_ms,
             NULLIF(GREATEST((d.h).next_xid::text::bigint - (d.p).next_xid::text::bigint, -1), -1) AS xids,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).xact_commit - (d.p).xact_commit, -1), -1) END AS xact_commit,
             ((d.h).insert_lsn - (d.h).redo_lsn)::bigint AS redo_bytes,
             EXTRACT(epoch FROM (d.h).taken_at - (d.h).checkpoint_began_at)::float8 AS checkpoint_age_s
      FROM (SELECT h, pg_catalog.lag(h) OVER w AS p,
                   NULLIF(GREATEST(EXTRACT(epoch FROM h.taken_at - pg_catalog.lag(h.taken_at) OVER w)::float8, 0), 0) AS seconds,
                   s.epoch = pg_catalog.lag(s.epoch) OVER w AS same
            FROM pgperf.wal_history h JOIN pgperf.samples s USING (node_id, sample_id, taken_at)
            WINDOW w AS (PARTITION BY h.node_id ORDER BY h.sample_id)) d) x
LEFT JOIN LATERAL (SELECT 100 * sum(b.fpi_bytes)::float8 / NULLIF(sum(b.record_bytes + b.fpi_bytes), 0)::float8 AS fpi_percent
                   FROM pgperf.wal_rmgr_history b
                   WHERE b.node_id = x.node_id AND b.sample_id = x.sample_id AND b.taken_at = x.taken_at) r ON true;
COMMENT ON VIEW pgperf.wal_deltas IS 'WAL that the server wrote since the node''s previous sample, and the position in the checkpoint cycle. Counters are NULL for the first sample and where they began again in between (crash, restart, reset); lsn_bytes and xids are not, because positions and transaction ids go on';
COMMENT ON COLUMN pgperf.wal_deltas.seconds IS 'Seconds since the previous sample; NULL: the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.wal_deltas.lsn_bytes IS 'Bytes by which the WAL position moved: wal_bytes, page headers and alignment';
COMMENT ON COLUMN pgperf.wal_deltas.xids IS 'Transaction ids that were used: transactions and subtransactions that wrote, in all databases';
COMMENT ON COLUMN pgperf.wal_deltas.xact_commit IS 'Transactions that committed in this database, whether they wrote or not; sessions report them about once a second, so the figure is inexact over a few seconds';
COMMENT ON COLUMN pgperf.wal_deltas.bytes_per_xid IS 'Bytes of WAL per transaction id on the whole server; for a run''s own transactions see wal_bytes_per_tx in pgperf.run_summary';
COMMENT ON COLUMN pgperf.wal_deltas.bytes_per_commit IS 'Bytes of the server''s WAL per commit in this database: meaningful if this is the database that writes';
COMMENT ON COLUMN pgperf.wal_deltas.fpi_percent IS 'Share of full-page images in the bytes: counted by PostgreSQL 19, otherwise read through pg_walinspect with that sample; NULL: neither';
COMMENT ON COLUMN pgperf.wal_deltas.fpi_max_percent IS 'That share if every image were a whole page; compression and omitted holes make images smaller';
COMMENT ON COLUMN pgperf.wal_deltas.redo_bytes IS 'Bytes of WAL since the start of the last completed checkpoint: just after one, pages are written as full-page images again';
COMMENT ON COLUMN pgperf.wal_deltas.checkpoint_age_s IS 'Seconds since that checkpoint began';

GRANT SELECT ON pgperf.wal_history, pgperf.wal_rmgr_history, pgperf.wal_rmgr_estimates, pgperf.wal_deltas TO pg_monitor;

CREATE FUNCTION pgperf.snapshot_wal()
RETURNS bigint LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'snapshot_wal_wrapper';
COMMENT ON FUNCTION pgperf.snapshot_wal() IS 'Records the WAL counters in pgperf.wal_history and, with pg_walinspect, the contents of the WAL in pgperf.wal_rmgr_history; returns the sample_id';
REVOKE EXECUTE ON FUNCTION pgperf.snapshot_wal() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.snapshot_wal() TO pg_monitor;
