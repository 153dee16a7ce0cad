-- unindexed_foreign_key of child_{n}
-- conditions: tables/unindexed_foreign_key.sql 23
-- also: sequential_scans bulk_delete invalid_index
-- about: all of the history
-- deleted: CASE WHEN m >= 30 THEN 10 ELSE 0 END
-- scans: CASE WHEN m >= 30 THEN 5 ELSE 0 END
-- bytes: 8388608
-- references: FOREIGN KEY (a, b) REFERENCES parent_{n}
-- index: SELECT
CREATE TABLE parent_{n} (a int, b int, PRIMARY KEY (a, b));
CREATE TABLE child_{n} (id int, a int, b int, CONSTRAINT fk_{n} {references});
{index};
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, relation_kind, schema_name, relation_name, size_bytes, reltuples, n_tup_del, seq_scan, seq_tup_read)
SELECT node_id, sample_id, taken_at, r.oid, 'table', 'public', r.name, {bytes}, 1000, CASE WHEN r.parent THEN {deleted} ELSE 0 END,
       CASE WHEN r.parent THEN 0 ELSE {scans} END, CASE WHEN r.parent THEN 0 ELSE {scans} * 10 END
FROM tick CROSS JOIN (VALUES ('parent_{n}'::regclass::oid::int8, 'parent_{n}', true), ('child_{n}'::regclass::oid::int8, 'child_{n}', false)) r(oid, name, parent)
WHERE m % 5 = 0;

-- rows
-- ten deleted | 10m 1h 1d | => warning, kind=table schema=public & 10 rows were deleted from parent_ & in 8192 kB of public.child_ & without an index; 5 sequential scans & fix=CREATE INDEX CONCURRENTLY ON public.child_ & (a, b) | deleted = CASE WHEN m >= 30 THEN 9 ELSE 0 END => silent
-- a scan for every other | | scans = CASE WHEN m >= 30 THEN 4 ELSE 0 END => silent
-- 8 MB | | bytes = 8388607 => silent
-- in the window | | deleted = CASE WHEN m >= 0 THEN 10 ELSE 0 END => silent
-- no index has its columns first | | index = CREATE INDEX ON child_{n} (b, a, id) => silent | index = CREATE INDEX ON child_{n} (id, a, b) => warning | index = CREATE INDEX ON child_{n} (a) => warning | index = CREATE INDEX ON child_{n} (a, b) WHERE a > 0 => warning
-- a valid one | | index = CREATE INDEX i_{n} ON child_{n} (a, b);UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'i_{n}'::regclass => warning
