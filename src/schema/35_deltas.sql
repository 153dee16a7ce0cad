-- Differences of a history table's cumulative counters between two samples. One rule for all tables, written once:
-- the views differ only in their columns.
--
-- The previous row is that of the same object in the collector's previous sample. Where a table holds only changes
-- (sparse), it is the object's own previous row, however old; the object had not changed in between, so the time counts
-- from the collector's previous sample, known from the row of all objects together (key 0), unless that sample left
-- something out, or may have postponed this object's row (postponed_since). Each row names the one it was compared with (before_sample_id): if that was deleted, an older one
-- does not take its place. A difference is NULL without a previous row, where the counters may have begun again in between
-- (lived_on does not hold), and where a counter fell. Minima, maxima, means and deviations have no difference.
--
-- An object without a previous row began since, if that can be proved (began): then it counted from 0, and the
-- difference is the counter itself. In began, c is the collector's previous sample and cs its row in pgperf.samples.
--
-- A row of all objects together is the sum of their counters, so it falls by an object's count when that object is
-- dropped. Sums of the members' differences would miss members without a row, so there is no difference at all where
-- a member went; a fingerprint of the members shows that (a column ..._mark, which is no counter).
--
-- Counters that a later release brought (later) come last, with their rates: columns of a view are only added. They are those of another
-- extension, which may have counted an object before that began here: none of their differences is a counter itself.
--
-- Where the wall clock was set back between the two, the time between them is unknown: seconds and rates are NULL.
--
-- The sample's time is a condition of the join so that only its partition is scanned (OFFSET 0: once it is known).
CREATE FUNCTION pgperf_internal.create_delta_view(
    history text, object text[], gauges text[] DEFAULT '{}', sparse boolean DEFAULT false,
    lived_on text DEFAULT 's.epoch = ps.epoch', began text DEFAULT NULL, later text[] DEFAULT '{}')
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    view_name text := replace(history, '_history', '_deltas');
    same_object text := (SELECT string_agg(format(
        CASE WHEN sparse THEN 'x.%1$I = h.%1$I' ELSE 'x.%1$I IS NOT DISTINCT FROM h.%1$I' END, k), ' AND ') FROM unnest(object) k);
    counters text[];
    lived text := 'CASE WHEN m.lived_on AND h.%1$I >= p.%1$I THEN h.%1$I - p.%1$I ';
    difference text := lived || CASE WHEN began IS NULL THEN '' ELSE 'WHEN m.began THEN h.%1$I ' END || 'END';
    later_difference text := lived || 'END';
BEGIN
    SELECT array_agg(a.attname ORDER BY a.attnum) INTO counters
    FROM pg_attribute a
    WHERE a.attrelid = format('pgperf.%I', history)::regclass AND a.attnum > 0 AND NOT a.attisdropped
      AND a.atttypid IN ('int8'::regtype, 'float8'::regtype)
      AND a.attname !~ '^(min|max|mean|stddev)_|_mark$' AND a.attname <> ALL (object || gauges || later || '{sample_id,run_id,before_sample_id}'::text[]);
    EXECUTE format('CREATE OR REPLACE VIEW pgperf.%I AS SELECT h.node_id, h.sample_id, h.taken_at, h.run_id%s, m.seconds%s%s%s%s%s
        FROM pgperf.%I h JOIN pgperf.samples s ON s.node_id = h.node_id AND s.sample_id = h.sample_id AND s.taken_at = h.taken_at %s
        LEFT JOIN pgperf.samples ps ON ps.node_id = h.node_id AND ps.sample_id = p.sample_id AND ps.taken_at = p.taken_at %s
        CROSS JOIN LATERAL (SELECT (%s) AS lived_on, (%s) AS began) l
        CROSS JOIN LATERAL (SELECT l.lived_on, l.began, NULLIF(GREATEST(EXTRACT(epoch FROM h.taken_at
            - CASE WHEN l.began THEN c.taken_at ELSE %s END)::float8, 0), 0) AS seconds) m',
        view_name,
        (SELECT string_agg(format(', h.%I', k), '' ORDER BY n) FROM unnest(object) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', h.%I', k), '' ORDER BY n) FROM unnest(gauges) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', ' || difference || ' AS %1$I', k), '' ORDER BY n)
           FROM unnest(counters) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', (' || difference || ') / m.seconds AS %2$I', k, k || '_per_s'), '' ORDER BY n)
           FROM unnest(counters) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', ' || later_difference || ' AS %1$I', k), '' ORDER BY n)
           FROM unnest(later) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', (' || later_difference || ') / m.seconds AS %2$I', k, k || '_per_s'), '' ORDER BY n)
           FROM unnest(later) WITH ORDINALITY o(k, n)),
        history,
        CASE WHEN sparse THEN format(
            'LEFT JOIN LATERAL (SELECT x.* FROM pgperf.%1$I x WHERE x.node_id = h.node_id AND %2$s
                AND x.sample_id < h.sample_id ORDER BY x.sample_id DESC LIMIT 1) p ON true
             LEFT JOIN LATERAL (SELECT x.* FROM pgperf.%1$I x WHERE x.node_id = h.node_id AND x.%3$I = 0
                AND x.sample_id < h.sample_id ORDER BY x.sample_id DESC LIMIT 1) c ON true', history, same_object, object[1])
        ELSE format(
            'LEFT JOIN LATERAL (SELECT x.sample_id, x.taken_at FROM pgperf.%1$I x
                WHERE x.node_id = h.node_id AND x.sample_id < h.sample_id ORDER BY x.sample_id DESC LIMIT 1) c ON true
             LEFT JOIN LATERAL (SELECT x.* FROM pgperf.%1$I x WHERE x.node_id = h.node_id AND x.sample_id = c.sample_id
                AND x.taken_at = c.taken_at AND %2$s OFFSET 0) p ON true', history, coalesce(same_object, 'true'))
        END,
        CASE WHEN began IS NOT NULL THEN
            'LEFT JOIN pgperf.samples cs ON cs.node_id = h.node_id AND cs.sample_id = c.sample_id AND cs.taken_at = c.taken_at' END,
        lived_on || CASE WHEN sparse THEN format(' AND (h.%I = 0 OR h.before_sample_id = p.sample_id)', object[1]) ELSE '' END
        || CASE WHEN EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', history)::regclass
                                        AND a.attname = 'stats_reset')
                         THEN ' AND h.stats_reset IS NOT DISTINCT FROM p.stats_reset' ELSE '' END,
        COALESCE('p.sample_id IS NULL AND ' || began, 'false'),
        CASE WHEN sparse THEN format('CASE WHEN c.left_out = 0%s THEN GREATEST(c.taken_at, p.taken_at) ELSE p.taken_at END',
            CASE WHEN EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', history)::regclass
                                       AND a.attname = 'postponed_since')
                 THEN ' AND (c.postponed_since > p.taken_at) IS NOT FALSE' ELSE '' END)
             ELSE 'p.taken_at' END);
    EXECUTE format('COMMENT ON VIEW pgperf.%I IS %L', view_name, format(
        'Differences of the counters of pgperf.%s from the previous sample, over seconds; ..._per_s: the same per second. NULL: no previous sample, or the counters began again in between; an object without a previous row that provably began since counts from 0', history)
        || CASE later WHEN '{}' THEN '' ELSE ', but not in ' || array_to_string(later, ', ') END);
    EXECUTE format('GRANT SELECT ON pgperf.%I TO pg_monitor', view_name);
END
$$;
COMMENT ON FUNCTION pgperf_internal.create_delta_view(text, text[], text[], boolean, text, text, text[]) IS
    'Creates the view ..._deltas of a history table; called when the extension is created or updated';
REVOKE ALL ON FUNCTION pgperf_internal.create_delta_view(text, text[], text[], boolean, text, text, text[]) FROM PUBLIC;
