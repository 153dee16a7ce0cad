-- A candidate, by estimates. At least five calls of a statement with 1 % of the time read a table of 8 MB or more from end to end (at least half of its blocks per call), by
-- the newest plan of the last two days. The plan's filter compares columns with values (=, <, >, BETWEEN, IN), and all of that has to hold: nothing with OR.
-- By the statistics of these columns that the caller may read (pg_stats), and by the rows that it returns, an
-- index on them needs at most a quarter of the table's blocks: for more, the planner would not use it. No index leads with one of the columns and has the first, valid or
-- not; of the catalog as it is now. Columns that are compared by = come first, the most selective ones, three at most, then one of a range. What it would save, in
-- proportion to the blocks, is at least 5 % of the time of all statements, and 1 s. From 25 % on a warning. Not of partitions, whose table needs it.
WITH planned AS MATERIALIZED (
    SELECT t.queryid, t.userid, t.query, t.calls, t.time, t.first_at, t.last_at, t.blocks::float8 / t.calls AS blocks, t.rows::float8 / t.calls AS rows, x.plan
    FROM totals t CROSS JOIN everything e
    CROSS JOIN LATERAL (
        SELECT y.plan_hash FROM pgperf.plan_history y
        WHERE y.node_id = $1::uuid AND y.queryid = t.queryid AND y.userid = t.userid AND y.dbid = t.dbid
          AND y.taken_at <= $3::timestamptz AND y.taken_at > $2::timestamptz - interval '2 days'
        ORDER BY y.sample_id DESC LIMIT 1) h
    CROSS JOIN LATERAL (SELECT y.plan FROM pgperf.plan_texts y WHERE y.node_id = $1::uuid AND y.plan_hash = h.plan_hash LIMIT 1) x
    WHERE $1::uuid = (SELECT pgperf.local_node()) AND NOT t.own AND t.calls >= 5 AND t.time >= 0.01 * e.time
      AND t.dbid = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())),
-- Names with blanks or dots cannot be told apart in a plan: of these nothing is known.
scans AS MATERIALIZED (
    SELECT p.*, row_number() OVER () AS scan, c.oid AS relation_oid, n.nspname, c.relname, c.relpages, c.reltuples,
           quote_ident(COALESCE(m.part[3], m.part[2])) AS alias, m.part[4] AS filter
    FROM planned p
    CROSS JOIN LATERAL regexp_matches(p.plan, 'Seq Scan on ([^\s.]+)\.([^\s.]+)(?: (\S+))?\n\s+Filter: \(([^\n]*)\)', 'g') m(part)
    JOIN pg_namespace n ON n.nspname = m.part[1] AND n.nspname NOT IN ('pgperf', 'pgperf_internal', 'pg_catalog')
    JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = m.part[2] AND c.relkind = 'r' AND NOT c.relispartition
    WHERE c.relpages * current_setting('block_size')::int8 >= 8388608 AND p.blocks >= 0.5 * c.relpages
      AND m.part[4] !~ '\m(OR|CASE|COALESCE)\M|NOT \(| IS (NOT )?(TRUE|FALSE|UNKNOWN)'),
-- The share of the table with the value that a call looks for, where values are looked for as often as they occur: common ones apart, the others alike.
-- Of a list, ten times as much.
conditions AS (
    SELECT s.scan, a.attnum, a.attname, m.part[5] AS operator,
           (v.squares + (1 - t.null_frac - v.freqs) ^ 2
                / GREATEST(1, CASE WHEN t.n_distinct < 0 THEN -t.n_distinct * s.reltuples ELSE t.n_distinct END - v.number)) / NULLIF(1 - t.null_frac, 0)
               * CASE WHEN m.part[6] LIKE 'ANY %' THEN 10 ELSE 1 END AS share
    FROM scans s
    CROSS JOIN LATERAL regexp_split_to_table(CASE WHEN s.filter LIKE '(%) AND (%)' THEN substr(s.filter, 2, length(s.filter) - 2) ELSE s.filter END, '\) AND \(') k(text)
    CROSS JOIN LATERAL regexp_match(
        k.text, '^(\()?("(?:[^"]|"")+"|[a-z_][a-z0-9_]*)\.("(?:[^"]|"")+"|[a-z_][a-z0-9_]*)(\)::text)? (=|<|<=|>|>=) (.*)$') m(part)
    JOIN pg_attribute a ON a.attrelid = s.relation_oid AND a.attnum > 0 AND quote_ident(a.attname) = m.part[3]
    JOIN pg_type y ON y.oid = a.atttypid
    -- Looked up for each: as a join, the view would be computed whole.
    CROSS JOIN LATERAL (SELECT x.null_frac, x.n_distinct, x.most_common_freqs FROM pg_stats x
                        WHERE x.schemaname = s.nspname AND x.tablename = s.relname AND x.attname = a.attname AND NOT x.inherited OFFSET 0) t
    CROSS JOIN LATERAL (SELECT count(*) AS number, COALESCE(sum(f), 0)::float8 AS freqs, COALESCE(sum(f::float8 ^ 2), 0) AS squares FROM unnest(t.most_common_freqs) f) v
    WHERE m.part[2] = s.alias AND (m.part[1] IS NULL) = (m.part[4] IS NULL) AND (m.part[4] IS NULL OR a.atttypid = 'varchar'::regtype)
      -- Parameters, constants and the time of the transaction: nothing that changes from row to row.
      AND regexp_replace(m.part[6], 'ANY|ARRAY|now\(\)|CURRENT_DATE|CURRENT_TIMESTAMP|::[a-z_][a-z0-9_. ]*', '', 'g') ~ '^[\s()\[\],\d$?+-]*$'
      AND (m.part[5] = '=' OR m.part[6] NOT LIKE 'ANY %')
      AND EXISTS (SELECT FROM pg_opclass o JOIN pg_am w ON w.oid = o.opcmethod AND w.amname = 'btree'
                  WHERE o.opcdefault AND o.opcintype = CASE WHEN y.typtype = 'e' THEN 'anyenum'::regtype WHEN y.oid = 'varchar'::regtype THEN 'text'::regtype
                                                            WHEN y.typtype = 'd' THEN y.typbasetype ELSE y.oid END)),
-- A range as the planner takes it without knowing its ends.
columns AS (
    SELECT x.*, row_number() OVER (PARTITION BY x.scan, x.by_value ORDER BY x.share, x.attname) AS place
    FROM (SELECT c.scan, c.attnum, c.attname, bool_or(c.operator = '=') AS by_value,
                 CASE WHEN bool_or(c.operator = '=') THEN min(c.share) FILTER (WHERE c.operator = '=')
                      WHEN bool_or(c.operator LIKE '<%') AND bool_or(c.operator LIKE '>%') THEN 0.005 ELSE 1.0 / 3 END AS share
          FROM conditions c GROUP BY c.scan, c.attnum, c.attname) x
    WHERE x.share > 0),
candidates AS MATERIALIZED (
    SELECT DISTINCT ON (s.queryid, s.userid, s.relation_oid)
           s.*, k.columns, k.names, r.found, b.with_index, s.time * (b.without - b.with_index) / s.blocks AS gain
    FROM scans s
    JOIN (SELECT c.scan, array_agg(c.attnum ORDER BY c.by_value DESC, c.place) AS columns, exp(sum(ln(c.share))) AS share,
                 string_agg(quote_ident(c.attname), ', ' ORDER BY c.by_value DESC, c.place) AS names
          FROM columns c WHERE c.place <= CASE WHEN c.by_value THEN 3 ELSE 1 END GROUP BY c.scan) k ON k.scan = s.scan
    CROSS JOIN LATERAL (SELECT GREATEST(k.share * s.reltuples, s.rows) AS found) r
    -- Three levels of the index, 200 entries on a page of it, a block of the table for each row.
    CROSS JOIN LATERAL (SELECT 3 + r.found / 200 + LEAST(r.found, s.relpages) AS with_index, LEAST(s.blocks, s.relpages) AS without) b
    WHERE b.with_index <= 0.25 * s.relpages
      AND NOT EXISTS (SELECT FROM pg_index i
                      WHERE i.indrelid = s.relation_oid AND i.indpred IS NULL AND i.indkey[0] = ANY (k.columns) AND k.columns[1] = ANY (i.indkey::int2[]))
    ORDER BY s.queryid, s.userid, s.relation_oid, gain DESC)
SELECT CASE WHEN x.together >= 0.25 * e.time THEN 'warning' END, LEAST(99, 100 * x.together / e.time),
       'table', x.nspname, x.relname, x.until, x.since, x.until,
       format('%s calls search the %s of %I.%I by %s without an index, and read %s blocks each; with an index on (%s), by an estimate, %s blocks, and %s %% less of the time of all statements%s: %s',
              to_char(x.calls, 'FM999,999,999,999,990'), pg_size_pretty(x.relpages * current_setting('block_size')::int8), x.nspname, x.relname, x.names,
              to_char(x.blocks, 'FM999,999,999,999,990'), x.index_on, to_char(x.with_index, 'FM999,999,999,999,990'), round((100 * x.together / e.time)::numeric),
              CASE WHEN x.statements > 1 THEN format(', of %s statements', x.statements) END, x.query),
       jsonb_build_object('columns', x.index_on, 'queryid', x.queryid, 'query', x.query, 'statements', x.statements, 'calls', x.calls,
                          'rows_found', round(x.found::numeric, 1), 'blocks_per_call', round(x.blocks::numeric, 1), 'blocks_with_index', round(x.with_index::numeric, 1),
                          'saved_ms', round(x.together::numeric, 1), 'time_percent', round((100 * x.together / e.time)::numeric, 1),
                          'size_bytes', x.relpages * current_setting('block_size')::int8),
       format('CREATE INDEX CONCURRENTLY ON %I.%I (%s)', x.nspname, x.relname, x.index_on)
-- An index serves all that search by its first columns: the longest one is named.
FROM (SELECT DISTINCT ON (c.relation_oid, l.names)
             c.*, l.names AS index_on, sum(c.gain) OVER w AS together, count(*) OVER w AS statements, min(c.first_at) OVER w AS since, max(c.last_at) OVER w AS until
      FROM candidates c
      CROSS JOIN LATERAL (SELECT o.names FROM candidates o
                          WHERE o.relation_oid = c.relation_oid AND o.columns[1:cardinality(c.columns)] = c.columns
                          ORDER BY cardinality(o.columns) DESC, o.names LIMIT 1) l
      WINDOW w AS (PARTITION BY c.relation_oid, l.names)
      ORDER BY c.relation_oid, l.names, c.gain DESC, c.queryid) x
CROSS JOIN everything e
WHERE x.together >= 1000 AND x.together >= {threshold missing_index} / 100 * e.time
