-- autovacuum_behind of table_{n}
-- conditions: tables/autovacuum_behind.sql 39, tables/source.sql 0
-- kind: table
-- dead: 10000
-- live: 10000
-- rows_known: 10000
-- by_hand: 0
-- by_itself: 0
-- during: m % 5 = 0
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, reltuples, n_live_tup, n_dead_tup, vacuum_count, autovacuum_count)
SELECT node_id, sample_id, taken_at, 90000 + {n}, 'public', 'table_{n}', '{kind}', {rows_known}, {live}, {dead}, {by_hand}, {by_itself} FROM tick WHERE {during};

-- rows
-- 10,000 dead rows | 10m 1h | => warning, weight=150 kind=table schema=public at=60 since=0 until=60: 10,000 dead rows beside 10,000 live ones, 4.9 times autovacuum's threshold of 2,050, and no vacuum has ended since & "off": false & fix=VACUUM (ANALYZE) public.table_ | dead = 9999 => silent
-- 10,000 dead rows | 1d | => warning | dead = 9999 => silent
-- twice what starts autovacuum | | rows_known = 100000; dead = 40100 => warning, 2.0 times autovacuum's threshold of 20,050 | rows_known = 100000; dead = 40099 => silent | rows_known = -1 => warning, threshold of 50
-- in two samples | 10m 1h 1d | dead = CASE WHEN m >= 55 THEN 10000 ELSE 9000 END; rows_known = 24500 => warning | dead = CASE WHEN m >= 60 THEN 10000 ELSE 9000 END; rows_known = 24500 => silent
-- since a vacuum by hand | 10m 1h 1d | by_hand = CASE WHEN m >= 50 THEN 1 ELSE 0 END => warning, since=55 | by_hand = CASE WHEN m >= 55 THEN 1 ELSE 0 END => silent | by_hand = CASE WHEN m >= 60 THEN 1 ELSE 0 END => silent
-- since one by autovacuum | 10m 1h 1d | by_itself = CASE WHEN m >= 50 THEN 1 ELSE 0 END => warning, since=55 | by_itself = CASE WHEN m >= 55 THEN 1 ELSE 0 END => silent
-- since the last of them | | by_hand = CASE WHEN m >= 10 THEN 1 ELSE 0 END; by_itself = CASE WHEN m >= 40 THEN 1 ELSE 0 END => warning, since=45
-- one before the window | 10m 1h 1d | by_hand = CASE WHEN m >= 0 THEN 1 ELSE 0 END => warning, since=0
-- from the last sample before the window on | 1h | during = m IN (-60, 60) => warning, since=-60 | during = m = 60 => silent | during = m IN (-60, -5) => silent
-- of the last 25 hours | 1d | during = m IN (-62, 60) => warning, since=-62 | during = m IN (-65, 60) => silent
-- tables | | kind = index => silent | kind = toast => silent
-- at the end | | dead = CASE m WHEN 60 THEN 5 ELSE 20000 END => silent | rows_known = 100000; dead = CASE m WHEN 60 THEN 40099 ELSE 50000 END => silent
