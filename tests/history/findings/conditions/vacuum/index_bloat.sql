-- index_bloat of index_{n}
-- conditions: vacuum/index_bloat.sql 9
-- also: table_bloat
-- kind: index
-- size: 100000000
-- percent: 41
-- bytes: 41e6
-- before: 5e6
-- margin: 1
INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, table_name, method, size_bytes, pages_read, bloat_bytes, bloat_percent, error_margin_percent)
SELECT node_id, sample_id, taken_at, 'public', 'index_{n}', '{kind}', 'orders', 'sampled', {size}, 100, CASE m WHEN 30 THEN {bytes} ELSE {before} END, CASE m WHEN 30 THEN {percent} ELSE 5 END, {margin}
FROM tick WHERE m IN (-30, 30);

-- rows
-- 40 % without its margin | 10m 1h 1d | => warning, weight=141 kind=index schema=public at=30 since=-30 until=30: 39 MB of its 95 MB are bloat, 41.0 % (margin 1.0 points) & fix=REINDEX INDEX CONCURRENTLY public.index_ | percent = 40.9 => silent | percent = 40; margin = NULL => warning, are bloat, 40.0 %; since | percent = 39.9; margin = NULL => silent
-- it grew by 10 % of the index, beyond both margins | | before = 29e6 => warning | before = 29000001 => silent
-- and by 8 MB | | size = 50e6; bytes = 21e6; before = 21e6 - 9388608 => warning | size = 50e6; bytes = 21e6; before = 21e6 - 9388607 => silent
-- critical from 60 % and 1 GB on | | size = 1789569706; percent = 61; bytes = 1073741824 => critical | size = 1789569706; percent = 60; bytes = 1073741824 => critical | size = 1789569706; percent = 59.9; bytes = 1073741824 => warning | size = 1789569706; percent = 60; bytes = 1073741823 => warning
-- no table | | kind = table => silent
