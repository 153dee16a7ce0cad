-- Of the samples of this window only: pgperf.sampler_gaps looks at all there are. A sample was expected at the interval in force then: that of the
-- sample before, of the next one with the same collector (the budget may have stretched it, or somebody changed it), or the present one.
WITH taken AS MATERIALIZED (
    SELECT s.sample_id, s.taken_at, s.cadence, s.epoch FROM pgperf.samples s
    WHERE s.node_id = $1::pg_catalog.uuid AND s.taken_at > $2::pg_catalog.timestamptz - LEAST('1 day'::pg_catalog.interval, $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz)
      AND s.taken_at <= $3::pg_catalog.timestamptz AND s.cadence IS NOT NULL AND s.run_id IS NULL
      -- One that was broken off has no outcomes.
      AND s.outcomes OPERATOR(pg_catalog.<>) '{}'),
ends AS (SELECT LEAST($3::pg_catalog.timestamptz, pg_catalog.clock_timestamp()) AS ends_at),
retained AS (
    SELECT COALESCE(pg_catalog.min(c.retention), '1000 years'::pg_catalog.interval) AS raw,
           COALESCE(pg_catalog.min(c.hourly_retention), '1000 years'::pg_catalog.interval) AS hourly FROM pgperf.collectors c),
-- Where only one sample of each hour or day is kept, such distances are no gaps.
distances AS (
    SELECT x.*, COALESCE(pg_catalog.lead(x.taken_at) OVER (PARTITION BY x.cadence ORDER BY x.sample_id), e.ends_at) AS next_at, e.ends_at,
           x.taken_at + GREATEST(2.5 * x.cadence, x.cadence + '15 s'::pg_catalog.interval) AS late_at, x.taken_at < pg_catalog.now() - k.raw AS rolled_up,
           CASE WHEN x.taken_at < pg_catalog.now() - k.hourly THEN '2 days' WHEN x.taken_at < pg_catalog.now() - k.raw THEN '2 hours' ELSE '0' END::pg_catalog.interval AS kept_every
    FROM taken x CROSS JOIN ends e CROSS JOIN retained k),
pauses AS MATERIALIZED (
    SELECT d.sample_id, d.cadence, d.taken_at AS last_at, d.epoch, d.ends_at, d.rolled_up, d.kept_every, d.late_at
    FROM distances d
    WHERE d.next_at > GREATEST(d.late_at, d.taken_at + d.kept_every)
      AND d.next_at > $2::pg_catalog.timestamptz),
-- If the sampler took others when it was due, it lived, and took these at another interval or no more.
silent AS (
    SELECT p.* FROM pauses p
    WHERE NOT EXISTS (SELECT FROM pgperf.samples a
                      WHERE a.node_id = $1::pg_catalog.uuid AND a.sample_id > p.sample_id AND a.cadence IS NOT NULL AND a.run_id IS NULL
                        AND a.taken_at >= p.last_at + p.cadence AND a.taken_at <= LEAST(p.late_at, p.ends_at))),
collectors AS (
    SELECT p.sample_id, p.last_at, p.cadence, p.epoch, p.rolled_up, p.kept_every, k.key AS collector, n.taken_at AS next_at, n.epoch AS next_epoch, COALESCE(n.taken_at, p.ends_at) AS until,
           GREATEST(p.cadence, n.cadence, CASE WHEN n.taken_at IS NULL THEN c.sample_interval END) AS due_every
    FROM silent p
    CROSS JOIN LATERAL (
        SELECT k.key FROM pgperf.samples x, pg_catalog.jsonb_object_keys(x.outcomes) k(key)
        WHERE x.node_id = $1::pg_catalog.uuid AND x.sample_id = p.sample_id AND x.taken_at = p.last_at) k
    LEFT JOIN LATERAL (
        SELECT x.taken_at, x.cadence, x.epoch FROM pgperf.samples x
        WHERE x.node_id = $1::pg_catalog.uuid AND x.sample_id > p.sample_id AND x.taken_at > p.last_at AND x.taken_at <= $3::pg_catalog.timestamptz
          AND x.cadence IS NOT NULL AND x.run_id IS NULL AND x.outcomes OPERATOR(pg_catalog.?) k.key
        ORDER BY x.sample_id LIMIT 1) n ON true
    LEFT JOIN pgperf.collectors c ON $5 AND c.name = k.key AND c.enabled
    -- One that was switched off is no longer due.
    WHERE n.taken_at IS NOT NULL OR NOT $5 OR c.sample_interval IS NOT NULL)
SELECT pg_catalog.string_agg(c.collector, ', ' ORDER BY c.collector) AS collectors, c.last_at, c.next_at,
       EXTRACT(epoch FROM c.until - c.last_at) AS seconds, EXTRACT(epoch FROM c.due_every) AS cadence_s,
       CASE WHEN c.next_epoch <> c.epoch THEN 'counters began again meanwhile: a restart or a reset'
            WHEN c.next_at IS NULL THEN 'until the end of the window'
            WHEN c.rolled_up THEN 'not taken, or only one of each hour or day is kept'
            WHEN EXISTS (SELECT FROM pgperf.nodes n WHERE n.node_id = $1::pg_catalog.uuid AND n.sampled_by IS NOT NULL)
                THEN 'the target did not answer, or no sampler ran'
            ELSE 'no sampler ran' END AS reason
FROM collectors c
WHERE c.until - c.last_at > GREATEST(2.5 * c.due_every, c.due_every + '15 s'::pg_catalog.interval, c.kept_every) AND c.until > $2::pg_catalog.timestamptz
GROUP BY c.sample_id, c.last_at, c.next_at, c.until, c.due_every, c.epoch, c.next_epoch, c.rolled_up
ORDER BY EXTRACT(epoch FROM c.until - c.last_at) DESC, c.last_at, 1
