-- A candidate, by estimates. At least five calls of a statement with 1 % of the time read a table of 8 MB or more from end to end (at least half of its blocks per call), by
-- the newest plan of the last two days. The plan's filter compares columns with values (=, <, >, BETWEEN, IN), and all of that has to hold: nothing with OR.
-- By the statistics of these columns that the caller may read (pg_stats), and by the rows that it returns, an
-- index on them needs at most a quarter of the table's blocks: for more, the planner would not use it. No index leads with one of the columns and has the first, valid or
-- not; of the catalog as it is now. Columns that are compared by = come first, the most selective ones, three at most, then one of a range. What it would save, in
-- proportion to the blocks, is at least 5 % of the time of all statements, and 1 s. From 25 % on a warning. Not of partitions, whose table needs it.
-- Where pg_qualstats is installed, the rows that it counted are those of an index on all columns of the filter; where hypopg is, not without a lower cost of the plan.
WITH planned AS MATERIALIZED (
    SELECT t.queryid, t.userid, t.query, t.calls, t.time, t.first_at, t.last_at, t.blocks::float8 / t.calls AS blocks, t.rows::float8 / t.calls AS rows, x.plan,
           h.total_cost, h.index_relation, h.index_columns, h.index_cost, ARRAY[h.index_relation] AS searched, ARRAY[h.index_rows] AS rows_passed
    FROM totals t CROSS JOIN everything e
    CROSS JOIN LATERAL (
        SELECT y.plan_hash, y.total_cost, y.index_relation, y.index_columns, y.index_cost, y.index_rows FROM pgperf.plan_history y
        WHERE y.node_id = $1::uuid AND y.queryid = t.queryid AND y.userid = t.userid AND y.dbid = t.dbid
          AND y.taken_at <= $3::timestamptz AND y.taken_at > $2::timestamptz - interval '2 days'
        ORDER BY y.sample_id DESC LIMIT 1) h
    CROSS JOIN LATERAL (SELECT y.plan FROM pgperf.plan_texts y WHERE y.node_id = $1::uuid AND y.plan_hash = h.plan_hash LIMIT 1) x
    WHERE $1::uuid = (SELECT pgperf.local_node()) AND NOT t.own AND t.calls >= 5 AND t.time >= 0.01 * e.time
      AND t.dbid = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())),
{index candidates},
-- With what the planner says of that index.
estimated AS MATERIALIZED (
    SELECT c.*, o.with_cost
    FROM candidates c
    CROSS JOIN LATERAL (SELECT CASE WHEN c.index_relation = c.relation_oid AND c.index_columns = c.names THEN c.index_cost END AS with_cost) o
    WHERE o.with_cost IS NULL OR o.with_cost < c.total_cost)
SELECT CASE WHEN x.together >= 0.25 * e.time THEN 'warning' END, LEAST(99, 100 * x.together / e.time),
       'table', x.nspname, x.relname, x.until, x.since, x.until,
       format('%s calls search the %s of %I.%I by %s without an index, and read %s blocks each; with an index on (%s), by an estimate, %s blocks, and %s %% less of the time of all statements%s%s: %s',
              to_char(x.calls, 'FM999,999,999,999,990'), pg_size_pretty(x.relpages * current_setting('block_size')::int8), x.nspname, x.relname, x.names,
              to_char(x.blocks, 'FM999,999,999,999,990'), x.index_on, to_char(x.with_index, 'FM999,999,999,999,990'), round((100 * x.together / e.time)::numeric),
              CASE WHEN x.statements > 1 THEN format(', of %s statements', x.statements) END,
              CASE WHEN x.with_cost IS NOT NULL THEN format(' (for the planner, a cost of %s in place of %s)', to_char(x.with_cost, 'FM999,999,999,999,990'),
                                                            to_char(x.total_cost, 'FM999,999,999,999,990')) END, x.query),
       jsonb_build_object('columns', x.index_on, 'queryid', x.queryid, 'query', x.query, 'statements', x.statements, 'calls', x.calls,
                          'rows_found', round(x.found::numeric, 1), 'rows_counted', x.by_count, 'blocks_per_call', round(x.blocks::numeric, 1), 'blocks_with_index', round(x.with_index::numeric, 1),
                          'saved_ms', round(x.together::numeric, 1), 'time_percent', round((100 * x.together / e.time)::numeric, 1),
                          'cost', CASE WHEN x.with_cost IS NOT NULL THEN x.total_cost END, 'cost_with_index', x.with_cost,
                          'size_bytes', x.relpages * current_setting('block_size')::int8),
       format('CREATE INDEX CONCURRENTLY ON %I.%I (%s)', x.nspname, x.relname, x.index_on)
-- An index serves all that search by its first columns: the longest one is named.
FROM (SELECT DISTINCT ON (c.relation_oid, l.names)
             c.*, l.names AS index_on, sum(c.gain) OVER w AS together, count(*) OVER w AS statements, min(c.first_at) OVER w AS since, max(c.last_at) OVER w AS until
      FROM estimated c
      CROSS JOIN LATERAL (SELECT o.names FROM estimated o
                          WHERE o.relation_oid = c.relation_oid AND o.columns[1:cardinality(c.columns)] = c.columns
                          ORDER BY cardinality(o.columns) DESC, o.names LIMIT 1) l
      WINDOW w AS (PARTITION BY c.relation_oid, l.names)
      ORDER BY c.relation_oid, l.names, c.gain DESC, c.queryid) x
CROSS JOIN everything e
WHERE x.together >= 1000 AND x.together >= {threshold missing_index} / 100 * e.time
