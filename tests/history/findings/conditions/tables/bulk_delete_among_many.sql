-- bulk_delete of orders
-- conditions: tables/bulk_delete.sql 40
-- deleted: CASE WHEN m >= 30 THEN 20000 ELSE 0 END
-- others: 101
-- Others lose their rows steadily. Where many do, the counters at the thirds of the window choose who is looked at.
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, n_live_tup, n_dead_tup, n_tup_del)
SELECT node_id, sample_id, taken_at, 90001, 'public', 'orders', 'table', 10000, 0, {deleted} FROM tick WHERE m % 5 = 0
UNION ALL SELECT node_id, sample_id, taken_at, 90001 + i, 'public', 'table_' || i, 'table', 10000, 0, (m + 120) * 1000 FROM tick, generate_series(1, {others}) i WHERE m % 5 = 0;

-- rows
-- in each third of the window | 10m 1h 1d | => note, at=30 | deleted = CASE WHEN m >= 10 THEN 20000 ELSE 0 END => note, at=10 | deleted = CASE WHEN m >= 50 THEN 20000 ELSE 0 END => note, at=50 | others = 99 => note
-- at their ends | | deleted = CASE WHEN m >= 20 THEN 20000 ELSE 0 END => note, at=20 | deleted = CASE WHEN m >= 25 THEN 20000 ELSE 0 END => note, at=25 | deleted = CASE WHEN m >= 40 THEN 20000 ELSE 0 END => note, at=40 | deleted = CASE WHEN m >= 45 THEN 20000 ELSE 0 END => note, at=45
-- a bit more than half | | deleted = CASE WHEN m >= 30 THEN 10100 ELSE 0 END + GREATEST(m, 0) * 160 => note, at=30 | deleted = CASE WHEN m >= 10 THEN 10100 ELSE 0 END + GREATEST(m, 0) * 160 => note, at=10 | deleted = CASE WHEN m >= 50 THEN 10100 ELSE 0 END + GREATEST(m, 0) * 160 => note, at=50 | deleted = CASE WHEN m >= 30 THEN 10100 ELSE 0 END + GREATEST(m, 0) * 220 => silent
-- steadily | | deleted = (m + 120) * 2400 => silent
