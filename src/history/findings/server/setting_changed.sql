-- Any change after the first sample of settings. A warning if autovacuum or track_counts was switched off, critical if fsync or
-- full_page_writes was. A default that the server computes when it starts has no figure.
SELECT CASE WHEN h.value = 'off' AND h.name IN ('fsync', 'full_page_writes') THEN 'critical'
            WHEN h.value = 'off' AND h.name IN ('autovacuum', 'track_counts') THEN 'warning' END,
       10, 'setting', NULL, h.name, h.taken_at, p.last_sample_at, h.taken_at,
       format('%s%s%s%s: %s became %s %s%s%s', h.name, ' for database ' || h.database_name, ' for role ' || h.role_name,
              CASE WHEN h.unit IS NOT NULL THEN ' (in ' || h.unit || ')' ELSE '' END,
              CASE WHEN b.known THEN COALESCE(NULLIF(b.value, ''), 'nothing') ELSE COALESCE(NULLIF(s.value, '') || ', the default,', 'the default') END,
              COALESCE(NULLIF(h.value, ''), 'nothing'),
              COALESCE('between ' || to_char(p.last_sample_at, 'YYYY-MM-DD HH24:MI:SS') || ' and ', 'before '), to_char(h.taken_at, 'HH24:MI:SS'),
              CASE WHEN h.pending_restart THEN '; it waits for a restart' ELSE '' END),
       jsonb_build_object('setting', h.name, 'from', CASE WHEN b.known THEN b.value ELSE s.value END, 'to', h.value, 'unit', h.unit, 'source', h.source,
                          'database', h.database_name, 'role', h.role_name, 'pending_restart', h.pending_restart),
       NULL
FROM pgperf.settings_history h
LEFT JOIN LATERAL (SELECT true AS known, x.value, x.pending_restart FROM pgperf.settings_history x
                   WHERE x.node_id = h.node_id AND x.name = h.name AND x.sample_id < h.sample_id
                     AND x.database_name IS NOT DISTINCT FROM h.database_name AND x.role_name IS NOT DISTINCT FROM h.role_name
                   ORDER BY x.sample_id DESC LIMIT 1) b ON true
-- Without a row before, a setting was at its default. Where the server computes that, boot_val is -1, 0 or a lower limit and was never in force.
-- A setting that waits for a restart still has its default, and one may be set to it.
LEFT JOIN LATERAL (SELECT CASE WHEN h.source = 'default' OR h.value = d.boot_val THEN h.value
                               WHEN d.boot_val NOT IN ('-1', '0') AND d.name <> 'max_stack_depth' THEN d.boot_val END AS value
                   FROM pg_settings d
                   WHERE d.name = h.name AND h.database_name IS NULL AND h.role_name IS NULL) s ON true
-- When the settings were looked at before.
CROSS JOIN LATERAL (SELECT max(o.taken_at) AS last_sample_at FROM pgperf.samples o
                    WHERE o.node_id = h.node_id AND o.taken_at < h.taken_at AND o.taken_at > h.taken_at - interval '1 day'
                      AND o.outcomes -> 'settings' ->> 'status' = 'ok') p
WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz
  AND h.sample_id > (SELECT min(f.sample_id) FROM pgperf.settings_history f WHERE f.node_id = $1::uuid)
  AND (h.value, h.pending_restart) IS DISTINCT FROM (CASE WHEN b.known THEN b.value ELSE s.value END, COALESCE(b.pending_restart, false))
