-- The rate is that of the time from the first sample of the window, or of the day before its end if that is longer, to the last.
WITH h AS MATERIALIZED (
    SELECT h.* FROM pgperf.sequence_history h
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at <= $3::pg_catalog.timestamptz{of_run}
      AND h.taken_at > LEAST($2::pg_catalog.timestamptz, $3::pg_catalog.timestamptz - '1 day'::pg_catalog.interval)),
last AS (
    SELECT DISTINCT ON (h.sequence_oid) h.* FROM h WHERE h.taken_at > $2::pg_catalog.timestamptz ORDER BY h.sequence_oid, h.sample_id DESC),
first AS (SELECT DISTINCT ON (h.sequence_oid) h.* FROM h ORDER BY h.sequence_oid, h.sample_id)
SELECT l.schema_name || '.' || l.sequence_name AS sequence, l.table_name || '.' || l.column_name || ' ' || l.column_type AS used_by,
       l.used_percent, l.last_value, l.limit_value, r.per_s * 86400 AS per_day,
       CASE WHEN r.per_s > 0 AND (l.limit_value::pg_catalog.float8 - l.last_value) / l.increment / r.per_s < 3.2e9
            THEN (l.limit_value::pg_catalog.float8 - l.last_value) / l.increment / r.per_s END AS left_s
FROM last l
JOIN first f ON f.sequence_oid = l.sequence_oid
CROSS JOIN LATERAL (
    SELECT (l.last_value::pg_catalog.float8 - f.last_value) / l.increment
        / NULLIF(EXTRACT(epoch FROM l.taken_at - f.taken_at), 0)::pg_catalog.float8 AS per_s) r
ORDER BY l.used_percent DESC, 1
