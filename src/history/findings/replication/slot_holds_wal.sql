-- At least max_wal_size while nobody uses it, or half of what the slot may keep (max_slot_wal_keep_size) or of the room that is left for WAL; or its
-- WAL is about to be removed, or was. Critical if that is so, if it keeps 90 % of what it may, or if nothing limits it and as much again fills the
-- file system.
SELECT CASE WHEN s.lost OR s.retained_bytes >= 0.9 * s.may_keep OR s.may_keep IS NULL AND s.retained_bytes >= s.free THEN 'critical' END,
       LEAST(99, 100.0 * s.retained_bytes / COALESCE(NULLIF(s.may_keep, 0), s.retained_bytes + s.free, 107374182400)),
       'replication slot', NULL, s.name, s.taken_at, COALESCE(s.inactive_since, s.first_at), s.taken_at,
       format('%s%s%s%s', COALESCE('the slot keeps ' || pg_size_pretty(s.retained_bytes) || ' of WAL', 'the WAL of the slot is ' || s.wal_status),
              CASE WHEN s.active THEN '' ELSE ', and nobody uses it' END, CASE WHEN s.lost AND s.retained_bytes IS NOT NULL THEN '; its WAL is ' || s.wal_status END,
              format('; max_wal_size is %s, %s', pg_size_pretty(s.usual),
                     COALESCE('a slot may keep ' || pg_size_pretty(s.may_keep), 'nothing limits slots' || COALESCE(', and ' || pg_size_pretty(s.free) || ' are free', '')))),
       jsonb_build_object('retained_bytes', s.retained_bytes, 'active', s.active, 'wal_status', s.wal_status, 'slot_type', s.slot_type,
                          'max_wal_size_bytes', s.usual, 'may_keep_bytes', s.may_keep, 'free_bytes', s.free),
       CASE WHEN NOT s.active THEN format('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %L AND NOT active', s.name) END
FROM (SELECT x.*, x.wal_status IN ('unreserved', 'lost') AS lost, COALESCE(m.usual, 1073741824) AS usual, m.may_keep, f.free
      -- A short window looks at the five minutes before its end.
      FROM (SELECT DISTINCT ON (h.name) h.*, bool_or(h.active) OVER w AS used, min(h.taken_at) OVER w AS first_at
            FROM pgperf.replication_history h
            WHERE h.node_id = $1::uuid AND h.taken_at > LEAST($2::timestamptz, $3::timestamptz - interval '6 minutes') AND h.taken_at <= $3::timestamptz
              AND h.kind = 'slot'
            WINDOW w AS (PARTITION BY h.name) ORDER BY h.name, h.sample_id DESC) x
      -- In MB; -1: no limit.
      CROSS JOIN (SELECT max(v.megabytes) FILTER (WHERE v.name = 'max_wal_size') * 1048576 AS usual,
                         max(v.megabytes) FILTER (WHERE v.name = 'max_slot_wal_keep_size' AND v.megabytes >= 0) * 1048576 AS may_keep
                  FROM (SELECT DISTINCT ON (h.name) h.name, h.value::bigint AS megabytes FROM pgperf.settings_history h
                        WHERE h.node_id = $1::uuid AND h.name IN ('max_wal_size', 'max_slot_wal_keep_size') AND h.database_name IS NULL AND h.role_name IS NULL
                          AND h.taken_at <= $3::timestamptz AND h.value ~ '^-?\d+$' ORDER BY h.name, h.sample_id DESC) v) m
      CROSS JOIN (SELECT (array_agg(h.free_bytes ORDER BY h.sample_id DESC))[1] AS free FROM pgperf.tablespace_history h
                  WHERE h.node_id = $1::uuid AND h.kind = 'WAL' AND h.taken_at <= $3::timestamptz AND h.taken_at > $3::timestamptz - interval '1 day') f) s
WHERE s.taken_at > $2::timestamptz
  AND (s.lost OR NOT s.used AND s.taken_at - s.first_at >= interval '5 minutes'
                 AND s.retained_bytes >= LEAST({threshold slot_holds_wal} * s.usual, 0.5 * s.may_keep, 0.5 * s.free))
