-- The rows kept of a partition when its days are over; the rest is dropped with it.
--
-- Counters are never averaged: for each hour (day), and for each epoch of the counters in it, the last sample is kept as it
-- is, so differences between kept samples add up to the same. A run's interval samples hold less than others and are
-- dropped first, and so are samples that name no relation where others do. In a table that holds only changes, the last row of each
-- object is kept. Rows of kept runs all stay.
CREATE FUNCTION pgperf_internal.kept_condition(history text, object text[], source text, level text, starts_at timestamptz, ends_at timestamptz)
RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- The samples of a run on a target belong to the target's node.
    condition text := '(h.node_id, h.run_id) IN (SELECT k.node_id, k.run_id FROM pgperf.kept_runs k
        UNION ALL SELECT n.node_id, k.run_id FROM pgperf.kept_runs k JOIN pgperf.nodes n ON n.sampled_by = k.node_id)';
    bucket text := format('s.epoch, date_trunc(%L, x.taken_at AT TIME ZONE ''UTC'')', CASE level WHEN 'hourly' THEN 'hour' ELSE 'day' END);
    sample text := format('LEFT JOIN pgperf.samples s ON s.node_id = x.node_id AND s.sample_id = x.sample_id
        AND s.taken_at = x.taken_at AND s.taken_at >= %L AND s.taken_at < %L', starts_at, ends_at);
    in_intervals text := '(s.run_id IS NOT NULL AND s.cadence IS NOT NULL)';
    nameless text := CASE WHEN EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', history)::regclass
                                       AND a.attname = 'relation_name') THEN 'bool_and(r.relation_name IS NULL)' ELSE 'false' END;
BEGIN
    IF history = 'samples' THEN
        RETURN condition || ' OR (h.node_id, h.sample_id) IN (' || (
            SELECT string_agg(format('SELECT x.node_id, x.sample_id FROM pgperf.%I x WHERE x.taken_at >= %L AND x.taken_at < %L',
                                     t.table_name, starts_at, ends_at), ' UNION ')
            FROM pgperf_internal.history_tables t WHERE t.collector IS NOT NULL) || ')';
    ELSIF level = 'pinned' THEN
        RETURN condition;
    ELSIF object IS NULL THEN
        RETURN condition || format(' OR (h.node_id, h.sample_id) IN (
            SELECT DISTINCT ON (x.node_id, %1$s) x.node_id, x.sample_id
            FROM (SELECT r.node_id, r.sample_id, r.taken_at, %5$s AS nameless FROM pgperf_internal.%2$I r GROUP BY 1, 2, 3) x %3$s
            ORDER BY x.node_id, %1$s, %4$s, x.nameless, x.taken_at DESC, x.sample_id DESC)', bucket, source, sample, in_intervals, nameless);
    ELSE
        RETURN condition || format(' OR h.ctid IN (
            SELECT DISTINCT ON (x.node_id, %5$s, %1$s) x.ctid
            FROM pgperf_internal.%2$I x %3$s
            ORDER BY x.node_id, %5$s, %1$s, %4$s, x.taken_at DESC, x.sample_id DESC)', bucket, source, sample, in_intervals,
            (SELECT string_agg(format('x.%I', k), ', ') FROM unnest(object) k));
    END IF;
END
$$;
COMMENT ON FUNCTION pgperf_internal.kept_condition(text, text[], text, text, timestamptz, timestamptz) IS 'The condition for the rows h of a partition that are kept; for pgperf.maintain()';

CREATE FUNCTION pgperf_internal.due_partitions(
    OUT table_name text, OUT object text[], OUT level text, OUT partition_name text, OUT starts_at timestamptz, OUT ends_at timestamptz,
    OUT becomes text)
RETURNS SETOF record LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT p.table_name, t.object, p.level, p.partition_name, p.starts_at, p.ends_at, d.becomes
    FROM pgperf.history_partitions p
    JOIN pgperf_internal.history_tables t USING (table_name)
    -- Of the samples those stay that rows belong to, so the longest of the others' is right.
    CROSS JOIN LATERAL (
        SELECT max(c.retention) AS retention, max(c.hourly_retention) AS hourly_retention, max(c.daily_retention) AS daily_retention
        FROM pgperf.collectors c WHERE c.name = t.collector OR t.collector IS NULL) r
    CROSS JOIN LATERAL (
        SELECT p.ends_at < pg_catalog.clock_timestamp() - r.retention AS raw,
               NOT t.rolled_up OR p.ends_at < pg_catalog.clock_timestamp() - r.hourly_retention AS hourly,
               NOT t.rolled_up OR p.ends_at < pg_catalog.clock_timestamp() - r.daily_retention AS daily) is_over
    CROSS JOIN LATERAL (
        SELECT CASE WHEN p.level = 'raw' AND is_over.raw IS NOT TRUE OR p.level = 'hourly' AND is_over.hourly IS NOT TRUE
                         OR p.level = 'daily' AND is_over.daily IS NOT TRUE THEN NULL
                    WHEN p.level = 'raw' AND is_over.hourly IS NOT TRUE THEN 'hourly'
                    WHEN p.level IN ('raw', 'hourly') AND is_over.daily IS NOT TRUE THEN 'daily'
                    ELSE 'pinned' END AS becomes) d
    WHERE p.level <> 'rest' AND p.ends_at IS NOT NULL AND d.becomes IS NOT NULL
    ORDER BY t.collector IS NULL, p.starts_at, p.table_name;
END;
COMMENT ON FUNCTION pgperf_internal.due_partitions() IS 'The partitions of the history whose retention is over, and their next level; for pgperf.maintain()';

-- Copies the rows that are kept; readers are not locked out, but nobody may write into the partition any more.
CREATE FUNCTION pgperf_internal.copy_kept(history text, object text[], partition text, becomes text, starts_at timestamptz, ends_at timestamptz, copy text)
RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kept bigint;
BEGIN
    EXECUTE format('LOCK TABLE pgperf_internal.%I IN SHARE MODE', partition);
    EXECUTE format('CREATE UNLOGGED TABLE pgperf_internal.%I (LIKE pgperf.%I)', copy, history);
    EXECUTE format('INSERT INTO pgperf_internal.%I SELECT h.* FROM pgperf_internal.%I h WHERE ', copy, partition)
        || pgperf_internal.kept_condition(history, object, partition, becomes, starts_at, ends_at);
    GET DIAGNOSTICS kept = ROW_COUNT;
    -- A row of what changed says which one it was compared with: now that is the one kept before it.
    IF object IS NOT NULL AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', history)::regclass
                                      AND a.attname = 'before_sample_id') THEN
        EXECUTE format('
            UPDATE pgperf_internal.%1$I k SET before_sample_id = b.before_sample_id
            FROM (SELECT c.ctid AS tid, COALESCE(lag(c.sample_id) OVER (PARTITION BY c.node_id, %3$s ORDER BY c.sample_id), f.before_sample_id) AS before_sample_id
                  FROM pgperf_internal.%1$I c
                  CROSS JOIN LATERAL (SELECT x.before_sample_id FROM pgperf_internal.%2$I x WHERE x.node_id = c.node_id AND %4$s
                                      ORDER BY x.sample_id LIMIT 1) f) b
            WHERE k.ctid = b.tid AND k.before_sample_id IS NOT NULL', copy, partition,
            (SELECT string_agg(format('c.%I', k), ', ') FROM unnest(object) k),
            (SELECT string_agg(format('x.%1$I = c.%1$I', k), ' AND ') FROM unnest(object) k));
    END IF;
    RETURN kept;
END
$$;
COMMENT ON FUNCTION pgperf_internal.copy_kept(text, text[], text, text, timestamptz, timestamptz, text) IS 'Copies the rows kept of a partition; for pgperf.maintain()';

-- Moves the rows of a period from one table into another with the same columns. Logical decoding passes over them:
-- a subscriber of the table has them already.
CREATE FUNCTION pgperf_internal.move_rows(source regclass, target regclass, starts_at timestamptz, ends_at timestamptz) RETURNS bigint
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'move_rows_wrapper';
COMMENT ON FUNCTION pgperf_internal.move_rows(regclass, regclass, timestamptz, timestamptz) IS
    'Inserts the rows of a period without sending them to subscribers of the table, who have them already; for pgperf.maintain()';

-- Puts the copy in the partition's place; returns the size of the partition in bytes.
CREATE FUNCTION pgperf_internal.replace_partition(history text, level text, partition text, becomes text, copy text)
RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    freed bigint := pg_total_relation_size(format('pgperf_internal.%I', partition)::regclass);
    kept text := history || '_kept';
    month timestamp;
    target text;
BEGIN
    EXECUTE format('ALTER TABLE %s DETACH PARTITION pgperf_internal.%I',
                   CASE level WHEN 'raw' THEN format('pgperf.%I', history) ELSE format('pgperf_internal.%I', kept) END, partition);
    EXECUTE format('DROP TABLE pgperf_internal.%I', partition);
    FOR month IN EXECUTE format('SELECT DISTINCT date_trunc(''month'', taken_at AT TIME ZONE ''UTC'') FROM pgperf_internal.%I', copy) LOOP
        target := (SELECT p.partition_name FROM pgperf.history_partitions p
                   WHERE p.table_name = history AND p.level NOT IN ('raw', 'rest') AND p.starts_at = month AT TIME ZONE 'UTC');
        IF target IS NULL THEN
            target := format('%s_%s_%s', history, becomes, to_char(month, 'YYYYMM'));
            PERFORM pgperf_internal.make_partition(history, kept, target, month, month + interval '1 month');
        END IF;
        PERFORM pgperf_internal.move_rows(format('pgperf_internal.%I', copy)::regclass, format('pgperf_internal.%I', target)::regclass,
                                 month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    END LOOP;
    EXECUTE format('DROP TABLE pgperf_internal.%I', copy);
    RETURN freed;
END
$$;
COMMENT ON FUNCTION pgperf_internal.replace_partition(text, text, text, text, text) IS 'Drops a partition and stores the rows kept of it; for pgperf.maintain()';

-- Creating or replacing a partition takes some locks, which are held until the transaction ends. A call takes no more
-- than about a quarter of the locks for which the server has room.
CREATE FUNCTION pgperf_internal.must_stop(until timestamptz) RETURNS text LANGUAGE sql VOLATILE
BEGIN ATOMIC
    SELECT CASE WHEN pg_catalog.clock_timestamp() > until THEN 'the time is over'
                WHEN (SELECT count(*) FROM pg_catalog.pg_locks l WHERE l.pid = pg_catalog.pg_backend_pid())
                     > pg_catalog.current_setting('max_locks_per_transaction')::bigint
                       * (pg_catalog.current_setting('max_connections')::bigint
                          + pg_catalog.current_setting('max_prepared_transactions')::bigint) / 4
                THEN 'the transaction holds a quarter of the locks that the server has room for' END;
END;
COMMENT ON FUNCTION pgperf_internal.must_stop(timestamptz) IS 'Why pgperf.maintain() must leave the rest to its next call; NULL: it may go on';

-- Moves rows that came before their partition, each period into a partition of its own. Rows with impossible times stay
-- where they are.
CREATE FUNCTION pgperf_internal.move_strays(
    history pgperf_internal.history_tables, until timestamptz, OUT action text, OUT table_name text, OUT object text, OUT rows bigint, OUT note text)
RETURNS SETOF record LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    found jsonb;
    missing timestamp;
BEGIN
    table_name := history.table_name;
    -- All at once: a partition that a query still reads cannot be altered.
    EXECUTE format(
        'SELECT COALESCE(jsonb_agg(to_jsonb(d) ORDER BY d.missing), ''[]'')
         FROM (SELECT date_trunc(%L, s.taken_at AT TIME ZONE ''UTC'') AS missing, count(*) AS rows
         FROM (SELECT r.taken_at FROM pgperf_internal.%I r UNION ALL
               SELECT k.taken_at FROM pgperf_internal.%I k WHERE k.taken_at >= %L AND k.tableoid <> %L::regclass) s
         WHERE s.taken_at >= ''2000-01-01 00:00:00+00'' AND s.taken_at < %L GROUP BY 1) d',
        history.width, history.table_name || '_rest', history.table_name || '_kept',
        (SELECT clock_timestamp() - max(c.retention) FROM pgperf.collectors c WHERE c.name = history.collector OR history.collector IS NULL),
        format('pgperf_internal.%I', history.table_name || '_rest'), clock_timestamp() + interval '1 day') INTO found;
    FOR missing, rows IN SELECT d.missing, d.rows FROM jsonb_to_recordset(found) d (missing timestamp, rows bigint) LOOP
        object := history.table_name || to_char(missing, CASE history.width WHEN 'day' THEN '_YYYYMMDD' WHEN 'month' THEN '_YYYYMM' ELSE '_YYYY' END);
        CONTINUE WHEN to_regclass(format('pgperf_internal.%I', object)) IS NOT NULL;
        note := pgperf_internal.must_stop(until);
        action := CASE WHEN note IS NULL THEN 'moved' ELSE 'left' END;
        IF note IS NULL THEN
            PERFORM pgperf_internal.make_partition(history.table_name, history.table_name, object, missing, missing + ('1 ' || history.width)::interval);
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf_internal.move_strays(pgperf_internal.history_tables, timestamptz) IS 'Moves rows that came before their partition into one; for pgperf.maintain()';

-- The partitions that are due. First all copies, which lock nobody out, then all replacements, which lock their tables until
-- the transaction ends. Copies take at most half of the time, so that each copy can also be put in place.
CREATE FUNCTION pgperf_internal.roll_up(
    of_samples boolean, until timestamptz,
    OUT action text, OUT table_name text, OUT object text, OUT rows bigint, OUT bytes bigint, OUT note text)
RETURNS SETOF record LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    half timestamptz := clock_timestamp() + GREATEST(until - clock_timestamp(), '0') / 2;
    due record;
    copies jsonb[] := '{}';
    item jsonb;
    changed boolean;
BEGIN
    FOR due IN SELECT d.* FROM pgperf_internal.due_partitions() d WHERE (d.table_name = 'samples') = of_samples LOOP
        table_name := due.table_name; object := due.partition_name; bytes := NULL; rows := NULL;
        note := pgperf_internal.must_stop(half);
        IF note IS NOT NULL THEN
            action := 'left';
            RETURN NEXT;
            CONTINUE;
        END IF;
        BEGIN
            changed := due.level <> due.becomes;
            IF NOT changed THEN
                EXECUTE format('SELECT EXISTS (SELECT FROM pgperf_internal.%I h WHERE (%s) IS NOT TRUE)', due.partition_name,
                    pgperf_internal.kept_condition(due.table_name, due.object, due.partition_name, due.becomes, due.starts_at, due.ends_at)) INTO changed;
            END IF;
            IF changed THEN
                rows := pgperf_internal.copy_kept(due.table_name, due.object, due.partition_name, due.becomes, due.starts_at, due.ends_at,
                                         due.partition_name || '_copy');
                copies := copies || (to_jsonb(due) || jsonb_build_object('rows', rows));
            END IF;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; rows := NULL; note := SQLERRM;
            RETURN NEXT;
        END;
    END LOOP;
    IF copies <> '{}' THEN
        PERFORM pgperf_internal.claim_partitions();
    END IF;
    FOREACH item IN ARRAY copies LOOP
        table_name := item ->> 'table_name'; object := item ->> 'partition_name'; rows := (item ->> 'rows')::bigint;
        BEGIN
            bytes := pgperf_internal.replace_partition(table_name, item ->> 'level', object, item ->> 'becomes', object || '_copy');
            action := CASE WHEN rows > 0 THEN 'rolled up' ELSE 'dropped' END;
            note := CASE WHEN rows > 0 THEN item ->> 'becomes' END;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; bytes := NULL; rows := NULL; note := SQLERRM;
            EXECUTE format('DROP TABLE pgperf_internal.%I', object || '_copy');
        END;
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf_internal.roll_up(boolean, timestamptz) IS 'Rolls up or drops the partitions that are due: those of the samples, or all others; for pgperf.maintain()';

-- Partitions of today and tomorrow, which samples need, come first; those of later days come last. work_mem: with less than what the rows that are kept of
-- a day need, the server looks through all of them for each row.
CREATE FUNCTION pgperf.maintain(
    days_ahead integer DEFAULT 3, budget interval DEFAULT '30 s',
    OUT action text, OUT table_name text, OUT object text, OUT rows bigint, OUT bytes bigint, OUT note text)
RETURNS SETOF record LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' SET jit = off SET work_mem = '64MB' SET client_min_messages = warning AS $$
#variable_conflict use_column
DECLARE
    until timestamptz := clock_timestamp() + budget;
    t pgperf_internal.history_tables;
BEGIN
    IF current_setting('transaction_read_only')::boolean THEN
        RAISE EXCEPTION 'cannot maintain the history %', CASE WHEN pg_is_in_recovery() THEN 'on a standby' ELSE 'in a read-only transaction' END
            USING ERRCODE = 'read_only_sql_transaction', HINT = 'Call it on the primary, in a transaction that may write: a standby gets the result by replication.';
    END IF;
    IF (days_ahead BETWEEN 0 AND 366) IS NOT TRUE OR (budget > '0') IS NOT TRUE THEN
        RAISE EXCEPTION 'days_ahead must be from 0 to 366, and the budget greater than zero'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'SELECT * FROM pgperf.maintain(days_ahead => 3, budget => ''30 s'');';
    END IF;
    -- A sample would make those of today, too.
    IF to_regclass('pgperf_internal.samples_' || to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NULL THEN
        PERFORM pgperf_internal.claim_partitions();
    END IF;
    FOR t IN SELECT h.* FROM pgperf_internal.history_tables h ORDER BY h.collector IS NULL, h.table_name LOOP
        table_name := t.table_name;
        BEGIN
            FOR object IN SELECT m.partition_name FROM pgperf_internal.make_partitions(LEAST(days_ahead, 1), t.table_name) m LOOP
                action := 'created';
                RETURN NEXT;
            END LOOP;
            FOR action, object, rows, note IN SELECT m.action, m.object, m.rows, m.note FROM pgperf_internal.move_strays(t, until) m LOOP
                RETURN NEXT;
            END LOOP;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; object := NULL; rows := NULL; note := SQLERRM;
            RETURN NEXT;
        END;
        rows := NULL; note := NULL;
    END LOOP;

    -- The samples after all others: those stay that others still need.
    RETURN QUERY SELECT r.* FROM pgperf_internal.roll_up(false, until) r;
    RETURN QUERY SELECT r.* FROM pgperf_internal.roll_up(true, until) r;
    RETURN QUERY SELECT f.action, f.table_name, f.object, f.rows, NULL::bigint, f.note FROM pgperf_internal.forget_runs(until) f;
    RETURN QUERY SELECT a.action, a.table_name, a.object, NULL::bigint, NULL::bigint, a.note FROM pgperf_internal.make_ahead(days_ahead, until) a;
    RETURN QUERY SELECT p.action, NULL::text, p.object, NULL::bigint, NULL::bigint, p.note FROM pgperf_internal.maintain_publications() p;
END
$$;
COMMENT ON FUNCTION pgperf.maintain(integer, interval) IS 'Creates the history''s partitions of the next days; reduces partitions whose retention is over to one sample of each hour, later of each day, and the samples of pinned runs and baselines; deletes runs that ended longer ago than pgperf.run_retention unless they are pinned or in a baseline, and texts of statements to which no row refers any more. One row for each action: created, moved (rows that came before their partition), rolled up (rows: number kept; bytes: size freed), dropped, deleted, published (a publication of pgperf.publish_history lacked tables); left: for the next call, for the reason in note (the budget is over, it holds many locks, or a lock was not free within 100 ms)';

-- Day by day for all tables. Work that is left is one row for each table.
CREATE FUNCTION pgperf_internal.make_ahead(days_ahead integer, until timestamptz, OUT action text, OUT table_name text, OUT object text, OUT note text)
RETURNS SETOF record LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    tables text[] := ARRAY(SELECT h.table_name FROM pgperf_internal.history_tables h WHERE h.width = 'day' ORDER BY h.table_name);
    failed text[] := '{}';
    reason text;
BEGIN
    <<days>>
    FOR n IN 2..days_ahead LOOP
        FOREACH table_name IN ARRAY tables LOOP
            CONTINUE WHEN table_name = ANY (failed);
            reason := pgperf_internal.must_stop(until);
            EXIT days WHEN reason IS NOT NULL;
            BEGIN
                FOR object IN SELECT m.partition_name FROM pgperf_internal.make_partitions(n, table_name, n) m LOOP
                    action := 'created'; note := NULL;
                    RETURN NEXT;
                END LOOP;
            EXCEPTION WHEN OTHERS THEN
                action := 'left'; object := NULL; note := SQLERRM;
                failed := failed || table_name;
                RETURN NEXT;
            END;
        END LOOP;
    END LOOP;
    IF reason IS NULL THEN
        RETURN;
    END IF;
    object := NULL; action := 'left';
    FOR table_name, note IN
        SELECT h.name, format('%s partitions of days ahead: %s', count(*), reason)
        FROM unnest(tables) h (name), generate_series(2, days_ahead) n
        WHERE to_regclass(format('pgperf_internal.%I', h.name || to_char((clock_timestamp() AT TIME ZONE 'UTC') + n * interval '1 day', '_YYYYMMDD'))) IS NULL
          AND h.name <> ALL (failed)
        GROUP BY h.name ORDER BY h.name
    LOOP
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf_internal.make_ahead(integer, timestamptz) IS 'Creates the partitions of the days after tomorrow; for pgperf.maintain()';

REVOKE ALL ON FUNCTION pgperf_internal.kept_condition(text, text[], text, text, timestamptz, timestamptz), pgperf_internal.due_partitions(),
    pgperf_internal.copy_kept(text, text[], text, text, timestamptz, timestamptz, text),
    pgperf_internal.move_rows(regclass, regclass, timestamptz, timestamptz),
    pgperf_internal.replace_partition(text, text, text, text, text), pgperf_internal.must_stop(timestamptz),
    pgperf_internal.move_strays(pgperf_internal.history_tables, timestamptz), pgperf_internal.roll_up(boolean, timestamptz),
    pgperf_internal.make_ahead(integer, timestamptz), pgperf.maintain(integer, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.maintain(integer, interval) TO pg_monitor;

-- A day's samples need not begin at midnight. The part reduced by roll-ups ends where every sample is still there.
CREATE VIEW pgperf.history_size AS
WITH partitions AS MATERIALIZED (
    SELECT p.table_name, p.level, p.starts_at, p.ends_at, c.reltuples::float8 AS reltuples,
           pg_catalog.pg_total_relation_size(p.partition) AS bytes,
           pg_catalog.pg_relation_size(p.partition) > 0 AS filled,
           LEAST(p.ends_at, CASE WHEN p.level <> 'raw' THEN
               min(p.starts_at) FILTER (WHERE p.level = 'raw') OVER (PARTITION BY p.table_name) END) AS covers_until
    FROM pgperf.history_partitions p JOIN pg_catalog.pg_class c ON c.oid = p.partition),
covered AS MATERIALIZED (
    SELECT r.starts_at, r.covers_until,
           NULLIF(EXTRACT(epoch FROM max(GREATEST(f.taken_at, l.taken_at)) - min(LEAST(f.taken_at, l.taken_at))), 0)::float8 AS seconds
    FROM (SELECT DISTINCT p.starts_at, p.covers_until FROM partitions p WHERE p.filled AND p.starts_at < p.covers_until) r
    CROSS JOIN pgperf.nodes n
    CROSS JOIN LATERAL (SELECT s.taken_at FROM pgperf.samples s
                        WHERE s.node_id = n.node_id AND s.taken_at >= r.starts_at AND s.taken_at < r.covers_until
                        ORDER BY s.sample_id LIMIT 1) f
    CROSS JOIN LATERAL (SELECT s.taken_at FROM pgperf.samples s
                        WHERE s.node_id = n.node_id AND s.taken_at >= r.starts_at AND s.taken_at < r.covers_until
                        ORDER BY s.sample_id DESC LIMIT 1) l
    GROUP BY r.starts_at, r.covers_until),
levels AS MATERIALIZED (
SELECT s.table_name, s.level, count(*) AS partitions, sum(s.bytes)::bigint AS bytes,
       sum(NULLIF(s.reltuples, -1))::bigint AS rows,
       min(s.starts_at) FILTER (WHERE s.filled) AS oldest_at,
       max(LEAST(s.ends_at, pg_catalog.clock_timestamp())) FILTER (WHERE s.filled) AS newest_at,
       -- In less than an hour, the room that each partition takes in any case would dominate.
       CASE WHEN sum(c.seconds) FILTER (WHERE s.filled) >= 3600
            THEN sum(s.bytes) FILTER (WHERE s.filled AND c.seconds IS NOT NULL)::float8 * 86400
                 / sum(c.seconds) FILTER (WHERE s.filled) END AS bytes_per_day
FROM partitions s LEFT JOIN covered c USING (starts_at, covers_until)
GROUP BY s.table_name, s.level
UNION ALL
SELECT c.relname AS table_name, 'runs' AS level, 1 AS partitions, pg_catalog.pg_total_relation_size(c.oid) AS bytes, NULLIF(c.reltuples, -1)::bigint AS rows,
       r.oldest_at, r.newest_at, NULL AS bytes_per_day
FROM pg_catalog.pg_class c, (SELECT min(requested_at) AS oldest_at, max(requested_at) AS newest_at FROM pgperf_internal.stored_runs) r
WHERE c.relnamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace)
  AND c.relkind = 'r' AND NOT c.relispartition AND c.relname <> 'data_sets'
  AND EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'run_id' AND NOT a.attisdropped)
UNION ALL
SELECT c.relname AS table_name, 'texts' AS level, 1 AS partitions, pg_catalog.pg_total_relation_size(c.oid) AS bytes, NULLIF(c.reltuples, -1)::bigint AS rows,
       t.oldest_at, t.newest_at, NULL AS bytes_per_day
FROM (SELECT 'pgperf.statement_texts'::regclass AS relation, min(taken_at) AS oldest_at, max(taken_at) AS newest_at FROM pgperf.statement_texts
      UNION ALL SELECT 'pgperf.plan_texts'::regclass, min(taken_at), max(taken_at) FROM pgperf.plan_texts) t
JOIN pg_catalog.pg_class c ON c.oid = t.relation),
-- Days of each level, and the share of the rows that is kept there where none of it exists yet: that of one sample an hour, or a day. Where most samples hold
-- but a part, that of ten.
kept AS MATERIALIZED (
    SELECT t.table_name, t.collector, r.raw_s / 86400 AS raw_days,
           CASE WHEN r.hourly_s IS NOT NULL THEN GREATEST(r.hourly_s - r.raw_s, 0) / 86400 END AS hourly_days,
           LEAST(r.alike * r.interval_s / 3600, 1) AS hourly_share,
           CASE WHEN r.daily_s IS NOT NULL THEN GREATEST(r.daily_s - GREATEST(r.raw_s, r.hourly_s), 0) / 86400 END AS daily_days,
           LEAST(r.alike * r.interval_s / 86400, 1) AS daily_share
    FROM pgperf_internal.history_tables t
    CROSS JOIN LATERAL (
        SELECT EXTRACT(epoch FROM max(c.retention))::float8 AS raw_s,
               EXTRACT(epoch FROM max(c.hourly_retention))::float8 AS hourly_s,
               EXTRACT(epoch FROM max(c.daily_retention))::float8 AS daily_s,
               EXTRACT(epoch FROM COALESCE(min(c.sample_interval), interval '5 minutes'))::float8 AS interval_s,
               CASE WHEN t.object IS NOT NULL OR EXISTS (
                   SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = ('pgperf.' || t.table_name)::regclass AND a.attname = 'relation_name')
                    THEN 10 ELSE 1 END AS alike
        FROM pgperf.collectors c WHERE c.name = t.collector OR t.collector IS NULL) r)
SELECT l.*, k.collector,
       CASE WHEN l.level = 'raw' THEN
           (l.bytes_per_day * k.raw_days + COALESCE(h.bytes_per_day, l.bytes_per_day * k.hourly_share) * k.hourly_days
            + COALESCE(d.bytes_per_day, l.bytes_per_day * k.daily_share) * k.daily_days)::bigint END AS forecast_bytes
FROM levels l
LEFT JOIN kept k ON k.table_name = l.table_name
LEFT JOIN levels h ON h.table_name = l.table_name AND h.level = 'hourly'
LEFT JOIN levels d ON d.table_name = l.table_name AND d.level = 'daily';
COMMENT ON VIEW pgperf.history_size IS 'Disk space of the history, one row for each table and level: those of pgperf.history_partitions, runs (the rows of runs other than their samples) and texts (of statements and plans)';
COMMENT ON COLUMN pgperf.history_size.rows IS 'Rows as of the last ANALYZE or VACUUM of each partition; NULL: none was analyzed yet';
COMMENT ON COLUMN pgperf.history_size.oldest_at IS 'Start of the oldest partition that holds rows; for runs and texts, when the oldest run was requested or the oldest text first seen';
COMMENT ON COLUMN pgperf.history_size.bytes_per_day IS 'Bytes per day of the partitions that hold rows, by the time from the first sample in each to the last; NULL: less than an hour, and for runs and texts';
COMMENT ON COLUMN pgperf.history_size.collector IS 'The collector that fills the table; NULL: the samples themselves, runs and texts';
COMMENT ON COLUMN pgperf.history_size.forecast_bytes IS 'Of level raw: what all levels of the table come to once its retention is full, at the present bytes_per_day; NULL: not known yet, or kept for ever';
GRANT SELECT ON pgperf.history_size TO pg_monitor;
