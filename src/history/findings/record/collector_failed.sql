-- Any failure; a collector that is skipped for a reason has not failed.
SELECT NULL, LEAST(99, 100.0 * count(*) / max(n.samples)), 'collector', NULL, o.key, max(t.taken_at), min(t.taken_at), max(t.taken_at),
       format('failed in %s of %s samples, last: %s', count(*), max(n.samples), (array_agg(o.value ->> 'reason' ORDER BY t.sample_id DESC))[1]),
       jsonb_build_object('failed', count(*), 'samples', max(n.samples)), NULL
FROM (SELECT s.sample_id, s.taken_at, s.outcomes FROM pgperf.samples s
      WHERE s.node_id = $1::uuid AND s.taken_at > $2::timestamptz AND s.taken_at <= $3::timestamptz AND s.outcomes @? '$.*.status ? (@ == "failed")') t
CROSS JOIN (SELECT count(*) AS samples FROM taken) n
CROSS JOIN LATERAL jsonb_each(t.outcomes) o
WHERE o.value ->> 'status' = 'failed'
GROUP BY o.key
