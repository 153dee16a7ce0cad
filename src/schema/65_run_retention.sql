-- Only the partitions of the run's time are scanned, because each costs several locks.
CREATE FUNCTION pgperf_internal.remove_samples(node_id uuid, run_id bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    own text;
    sampled uuid;
    first_at timestamptz;
    last_at timestamptz;
    removed bigint;
    total bigint := 0;
BEGIN
    -- The samples of a run on a target belong to the target's node.
    FOR sampled IN SELECT node_id UNION ALL SELECT n.node_id FROM pgperf.nodes n WHERE n.sampled_by = node_id LOOP
        SELECT min(s.taken_at), max(s.taken_at) INTO first_at, last_at FROM pgperf.samples s WHERE s.node_id = sampled AND s.run_id = run_id;
        FOR own IN SELECT t.table_name FROM pgperf_internal.history_tables t WHERE first_at IS NOT NULL ORDER BY t.collector IS NULL, t.table_name LOOP
            EXECUTE format('DELETE FROM pgperf.%1$I h '
                || CASE WHEN own = 'samples' THEN 'WHERE true' ELSE 'USING pgperf.samples s
                    WHERE s.node_id = h.node_id AND s.sample_id = h.sample_id AND s.taken_at = h.taken_at
                      AND s.node_id = $1 AND s.run_id = $2 AND s.taken_at >= %2$L AND s.taken_at <= %3$L' END
                || ' AND h.node_id = $1 AND h.run_id = $2 AND h.taken_at >= %2$L AND h.taken_at <= %3$L', own, first_at, last_at)
                USING sampled, run_id;
            GET DIAGNOSTICS removed = ROW_COUNT;
            total := total + removed;
        END LOOP;
    END LOOP;
    RETURN total;
END
$$;
COMMENT ON FUNCTION pgperf_internal.remove_samples(uuid, bigint) IS 'Removes the samples of a run with their rows; returns the number of both';

-- The only way to delete a run: with the leader's rows, the rows of its samples, and the rows that refer to it here.
--
-- It is locked first, so nobody resumes it, pins it or names it a baseline meanwhile; in the same order as resuming does.
CREATE FUNCTION pgperf_internal.remove_run(node_id uuid, run_id bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    status text;
    own text;
    total bigint;
BEGIN
    PERFORM FROM pgperf_internal.resume_points p WHERE p.node_id = node_id AND p.run_id = run_id FOR UPDATE;
    PERFORM FROM pgperf_internal.stored_runs r WHERE r.node_id = node_id AND r.run_id = run_id FOR UPDATE;
    SELECT r.status INTO status FROM pgperf.runs r WHERE r.node_id = node_id AND r.run_id = run_id;
    IF NOT FOUND THEN
        RETURN 0;
    ELSIF status NOT IN ('finished', 'stopped', 'failed', 'interrupted') THEN
        RAISE EXCEPTION 'run % cannot be deleted: it is %', run_id, status USING ERRCODE = 'object_in_use';
    END IF;
    total := pgperf_internal.remove_samples(node_id, run_id);
    FOR own IN SELECT t.relation FROM pgperf.run_tables t WHERE t.kind = 'run'
               UNION ALL VALUES ('pgperf_internal.pinned_runs'::regclass), ('pgperf_internal.resume_points'),
                                ('pgperf.baselines'), ('pgperf_internal.stored_runs') LOOP
        EXECUTE format('DELETE FROM %s t WHERE t.node_id = $1 AND t.run_id = $2', own) USING node_id, run_id;
    END LOOP;
    UPDATE pgperf_internal.sweep_attempts a SET run_id = NULL WHERE a.node_id = node_id AND a.run_id = run_id;
    UPDATE pgperf_internal.sweep_attempts a SET load_run_id = NULL WHERE a.node_id = node_id AND a.load_run_id = run_id;
    RETURN total;
END
$$;
COMMENT ON FUNCTION pgperf_internal.remove_run(uuid, bigint) IS 'Removes a run that has ended with all its rows and samples; returns the number of samples and of their rows. For pgperf.delete_run and pgperf.maintain';

CREATE VIEW pgperf.kept_runs AS
SELECT p.node_id, p.run_id FROM pgperf_internal.pinned_runs p
UNION
SELECT b.node_id, b.run_id FROM pgperf.baselines b;
COMMENT ON VIEW pgperf.kept_runs IS 'The runs that pgperf.maintain() leaves complete, with all samples: pinned runs and those of named baselines';
GRANT SELECT ON pgperf.kept_runs TO pg_monitor;

-- Imported runs stay, and those that a database has from before it was restored or upgraded: they are somebody's collection.
CREATE FUNCTION pgperf_internal.due_runs(OUT node_id uuid, OUT run_id bigint) RETURNS SETOF record
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT r.node_id, r.run_id
    FROM pgperf.runs r
    -- Those of a source stay for as long as subscribe_history was told.
    CROSS JOIN LATERAL (SELECT CASE WHEN r.node_id = (SELECT pgperf.local_node())
                                    THEN NULLIF(pg_catalog.current_setting('pgperf.run_retention', true), '0')::interval
                                    ELSE (SELECT s.run_retention FROM pgperf_internal.sources s WHERE s.node_id = r.node_id) END AS retention) g
    WHERE r.status IN ('finished', 'stopped', 'failed', 'interrupted') AND r.origin_node_id IS NULL
      AND COALESCE(r.ended_at, r.measured_at, r.started_at, r.requested_at) < pg_catalog.clock_timestamp() - g.retention
      AND NOT EXISTS (SELECT FROM pgperf.kept_runs k WHERE k.node_id = r.node_id AND k.run_id = r.run_id)
    ORDER BY r.requested_at, r.node_id, r.run_id;
END;
COMMENT ON FUNCTION pgperf_internal.due_runs() IS 'The runs of this node that ended longer ago than pgperf.run_retention, and of sources that ended longer ago than their run_retention here, which are neither pinned nor in a baseline, oldest first; for pgperf.maintain()';

CREATE FUNCTION pgperf_internal.note_gone(node_id uuid, run_id bigint, deleted boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO pgperf_internal.forgotten_runs
    SELECT note_gone.node_id, note_gone.run_id, note_gone.deleted
    WHERE note_gone.node_id = pgperf.local_node() AND EXISTS (SELECT FROM pgperf_internal.publications) ON CONFLICT DO NOTHING;
END
$$;
COMMENT ON FUNCTION pgperf_internal.note_gone(uuid, bigint, boolean) IS 'Notes for repositories that a run of this node is about to be removed. deleted: by pgperf.delete_run(), not by its age';

CREATE FUNCTION pgperf_internal.forget_runs(
    until timestamptz, OUT action text, OUT table_name text, OUT object text, OUT rows bigint, OUT note text)
RETURNS SETOF record LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    due record;
BEGIN
    table_name := 'runs';
    FOR due IN SELECT * FROM pgperf_internal.due_runs() LOOP
        object := due.run_id; rows := NULL; note := NULL;
        BEGIN
            note := pgperf_internal.must_stop(until);
            IF note IS NOT NULL THEN
                action := 'left';
            ELSE
                PERFORM pgperf_internal.note_gone(due.node_id, due.run_id, false);
                rows := pgperf_internal.remove_run(due.node_id, due.run_id);
                action := 'deleted';
            END IF;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; note := SQLERRM;
        END;
        RETURN NEXT;
    END LOOP;
    -- A sample that is stored at this moment may still count on a text: that statement's next row brings it back. A source does not send its
    -- texts again.
    FOREACH table_name IN ARRAY ARRAY['statement_texts', 'plan_texts'] LOOP
        object := NULL; note := NULL; rows := NULL;
        BEGIN
            note := pgperf_internal.must_stop(until);
            action := CASE WHEN note IS NULL THEN 'deleted' ELSE 'left' END;
            IF note IS NOT NULL THEN
                NULL;
            ELSIF table_name = 'statement_texts' THEN
                DELETE FROM pgperf.statement_texts t WHERE NOT EXISTS (
                    SELECT FROM pgperf.statement_history h
                    WHERE h.node_id = t.node_id AND h.queryid = t.queryid AND h.dbid = t.dbid)
                    AND NOT pgperf_internal.is_of_source(t.node_id);
            ELSE
                DELETE FROM pgperf.plan_texts t WHERE NOT EXISTS (
                    SELECT FROM pgperf.plan_history h WHERE h.node_id = t.node_id AND h.plan_hash = t.plan_hash)
                    AND NOT pgperf_internal.is_of_source(t.node_id);
            END IF;
            IF note IS NULL THEN
                GET DIAGNOSTICS rows = ROW_COUNT;
            END IF;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; rows := NULL; note := SQLERRM;
        END;
        IF rows > 0 OR action = 'left' THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf_internal.forget_runs(timestamptz) IS 'Deletes the runs that are due, as far as the time allows, and the texts of statements and plans without rows; for pgperf.maintain()';
REVOKE ALL ON FUNCTION pgperf_internal.remove_samples(uuid, bigint), pgperf_internal.remove_run(uuid, bigint), pgperf_internal.note_gone(uuid, bigint, boolean), pgperf_internal.due_runs(), pgperf_internal.forget_runs(timestamptz) FROM PUBLIC;
