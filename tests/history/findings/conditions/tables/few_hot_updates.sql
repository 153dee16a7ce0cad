-- few_hot_updates of table_{n}
-- conditions: tables/few_hot_updates.sql 11, tables/source.sql 0
-- kind: table
-- schema: public
-- index_schema: public
-- index_kind: index
-- index_table: table_{n}
-- indexes: 2
-- from: 30
-- updates: 50000
-- hot: 14999
-- live: 50000
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, table_name, n_live_tup, n_tup_upd, n_tup_hot_upd)
SELECT node_id, sample_id, taken_at, 90000 + {n} * 10, '{schema}', 'table_{n}', '{kind}', NULL, {live}, CASE WHEN m >= {from} THEN {updates} ELSE 0 END, CASE WHEN m >= {from} THEN {hot} ELSE 0 END FROM tick WHERE m % 5 = 0
UNION ALL SELECT node_id, sample_id, taken_at, 90000 + {n} * 10 + i, '{index_schema}', 'index_{n}_' || i, '{index_kind}', '{index_table}', NULL, NULL, NULL FROM tick, generate_series(1, {indexes}) i WHERE m % 5 = 0;

-- rows
-- less than 30 % of them heap-only | 10m 1h 1d | => note, weight=70 kind=table schema=public at=60 & until=60: 50,000 updates, 30 % of them heap-only: the others wrote into all 2 indexes & fix=none | hot = 15000 => silent
-- 50,000 updates | | updates = 49999; live = 1 => silent
-- as many as the table has rows | | live = 50001 => silent
-- two indexes | | indexes = 1 => silent | indexes = 3 => note, all 3 indexes
-- of this table | | index_schema = other => silent | index_table = another_{n} => silent | index_kind = toast => silent
-- in the window | 10m 1h 1d | from = 0 => silent | from = 5 => note | from = 60 => note
-- tables, not of the catalog | | kind = toast => silent | schema = pg_catalog; index_schema = pg_catalog => silent | schema = pg_toast; index_schema = pg_toast => silent
