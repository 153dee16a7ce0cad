-- Any failure; a collector that is skipped for a reason has not failed.
SELECT NULL, LEAST(99, 100.0 * sum(o.samples) / max(n.samples)), 'collector', NULL, o.collector, max(o.last_at), min(o.first_at), max(o.last_at),
       format('failed in %s of %s samples, last: %s', sum(o.samples), max(n.samples), (array_agg(o.reason ORDER BY o.last_id DESC))[1]),
       jsonb_build_object('failed', sum(o.samples), 'samples', max(n.samples)), NULL
FROM {outcomes} o CROSS JOIN (SELECT sum(c.samples) AS samples FROM counted c) n
WHERE o.trouble = 'failed' AND o.stretch >= 0
GROUP BY o.collector
