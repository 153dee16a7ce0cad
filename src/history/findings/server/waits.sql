-- One look at the sessions a sample; of a window of several days every n-th sample, n being its days: still thousands.
looks AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at, COALESCE(sum(h.seen) FILTER (WHERE h.state = 'active' AND h.wait_event_type = 'Lock'), 0) AS waiting,
           COALESCE(sum(h.seen) FILTER (WHERE h.state = 'active'
                                          AND (h.wait_event IN ('BgWorkerShutdown', 'BgworkerShutdown')) IS NOT TRUE), 0) AS active, COALESCE(sum(h.seen) FILTER (WHERE h.backend_type = 'client backend'), 0) AS sessions
    FROM pgperf.wait_history h
    WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz AND h.source = 'activity'
      AND h.sample_id % GREATEST(1, ceil(EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz) / 86400)::bigint) = 0
    GROUP BY h.sample_id, h.taken_at),
-- Seconds of sessions at work: their mean number times the time.
active AS MATERIALIZED (
    SELECT sum(s.seen * s.covered_s / s.looks) AS seconds FROM {sessions} s
    WHERE s.looks > 0 AND s.state = 'active' AND (s.wait_event_type, s.wait_event) IS DISTINCT FROM ('Client', 'ClientRead')),
-- By what was locked: the head that was waited for most, who waits for it and is waited for, and what all heads cost.
queues AS MATERIALIZED (
    SELECT x.*, d.first_in_queue FROM (
        SELECT h.*, sum(h.together_s) OVER q AS all_s, max(h.longest_s) OVER q AS all_longest_s, max(h.victims) OVER q AS all_victims,
               min(h.first_at) OVER q AS all_since, max(h.until) OVER q AS all_until, count(h.together_s) OVER q AS heads,
               row_number() OVER (q ORDER BY h.together_s DESC NULLS LAST, h.since, h.pid) AS place,
               h.until = (SELECT max(s.taken_at) FROM pgperf.session_history s
                          WHERE s.node_id = $1::uuid AND s.taken_at > $2::timestamptz AND s.taken_at <= $3::timestamptz) AS goes_on
        FROM {chains} h WHERE h.depth = 0 WINDOW q AS (PARTITION BY h.database_name, h.schema_name, h.relation_name, h.lock_type)) x
    LEFT JOIN LATERAL (
        SELECT format('%s (role %s)', COALESCE(v.statement, 'pid ' || v.pid), v.role_name) AS first_in_queue
        FROM {chains} v WHERE v.depth > 0 AND v.victims > 0 AND v.head_pid = x.pid AND v.until >= x.since AND v.since <= x.until
        ORDER BY v.victims DESC, v.since LIMIT 1) d ON true
    WHERE x.place = 1 AND x.all_longest_s >= 5 AND x.all_s >= {threshold blocking})
