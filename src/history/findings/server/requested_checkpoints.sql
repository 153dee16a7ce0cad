-- At least three, more than those by time, and at least a quarter of max_wal_size apart: WAL forces one after about half of it,
-- anything closer was asked for (CHECKPOINT, a backup, CREATE DATABASE). Critical if they come more often than every 30 s, as for
-- checkpoint_warning.
SELECT CASE WHEN EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz) / c.requested < 30 THEN 'critical' END,
       LEAST(99, 100.0 * c.requested / (c.requested + c.timed)),
       'server', NULL, 'max_wal_size', c.last_at, $2::timestamptz, c.last_at,
       format('%s checkpoints were forced by WAL, %s came by time; %s of WAL between two, max_wal_size is %s',
              c.requested, c.timed, pg_size_pretty((w.bytes / c.requested)::bigint), pg_size_pretty(m.bytes)),
       jsonb_build_object('requested', c.requested, 'timed', c.timed, 'wal_bytes', w.bytes::bigint, 'max_wal_size_bytes', m.bytes),
       CASE WHEN 4 * m.bytes > pg_size_bytes(current_setting('max_wal_size')) THEN format('ALTER SYSTEM SET max_wal_size = %L', pg_size_pretty(4 * m.bytes)) END
FROM (SELECT sum(d.requested) FILTER (WHERE d.requested > 0) AS requested, COALESCE(sum(d.timed) FILTER (WHERE d.timed > 0), 0) AS timed,
             max(d.taken_at) FILTER (WHERE d.requested > 0) AS last_at
      FROM (SELECT h.taken_at, h.num_requested - lag(h.num_requested) OVER w AS requested, h.num_timed - lag(h.num_timed) OVER w AS timed
            FROM pgperf.checkpoint_history h
            WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz
            WINDOW w AS (ORDER BY h.sample_id)) d) c
CROSS JOIN (SELECT (max(h.insert_lsn) - min(h.insert_lsn))::float8 AS bytes FROM pgperf.wal_history h
            WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz) w
CROSS JOIN (SELECT COALESCE((SELECT s.value::bigint FROM pgperf.settings_history s
                             WHERE s.node_id = $1::uuid AND s.name = 'max_wal_size' AND s.database_name IS NULL AND s.role_name IS NULL
                               AND s.taken_at <= $3::timestamptz AND s.value ~ '^\d+$'
                             ORDER BY s.sample_id DESC LIMIT 1), 1024) * 1048576 AS bytes) m
WHERE c.requested >= {threshold requested_checkpoints} AND c.requested > c.timed AND w.bytes / c.requested >= 0.25 * m.bytes
