-- One look at the sessions a sample; of a window of several days every n-th sample, n being its days: still thousands.
looks AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at, COALESCE(sum(h.seen) FILTER (WHERE h.state = 'active' AND h.wait_event_type = 'Lock'), 0) AS waiting,
           COALESCE(sum(h.seen) FILTER (WHERE h.state = 'active'
                                          AND (h.wait_event IN ('BgWorkerShutdown', 'BgworkerShutdown')) IS NOT TRUE), 0) AS active, COALESCE(sum(h.seen) FILTER (WHERE h.backend_type = 'client backend'), 0) AS sessions
    FROM pgperf.wait_history h
    WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz AND h.source = 'activity'
      AND h.sample_id % GREATEST(1, ceil(EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz) / 86400)::bigint) = 0
    GROUP BY h.sample_id, h.taken_at)
