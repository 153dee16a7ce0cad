-- missing_index of orders
-- conditions: statements/missing_index.sql 39, ../../subject/plans/index_candidates.sql 81, statements/source.sql 66
-- also: new_statement slower_statement invalid_index
-- about: all of the history
-- schema: public
-- kind: g
-- distinct: 10000
-- pages: 1024
-- tuples: 100000
-- plan: Seq Scan on {schema}.orders
-- filter: (orders.kind = $1)
-- other_filter: (orders.kind <> $1)
-- planned: 30
-- later: 61
-- then: SELECT
-- calls: GREATEST(m, 0)
-- time: 100
-- blocks: 1024
-- rows: 1
-- other: 100
-- query: SELECT a
-- indexed: '{schema}.orders'::regclass
-- passed: NULL
-- with_cost: NULL
-- dbid: (SELECT oid FROM pg_database WHERE datname = current_database())
CREATE TYPE {schema}.state AS ENUM ('new', 'done');
CREATE TABLE {schema}.orders (id int, kind int, price int, note varchar(40), label text, state {schema}.state, at timestamptz, doc json, "Odd name" int);
ALTER TABLE {schema}.orders ALTER kind SET (n_distinct = {distinct});
ALTER TABLE {schema}.orders ALTER state SET (n_distinct = 10000);
INSERT INTO {schema}.orders SELECT g, {kind}, g, md5(g::text), md5(g::text), 'new', now() + g * interval '1 s', '1', g FROM generate_series(1, 200) g;
ANALYZE {schema}.orders;
{then};
UPDATE pg_class SET relpages = {pages}, reltuples = {tuples} WHERE oid = '{schema}.orders'::regclass;
-- Two statements, of which the first has another plan from some time on.
INSERT INTO pgperf.statement_texts (node_id, queryid, dbid, taken_at, query)
SELECT node_id, q, {dbid}, taken_at, CASE q WHEN 1 THEN '{query}' ELSE 'SELECT b' END FROM tick, generate_series(1, 2) q WHERE m = 31;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick WHERE m >= -60;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares, rows, shared_blks_hit, shared_blks_read)
SELECT node_id, sample_id, taken_at, q, 10, {dbid}, true, NULLIF(sample_id - 1, 939), 1, 1000, b + c, 100 * b + CASE q WHEN 1 THEN {time} ELSE {other} END * c, 1e9 * (b + c),
       b + {rows} * c, 8 * b + ({blocks} - 1) * c, 2 * b + c
FROM tick, generate_series(1, 2) q, LATERAL (SELECT LEAST(m, 0) + 60 AS b, CASE q WHEN 1 THEN {calls} ELSE GREATEST(m, 0) END AS c) x WHERE m >= -60;
INSERT INTO pgperf.plan_history (node_id, sample_id, taken_at, queryid, userid, dbid, cause, plan_hash, total_cost, index_relation, index_columns, index_rows, index_cost)
SELECT t.node_id, t.sample_id, t.taken_at, p.queryid, 10, {dbid}, 'top', p.hash, 1000, {indexed}, 'kind', {passed}, {with_cost} FROM tick t JOIN (VALUES ({planned}, 1, 1), ({later}, 1, 2), (30, 2, 3)) p(m, queryid, hash) USING (m);
INSERT INTO pgperf.plan_texts (node_id, plan_hash, taken_at, plan)
SELECT t.node_id, p.hash, t.taken_at, p.plan FROM tick t, (VALUES (1, E'Sort\n  {plan}\n      Filter: {filter}'), (2, E'Index Scan using orders_kind on {schema}.orders\n    Filter: {filter}'),
       (3, E'Aggregate\n  Seq Scan on {schema}.orders\n      Filter: {other_filter}\n  Seq Scan on {schema}.customers\n      Filter: (customers.kind = $1)')) p(hash, plan) WHERE t.m = -60;

-- rows
-- a table of 8 MB | 10m 1h 1d | => warning, weight=149 kind=table schema=public at=60 since=1 until=60: 60 calls search the 8192 kB of public.orders by kind without an index, and read 1,024 blocks each; with an index on (kind), by an estimate, 13 blocks, and 49 % less of the time of all statements: SELECT a & "queryid": 1, & "time_percent": 49.4, & "blocks_with_index": 13.1 & "rows_found": 10.0 & "saved_ms": 5923.5 & "statements": 1, & fix=CREATE INDEX CONCURRENTLY ON public.orders (kind) | pages = 1023 => silent
-- five calls | | calls = LEAST(GREATEST(m, 0), 5); time = 1000 => warning, 5 calls | calls = LEAST(GREATEST(m, 0), 4); time = 1000 => silent
-- that read half of it | | blocks = 512 => warning, read 512 blocks each & "saved_ms": 5847.1 | blocks = 511 => silent
-- where an index needs a quarter of its blocks, by the rows returned | | rows = 251 => warning, "blocks_with_index": 255.3 | rows = 252 => silent
-- by the number of values | | distinct = 398 => warning, "rows_found": 251.3 | distinct = 397 => silent | distinct = -0.00398 => warning, "rows_found": 251.3 | distinct = -0.00397 => silent
-- of which none is NULL | | kind = CASE WHEN g % 2 = 0 THEN g END; distinct = 199 => warning, "rows_found": 251.3 | kind = CASE WHEN g % 2 = 0 THEN g END; distinct = 198 => silent | kind = NULL => silent
-- a common one counts as often as it occurs | | kind = CASE WHEN g <= 20 THEN 1 ELSE g END; tuples = 24900 => warning, "rows_found": 251.0 | kind = CASE WHEN g <= 20 THEN 1 ELSE g END; tuples = 25000 => silent
-- by ten of a list | | filter = (orders.kind = ANY ($1)); distinct = 3980 => warning, "rows_found": 251.3 | filter = (orders.kind = ANY (ARRAY[$1, $2])); distinct = 3970 => silent | filter = (orders.kind < ANY ($1)) => silent
-- by a range with two ends | | filter = ((orders.price > $1) AND (orders.price <= $2)); tuples = 50000 => warning, "rows_found": 250.0 & fix=CREATE INDEX CONCURRENTLY ON public.orders (price) | filter = ((orders.price > $1) AND (orders.price <= $2)); tuples = 51000 => silent
-- one with one end is too large | | filter = (orders.price > $1); tuples = 50000 => silent | filter = ((orders.price > $1) AND (orders.price >= $2)); tuples = 50000 => silent | filter = (orders.price > $1); tuples = 750 => warning, "rows_found": 250.0
-- values first, the most selective one ahead, then a range | | filter = ((orders.price > $1) AND (orders.kind = $2) AND (orders.id = $3)) => warning, by id, kind, price without & (id, kind, price) | filter = ((orders.price > $1) AND (orders.kind = $2) AND (orders.at < now())) => warning, "rows_found": 3.3 & (kind, at)
-- three values at most | | filter = ((orders.kind = $1) AND (orders.id = $2) AND (orders.label = $3) AND (orders.price = $4)) => warning, (id, label, price)
-- all of which has to hold | | filter = ((orders.kind = $1) OR (orders.id = $2)) => silent | filter = (NOT ((orders.price = $1) AND (orders.kind = $2) AND (orders.id = $3))) => silent | filter = (((orders.price = $1) AND (orders.kind = $2) AND (orders.id = $3)) IS NOT TRUE) => silent | filter = ((orders.doc IS NULL) AND (orders.kind = $2)) => warning, (kind)
-- a column of the table compared with what is known | | filter = (orders.kind = orders.price) => silent | filter = (orders.kind = (random())::integer) => silent | filter = (orders.kind = ((?)::bigint + 1)) => warning | filter = (lower(orders.label) = $1) => silent | filter = (other.kind = $1) => silent | filter = (orders.kind <> $1) => silent | filter = (orders.gone = $1) => silent
-- as itself | | filter = ((orders.note)::text = $1) => warning, (note) | filter = ((orders.kind)::text = $1) => silent | filter = (orders."Odd name" = $1) => warning, ("Odd name")
-- in an order | | filter = (orders.doc = $1) => silent | filter = (orders.state = $1); kind = NULL; tuples = 250 => warning, (state)
-- by another name | | plan = Parallel Seq Scan on {schema}.orders o; filter = (o.kind = $1) => warning | plan = Seq Scan on {schema}.orders o => silent | plan = CTE Scan on {schema}.orders => silent
-- without an index | | then = CREATE INDEX ON orders (kind) => silent | then = CREATE INDEX ON orders (price, kind) => warning | then = CREATE INDEX ON orders (kind) WHERE price > 5 => warning | then = CREATE INDEX by_kind ON orders (kind);UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'by_kind'::regclass => silent
-- of these columns | | filter = ((orders.kind = $1) AND (orders.price > $2)); then = CREATE INDEX ON orders (price) => warning, (kind, price) | filter = ((orders.kind = $1) AND (orders.price > $2)); then = CREATE INDEX ON orders (price, kind) => silent
-- the newest plan | | later = 60 => silent | planned = 61 => silent | planned = -60 => warning
-- of two days | 1d | planned = -120 => silent | planned = -119 => warning
-- less than a second saved is not felt | | time = 16.9; other = 10 => warning, "saved_ms": 1001.1 | time = 16.8; other = 10 => silent
-- nor less than 5 % of the time | | other = 1874 => note, weight=5 | other = 1875 => silent
-- a warning from 25 % on | | other = 294 => warning, weight=125 | other = 295 => note, weight=25
-- no statement of pgperf's own | | query = SELECT pgperf.x() => silent
-- of this database | | dbid = 1 => silent
-- nor of pgperf's tables | | schema = pgperf_internal => silent
-- a table alone | | then = UPDATE pg_class SET relispartition = true WHERE relname = 'orders' => silent | then = UPDATE pg_class SET relkind = 'm' WHERE relname = 'orders' => silent
-- the rows that were counted are those of an index on all columns of the filter | | passed = 2 => warning, "rows_found": 2.0 & "rows_counted": true | passed = 251 => warning, "blocks_with_index": 255.3 | passed = 252 => silent | passed = NULL => warning, "rows_counted": false | passed = 20; filter = ((orders.kind = $1) AND (lower(orders.label) = $2)) => warning, "rows_found": 10.0 & "rows_counted": false | passed = 20; filter = ((orders.price > $1) AND (orders.price <= $2)) => warning, "rows_found": 20.0 & "rows_counted": true
-- of that table | | passed = 20; indexed = 1 => warning, "rows_found": 10.0
-- in one search, for one value | | passed = 20; plan = Seq Scan on {schema}.orders o\n      Filter: (o.id <> $3)\n  Seq Scan on {schema}.orders => warning, "rows_found": 10.0 | passed = 20; filter = (orders.kind = ANY ($1)); distinct = 3980 => warning, "rows_found": 251.3
-- the planner would use it | | with_cost = 999 => warning, less of the time of all statements (for the planner, a cost of 999 in place of 1,000): SELECT a & "cost": 1000, & "cost_with_index": 999, | with_cost = 1000 => silent | with_cost = NULL => warning, "cost": null, & "cost_with_index": null,
-- that index | | with_cost = 1000; filter = ((orders.kind = $1) AND (orders.price > $2)) => warning, "cost": null, | with_cost = 1000; indexed = 1 => warning, "cost": null,
-- two statements need one index | | filter = ((orders.kind = $1) AND (orders.price > $2)); other_filter = (orders.kind = $1) => warning, weight=199 & less of the time of all statements, of 2 statements: SELECT a & "statements": 2, & "time_percent": 99.1, & (kind, price) | filter = (orders.kind = $1); other_filter = ((orders.kind = $1) AND (orders.price > $2)) => warning, by kind, price without & : SELECT b & (kind, price)
