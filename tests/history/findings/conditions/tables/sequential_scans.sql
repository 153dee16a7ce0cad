-- sequential_scans of table_{n}
-- conditions: tables/sequential_scans.sql 39, tables/source.sql 0
-- kind: table
-- schema: public
-- size: 67108864
-- scans: LEAST(5, GREATEST(m, 0) / 5)
-- rows_known: 6000
-- rows_each: 1000
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, size_bytes, reltuples, seq_scan, seq_tup_read)
SELECT node_id, sample_id, taken_at, 90000 + {n}, '{schema}', 'table_{n}', '{kind}', {size}, {rows_known}, s, s * {rows_each} FROM tick, LATERAL (SELECT {scans} AS s) x WHERE m % 5 = 0;

-- rows
-- 64 MB | 10m 1h | => note, kind=table schema=public at=60 & until=60: 5 sequential scans of 64 MB read 1,000 rows each & "rows_read": 5000 | size = 67108863 => silent
-- five scans | 10m 1h 2h | scans = LEAST(4, GREATEST(m, 0) / 5) => silent
-- five scans | 2h | => note
-- two an hour | 3h | scans = LEAST(6, GREATEST(m, 0) / 5) => note | => silent
-- two an hour | 1d | scans = LEAST(48, GREATEST(m, 0)) => note | scans = LEAST(47, GREATEST(m, 0)) => silent
-- in the window | | scans = CASE WHEN m >= 0 THEN 50 ELSE 0 END => silent | scans = CASE WHEN m >= 60 THEN 5 ELSE 0 END => note
-- half of the table for a scan by three processes | | rows_known = 6001 => silent | rows_known = 1 => note
-- tables, not of the catalog | | kind = index => silent | schema = pg_catalog => silent | schema = pg_toast => silent | schema = pgperf => silent
