CREATE FUNCTION pgperf.start_sampler() RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'start_sampler_wrapper';
COMMENT ON FUNCTION pgperf.start_sampler() IS
    'Starts the continuous sampler of this database when the transaction commits; it runs until it is stopped or the server restarts. False if it runs already';
CREATE FUNCTION pgperf.stop_sampler() RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'stop_sampler_wrapper';
COMMENT ON FUNCTION pgperf.stop_sampler() IS
    'Stops the continuous sampler of this database at once; it starts again if pgperf.sampler_databases names the database. False if none runs';
REVOKE EXECUTE ON FUNCTION pgperf.start_sampler(), pgperf.stop_sampler() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.start_sampler(), pgperf.stop_sampler() TO pg_monitor;

-- The sampler's samples are its heartbeat: each has the cadence at which it was due, so a pause shows. A pause that has
-- not ended counts only for this node and the targets that it samples (another node's history just ends), and only for an enabled collector.
CREATE VIEW pgperf.sampler_gaps AS
WITH outcomes AS (
    SELECT s.node_id, c.key AS collector, s.taken_at, s.cadence, s.epoch, c.value ->> 'status' AS status, c.value ->> 'reason' AS reason
    FROM pgperf.samples s CROSS JOIN LATERAL pg_catalog.jsonb_each(s.outcomes) c
    WHERE s.cadence IS NOT NULL AND s.run_id IS NULL),
pauses AS (
    SELECT o.node_id, o.collector, o.taken_at AS last_at, pg_catalog.lead(o.taken_at) OVER later AS next_at,
           o.cadence AS last_cadence, GREATEST(o.cadence, pg_catalog.lead(o.cadence) OVER later) AS cadence,
           o.epoch, pg_catalog.lead(o.epoch) OVER later AS next_epoch
    FROM outcomes o WHERE o.status = 'ok'
    WINDOW later AS (PARTITION BY o.node_id, o.collector ORDER BY o.taken_at)),
gaps AS (
    SELECT p.node_id, p.collector, p.last_at, p.next_at, p.last_cadence, GREATEST(p.cadence, n.sample_interval) AS cadence, p.epoch, p.next_epoch,
           EXTRACT(epoch FROM COALESCE(p.next_at, pg_catalog.clock_timestamp()) - p.last_at)::float8 AS seconds
    FROM pauses p
    -- It may be due later since.
    LEFT JOIN pgperf.collectors n ON n.name = p.collector AND p.next_at IS NULL
    WHERE p.next_at IS NOT NULL
       OR (p.node_id = (SELECT n.node_id FROM pgperf.nodes n
                        WHERE n.system_identifier = (SELECT c.system_identifier FROM pg_catalog.pg_control_system() c)
                          AND n.database_oid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
                          AND n.sampled_by IS NULL
                        ORDER BY n.created_at DESC, n.node_id LIMIT 1)
           OR p.node_id IN (SELECT t.target_node_id FROM pgperf_internal.sampled_targets t))
          AND EXISTS (SELECT FROM pgperf.collectors w WHERE w.name = p.collector AND w.enabled AND w.sample_interval IS NOT NULL))
SELECT g.node_id, g.collector, g.cadence, g.last_at, g.next_at, g.seconds,
       CASE WHEN m.status IS NOT NULL THEN m.status || COALESCE(': ' || m.reason, '')
            WHEN EXISTS (SELECT FROM pgperf.samples s
                         WHERE s.node_id = g.node_id AND s.cadence IS NOT NULL AND s.run_id IS NULL
                           -- One that a crash broke off has no outcomes.
                           AND s.outcomes <> '{}'
                           -- Nor does one after a restart prove anything.
                           AND s.epoch = g.epoch
                           AND s.taken_at > g.last_at AND s.taken_at <= g.last_at + 1.5 * g.last_cadence
                           AND s.taken_at + s.elapsed_ms * '1 ms'::interval >= g.last_at + g.last_cadence)
                THEN 'the sampler ran without it: it was switched off, or the sampler was busy'
            WHEN EXISTS (SELECT FROM pgperf.nodes n WHERE n.node_id = g.node_id AND n.sampled_by IS NOT NULL)
                THEN 'the target did not answer, or no sampler ran' || CASE WHEN g.next_epoch <> g.epoch
                     THEN ': it was restarted, or its statistics were reset meanwhile' ELSE '' END
            WHEN g.next_epoch <> g.epoch OR g.next_at IS NULL AND pg_catalog.pg_postmaster_start_time() > g.last_at
                THEN 'no sampler ran: the server was restarted, or its statistics were reset meanwhile'
            ELSE 'no sampler ran' END AS reason
FROM gaps g
LEFT JOIN LATERAL (SELECT o.status, o.reason FROM outcomes o
                   WHERE o.node_id = g.node_id AND o.collector = g.collector
                     AND o.taken_at > g.last_at AND (g.next_at IS NULL OR o.taken_at < g.next_at)
                   ORDER BY o.taken_at DESC LIMIT 1) m ON true
WHERE g.seconds > 1.5 * EXTRACT(epoch FROM g.cadence)
  -- Where the sampler only visits the database, the figures of the server are in the history of its home.
  AND NOT (EXISTS (SELECT FROM pgperf.collectors v WHERE v.name = g.collector AND v.in_visits = 'never')
           AND EXISTS (SELECT FROM pgperf.samples v WHERE v.node_id = g.node_id AND v.home IS NOT NULL
                         AND v.taken_at > g.last_at AND (g.next_at IS NULL OR v.taken_at < g.next_at)));
COMMENT ON VIEW pgperf.sampler_gaps IS 'Where the history of the continuous sampler has gaps: one row for each collector and pause of more than 1.5 times the cadence, with the reason as far as the samples show it';
COMMENT ON COLUMN pgperf.sampler_gaps.cadence IS 'The interval at which samples with this collector were due; the longer one if it changed in between';
COMMENT ON COLUMN pgperf.sampler_gaps.next_at IS 'The sample that ended the gap; NULL: it goes on';
GRANT SELECT ON pgperf.sampler_gaps TO pg_monitor;
