-- wal_jump of {as}
-- conditions: statements/wal_jump.sql 82, statements/source.sql 66
-- about: counters
-- also: new_statement
-- as: 3
-- rate: 1048576
-- jump: 33554432
-- from: 30
-- to: 30
-- rate_before: {rate}
-- by: 33554432
-- by_before: 0
-- by_from: {from}
-- query: UPDATE orders
-- samples: 0
-- checkpoint: NULL
-- during: m >= -60
-- records: 0
-- kinds: {VACUUM,INSERT_LEAF}
-- toplevel: true
-- taken: true
-- Bytes a sixtieth, and more in some of them.
INSERT INTO pgperf.wal_history (node_id, sample_id, taken_at, insert_lsn, flush_lsn, next_xid, checkpoint_began_at)
SELECT node_id, sample_id, taken_at, '0/0'::pg_lsn + l, '0/0', '1000', {checkpoint}
FROM tick, LATERAL (SELECT LEAST(m + 120, 120) * {rate_before} + GREATEST(m, 0) * {rate}::numeric + LEAST(GREATEST(m - {from} + 1, 0), {to} - {from} + 1) * ({jump})::numeric AS l) x WHERE {during};
UPDATE pgperf.samples s SET wal_bytes = {samples} FROM tick WHERE s.sample_id = tick.sample_id;
INSERT INTO pgperf.wal_rmgr_history (node_id, sample_id, taken_at, start_lsn, end_lsn, resource_manager, record_type, records, record_bytes, fpi_bytes, sampled_percent)
SELECT node_id, sample_id, taken_at, '0/0'::pg_lsn, '0/1'::pg_lsn, 'Heap', 'DELETE', 1, {records}, 0, 100 FROM tick WHERE {records} > 0 AND m = {from}
UNION ALL SELECT node_id, sample_id, taken_at, '0/0', '0/1', 'Btree', t, 1, 35, 0, 100 FROM tick, unnest('{kinds}'::text[]) t WHERE {records} > 0 AND m = {from};
INSERT INTO pgperf.statement_texts (node_id, queryid, dbid, taken_at, query)
SELECT node_id, 3, 5, taken_at, '{query}' FROM tick WHERE m = 30;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick WHERE m >= -60 AND {taken};
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares, wal_bytes)
SELECT node_id, sample_id, taken_at, 3, 10, 5, {toplevel}, lag(sample_id) OVER (ORDER BY sample_id), 1, 1000, m + 60, m + 60, m + 60, CASE WHEN m >= -10 THEN {by_before} ELSE 0 END + CASE WHEN m >= {by_from} THEN {by} ELSE 0 END FROM tick WHERE m >= -60 AND {taken};

-- rows
-- 32 MB more than usual | 10m 1h 1d | => note, weight=35 kind=statement & at=30 since=29 until=30: 33 MB of WAL between & , 33.0 times the usual rate and 36 % of the window's WAL; 32 MB by UPDATE orders | jump = 33554431 => silent
-- 20 % of the window's WAL | | rate = 2236962 => note | rate = 2236963 => silent
-- three times the usual rate | | rate = 20000000; jump = 40001000; to = 39; by = 410000000 => note, 3.0 times | rate = 20000000; jump = 39999000; to = 39; by = 390000000 => silent
-- usual: of the window and of as long before it | | rate_before = 20000000; to = 40; jump = 10000000; by = 110000000 => silent
-- a warning from half of the WAL and 1 GB on | | jump = 1073741824; by = 1073741824 => warning, weight=194 | jump = 1073741823; by = 1073741823 => note | rate = 20000000; jump = 1200000000; by = 1200000000 => warning | rate = 20400000; jump = 1200000000; by = 1200000000 => note
-- in the window | 10m 1h 1d | from = 0; to = 0 => silent | from = 1; to = 1 => note, since=0 until=1 | from = 60; to = 60 => note, until=60
-- without pgperf's own samples | | samples = 1000000; rate = 2048576 => note | samples = 33554432 => silent
-- eight parts | | during = m IN (20, 22, 24, 26, 28, 29, 30, 31) => silent | during = m IN (20, 22, 24, 26, 27, 28, 29, 30, 31) => note
-- by a statement that wrote half of it | | by = 16777216 => note, 16 MB by UPDATE | by = 16777215; as =  => note, kind=server
-- in this time | | by_from = 31; as =  => note, kind=server | by_from = 29; as =  => note, kind=server
-- statements are sampled less often | | taken = m % 3 = 2 => note, 32 MB by UPDATE | taken = m % 3 = 2; by_from = 33; as =  => note, kind=server
-- and little at other times | | by_before = 33554432 => note, 32 MB by UPDATE | by_before = 33554433; as =  => note, kind=server
-- not by pgperf | | query = CALL pgperf.run(); as =  => note, kind=server | toplevel = false; as =  => note, kind=server
-- an index that is built names itself | | query = CREATE INDEX made ON orders (id); as = made => note, kind=index | query = REINDEX (VERBOSE) INDEX CONCURRENTLY remade; as = remade => note, kind=index | query = create unique index if not exists small on orders (id); as = small => note, kind=index
-- without a statement: 30 % of the WAL | | by = 0; as = ; rate = 1304894 => note, kind=server | by = 0; as = ; rate = 1400000; jump = 36000000 => note, kind=server | by = 0; as = ; rate = 1304895 => silent
-- and five times the rate | | by = 0; as = ; rate = 10000000; jump = 40001000; to = 39 => note, 5.0 times | by = 0; as = ; rate = 10000000; jump = 40000000; to = 39 => note, 5.0 times | by = 0; as = ; rate = 10000000; jump = 39999000; to = 39 => silent
-- and no checkpoint shortly before | 1h | by = 0; as = ; checkpoint = (SELECT x.taken_at FROM tick x WHERE x.m = 24) - interval '1 s' => note | by = 0; as = ; checkpoint = (SELECT x.taken_at FROM tick x WHERE x.m = 24) => silent
-- a statement is the cause beside a checkpoint, too | | checkpoint = (SELECT x.taken_at FROM tick x WHERE x.m = 29) => note
-- nor within a time as long as the jump | 1h | by = 0; as = ; to = 39; jump = 10485760; checkpoint = (SELECT x.taken_at FROM tick x WHERE x.m = 19) - interval '1 s' => note | by = 0; as = ; to = 39; jump = 10485760; checkpoint = (SELECT x.taken_at FROM tick x WHERE x.m = 19) => silent
-- most of it: a kind of record with 30 % | | by = 0; as = ; records = 31 => note, ; most of it Btree & 35 % | by = 0; as = ; records = 71 => note, ; most of it Heap DELETE, 50 % | by = 0; as = ; records = 35; kinds = {A,B,C} => note, of the window's WAL {
