-- The samples of the window ({points} stretches of it) and of as long before it (stretch -1; a quarter of an hour at least, a day at most), counted:
-- all of them, with their cost (collector NULL), and those of each collector, by what became of it (trouble NULL: it is fine). OFFSET 0: the
-- stretch is computed once for a sample.
WITH taken AS NOT MATERIALIZED (
    SELECT h.sample_id, h.taken_at, h.epoch, h.complete, h.run_id IS NOT NULL AS of_run, h.outcomes, h.rows, h.elapsed_ms, h.cpu_ms, h.pages, h.wal_bytes,
           {stretch} AS stretch
    FROM pgperf.samples h
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at <= $3::pg_catalog.timestamptz
      AND h.taken_at > $2::pg_catalog.timestamptz - LEAST('1 day'::pg_catalog.interval, GREATEST('15 min'::pg_catalog.interval,
          $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz))
    OFFSET 0)
SELECT NULL::pg_catalog.text AS collector, t.stretch, t.epoch, t.complete, t.of_run, NULL::pg_catalog.text AS trouble, NULL::pg_catalog.text AS reason,
       pg_catalog.count(*) AS samples, pg_catalog.min(t.sample_id) AS first_id, pg_catalog.max(t.sample_id) AS last_id,
       pg_catalog.min(t.taken_at) AS first_at, pg_catalog.max(t.taken_at) AS last_at,
       pg_catalog.sum(t.rows::pg_catalog.float8) AS rows, pg_catalog.sum(t.elapsed_ms) AS elapsed_ms, pg_catalog.count(t.elapsed_ms) AS timed,
       pg_catalog.max(t.elapsed_ms) AS longest_ms, pg_catalog.sum(t.cpu_ms) AS cpu_ms,
       pg_catalog.sum(t.pages::pg_catalog.float8) AS pages, pg_catalog.sum(t.wal_bytes::pg_catalog.float8) AS wal_bytes
FROM taken t GROUP BY t.stretch, t.epoch, t.complete, t.of_run
UNION ALL
SELECT o.key, t.stretch, t.epoch, t.complete, t.of_run, o.trouble, CASE WHEN o.trouble IS NOT NULL THEN o.reason END,
       pg_catalog.count(*), pg_catalog.min(t.sample_id), pg_catalog.max(t.sample_id), pg_catalog.min(t.taken_at), pg_catalog.max(t.taken_at),
       pg_catalog.sum(o.rows), pg_catalog.sum(o.elapsed_ms), pg_catalog.count(o.elapsed_ms), pg_catalog.max(o.elapsed_ms), NULL, NULL, NULL
FROM taken t, LATERAL (
    SELECT e.key, NULLIF(e.value OPERATOR(pg_catalog.->>) 'status', 'ok') AS trouble, e.value OPERATOR(pg_catalog.->>) 'reason' AS reason,
           (e.value OPERATOR(pg_catalog.->>) 'rows')::pg_catalog.float8 AS rows, (e.value OPERATOR(pg_catalog.->>) 'elapsed_ms')::pg_catalog.float8 AS elapsed_ms
    FROM pg_catalog.jsonb_each(t.outcomes) e OFFSET 0) o
GROUP BY o.key, t.stretch, t.epoch, t.complete, t.of_run, 6, 7
