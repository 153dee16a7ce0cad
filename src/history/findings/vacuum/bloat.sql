-- The last measurement of each relation in the window, and the one to compare it with: the last one before the window, or
-- else the first in it. Bloat has a margin of error, so growth does as well.
latest AS MATERIALIZED (
    SELECT DISTINCT ON (h.schema_name, h.relation_name) h.*
    FROM pgperf.bloat_history h
    WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz
      AND h.schema_name NOT IN ('pgperf', 'pgperf_internal') AND COALESCE(h.table_schema, '') NOT IN ('pgperf', 'pgperf_internal')
      AND h.bloat_bytes IS NOT NULL
    ORDER BY h.schema_name, h.relation_name, h.taken_at DESC),
measured AS MATERIALIZED (
    SELECT l.*, e.taken_at AS earlier_at, e.bloat_bytes AS earlier_bytes, e.bloat_percent AS earlier_percent,
           l.bloat_bytes - e.bloat_bytes AS growth,
           (COALESCE(l.error_margin_percent, 0) * l.size_bytes + COALESCE(e.error_margin_percent, 0) * e.size_bytes) / 100 AS margin
    -- Both rules ask for 30 % and more: the others are not looked up.
    FROM (SELECT x.* FROM latest x WHERE x.bloat_percent - COALESCE(x.error_margin_percent, 0) >= LEAST({threshold table_bloat}, {threshold index_bloat})) l
    LEFT JOIN LATERAL (
        (SELECT b.* FROM pgperf.bloat_history b
         WHERE b.node_id = $1::uuid AND b.schema_name = l.schema_name AND b.relation_name = l.relation_name
           AND b.taken_at <= $2::timestamptz AND b.taken_at > $2::timestamptz - interval '8 days' AND b.bloat_bytes IS NOT NULL
         ORDER BY b.taken_at DESC LIMIT 1)
        UNION ALL
        (SELECT b.* FROM pgperf.bloat_history b
         WHERE b.node_id = $1::uuid AND b.schema_name = l.schema_name AND b.relation_name = l.relation_name
           AND b.taken_at > $2::timestamptz AND b.taken_at < l.taken_at AND b.bloat_bytes IS NOT NULL
         ORDER BY b.taken_at LIMIT 1)
        LIMIT 1) e ON true)
