-- Any. Without a slot, the sampler can neither begin nor visit other databases: their histories have gaps.
SELECT NULL, LEAST(99, 100.0 * count(*) / max(n.samples)), 'server', NULL, 'worker slots', max(s.taken_at), min(s.taken_at), max(s.taken_at),
       format('no worker slot was free for the sampler, as %s of %s samples say', count(*), max(n.samples))
       || CASE WHEN $1::uuid = (SELECT pgperf.local_node()) THEN format('; max_worker_processes is %s', current_setting('max_worker_processes')) ELSE '' END,
       jsonb_build_object('samples', count(*)), NULL
FROM pgperf.samples s CROSS JOIN (SELECT sum(c.samples) AS samples FROM counted c) n
WHERE s.node_id = $1::uuid AND s.taken_at > $2::timestamptz AND s.taken_at <= $3::timestamptz AND s.short_of_workers
HAVING count(*) > 0
