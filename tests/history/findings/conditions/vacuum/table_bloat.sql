-- table_bloat of table_{n}
-- conditions: vacuum/table_bloat.sql 13, vacuum/bloat.sql 33
-- also: index_bloat
-- schema: public
-- name: table_{n}
-- kind: table
-- size: 100000000
-- size_before: 100000000
-- percent: 31
-- bytes: 31e6
-- before: 5e6
-- margin: 1
-- margin_before: 1
-- table_schema: NULL
-- table: NULL
-- at: 30
-- before_at: -30
-- earlier: '0'
INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, table_schema, table_name, method, size_bytes, pages_read, bloat_bytes, bloat_percent, error_margin_percent)
SELECT node_id, sample_id, taken_at, '{schema}', '{name}', '{kind}', {table_schema}, {table}, 'sampled', {size}, 100, {bytes}, {percent}, {margin} FROM tick WHERE m = {at};
INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, table_schema, table_name, method, size_bytes, pages_read, bloat_bytes, bloat_percent, error_margin_percent)
SELECT node_id, sample_id, taken_at - interval {earlier}, '{schema}', '{name}', '{kind}', {table_schema}, {table}, 'sampled', {size_before}, 100, {before}, 5, {margin_before} FROM tick WHERE m = {before_at};
-- Another node's, which was as large before.
INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, method, size_bytes, pages_read, bloat_bytes, bloat_percent, error_margin_percent)
SELECT '00000000-0000-0000-0000-0000000000bb', sample_id, taken_at, '{schema}', '{name}', '{kind}', 'sampled', 100000000, 100, 31e6, 31, 1 FROM tick WHERE m IN (-29, 1);

-- rows
-- 30 % without its margin | 10m 1h 1d | => warning, weight=131 kind=table schema=public at=30 since=-30 until=30: 30 MB of its 95 MB are bloat, 31.0 % (margin 1.0 points); since & it grew by 25 MB & fix=VACUUM (ANALYZE) public.table_ | percent = 30.9 => silent | percent = 30; margin = NULL => warning, are bloat, 30.0 %; since | percent = 29.9; margin = NULL => silent
-- it grew by 10 % of the table, beyond both margins | | before = 19e6 => warning | before = 19000001 => silent | before = 18e6; margin_before = 2 => warning | before = 18000001; margin_before = 2 => silent | before = 20e6; margin_before = NULL => warning | before = 20000001; margin_before = NULL => silent
-- each margin is a part of the size at that time | | size_before = 200000000; before = 18e6 => warning | size_before = 200000000; before = 18000001 => silent | margin = NULL; before = 20e6 => warning | margin = NULL; before = 20000001 => silent
-- and by 8 MB | | size = 50e6; size_before = 50e6; bytes = 16e6; before = 16e6 - 9388608 => warning | size = 50e6; size_before = 50e6; bytes = 16e6; before = 16e6 - 9388607 => silent
-- critical from 60 % and 1 GB on | | size = 1789569706; percent = 60; bytes = 1073741824 => critical, weight=260 | size = 1789569706; percent = 59.9; bytes = 1073741824 => warning | size = 1789569706; percent = 60; bytes = 1073741823 => warning
-- in the window | 10m 1h 1d | at = 0 => silent | at = 1 => warning, at=1 | at = 60 => warning, at=60
-- compared with the last one before it | | at = 60; before_at = 20 => warning, since=20 | before_at = 40 => silent
-- of the last eight days | 1h | before_at = 0; earlier = '191 hours' => warning | before_at = 0; earlier = '192 hours' => silent
-- that is known | | bytes = NULL => silent | before = NULL => silent
-- of a TOAST table, which belongs to a table | | kind = toast; name = pg_toast_{n}; schema = pg_toast; table_schema = 'sales'; table = 'table_{n}' => warning, kind=toast schema=sales & fix=VACUUM (ANALYZE) sales.table_
-- not of pgperf itself | | schema = pgperf => silent | schema = pgperf_internal => silent | table_schema = 'pgperf'; table = 'table_{n}' => silent | table_schema = 'pgperf_internal'; table = 'table_{n}' => silent
-- no index | | kind = index => silent
