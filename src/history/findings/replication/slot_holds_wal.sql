-- At least 1 GB, the default of max_wal_size, while nobody uses it; or its WAL is about to be removed, or was. The latter, and 50 GB,
-- are critical.
SELECT CASE WHEN s.wal_status IN ('unreserved', 'lost') OR s.retained_bytes >= 53687091200 THEN 'critical' END, LEAST(99, s.retained_bytes / 1e9),
       'replication slot', NULL, s.name, s.taken_at, COALESCE(s.inactive_since, s.first_at), s.taken_at,
       CASE WHEN s.retained_bytes IS NULL THEN format('the WAL of the slot is %s%s', s.wal_status, CASE WHEN s.active THEN '' ELSE ', and nobody uses it' END)
            ELSE format('the slot keeps %s of WAL%s%s', pg_size_pretty(s.retained_bytes), CASE WHEN s.active THEN '' ELSE ', and nobody uses it' END,
                        CASE WHEN s.wal_status IN ('unreserved', 'lost') THEN '; its WAL is ' || s.wal_status ELSE '' END) END,
       jsonb_build_object('retained_bytes', s.retained_bytes, 'active', s.active, 'wal_status', s.wal_status, 'slot_type', s.slot_type),
       CASE WHEN NOT s.active THEN format('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %L AND NOT active', s.name) END
-- A short window looks at the five minutes before its end.
FROM (SELECT DISTINCT ON (h.name) h.*, bool_or(h.active) OVER w AS used, min(h.taken_at) OVER w AS first_at
      FROM pgperf.replication_history h
      WHERE h.node_id = $1::uuid AND h.taken_at > LEAST($2::timestamptz, $3::timestamptz - interval '6 minutes') AND h.taken_at <= $3::timestamptz
        AND h.kind = 'slot'
      WINDOW w AS (PARTITION BY h.name) ORDER BY h.name, h.sample_id DESC) s
WHERE s.taken_at > $2::timestamptz AND (s.wal_status IN ('unreserved', 'lost') OR NOT s.used AND s.retained_bytes >= {threshold slot_holds_wal} AND s.taken_at - s.first_at >= interval '5 minutes')
