WITH seen AS MATERIALIZED (
    SELECT p.sample_id, p.at_s, h.file_system, pg_catalog.string_agg(h.name, ', ' ORDER BY h.kind DESC, h.name) AS holds,
           pg_catalog.min(h.free_bytes) AS free, pg_catalog.max(h.file_system_bytes) AS total, pg_catalog.sum(h.size_bytes) AS used
    FROM {samples}
    JOIN pgperf.tablespace_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
    WHERE h.file_system_bytes > 0
    GROUP BY p.sample_id, p.at_s, h.file_system),
ends AS (
    SELECT DISTINCT ON (s.file_system) s.*, pg_catalog.first_value(s.free) OVER w AS free_before, pg_catalog.first_value(s.at_s) OVER w AS from_s
    FROM seen s WINDOW w AS (PARTITION BY s.file_system ORDER BY s.sample_id)
    ORDER BY s.file_system, s.sample_id DESC)
SELECT e.holds, e.free AS free_bytes, 100 * e.free / e.total::pg_catalog.float8 AS free_percent, e.free_before - e.free AS lost_bytes,
       CASE WHEN e.free < e.free_before AND e.at_s - e.from_s >= 1800
            THEN e.free / ((e.free_before - e.free) / (e.at_s - e.from_s)) END AS left_s,
       e.total AS total_bytes, e.used AS server_bytes
FROM ends e
ORDER BY e.free / e.total::pg_catalog.float8, e.holds
