-- An estimate without bounds is one where nothing had to leave. The present size has none: it was counted.
SELECT pg_catalog.pg_size_pretty(h.shared_buffers_bytes) AS size,
       pg_catalog.sum(h.hit_percent * a.accesses) / pg_catalog.sum(a.accesses) AS hit_percent,
       pg_catalog.sum(COALESCE(h.low, h.hit_percent) * a.accesses) FILTER (WHERE h.times <> 1)
           / pg_catalog.sum(a.accesses) FILTER (WHERE h.times <> 1) AS low_percent,
       pg_catalog.sum(COALESCE(h.high, h.hit_percent) * a.accesses) FILTER (WHERE h.times <> 1)
           / pg_catalog.sum(a.accesses) FILTER (WHERE h.times <> 1) AS high_percent,
       pg_catalog.sum(h.seconds) AS followed_s
FROM {samples}
JOIN pgperf.hit_curve_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
CROSS JOIN LATERAL (SELECT h.blks_hit + h.blks_read AS accesses) a
WHERE p.at_s > 0 AND h.run_id IS NULL AND h.hit_percent IS NOT NULL AND a.accesses > 0
GROUP BY h.shared_buffers_bytes
ORDER BY h.shared_buffers_bytes
