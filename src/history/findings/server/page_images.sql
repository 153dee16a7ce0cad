-- At least half of the WAL, and 1 GB, with checkpoints less than 5 minutes (the default) apart. With fewer checkpoints images are no
-- sign of trouble: after each one they prevail for a while.
SELECT NULL, LEAST(99, 100.0 * f.fpi / f.bytes),
       'server', NULL, 'full_page_writes', f.last_at, $2::timestamptz, f.last_at,
       format('%s of %s of WAL were full-page images, %s %%, with a checkpoint every %s s', pg_size_pretty(f.fpi::bigint), pg_size_pretty(f.bytes::bigint),
              round((100 * f.fpi / f.bytes)::numeric), round((f.seconds / c.checkpoints)::numeric)),
       jsonb_build_object('image_bytes', f.fpi::bigint, 'wal_bytes', f.bytes::bigint, 'checkpoints', c.checkpoints),
       NULL
FROM (SELECT sum(e.fpi_bytes) AS fpi, sum(e.fpi_bytes + e.record_bytes) AS bytes, max(e.taken_at) AS last_at,
             EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz)::float8 AS seconds
      FROM pgperf.wal_rmgr_estimates e
      WHERE e.node_id = $1::uuid AND e.taken_at > $2::timestamptz AND e.taken_at <= $3::timestamptz) f
CROSS JOIN (SELECT count(DISTINCT h.checkpoint_time) - 1 AS checkpoints FROM pgperf.checkpoint_history h
            WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz) c
WHERE f.fpi >= 1073741824 AND f.fpi >= 0.5 * f.bytes AND c.checkpoints >= 2 AND f.seconds / c.checkpoints < 300
