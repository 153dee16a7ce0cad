-- bulk_delete of table_{n}
-- conditions: tables/bulk_delete.sql 40, tables/source.sql 0
-- also: autovacuum_behind
-- kind: table
-- schema: public
-- deleted: CASE WHEN m >= 30 THEN 10000 ELSE 0 END
-- live: 90000
-- marker: false
-- during: m % 5 = 0
-- once
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, last_oid)
SELECT node_id, sample_id, taken_at, 0, 200000 FROM tick WHERE m % 5 = 0;
-- each
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, n_live_tup, n_dead_tup, n_tup_del)
SELECT node_id, sample_id, taken_at, 90000 + {n}, '{schema}', 'table_{n}', '{kind}', {live}, 77, {deleted} FROM tick WHERE {during};

-- rows
-- 10,000 rows at once | 10m 1h 1d | => note, weight=10 kind=table schema=public at=30 since=25 until=30: 10,000 rows were deleted between & 10 % of the table; 77 rows were dead then & fix=VACUUM (ANALYZE) public.table_ | deleted = CASE WHEN m >= 30 THEN 9999 ELSE 0 END; live = 100 => silent
-- 10 % of the table | | live = 90001 => silent | live = CASE WHEN m >= 35 THEN 900000 ELSE 90000 END => note | live = CASE WHEN m >= 30 THEN 900000 ELSE 90000 END => silent
-- more than half of all | 10m 1h 1d | deleted = CASE WHEN m >= 30 THEN 19999 WHEN m >= 15 THEN 9999 ELSE 0 END => note, 10,000 rows | deleted = CASE WHEN m >= 30 THEN 20000 WHEN m >= 15 THEN 10000 ELSE 0 END => silent
-- of the window | | deleted = CASE WHEN m >= 30 THEN 40000 WHEN m >= -15 THEN 30000 ELSE 0 END => note, 10,000 rows
-- a warning from half of the table and a million on | | deleted = CASE WHEN m >= 30 THEN 1000000 ELSE 0 END; live = 1000000 => warning, weight=150 | deleted = CASE WHEN m >= 30 THEN 1000000 ELSE 0 END; live = 1000001 => note | deleted = CASE WHEN m >= 30 THEN 999999 ELSE 0 END; live = 1 => note
-- in the window | 10m 1h 1d | deleted = CASE WHEN m >= 0 THEN 10000 ELSE 0 END => silent | deleted = CASE WHEN m >= 5 THEN 10000 ELSE 0 END => note, at=5 since=0 | deleted = CASE WHEN m >= 60 THEN 10000 ELSE 0 END => note, at=60 since=55
-- since the sample before, in which it did not change | | during = m IN (-5, 30, 60) => note, since=25 until=30
-- with a sample of the day before | 1d | during = m IN (-62, 30) => note | during = m IN (-66, 30) => silent
-- tables, not of the catalog | | kind = index => silent | schema = pg_catalog => silent | schema = pgperf => silent
