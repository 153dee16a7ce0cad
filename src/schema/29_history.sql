-- The history is partitioned by time: old data is dropped with its partition, never deleted row by row.
--
--   wal_history                  every sample, in partitions of a day (UTC): wal_history_20261121
--     wal_history_kept           the default partition: the rows kept of past days, by month
--       wal_history_hourly_202611, ..._daily_202611, ..._pinned_202611
--       wal_history_rest         its default partition, so no sample is ever refused
--
-- The tables are in pgperf, all parts of them in pgperf_internal.
--
-- The parents that the extension owns are bare: with a primary key, an index or a foreign key on a parent, pg_restore fails,
-- because partitions created later are dumped as tables of their own, to be attached again. So each partition has its own indexes.
--
-- Every table has a replica identity. Without one the server refuses DELETE and UPDATE as soon as somebody publishes all tables.
CREATE TABLE pgperf_internal.history_tables (
    table_name text PRIMARY KEY,
    collector  text,
    width      text NOT NULL CHECK (width IN ('day', 'month', 'year')),
    rolled_up  boolean NOT NULL,
    object     text[],
    indexes    text[] NOT NULL,
    key        text[]
);
COMMENT ON TABLE pgperf_internal.history_tables IS 'The history tables, and how each is partitioned';
COMMENT ON COLUMN pgperf_internal.history_tables.collector IS 'The collector whose retention applies; NULL: the samples themselves, which stay as long as history rows belong to them';
COMMENT ON COLUMN pgperf_internal.history_tables.width IS 'Period that a partition covers';
COMMENT ON COLUMN pgperf_internal.history_tables.rolled_up IS 'Whether one sample of each hour, later of each day, is kept when the rest is dropped';
COMMENT ON COLUMN pgperf_internal.history_tables.object IS 'For a table that holds only changes: the columns that identify its objects; the last row of each object in an hour or day is kept; NULL: whole samples are kept';
COMMENT ON COLUMN pgperf_internal.history_tables.indexes IS 'Indexes of each partition';
COMMENT ON COLUMN pgperf_internal.history_tables.key IS 'The primary key of each partition, which is its replica identity; NULL: none, the whole row is';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.history_tables', 'WHERE false');
GRANT SELECT ON pgperf_internal.history_tables TO pg_monitor;

CREATE FUNCTION pgperf_internal.identify_rows(member regclass, key text[])
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF key IS NULL THEN
        EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', member);
    ELSE
        EXECUTE format('ALTER TABLE %s ADD PRIMARY KEY (%s)', member,
                       (SELECT string_agg(quote_ident(k), ', ' ORDER BY n) FROM unnest(key) WITH ORDINALITY o (k, n)));
    END IF;
END
$$;
COMMENT ON FUNCTION pgperf_internal.identify_rows(regclass, text[]) IS 'Gives a partition of the history its replica identity: a primary key, or the whole row';
REVOKE ALL ON FUNCTION pgperf_internal.identify_rows(regclass, text[]) FROM PUBLIC;

-- A partition is no member of the extension: the default privileges of its owner, meant for tables of an application, would open it.
CREATE FUNCTION pgperf_internal.make_private(member regclass)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    grantee text;
BEGIN
    FOR grantee IN SELECT DISTINCT CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END
                   FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) x WHERE c.oid = member::oid AND x.grantee <> c.relowner LOOP
        EXECUTE format('REVOKE ALL ON TABLE %s FROM %s CASCADE', member, grantee);
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf_internal.make_private(regclass) IS 'Revokes what others may do with a partition of the history: they read it through its table';
REVOKE ALL ON FUNCTION pgperf_internal.make_private(regclass) FROM PUBLIC;

CREATE FUNCTION pgperf_internal.add_history(
    table_name text, collector text, object text[] DEFAULT NULL,
    indexes text[] DEFAULT '{"(node_id, sample_id)", USING brin (taken_at)}',
    width text DEFAULT 'day', rolled_up boolean DEFAULT true, key text[] DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kept text := table_name || '_kept';
    rest text := table_name || '_rest';
    member regclass;
    index text;
BEGIN
    INSERT INTO pgperf_internal.history_tables VALUES (table_name, collector, width, rolled_up, object, indexes, key);
    EXECUTE format('CREATE TABLE pgperf_internal.%I PARTITION OF pgperf.%I DEFAULT PARTITION BY RANGE (taken_at)', kept, table_name);
    EXECUTE format('COMMENT ON TABLE pgperf_internal.%I IS %L', kept, format('Part of pgperf.%s: rows kept of past days', table_name));
    EXECUTE format('CREATE TABLE pgperf_internal.%I PARTITION OF pgperf_internal.%I DEFAULT', rest, kept);
    EXECUTE format('COMMENT ON TABLE pgperf_internal.%I IS %L', rest, format('Part of pgperf.%s: rows that came before their partition', table_name));
    FOREACH index IN ARRAY indexes LOOP
        EXECUTE format('CREATE INDEX ON pgperf_internal.%I %s', rest, index);
    END LOOP;
    PERFORM pgperf_internal.identify_rows(format('pgperf_internal.%I', rest)::regclass, key);
    -- Parents without rows need one as well: a subscriber to whom all partitions are published as one table gets the parent's.
    PERFORM pgperf_internal.identify_rows(name::regclass, NULL)
    FROM unnest(ARRAY[format('pgperf.%I', table_name), format('pgperf_internal.%I', kept)]) name;
    FOREACH member IN ARRAY ARRAY[format('pgperf.%I', table_name), format('pgperf_internal.%I', kept),
                                  format('pgperf_internal.%I', rest)]::regclass[] LOOP
        PERFORM pg_extension_config_dump(member, '');
        EXECUTE format('GRANT SELECT ON %s TO pg_monitor', member);
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf_internal.add_history(text, text, text[], text[], text, boolean, text[]) IS
    'Adds a partitioned table to the history; called when the extension is created or updated';
REVOKE ALL ON FUNCTION pgperf_internal.add_history(text, text, text[], text[], text, boolean, text[]) FROM PUBLIC;

CREATE VIEW pgperf.history_partitions AS
SELECT t.table_name,
       CASE WHEN n.suffix ~ '^\d+$' THEN 'raw' ELSE pg_catalog.split_part(n.suffix, '_', 1) END AS level,
       c.relname::text AS partition_name,
       c.oid::regclass AS partition,
       n.starts AT TIME ZONE 'UTC' AS starts_at,
       (n.starts + CASE pg_catalog.length(n.digits) WHEN 8 THEN interval '1 day' WHEN 6 THEN interval '1 month'
                                        ELSE interval '1 year' END) AT TIME ZONE 'UTC' AS ends_at
FROM pgperf_internal.history_tables t
JOIN pg_catalog.pg_class h ON (h.relnamespace, h.relname::text)
     IN (('pgperf'::regnamespace, t.table_name), ('pgperf_internal'::regnamespace, t.table_name || '_kept'))
JOIN pg_catalog.pg_inherits i ON i.inhparent = h.oid
JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid AND c.relkind = 'r'
CROSS JOIN LATERAL (
    SELECT s.suffix, s.digits,
           pg_catalog.make_timestamp(pg_catalog.left(s.digits, 4)::int,
               COALESCE(NULLIF(pg_catalog.substr(s.digits, 5, 2), ''), '1')::int,
               COALESCE(NULLIF(pg_catalog.substr(s.digits, 7, 2), ''), '1')::int, 0, 0, 0) AS starts
    FROM (SELECT pg_catalog.substr(c.relname::text, pg_catalog.length(t.table_name) + 2) AS suffix,
                 pg_catalog.substring(c.relname::text, '_(\d{4}(?:\d\d){0,2})$') AS digits) s) n;
COMMENT ON VIEW pgperf.history_partitions IS 'The partitions of the history; level: raw (every sample), hourly, daily, pinned (of pinned runs), rest (rows that came before their partition)';
GRANT SELECT ON pgperf.history_partitions TO pg_monitor;

CREATE FUNCTION pgperf_internal.take_out(source regclass, target regclass, starts_at timestamptz, ends_at timestamptz) RETURNS bigint
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'take_out_wrapper';
COMMENT ON FUNCTION pgperf_internal.take_out(regclass, regclass, timestamptz, timestamptz) IS
    'Moves the rows of a period into another table without sending anything to subscribers, if the source has no replica identity; for pgperf_internal.make_partition';
REVOKE ALL ON FUNCTION pgperf_internal.take_out(regclass, regclass, timestamptz, timestamptz) FROM PUBLIC;

-- Created separately and then attached: that locks the parent only against other changes of its partitions, and the default
-- partition for a moment. With the CHECK the server knows without a scan that neither holds rows of the other.
CREATE FUNCTION pgperf_internal.make_partition(history text, parent text, partition text, starts timestamp, ends timestamp)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    low text := to_char(starts, 'YYYY-MM-DD') || ' 00:00:00+00';
    high text := to_char(ends, 'YYYY-MM-DD') || ' 00:00:00+00';
    -- Rows that came before it lie in a default partition.
    default_partition text := CASE parent WHEN history THEN history || '_kept' ELSE history || '_rest' END;
    parent_schema text := CASE parent WHEN history THEN 'pgperf' ELSE 'pgperf_internal' END;
    aside text := partition || '_moved';
    leaves regclass[];
    leaf regclass;
    index text;
BEGIN
    EXECUTE format('CREATE TABLE pgperf_internal.%I (LIKE pgperf.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
        CONSTRAINT %I CHECK (taken_at >= %L AND taken_at < %L))', partition, history, partition || '_range', low, high);
    PERFORM pgperf_internal.make_private(format('pgperf_internal.%I', partition)::regclass);
    FOREACH index IN ARRAY (SELECT t.indexes FROM pgperf_internal.history_tables t WHERE t.table_name = history) LOOP
        EXECUTE format('CREATE INDEX ON pgperf_internal.%I %s', partition, index);
    END LOOP;
    PERFORM pgperf_internal.identify_rows(format('pgperf_internal.%I', partition)::regclass, (SELECT t.key FROM pgperf_internal.history_tables t WHERE t.table_name = history));
    EXECUTE format('SELECT array_agg(DISTINCT tableoid::regclass) FROM pgperf_internal.%I WHERE taken_at >= %L AND taken_at < %L', default_partition, low, high)
        INTO leaves;
    -- A subscriber of the table has the rows already: nothing of their move is sent.
    IF leaves IS NOT NULL THEN
        EXECUTE format('CREATE UNLOGGED TABLE pgperf_internal.%I (LIKE pgperf.%I)', aside, history);
        FOREACH leaf IN ARRAY leaves LOOP
            EXECUTE format('ALTER TABLE %s REPLICA IDENTITY NOTHING', leaf);
            PERFORM pgperf_internal.take_out(leaf, format('pgperf_internal.%I', aside)::regclass, low::timestamptz, high::timestamptz);
            EXECUTE format('ALTER TABLE %s REPLICA IDENTITY %s', leaf,
                (SELECT CASE WHEN t.key IS NULL THEN 'FULL' ELSE 'DEFAULT' END FROM pgperf_internal.history_tables t WHERE t.table_name = history));
        END LOOP;
    END IF;
    EXECUTE format('ALTER TABLE %I.%I ATTACH PARTITION pgperf_internal.%I FOR VALUES FROM (%L) TO (%L)', parent_schema, parent, partition, low, high);
    IF leaves IS NOT NULL THEN
        PERFORM pgperf_internal.move_rows(format('pgperf_internal.%I', aside)::regclass, format('pgperf_internal.%I', partition)::regclass,
                                          low::timestamptz, high::timestamptz);
        EXECUTE format('DROP TABLE pgperf_internal.%I', aside);
    END IF;
END
$$;
COMMENT ON FUNCTION pgperf_internal.make_partition(text, text, text, timestamp, timestamp) IS 'Creates a partition of a history table with its indexes and moves the rows that belong there into it';
REVOKE ALL ON FUNCTION pgperf_internal.make_partition(text, text, text, timestamp, timestamp) FROM PUBLIC;

-- Samples wait while somebody changes partitions: they would fail at once at the locks that this takes.
CREATE FUNCTION pgperf_internal.claim_partitions() RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'claim_partitions_wrapper';
COMMENT ON FUNCTION pgperf_internal.claim_partitions() IS 'Makes samples wait until the transaction ends; false: another session does the same, and half a minute was not enough';
REVOKE ALL ON FUNCTION pgperf_internal.claim_partitions() FROM PUBLIC;

-- The partitions of the samples come last: where they are missing, the next sample tries again.
CREATE FUNCTION pgperf_internal.make_partitions(
    ahead integer, history text DEFAULT NULL, from_day integer DEFAULT 0, OUT table_name text, OUT partition_name text)
RETURNS SETOF record LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
#variable_conflict use_column
DECLARE
    starts timestamp;
    step interval;
    width text;
BEGIN
    FOR table_name, width IN
        SELECT t.table_name, t.width FROM pgperf_internal.history_tables t WHERE t.table_name = history OR history IS NULL
        ORDER BY t.collector IS NULL, t.table_name
    LOOP
        step := ('1 ' || width)::interval;
        FOR n IN from_day..CASE width WHEN 'day' THEN ahead ELSE least(ahead, 1) END LOOP
            starts := date_trunc(width, clock_timestamp() AT TIME ZONE 'UTC') + n * step;
            partition_name := table_name || to_char(starts, CASE width WHEN 'day' THEN '_YYYYMMDD' WHEN 'month' THEN '_YYYYMM' ELSE '_YYYY' END);
            IF to_regclass(format('pgperf_internal.%I', partition_name)) IS NULL THEN
                PERFORM pgperf_internal.make_partition(table_name, table_name, partition_name, starts, starts + step);
                RETURN NEXT;
            END IF;
        END LOOP;
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf_internal.make_partitions(integer, text, integer) IS 'Creates the missing partitions of the history for now and for some days ahead (from_day: not for earlier days); snapshot() calls it when those for now are missing';
REVOKE ALL ON FUNCTION pgperf_internal.make_partitions(integer, text, integer) FROM PUBLIC;

CREATE TABLE pgperf_internal.pinned_runs (
    node_id uuid NOT NULL,
    run_id  bigint NOT NULL,
    PRIMARY KEY (node_id, run_id)
);
COMMENT ON TABLE pgperf_internal.pinned_runs IS 'The runs that are kept with their samples regardless of the retention; written by pgperf.pin_run';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.pinned_runs', '');
GRANT SELECT ON pgperf_internal.pinned_runs TO pg_monitor;

CREATE FUNCTION pgperf.pin_run(run_id bigint, pinned boolean DEFAULT true) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pin_run_wrapper';
COMMENT ON FUNCTION pgperf.pin_run(bigint, boolean) IS
    'Keeps all samples of a run regardless of the retention, or no longer (pinned => false); false if that was the case already';

CREATE FUNCTION pgperf.pin_run(run text, pinned boolean DEFAULT true) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pin_run_by_name_wrapper';
COMMENT ON FUNCTION pgperf.pin_run(text, boolean) IS 'The same for a run by its number, ''node name/run_id'' or label';
