-- What is stored of a run goes with it: what the leader stored by foreign key, the rows of its samples here.
CREATE FUNCTION pgperf.remove_run(node_id uuid, run_id bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    history text;
    removed bigint;
    total bigint := 0;
BEGIN
    FOR history IN SELECT t.table_name FROM pgperf.history_tables t WHERE t.collector IS NOT NULL LOOP
        EXECUTE format('DELETE FROM pgperf.%I h USING pgperf.samples s
            WHERE h.node_id = s.node_id AND h.sample_id = s.sample_id AND h.taken_at = s.taken_at
              AND s.node_id = $1 AND s.run_id = $2', history) USING node_id, run_id;
        GET DIAGNOSTICS removed = ROW_COUNT;
        total := total + removed;
    END LOOP;
    DELETE FROM pgperf.samples s WHERE s.node_id = remove_run.node_id AND s.run_id = remove_run.run_id;
    GET DIAGNOSTICS removed = ROW_COUNT;
    DELETE FROM pgperf.stored_runs r WHERE r.node_id = remove_run.node_id AND r.run_id = remove_run.run_id;
    RETURN total + removed;
END
$$;
COMMENT ON FUNCTION pgperf.remove_run(uuid, bigint) IS 'Removes a run with all its rows and samples; the number of samples and their rows. For pgperf.delete_run and pgperf.maintain';

CREATE VIEW pgperf.kept_runs AS
SELECT p.node_id, p.run_id FROM pgperf.pinned_runs p
UNION
SELECT b.node_id, b.run_id FROM pgperf.baselines b;
COMMENT ON VIEW pgperf.kept_runs IS 'The runs that pgperf.maintain() leaves whole, with all samples: pinned ones and those of named baselines';
GRANT SELECT ON pgperf.kept_runs TO pg_monitor;

-- Runs that were imported stay: they are somebody's collection.
CREATE FUNCTION pgperf.due_runs(OUT node_id uuid, OUT run_id bigint) RETURNS SETOF record
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT r.node_id, r.run_id
    FROM pgperf.runs r
    CROSS JOIN (SELECT NULLIF(pg_catalog.current_setting('pgperf.run_retention', true), '0')::interval AS retention) g
    WHERE r.status IN ('finished', 'stopped', 'failed', 'interrupted') AND r.origin_node_id IS NULL
      AND COALESCE(r.ended_at, r.measured_at, r.started_at, r.requested_at) < pg_catalog.clock_timestamp() - g.retention
      AND NOT EXISTS (SELECT FROM pgperf.kept_runs k WHERE k.node_id = r.node_id AND k.run_id = r.run_id)
    ORDER BY r.requested_at, r.node_id, r.run_id;
END;
COMMENT ON FUNCTION pgperf.due_runs() IS 'The runs that ended longer ago than pgperf.run_retention and are neither pinned nor in a baseline, oldest first; for pgperf.maintain()';

CREATE FUNCTION pgperf.forget_runs(
    until timestamptz, OUT action text, OUT table_name text, OUT object text, OUT rows bigint, OUT note text)
RETURNS SETOF record LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    due record;
BEGIN
    table_name := 'runs';
    FOR due IN SELECT * FROM pgperf.due_runs() LOOP
        object := due.run_id; rows := NULL; note := NULL;
        BEGIN
            IF clock_timestamp() > until THEN
                action := 'left'; note := 'the time is over';
            ELSE
                rows := pgperf.remove_run(due.node_id, due.run_id);
                action := 'deleted';
            END IF;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; note := SQLERRM;
        END;
        RETURN NEXT;
    END LOOP;
    -- A sample that is stored at this moment may still count on a text: that statement's next row brings it back.
    table_name := 'statement_texts'; object := NULL; note := NULL;
    BEGIN
        DELETE FROM pgperf.statement_texts t WHERE NOT EXISTS (
            SELECT FROM pgperf.statement_history h
            WHERE h.node_id = t.node_id AND h.queryid = t.queryid AND h.dbid = t.dbid);
        GET DIAGNOSTICS rows = ROW_COUNT;
        action := 'deleted';
    EXCEPTION WHEN OTHERS THEN
        action := 'left'; rows := NULL; note := SQLERRM;
    END;
    IF rows > 0 OR action = 'left' THEN
        RETURN NEXT;
    END IF;
END
$$;
COMMENT ON FUNCTION pgperf.forget_runs(timestamptz) IS 'Deletes the runs that are due, as far as the time reaches, and the texts of statements of which no row is left; for pgperf.maintain()';
REVOKE ALL ON FUNCTION pgperf.remove_run(uuid, bigint), pgperf.due_runs(), pgperf.forget_runs(timestamptz) FROM PUBLIC;
