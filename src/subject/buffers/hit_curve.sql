-- Each row stands for the time since the one before, so that all of the window count. An estimate without bounds is one where nothing had to leave. The present size has none: it was counted.
SELECT pg_catalog.pg_size_pretty(h.shared_buffers_bytes) AS size,
       pg_catalog.sum(h.hit_percent * a.accesses) / pg_catalog.sum(a.accesses) AS hit_percent,
       pg_catalog.sum(COALESCE(h.low, h.hit_percent) * a.accesses) FILTER (WHERE h.times <> 1)
           / pg_catalog.sum(a.accesses) FILTER (WHERE h.times <> 1) AS low_percent,
       pg_catalog.sum(COALESCE(h.high, h.hit_percent) * a.accesses) FILTER (WHERE h.times <> 1)
           / pg_catalog.sum(a.accesses) FILTER (WHERE h.times <> 1) AS high_percent,
       pg_catalog.sum(h.seconds) AS followed_s
FROM pgperf.hit_curve_history h
CROSS JOIN LATERAL (SELECT h.blks_hit + h.blks_read AS accesses) a
WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz
  AND h.run_id IS NULL AND h.hit_percent IS NOT NULL AND a.accesses > 0
GROUP BY h.shared_buffers_bytes
ORDER BY h.shared_buffers_bytes
