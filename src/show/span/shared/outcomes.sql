-- The samples of the window ({points} stretches of it) and of as long before it (stretch -1; a quarter of an hour at least, a day at most), counted:
-- all of them, with their cost (collector NULL), and those of each collector, by what became of it (trouble NULL: it is fine, but a reason says that it was taken less often than asked).
WITH counted AS MATERIALIZED (
    SELECT {stretch} AS stretch, h.epoch, h.complete, h.run_id IS NOT NULL AS of_run,
           pg_catalog.count(*) AS samples, pg_catalog.min(h.sample_id) AS first_id, pg_catalog.max(h.sample_id) AS last_id,
           pg_catalog.min(h.taken_at) AS first_at, pg_catalog.max(h.taken_at) AS last_at,
           pg_catalog.sum(h.rows::pg_catalog.float8) AS rows, pg_catalog.sum(h.elapsed_ms) AS elapsed_ms, pg_catalog.count(h.elapsed_ms) AS timed,
           pg_catalog.max(h.elapsed_ms) AS longest_ms, pg_catalog.sum(h.cpu_ms) AS cpu_ms,
           pg_catalog.sum(h.pages::pg_catalog.float8) AS pages, pg_catalog.sum(h.wal_bytes::pg_catalog.float8) AS wal_bytes,
           pgperf_internal.outcome_counts(h.outcomes, h.sample_id, h.taken_at) AS outcomes
    FROM pgperf.samples h
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at <= $3::pg_catalog.timestamptz{of_run}
      AND h.taken_at > $2::pg_catalog.timestamptz - LEAST('1 day'::pg_catalog.interval, GREATEST('15 min'::pg_catalog.interval,
          $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz))
    GROUP BY 1, 2, 3, 4)
SELECT NULL::pg_catalog.text AS collector, c.stretch, c.epoch, c.complete, c.of_run, NULL::pg_catalog.text AS trouble, NULL::pg_catalog.text AS reason,
       c.samples, c.first_id, c.last_id, c.first_at, c.last_at, c.rows, c.elapsed_ms, c.timed, c.longest_ms, c.cpu_ms, c.pages, c.wal_bytes
FROM counted c
UNION ALL
SELECT o.collector, c.stretch, c.epoch, c.complete, c.of_run, o.trouble, o.reason,
       o.samples, o.first_id, o.last_id, o.first_at, o.last_at, o.rows, o.elapsed_ms, o.timed, o.longest_ms, NULL, NULL, NULL
FROM counted c
CROSS JOIN LATERAL pg_catalog.jsonb_to_recordset(c.outcomes) o(
    collector pg_catalog.text, trouble pg_catalog.text, reason pg_catalog.text, samples pg_catalog.int8, first_id pg_catalog.int8, last_id pg_catalog.int8,
    first_at pg_catalog.timestamptz, last_at pg_catalog.timestamptz, rows pg_catalog.float8, elapsed_ms pg_catalog.float8, timed pg_catalog.int8,
    longest_ms pg_catalog.float8)
