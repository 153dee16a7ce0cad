-- bulk_load of table_{n}
-- conditions: tables/bulk_load.sql 32, tables/source.sql 0
-- kind: table
-- schema: public
-- size: CASE WHEN m >= 30 THEN 134217728 ELSE 0 END
-- database: 1342177280
-- name: 'postgres'
-- known: m = 60
-- during: m % 5 = 0
-- once
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, last_oid)
SELECT node_id, sample_id, taken_at, 0, 200000 FROM tick WHERE m % 5 = 0;
-- each
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, size_bytes, n_tup_ins)
SELECT node_id, sample_id, taken_at, 90000 + {n}, '{schema}', 'table_{n}', '{kind}', 8192 + {size}, ({size}) / 100 FROM tick WHERE {during};
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, size_bytes, xact_commit)
SELECT node_id, sample_id, taken_at, {name}, {database}, 1 FROM tick WHERE {known};

-- rows
-- 128 MB at once | alone 10m 1h 1d | => note, weight=10 kind=table schema=public at=30 since=25 until=30: the table grew by 128 MB between & 10 % of the database; 1,342,177 rows were inserted & fix=ANALYZE public.table_ | size = CASE WHEN m >= 30 THEN 134217727 ELSE 0 END; database = 1000000000 => silent
-- 10 % of the database | alone | database = 1342177281 => silent | database = CASE m WHEN 60 THEN 1342177281 ELSE 1000000000 END; known = m IN (50, 60) => silent | database = CASE m WHEN 60 THEN 1000000000 ELSE 1342177281 END; known = m IN (50, 60) => note
-- which it still has | alone | size = CASE WHEN m >= 45 THEN 140000000 WHEN m >= 30 THEN 300000000 ELSE 0 END; database = 1400081920 => note | size = CASE WHEN m >= 45 THEN 140000000 WHEN m >= 30 THEN 300000000 ELSE 0 END; database = 1400081921 => silent
-- that of the window | alone | known = m = 0 => silent | known = m = 1 => note | database = NULL => silent | database = 0 => silent | name = NULL => silent
-- more than half of its growth | alone 10m 1h 1d | size = CASE WHEN m >= 30 THEN 268435455 WHEN m >= 15 THEN 134217727 ELSE 0 END => note, 128 MB | size = CASE WHEN m >= 30 THEN 268435456 WHEN m >= 15 THEN 134217728 ELSE 0 END => silent
-- of the window | alone | size = CASE WHEN m >= 30 THEN 400000000 WHEN m >= -15 THEN 265782272 ELSE 0 END => note, 128 MB
-- a warning from half of the database and 1 GB on | alone | size = CASE WHEN m >= 30 THEN 1073741824 ELSE 0 END; database = 2147483648 => warning, weight=150 | size = CASE WHEN m >= 30 THEN 1073741824 ELSE 0 END; database = 2147483649 => note | size = CASE WHEN m >= 30 THEN 1073741823 ELSE 0 END; database = 1073741823 => note
-- in the window | alone 10m 1h 1d | size = CASE WHEN m >= 0 THEN 134217728 ELSE 0 END => silent | size = CASE WHEN m >= 5 THEN 134217728 ELSE 0 END => note, at=5 since=0 | size = CASE WHEN m >= 60 THEN 134217728 ELSE 0 END => note, at=60 since=55
-- since the sample before, in which it did not change | alone | during = m IN (-5, 30, 60) => note, since=25 until=30
-- with a sample of the day before | alone 1d | during = m IN (-62, 30) => note | during = m IN (-66, 30) => silent
-- tables, not of the catalog | alone | kind = index => silent | schema = pg_catalog => silent | schema = pgperf => silent
