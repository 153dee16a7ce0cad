-- The nodes that have samples, of one group or of all, with the last before the end of the window. $1, $2: the window; $3: the group.
SELECT n.node_id, n.name, n.group_name, l.taken_at AS last_at, l.taken_at > $1 AS has_samples,
       l.taken_at > $1 - '1 day'::pg_catalog.interval AS is_missed
FROM pgperf.nodes n
CROSS JOIN LATERAL (
    SELECT pg_catalog.max(s.taken_at) AS taken_at FROM pgperf.samples s WHERE s.node_id = n.node_id AND s.taken_at <= $2) l
WHERE l.taken_at IS NOT NULL AND ($3 IS NULL OR n.group_name = $3)
ORDER BY n.name
