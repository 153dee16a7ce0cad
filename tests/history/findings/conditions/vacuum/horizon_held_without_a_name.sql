-- horizon_held of pid 4711
-- conditions: vacuum/horizon_held.sql 26
-- name: NULL
-- schema: public
-- kind: table
-- dead: 5000
-- others: 4000
-- at: 30
-- catalogs_only: false
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, next_multixid)
SELECT node_id, sample_id, taken_at, 'app', '1000', 1 FROM tick;
INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, database_name, pid, name, role_name, state, since, age, catalogs_only)
SELECT node_id, sample_id, taken_at, 'backend', 'app', 4711, {name}, NULL, NULL, taken_at - interval '1 hour', 1000, {catalogs_only} FROM tick WHERE m = 30;
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, n_dead_tup)
SELECT node_id, sample_id, taken_at, 90001, '{schema}', 'orders', '{kind}', {dead} FROM tick WHERE m = {at}
UNION ALL SELECT node_id, sample_id, taken_at, 90002, 'public', 'events', 'table', {others} FROM tick WHERE m = 20;

-- rows
-- the table with the most dead rows then | 1h | => warning, backend of pid 4711 kept vacuum & ; 5,000 dead rows were in public.orders at the end & "role": null | others = 5001 => warning, ; 5,001 dead rows were in public.events | name = '' => warning | dead = 0; others = 0 => warning, transactions old {
-- of the last hour | 1h | at = -29 => warning, 5,000 dead rows | at = -30 => warning, 4,000 dead rows | at = 31 => warning, 4,000 dead rows
-- no index, none of pgperf | 1h | kind = index => warning, 4,000 dead rows | schema = pgperf => warning, 4,000 dead rows | schema = pgperf_internal => warning, 4,000 dead rows
-- what is kept of catalogs keeps no rows of tables | 1h | catalogs_only = true => warning, transactions old {
