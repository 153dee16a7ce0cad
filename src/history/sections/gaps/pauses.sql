-- Of the samples of this window only: pgperf.sampler_gaps looks at all there are.
WITH taken AS MATERIALIZED (
    SELECT s.sample_id, s.taken_at, s.cadence, s.epoch FROM pgperf.samples s
    WHERE s.node_id = $1::pg_catalog.uuid AND s.taken_at > $2::pg_catalog.timestamptz - LEAST('1 day'::pg_catalog.interval, $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz)
      AND s.taken_at <= $3::pg_catalog.timestamptz AND s.cadence IS NOT NULL AND s.run_id IS NULL),
pauses AS (
    SELECT t.sample_id, t.cadence, t.taken_at AS last_at, pg_catalog.lead(t.taken_at) OVER w AS next_at, t.epoch, pg_catalog.lead(t.epoch) OVER w AS next_epoch,
           pg_catalog.lead(t.taken_at) OVER (ORDER BY t.sample_id) AS next_any
    FROM taken t WINDOW w AS (PARTITION BY t.cadence ORDER BY t.sample_id)),
ends AS (SELECT LEAST($3::pg_catalog.timestamptz, pg_catalog.clock_timestamp()) AS ends_at)
SELECT (SELECT pg_catalog.string_agg(k.key, ', ' ORDER BY k.key) FROM pgperf.samples x, pg_catalog.jsonb_object_keys(x.outcomes) k(key)
        WHERE x.node_id = $1::pg_catalog.uuid AND x.sample_id = p.sample_id AND x.taken_at = p.last_at) AS collectors,
       p.last_at, p.next_at, EXTRACT(epoch FROM COALESCE(p.next_at, e.ends_at) - p.last_at) AS seconds, EXTRACT(epoch FROM p.cadence) AS cadence_s,
       CASE WHEN p.next_epoch <> p.epoch THEN 'counters began again meanwhile: a restart or a reset'
            WHEN p.next_at IS NULL THEN 'until the end of the window'
            WHEN p.last_at < pg_catalog.now() - k.raw THEN 'not taken, or only one of each hour or day is kept'
            WHEN p.next_any >= p.next_at THEN 'no sampler ran'
            ELSE 'not taken' END AS reason
FROM pauses p CROSS JOIN ends e
CROSS JOIN (SELECT COALESCE(pg_catalog.min(c.retention), '1000 years'::pg_catalog.interval) AS raw,
                   COALESCE(pg_catalog.min(c.hourly_retention), '1000 years'::pg_catalog.interval) AS hourly FROM pgperf.collectors c) k
WHERE COALESCE(p.next_at, e.ends_at) - p.last_at > GREATEST(2.5 * p.cadence, p.cadence + '15 s'::pg_catalog.interval)
  AND COALESCE(p.next_at, e.ends_at) > $2::pg_catalog.timestamptz
  -- Where only one sample of each hour or day is kept, such distances are no gaps.
  AND NOT (p.last_at < pg_catalog.now() - k.raw AND COALESCE(p.next_at, e.ends_at) - p.last_at <= '2 hours'::pg_catalog.interval)
  AND NOT (p.last_at < pg_catalog.now() - k.hourly AND COALESCE(p.next_at, e.ends_at) - p.last_at <= '2 days'::pg_catalog.interval)
ORDER BY EXTRACT(epoch FROM COALESCE(p.next_at, e.ends_at) - p.last_at) DESC, p.last_at
