-- Rows of a source, taken as those of its subscription are: with the triggers of these.
CREATE FUNCTION pgperf_internal.take_rows(relation regclass, columns text[], rows json) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET session_replication_role = replica SET intervalstyle = postgres AS $$
DECLARE
    taken bigint;
BEGIN
    EXECUTE format('INSERT INTO %1$s (%2$s) SELECT %2$s FROM json_populate_recordset(NULL::%1$s, $1)', relation,
                   (SELECT string_agg(quote_ident(c.name), ', ' ORDER BY c.n) FROM unnest(columns) WITH ORDINALITY c (name, n))) USING rows;
    GET DIAGNOSTICS taken = ROW_COUNT;
    RETURN taken;
END
$$;
COMMENT ON FUNCTION pgperf_internal.take_rows(regclass, text[], json) IS 'Stores rows that were copied from a source';

-- What somebody has deleted on the source meanwhile. Of other runs that it no longer has, such as those lost with a failover, the only copy is here.
CREATE FUNCTION pgperf_internal.drop_runs_gone(nodes uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET session_replication_role = replica AS $$
DECLARE
    own regclass;
BEGIN
    FOR own IN SELECT t.relation FROM pgperf.run_tables t WHERE t.kind = 'run'
               UNION ALL VALUES ('pgperf_internal.stored_runs'::regclass) LOOP
        EXECUTE format('DELETE FROM %s t USING pgperf_internal.forgotten_runs f
            WHERE t.node_id = ANY ($1) AND f.node_id = t.node_id AND f.run_id = t.run_id AND f.deleted', own) USING nodes;
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf_internal.drop_runs_gone(uuid[]) IS 'Deletes the runs of a source that it has deleted since it was last subscribed, as its subscription would have';

CREATE FUNCTION pgperf_internal.drop_copied(nodes uuid[], runs json, relations regclass[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own regclass;
    of_run boolean;
BEGIN
    FOREACH own IN ARRAY relations LOOP
        of_run := own = 'pgperf_internal.stored_runs'::regclass OR EXISTS (SELECT FROM pgperf.run_tables t WHERE t.kind = 'run' AND t.relation = own);
        EXECUTE format('DELETE FROM %s t WHERE t.node_id = ANY ($1)', own) || CASE WHEN of_run THEN
            ' AND (t.node_id, t.run_id) IN (SELECT r.node_id, r.run_id FROM json_to_recordset($2) r (node_id uuid, run_id bigint))' ELSE '' END
            USING nodes, runs;
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf_internal.drop_copied(uuid[], json, regclass[]) IS 'Deletes the rows here that are copied from a source anew';

CREATE FUNCTION pgperf_internal.drop_twins(nodes uuid[], texts regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE (SELECT format('DELETE FROM %1$s t USING %1$s o WHERE t.node_id = ANY ($1) AND o.node_id = t.node_id AND o.ctid < t.ctid AND %2$s', texts,
                           (SELECT string_agg(format('o.%1$I = t.%1$I', k), ' AND ') FROM unnest(r.object) k))
             FROM pgperf.run_tables r WHERE r.relation = texts) USING nodes;
END
$$;
COMMENT ON FUNCTION pgperf_internal.drop_twins(uuid[], regclass) IS 'Deletes the texts that are there twice';

-- Where it cannot be had at once, rows lie in the default partition until maintain() moves them.
CREATE FUNCTION pgperf_internal.make_day(day integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pgperf_internal.claim_partitions();
    PERFORM pgperf_internal.make_partitions(day, t.table_name, day) FROM pgperf_internal.history_tables t WHERE t.width = 'day' OR day >= 0;
EXCEPTION WHEN OTHERS THEN
    RAISE DEBUG 'no partitions of day %: %', day, SQLERRM;
END
$$;
COMMENT ON FUNCTION pgperf_internal.make_day(integer) IS 'Makes the partitions of a day, counted from today, for what a source sends';

CREATE FUNCTION pgperf_internal.check_source(server text, publication text) RETURNS integer
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'check_source_wrapper';
COMMENT ON FUNCTION pgperf_internal.check_source(text, text) IS 'Whether a source can be subscribed; the first day of which samples are copied, counted from today';
CREATE FUNCTION pgperf_internal.begin_subscription(server text, publication text, run_retention interval) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'begin_subscription_wrapper';
COMMENT ON FUNCTION pgperf_internal.begin_subscription(text, text, interval) IS 'Copies what is missing here of a source and creates the subscription; for pgperf.subscribe_history';

-- It commits the partitions before it copies: their locks would keep readers out. A transaction that was rolled back would leave the slot behind.
CREATE PROCEDURE pgperf.subscribe_history(
    server text, publication text DEFAULT 'pgperf_history', run_retention interval DEFAULT NULL, INOUT subscription text DEFAULT NULL)
LANGUAGE plpgsql AS $$
DECLARE
    first_day integer;
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.subscribe_history');
    PERFORM pgperf.local_node();
    first_day := pgperf_internal.check_source(server, publication);
    FOR day IN first_day .. 1 LOOP
        PERFORM pgperf_internal.make_day(day);
        COMMIT;
    END LOOP;
    subscription := pgperf_internal.begin_subscription(server, publication, run_retention);
END
$$;
COMMENT ON PROCEDURE pgperf.subscribe_history(text, text, interval, text) IS
    'Has the history of a source kept here: copies what this repository lacks of it, and subscribes to what follows. server: a foreign server of pgperf_target that leads to it; run_retention: how long its runs are kept here (default: for ever). Returns the name of the subscription';

CREATE FUNCTION pgperf.unsubscribe_history(server text, keep_slot boolean DEFAULT false) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'unsubscribe_history_wrapper';
COMMENT ON FUNCTION pgperf.unsubscribe_history(text, boolean) IS
    'Drops the subscription of a source, and its replication slot there, which otherwise keeps WAL for ever; false if there is none. What has come stays. keep_slot: of a source that is gone';

CREATE FUNCTION pgperf.repository_status(
    ask boolean DEFAULT true,
    OUT node_name text, OUT node_id uuid, OUT server text, OUT subscription text, OUT status text, OUT last_heard_at timestamptz,
    OUT behind_bytes bigint, OUT behind_s float8, OUT slot_bytes bigint, OUT slot_status text, OUT slot_room_bytes bigint,
    OUT apply_errors bigint, OUT gaps text, OUT remedy text)
RETURNS SETOF record LANGUAGE c VOLATILE STRICT ROWS 10 AS 'MODULE_PATHNAME', 'repository_status_wrapper';
COMMENT ON FUNCTION pgperf.repository_status(boolean) IS
    'The sources of this repository, a row each: when it was last heard of, how far its subscription is behind, what its slot holds back on the source, errors, gaps; status: ok, or what is wrong, with the remedy. ask => false: without connecting to the sources';

REVOKE ALL ON PROCEDURE pgperf.subscribe_history(text, text, interval, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION pgperf_internal.take_rows(regclass, text[], json), pgperf_internal.drop_runs_gone(uuid[]),
    pgperf_internal.drop_copied(uuid[], json, regclass[]), pgperf_internal.drop_twins(uuid[], regclass), pgperf_internal.make_day(integer),
    pgperf_internal.check_source(text, text),
    pgperf_internal.begin_subscription(text, text, interval), pgperf.unsubscribe_history(text, boolean), pgperf.repository_status(boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.repository_status(boolean) TO pg_monitor;
