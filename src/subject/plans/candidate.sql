-- The index that one plan lacks. $1 and $2: the statement and its role, $3: the plan, $4 and $5: blocks and rows per call, $6 and $7: tables that it searched
-- and the rows of each that passed its filter.
WITH planned AS MATERIALIZED (
    SELECT $1 AS queryid, $2 AS userid, $3 AS plan, 1 AS time, $4 AS blocks, $5 AS rows, $6::oid[] AS searched, $7 AS rows_passed),
{index candidates}
SELECT c.relation_oid::int8 AS index_relation, c.names AS index_columns, CASE WHEN NOT c.ambiguous THEN c.passed END AS index_rows,
       format('CREATE INDEX ON %I.%I (%s)', c.nspname, c.relname, c.names) AS create
FROM candidates c
ORDER BY c.gain DESC, c.relation_oid
LIMIT 1
