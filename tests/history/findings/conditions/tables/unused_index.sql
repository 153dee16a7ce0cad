-- unused_index of index_{n}
-- conditions: tables/unused_index.sql 42
-- also: duplicate_index invalid_index
-- about: all of the history
-- columns: id int, label text
-- table_as: 
-- index: CREATE INDEX index_{n} ON table_{n} (label)
-- then: SELECT
-- size: 8388608
-- scans: 7
-- during: m % 5 = 0
-- schema: public
-- table_during: m % 5 = 0
-- owner: table_{n}
-- shard_of: NULL
CREATE TABLE table_{n} ({columns}) {table_as};
{index};
{then};
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, table_name, size_bytes, idx_scan)
SELECT node_id, sample_id, taken_at, 'index_{n}'::regclass, '{schema}', 'index_{n}', 'index', 'table_{n}', {size}, {scans} FROM tick WHERE {during};
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, table_name, size_bytes, n_tup_ins, n_tup_upd)
SELECT node_id, sample_id, taken_at, '{owner}'::regclass, 'public', '{owner}', 'table', {shard_of}, 83886080, (m + 120) * 10, m + 120 FROM tick WHERE {table_during};

-- rows
-- 8 MB | 1h 1d | => note, weight=10 kind=index schema=public at=60 since=-120 until=60: 8192 kB of index on table_ & while 660 rows of the table were inserted or updated in the window & fix=DROP INDEX CONCURRENTLY public.index_ | size = 8388607 => silent
-- a warning from 1 GB on | | size = 1073741824 => warning | size = 1073741823 => note
-- no scan in the window | | scans = CASE WHEN m >= 5 THEN 8 ELSE 7 END => silent | scans = CASE WHEN m >= 60 THEN 8 ELSE 7 END => silent
-- nor before | | scans = CASE WHEN m >= -100 THEN 8 ELSE 7 END => silent
-- in a history of 45 minutes | 1h | during = m % 5 = 0 AND m >= 15 => note, since=15 | during = m % 5 = 0 AND m >= 20 => silent
-- in a history of 45 minutes | 10m | => silent
-- while its table was there | 1h | table_during = m % 5 = 0 AND m < 5 => silent | table_during = m = 5 => note
-- not of a catalog | | schema = pg_catalog => silent | schema = pg_toast => silent | schema = information_schema => silent
-- unique | | index = CREATE UNIQUE INDEX index_{n} ON table_{n} (label) => silent
-- of a constraint | | index = ALTER TABLE table_{n} ADD CONSTRAINT index_{n} EXCLUDE USING btree (label WITH =) => silent
-- for replication | | columns = id int, label text NOT NULL; index = CREATE UNIQUE INDEX index_{n} ON table_{n} (label); then = ALTER TABLE table_{n} REPLICA IDENTITY USING INDEX index_{n} => silent
-- of a partitioned one | | owner = part_{n}; table_as = PARTITION BY LIST (id); index = CREATE TABLE part_{n} PARTITION OF table_{n} DEFAULT; then = CREATE INDEX ON table_{n} (label);ALTER INDEX part_{n}_label_idx RENAME TO index_{n} => silent
-- of a shard | | shard_of = 'whole' => silent
-- not valid yet | | then = UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'index_{n}'::regclass => silent
-- left to duplicate_index | | then = CREATE INDEX wider_{n} ON table_{n} (label, id);UPDATE pg_class SET relpages = 1024 WHERE oid = 'index_{n}'::regclass => silent | then = CREATE INDEX wider_{n} ON table_{n} (label, id);UPDATE pg_class SET relpages = 1023 WHERE oid = 'index_{n}'::regclass => note | then = CREATE INDEX later_{n} ON table_{n} (label);UPDATE pg_class SET relpages = 1024 WHERE relname IN ('index_{n}', 'later_{n}') => silent
