-- The position is never reset: what was written is its difference over all, also where counters began again.
WITH ends AS (
    SELECT (pg_catalog.max(x.insert_lsn) - pg_catalog.min(x.insert_lsn))::pg_catalog.int8 AS lsn_bytes,
           EXTRACT(epoch FROM pg_catalog.max(x.taken_at) - pg_catalog.min(x.taken_at))::pg_catalog.float8 AS seconds
    FROM {samples} CROSS JOIN LATERAL (VALUES (p.sample_id, p.taken_at), (p.before_id, p.before_at)) e(sample_id, taken_at)
    JOIN pgperf.wal_history x ON x.node_id = $1::pg_catalog.uuid AND x.sample_id = e.sample_id AND x.taken_at = e.taken_at
    WHERE p.at_s > 0),
-- Of the WAL up to each sample, the share that was read for its contents.
contents AS (
    SELECT pg_catalog.sum(l.bytes * l.percent) / NULLIF(pg_catalog.sum(l.bytes), 0) AS percent
    FROM (SELECT (h.rmgr_end_lsn - h.rmgr_start_lsn)::pg_catalog.float8 AS bytes, h.rmgr_sampled_percent AS percent
          FROM pgperf.wal_history h
          WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz
            AND (h.sample_id <= (SELECT pg_catalog.min(p.sample_id) FROM {samples})) IS NOT TRUE) l)
SELECT 'the server' AS whole,
       (SELECT e.lsn_bytes FROM ends e) AS lsn_bytes,
       (SELECT e.lsn_bytes / NULLIF(e.seconds, 0) FROM ends e) AS bytes_per_s,
       pg_catalog.sum(h.wal_records - b.wal_records)::pg_catalog.int8 AS records,
       pg_catalog.sum(h.wal_fpi - b.wal_fpi)::pg_catalog.int8 AS images,
       CASE WHEN pg_catalog.sum(h.wal_bytes - b.wal_bytes) > 0 AND pg_catalog.count(h.wal_fpi - b.wal_fpi) > 0
            THEN 100 * LEAST(1, pg_catalog.sum(h.wal_fpi - b.wal_fpi) * pg_catalog.current_setting('block_size')::pg_catalog.float8
                / pg_catalog.sum(h.wal_bytes - b.wal_bytes)::pg_catalog.float8) END AS images_percent_max,
       pg_catalog.sum(h.wal_buffers_full - b.wal_buffers_full)::pg_catalog.int8 AS buffers_full,
       pg_catalog.sum(h.wal_write - b.wal_write)::pg_catalog.int8 AS writes,
       pg_catalog.sum(h.wal_sync - b.wal_sync)::pg_catalog.int8 AS syncs,
       pg_catalog.sum(h.wal_write_time_ms - b.wal_write_time_ms) AS write_ms,
       pg_catalog.sum(h.wal_sync_time_ms - b.wal_sync_time_ms) AS sync_ms,
       pg_catalog.sum(h.next_xid::pg_catalog.text::pg_catalog.int8 - b.next_xid::pg_catalog.text::pg_catalog.int8)::pg_catalog.int8 AS xids,
       (SELECT NULLIF(c.percent, 0) FROM contents c) AS contents_percent
FROM {samples}
JOIN pgperf.wal_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.wal_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
WHERE p.seconds > 0 AND h.wal_bytes >= b.wal_bytes
HAVING pg_catalog.count(*) > 0
