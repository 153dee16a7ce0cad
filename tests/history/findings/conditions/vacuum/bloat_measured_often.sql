-- table_bloat of table_{n}
-- conditions: vacuum/bloat.sql 33
-- percent: CASE WHEN m < 10 THEN 5 ELSE 35 END
-- during: m % 10 = 0
INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, method, size_bytes, pages_read, bloat_bytes, bloat_percent, error_margin_percent)
SELECT node_id, sample_id, taken_at, 'public', 'table_{n}', 'table', 'sampled', 1e8, 100, p * 1e6, p, 1 FROM tick, LATERAL (SELECT {percent} AS p) x WHERE {during};
-- Another one of this name.
INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, method, size_bytes, pages_read, bloat_bytes, bloat_percent, error_margin_percent)
SELECT node_id, sample_id, taken_at + interval '1 ms', 'sales', 'table_{n}', 'table', 'sampled', 1e8, 100, 35e6, 35, 1 FROM tick WHERE {during};

-- rows
-- the last of the window, and the last before it | 10m 1h 1d | => warning, at=60 since=0 | percent = CASE WHEN m BETWEEN -10 AND 50 THEN 5 ELSE 35 END => warning, at=60 since=0 | percent = CASE WHEN m BETWEEN 1 AND 50 THEN 35 ELSE 5 END => silent | percent = CASE WHEN m < 0 THEN 5 ELSE 35 END => silent
-- what is not known is left out | | percent = CASE WHEN m < 10 THEN 5 WHEN m < 60 THEN 35 END => warning, at=50 since=0 | percent = CASE WHEN m < -5 THEN 5 WHEN m > 5 THEN 35 END => warning, at=60 since=-10 | during = m % 10 = 0 AND m > 0; percent = CASE WHEN m = 20 THEN 5 WHEN m > 20 THEN 35 END => warning, since=20
-- else the first one in it | | during = m % 10 = 0 AND m > 0; percent = CASE WHEN m < 20 THEN 5 ELSE 35 END => warning, at=60 since=10 | during = m % 10 = 0 AND m > 0; percent = CASE WHEN m BETWEEN 20 AND 30 THEN 5 ELSE 35 END => silent
