CREATE SEQUENCE pgperf_internal.sample_id_seq;
COMMENT ON SEQUENCE pgperf_internal.sample_id_seq IS 'Numbers the samples of this database';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.sample_id_seq', '');

CREATE TABLE pgperf.samples (
    node_id    uuid NOT NULL,
    sample_id  bigint NOT NULL,
    taken_at   timestamptz NOT NULL,
    run_id     bigint,
    epoch      bigint NOT NULL,
    cadence    interval,
    elapsed_ms float8 NOT NULL,
    cpu_ms     float8,
    rows       bigint NOT NULL,
    pages      bigint NOT NULL,
    wal_bytes  bigint NOT NULL,
    outcomes   jsonb NOT NULL,
    complete   boolean NOT NULL DEFAULT true,
    counting   jsonb,
    home       text,
    short_of_workers boolean
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('samples', NULL, indexes => '{USING brin (taken_at), "(node_id, run_id) WHERE run_id IS NOT NULL"}',
    key => '{node_id,sample_id,taken_at}');
COMMENT ON TABLE pgperf.samples IS 'One row for each sample: its time, run and cost, and the outcome of each collector';
COMMENT ON COLUMN pgperf.samples.taken_at IS 'When the sample began; every row of the sample carries it';
COMMENT ON COLUMN pgperf.samples.run_id IS 'The run during which the sample was taken; NULL: none';
COMMENT ON COLUMN pgperf.samples.epoch IS 'Differs from the previous sample''s when the server''s counters may have begun again: hash of the server''s start and of the reset times of its WAL, background writer, checkpointer and I/O statistics (a crash changes these) and of this database''s statistics (not those of a single table). Subtract counters only within one epoch';
COMMENT ON COLUMN pgperf.samples.cadence IS 'The interval at which such samples were due; NULL: taken on demand';
COMMENT ON COLUMN pgperf.samples.elapsed_ms IS 'Time in ms for taking and storing the sample, this row excepted';
COMMENT ON COLUMN pgperf.samples.cpu_ms IS 'CPU time in ms of the process that took the sample: its cost to others where all CPUs are busy; elapsed_ms includes waiting as well';
COMMENT ON COLUMN pgperf.samples.rows IS 'Rows that the sample wrote to the history, this one excepted';
COMMENT ON COLUMN pgperf.samples.pages IS 'Pages that the sample accessed in shared_buffers, or read into them';
COMMENT ON COLUMN pgperf.samples.wal_bytes IS 'WAL that the sample wrote, this row and the commit excepted';
COMMENT ON COLUMN pgperf.samples.outcomes IS 'For each collector its status, rows, elapsed_ms and reason; pgperf.sample_outcomes shows it as rows';

COMMENT ON COLUMN pgperf.samples.counting IS 'What the epoch is made of: seconds since 1970 of the server''s start, and of the last reset of each kind of statistics; and two counters of this database, which tell its reset from that of a single table';
COMMENT ON COLUMN pgperf.samples.complete IS 'False: it is still being taken, or was broken off; its figures and the rows of its collectors are incomplete';
COMMENT ON COLUMN pgperf.samples.home IS 'Of a visit of the continuous sampler: the database whose history has the figures of the server as a whole; NULL: this sample has them, if its collectors do';
COMMENT ON COLUMN pgperf.samples.short_of_workers IS 'True: since the sample before, a sampler of the server could not be started, because no worker slot was free';

CREATE VIEW pgperf.sample_outcomes AS
SELECT s.node_id, s.sample_id, s.taken_at, s.run_id, c.key AS collector,
       c.value OPERATOR(pg_catalog.->>) 'status' AS status,
       (c.value OPERATOR(pg_catalog.->>) 'rows')::bigint AS rows,
       (c.value OPERATOR(pg_catalog.->>) 'elapsed_ms')::float8 AS elapsed_ms,
       c.value OPERATOR(pg_catalog.->>) 'reason' AS reason
FROM pgperf.samples s, LATERAL pg_catalog.jsonb_each(s.outcomes) c;
COMMENT ON VIEW pgperf.sample_outcomes IS 'One row for each collector of each sample: ok, skipped (it could not run, see reason), failed, or incomplete (a part of its rows is stored: it goes on, or was broken off)';

-- The library defines the collectors; changes by the user are rows here.
CREATE FUNCTION pgperf_internal.collector_definitions(
    OUT name text, OUT enabled boolean, OUT sample_interval interval, OUT cost text, OUT in_runs text, OUT needs text,
    OUT history_tables text[], OUT description text)
RETURNS SETOF record LANGUAGE c STABLE STRICT ROWS 4 AS 'MODULE_PATHNAME', 'collector_definitions_wrapper';
COMMENT ON FUNCTION pgperf_internal.collector_definitions() IS 'The collectors with their defaults; read pgperf.collectors';
CREATE FUNCTION pgperf_internal.collector_visits(OUT name text, OUT in_visits text)
RETURNS SETOF record LANGUAGE c STABLE STRICT ROWS 4 AS 'MODULE_PATHNAME', 'collector_visits_wrapper';
COMMENT ON FUNCTION pgperf_internal.collector_visits() IS 'Whether visits of the continuous sampler take a collector; read pgperf.collectors';

CREATE TABLE pgperf_internal.collector_settings (
    name             text PRIMARY KEY,
    enabled          boolean NOT NULL,
    sample_interval  interval CHECK (sample_interval >= '1 second'::interval),
    retention        interval CHECK (retention >= '0'),
    hourly_retention interval CHECK (hourly_retention >= '0'),
    daily_retention  interval CHECK (daily_retention >= '0')
);
COMMENT ON TABLE pgperf_internal.collector_settings IS 'Changes to the collectors'' defaults; written by UPDATE pgperf.collectors';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.collector_settings', '');

CREATE VIEW pgperf.collectors AS
SELECT d.name, COALESCE(s.enabled, d.enabled) AS enabled,
       CASE WHEN s.name IS NULL THEN d.sample_interval ELSE s.sample_interval END AS sample_interval,
       -- What is stored only when it changes is not rolled up: that of years fits in a few megabytes.
       CASE WHEN s.name IS NOT NULL THEN s.retention WHEN h.rolled_up THEN interval '7 days' END AS retention,
       CASE WHEN s.name IS NOT NULL THEN s.hourly_retention WHEN h.rolled_up THEN interval '90 days' END AS hourly_retention,
       CASE WHEN s.name IS NOT NULL THEN s.daily_retention WHEN h.rolled_up THEN interval '2 years' END AS daily_retention,
       d.cost, d.in_runs, d.needs, d.history_tables, d.description, v.in_visits
FROM pgperf_internal.collector_definitions() WITH ORDINALITY d
JOIN pgperf_internal.collector_visits() v ON v.name OPERATOR(pg_catalog.=) d.name
LEFT JOIN pgperf_internal.collector_settings s ON s.name OPERATOR(pg_catalog.=) d.name
CROSS JOIN LATERAL (SELECT COALESCE(pg_catalog.bool_or(t.rolled_up), true) AS rolled_up
                    FROM pgperf_internal.history_tables t WHERE t.collector OPERATOR(pg_catalog.=) d.name) h
ORDER BY d.ordinality;
COMMENT ON VIEW pgperf.collectors IS 'Every collector of pgperf.snapshot(); UPDATE pgperf.collectors SET enabled = false, or sample_interval = ... WHERE name = ... changes one';
COMMENT ON COLUMN pgperf.collectors.enabled IS 'Whether snapshot() takes it when none are named, and the continuous sampler at all';
COMMENT ON COLUMN pgperf.collectors.sample_interval IS 'How often the continuous sampler takes it, at least 1 s; NULL: never';
COMMENT ON COLUMN pgperf.collectors.retention IS 'How long pgperf.maintain() keeps every sample; NULL: for ever';
COMMENT ON COLUMN pgperf.collectors.hourly_retention IS 'How long it keeps one sample of each hour; NULL: for ever; not longer than retention: none';
COMMENT ON COLUMN pgperf.collectors.daily_retention IS 'How long it keeps one sample of each day; NULL: for ever; not longer than hourly_retention: none';
COMMENT ON COLUMN pgperf.collectors.cost IS 'light: shared memory only; medium: grows with shared_buffers; heavy: reads relations, within a budget';
COMMENT ON COLUMN pgperf.collectors.in_runs IS 'When runs take it';
COMMENT ON COLUMN pgperf.collectors.in_visits IS 'When the sampler takes it in a database that it visits: when due, with others that are due, or never, as what it reads is the server''s';
COMMENT ON COLUMN pgperf.collectors.needs IS 'The extension it reads through; NULL: none';
-- A trigger and not a rule, so that UPDATE reports the rows it changed.
CREATE FUNCTION pgperf_internal.collectors_update() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (NEW.name, NEW.cost, NEW.in_runs, NEW.needs, NEW.history_tables, NEW.description, NEW.in_visits)
        IS DISTINCT FROM (OLD.name, OLD.cost, OLD.in_runs, OLD.needs, OLD.history_tables, OLD.description, OLD.in_visits) THEN
        RAISE EXCEPTION 'only "enabled", "sample_interval" and the retentions of pgperf.collectors can be changed'
            USING ERRCODE = 'feature_not_supported';
    END IF;
    IF NEW.sample_interval < '1 second'::interval THEN
        RAISE EXCEPTION 'the interval of collector "%" must be at least 1 second', NEW.name
            USING ERRCODE = 'invalid_parameter_value', HINT = 'With NULL, the sampler leaves it out.';
    END IF;
    IF NEW.enabled IS NULL THEN
        RAISE EXCEPTION '"enabled" of collector "%" must be true or false', NEW.name USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF LEAST(NEW.retention, NEW.hourly_retention, NEW.daily_retention) < '0' THEN
        RAISE EXCEPTION 'the retentions of collector "%" must not be negative', NEW.name
            USING ERRCODE = 'invalid_parameter_value', HINT = 'With NULL, samples are kept for ever.';
    END IF;
    INSERT INTO pgperf_internal.collector_settings AS s (name, enabled, sample_interval, retention, hourly_retention, daily_retention)
    VALUES (NEW.name, NEW.enabled, NEW.sample_interval, NEW.retention, NEW.hourly_retention, NEW.daily_retention)
    ON CONFLICT (name) DO UPDATE SET (enabled, sample_interval, retention, hourly_retention, daily_retention)
        = (EXCLUDED.enabled, EXCLUDED.sample_interval, EXCLUDED.retention, EXCLUDED.hourly_retention, EXCLUDED.daily_retention);
    RETURN NEW;
END
$$;
COMMENT ON FUNCTION pgperf_internal.collectors_update() IS 'What UPDATE pgperf.collectors does';
REVOKE ALL ON FUNCTION pgperf_internal.collectors_update() FROM PUBLIC;
CREATE TRIGGER collectors_update INSTEAD OF UPDATE ON pgperf.collectors
    FOR EACH ROW EXECUTE FUNCTION pgperf_internal.collectors_update();

CREATE FUNCTION pgperf.snapshot(
    collectors text[] DEFAULT NULL,
    OUT sample_id bigint, OUT collector text, OUT status text, OUT rows bigint, OUT elapsed_ms float8, OUT reason text)
RETURNS SETOF record LANGUAGE c VOLATILE ROWS 4 AS 'MODULE_PATHNAME', 'snapshot_wrapper';
COMMENT ON FUNCTION pgperf.snapshot(text[]) IS 'Takes one sample of the named collectors (default: all enabled) into the history; one row for each with its status';
REVOKE EXECUTE ON FUNCTION pgperf.snapshot(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.snapshot(text[]) TO pg_monitor;

-- The number of the sample is drawn inside and only returned here: nobody can write into somebody else's sample.
CREATE PROCEDURE pgperf_internal.collect_sample(collectors text[])
LANGUAGE c AS 'MODULE_PATHNAME', 'collect_sample_wrapper';
COMMENT ON PROCEDURE pgperf_internal.collect_sample(text[]) IS 'Takes a sample in many transactions; called by CALL pgperf.take_snapshot';
CREATE PROCEDURE pgperf.take_snapshot(collectors text[] DEFAULT NULL, INOUT sample_id bigint DEFAULT NULL)
LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.take_snapshot');
    CALL pgperf_internal.collect_sample(collectors);
    sample_id := pg_catalog.currval('pgperf_internal.sample_id_seq'::pg_catalog.regclass);
END
$$;
COMMENT ON PROCEDURE pgperf.take_snapshot(text[], bigint) IS 'Takes one sample of the named collectors (default: all enabled) without a time limit: every relation is measured, and no snapshot is held meanwhile; returns the sample_id';
REVOKE EXECUTE ON PROCEDURE pgperf_internal.collect_sample(text[]), pgperf.take_snapshot(text[], bigint) FROM PUBLIC;
GRANT EXECUTE ON PROCEDURE pgperf_internal.collect_sample(text[]), pgperf.take_snapshot(text[], bigint) TO pg_monitor;

GRANT SELECT ON pgperf.samples, pgperf.sample_outcomes, pgperf.collectors, pgperf_internal.collector_settings, pgperf_internal.sample_id_seq
    TO pg_monitor;
