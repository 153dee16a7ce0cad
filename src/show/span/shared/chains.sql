-- Waits for locks and the heads of their chains, each once: as it was when it was seen last. A head has held what others wait for
-- from its first sight on.
WITH h AS MATERIALIZED (
    SELECT h.*, pg_catalog.min(h.taken_at - h.looks * '1 s'::pg_catalog.interval) OVER one AS first_at, pg_catalog.max(h.victims) OVER one AS most_victims,
           pg_catalog.row_number() OVER (PARTITION BY h.pid, h.session_start, h.waiting_since, h.depth = 0 ORDER BY h.sample_id DESC, h.waited_s DESC) AS newest
    FROM pgperf.blocking_history h
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz{of_run}
    WINDOW one AS (PARTITION BY h.pid, h.session_start, h.waiting_since, h.depth = 0)),
waits AS MATERIALIZED (
    SELECT h.head_pid, h.pid, h.depth, h.most_victims AS victims, h.session_start, h.transaction_start, h.statement_start,
           COALESCE(h.waiting_since, h.first_at) AS since, h.taken_at AS until, h.waited_s, h.database_name, h.role_name, h.application_name, h.backend_type,
           h.state, h.query_id, h.lock_type, h.lock_mode, h.lock_object, h.schema_name, h.relation_name, h.statement, h.blocked_by
    FROM h WHERE h.newest = 1),
-- What those behind a head waited.
behind AS (
    SELECT w.pid, w.session_start, pg_catalog.count(*) AS waits, pg_catalog.sum(v.waited_s) AS together_s, pg_catalog.max(v.waited_s) AS longest_s,
           pg_catalog.min(v.since) AS first_at
    FROM waits w JOIN waits v ON v.head_pid = w.pid
    WHERE w.depth = 0 AND v.depth > 0 AND v.until >= w.since AND v.since <= w.until
    GROUP BY w.pid, w.session_start)
SELECT w.*, b.waits, b.together_s, b.longest_s, b.first_at
FROM waits w
LEFT JOIN behind b ON w.depth = 0 AND b.pid = w.pid AND b.session_start IS NOT DISTINCT FROM w.session_start
