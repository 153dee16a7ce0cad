-- Any: the subscription stands still until its cause is gone.
SELECT NULL, 80, 'subscription', NULL, x.name, max(x.taken_at), min(x.since), max(x.taken_at),
       format('errors while changes were applied or tables copied: %s', sum(x.errors)), jsonb_build_object('errors', sum(x.errors)), NULL
FROM (SELECT h.name, h.taken_at, lag(h.taken_at) OVER w AS since,
             h.apply_error_count + h.sync_error_count - lag(h.apply_error_count + h.sync_error_count) OVER w AS errors
      FROM pgperf.replication_history h
      WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz - interval '1 hour' AND h.taken_at <= $3::timestamptz AND h.kind = 'subscription'
      WINDOW w AS (PARTITION BY h.name ORDER BY h.sample_id)) x
WHERE x.errors > 0 AND x.taken_at > $2::timestamptz
GROUP BY x.name
