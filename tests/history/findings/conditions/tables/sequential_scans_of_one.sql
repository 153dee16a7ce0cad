-- sequential_scans of orders
-- conditions: tables/sequential_scans.sql 39
-- also: setting_changed
-- size: 1073741824
-- rows_known: 1000
-- rows_each: 1000
-- scans: GREATEST(m, 0) / 5
-- others: 0
-- other_kind: table
-- other_by_index: 0
-- setting: max_parallel_workers_per_gather
-- first: 2
-- second: 2
-- second_at: -40
-- role: NULL
-- database: NULL
-- plan: Seq Scan on public.orders
-- planned: 30
-- later: 61
-- busy: 1
-- state: active
-- wait: NULL
-- Of two statements the plan of one is known.
INSERT INTO pgperf.session_history (node_id, sample_id, taken_at, query_id, looks, seen, most, state, wait_event_type, wait_event)
SELECT node_id, sample_id, taken_at, q, 10, CASE WHEN q = 8 THEN 3 WHEN m > 0 THEN {busy} ELSE 100 END, 0, CASE q WHEN 7 THEN '{state}' ELSE 'active' END, 'Client', CASE q WHEN 7 THEN {wait} END
FROM tick, generate_series(7, 8) q;
INSERT INTO pgperf.plan_history (node_id, sample_id, taken_at, queryid, userid, dbid, cause, plan_hash)
SELECT node_id, sample_id, taken_at, 7, 10, 5, 'top', CASE m WHEN {planned} THEN 1 END FROM tick WHERE m IN ({planned}, {later});
INSERT INTO pgperf.plan_texts (node_id, plan_hash, taken_at, plan) SELECT node_id, 1, taken_at, E'Sort\n  {plan}' FROM tick WHERE m = 0;
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, source, pending_restart, role_name, database_name)
SELECT node_id, sample_id, taken_at, 'max_parallel_workers_per_gather', '{first}', 'configuration file', false, NULL, NULL FROM tick WHERE m = -50
UNION ALL SELECT node_id, sample_id, taken_at, '{setting}', '{second}', 'configuration file', false, {role}, {database} FROM tick WHERE m = {second_at};
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, size_bytes, reltuples, seq_scan, seq_tup_read)
SELECT node_id, sample_id, taken_at, 90001, 'public', 'orders', 'table', {size}, {rows_known}, {scans}, {scans} * {rows_each} FROM tick WHERE m % 5 = 0
UNION ALL SELECT node_id, sample_id, taken_at, 90002, 'public', 'events', '{other_kind}', 8192, 10, 0, CASE WHEN m > 0 THEN {others} ELSE 0 END FROM tick WHERE m % 5 = 0;

-- rows
-- a warning from 1 GB on | | => warning, weight=199 | size = 1073741823 => note, weight=99
-- with 90 % of all rows | | rows_each = 900; others = 1200 => warning, 90 % of all rows | others = 1333 => warning, 90 % of all rows | others = 1334 => note, weight=90 | others = 1334; other_kind = index => warning, 100 % of all rows
-- workers of a scan | | rows_known = 6000 => warning | rows_known = 6001 => silent | second = 1; rows_known = 4000 => warning | second = 1; rows_known = 4001 => silent | second = 0; rows_known = 2000 => warning | second = 0; rows_known = 2001 => silent
-- three at most | | second = 3; rows_known = 8000 => warning | second = 3; rows_known = 8001 => silent | second = 8; rows_known = 8000 => warning | second = 8; rows_known = 8001 => silent
-- the setting at the end, of the server | | second = 0; second_at = 60; rows_known = 2001 => silent | second = 0; role = 'app'; rows_known = 6000 => warning | second = 0; database = 'app'; rows_known = 6000 => warning | second = 0; setting = max_parallel_workers; rows_known = 6000 => warning
-- two without it | | first = x; second = x; rows_known = 6000 => warning | first = x; second = x; rows_known = 6001 => silent
-- sessions whose plan scans it | | => warning, "time_percent": 25.0 | busy = 3 => warning, "time_percent": 50.0 | plan = Parallel Seq Scan on public.orders o => warning, "time_percent": 25.0 | plan = Seq Scan on public.orders\n  Filter => warning, "time_percent": 25.0 | plan = Seq Scan on public.orders_old => warning, "time_percent": null | plan = Index Scan on public.orders => warning, "time_percent": null
-- that are at work | | state = idle in transaction => warning, "time_percent": null | wait = 'ClientRead' => warning, "time_percent": null | wait = 'ClientWrite' => warning, "time_percent": 25.0 | wait = 'BgWorkerShutdown' => warning, "time_percent": null
-- by the newest plan of two days | | later = 60 => warning, "time_percent": null | planned = 61 => warning, "time_percent": null
-- by the newest plan of two days | 1d | scans = GREATEST(m, 0); planned = -120 => warning, "time_percent": null | scans = GREATEST(m, 0); planned = -119 => warning, "time_percent": 25.0
