-- The indexes that plans lack: the scans of whole tables, the columns that their filters compare with values, and what an index on these would need.
-- Members of a WITH clause, after `planned`: statements with their plan, their time, blocks and rows per call, and the rows that passed the filters of
-- tables that they searched, as far as they were counted (searched, rows_passed).
-- Names with blanks or dots cannot be told apart in a plan: of these nothing is known.
scans AS MATERIALIZED (
    SELECT p.*, row_number() OVER () AS scan, c.oid AS relation_oid, n.nspname, c.relname, c.relpages, c.reltuples,
           quote_ident(COALESCE(m.part[3], m.part[2])) AS alias, a.parts, r.rows AS passed,
           m.part[4] ~ '\mANY ' OR count(*) OVER (PARTITION BY p.queryid, p.userid, c.oid) > 1 AS ambiguous
    FROM planned p
    CROSS JOIN LATERAL regexp_matches(p.plan, 'Seq Scan on ([^\s.]+)\.([^\s.]+)(?: (\S+))?\n\s+Filter: \(([^\n]*)\)', 'g') m(part)
    CROSS JOIN LATERAL regexp_split_to_array(CASE WHEN m.part[4] LIKE '(%) AND (%)' THEN substr(m.part[4], 2, length(m.part[4]) - 2) ELSE m.part[4] END, '\) AND \(') a(parts)
    JOIN pg_namespace n ON n.nspname = m.part[1] AND n.nspname NOT IN ('pgperf', 'pgperf_internal', 'pg_catalog')
    JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = m.part[2] AND c.relkind = 'r' AND NOT c.relispartition
    LEFT JOIN LATERAL (SELECT u.rows FROM unnest(p.searched, p.rows_passed) u(relation_oid, rows) WHERE u.relation_oid = c.oid) r ON true
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
    CROSS JOIN LATERAL unnest(s.parts) k(text)
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
    FROM (SELECT c.scan, c.attnum, c.attname, count(*) AS conditions, bool_or(c.operator = '=') AS by_value,
                 CASE WHEN bool_or(c.operator = '=') THEN min(c.share) FILTER (WHERE c.operator = '=')
                      WHEN bool_or(c.operator LIKE '<%') AND bool_or(c.operator LIKE '>%') THEN 0.005 ELSE 1.0 / 3 END AS share
          FROM conditions c GROUP BY c.scan, c.attnum, c.attname) x
    WHERE x.share > 0),
-- The rows that were counted passed the whole filter: they are those of an index on all of its columns, and of one scan of the table.
candidates AS MATERIALIZED (
    SELECT DISTINCT ON (s.queryid, s.userid, s.relation_oid)
           s.*, k.columns, k.names, f.by_count, r.found, b.with_index, s.time * (b.without - b.with_index) / s.blocks AS gain
    FROM scans s
    JOIN (SELECT c.scan, sum(c.conditions) AS conditions, array_agg(c.attnum ORDER BY c.by_value DESC, c.place) AS columns, exp(sum(ln(c.share))) AS share,
                 string_agg(quote_ident(c.attname), ', ' ORDER BY c.by_value DESC, c.place) AS names
          FROM columns c WHERE c.place <= CASE WHEN c.by_value THEN 3 ELSE 1 END GROUP BY c.scan) k ON k.scan = s.scan
    CROSS JOIN LATERAL (SELECT s.passed IS NOT NULL AND NOT s.ambiguous AND k.conditions = cardinality(s.parts) AS by_count) f
    CROSS JOIN LATERAL (SELECT CASE WHEN f.by_count THEN s.passed ELSE GREATEST(k.share * s.reltuples, s.rows) END AS found) r
    -- Three levels of the index, 200 entries on a page of it, a block of the table for each row.
    CROSS JOIN LATERAL (SELECT 3 + r.found / 200 + LEAST(r.found, s.relpages) AS with_index, LEAST(s.blocks, s.relpages) AS without) b
    WHERE b.with_index <= 0.25 * s.relpages
      AND NOT EXISTS (SELECT FROM pg_index i
                      WHERE i.indrelid = s.relation_oid AND i.indpred IS NULL AND i.indkey[0] = ANY (k.columns) AND k.columns[1] = ANY (i.indkey::int2[]))
    ORDER BY s.queryid, s.userid, s.relation_oid, gain DESC)
