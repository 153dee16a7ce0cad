-- evicted_statements of pg_stat_statements.max
-- conditions: statements/evicted_statements.sql 4, statements/source.sql 66
-- evictions: CASE WHEN m >= 30 THEN 6 ELSE 0 END
-- queryid: 0
-- during: true
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, statements, left_out, dealloc)
SELECT node_id, sample_id, taken_at, {queryid}, 0, 0, true, 5000 + GREATEST(m, 0) % 60, 0, {evictions} FROM tick WHERE {during};

-- rows
-- six an hour | 1h | => note, weight=6 kind=setting & at=30 since=29 until=30: pg_stat_statements had no room & : 6 times & it knows 5,030 | evictions = CASE WHEN m >= 30 THEN 5 ELSE 0 END => silent
-- six an hour | 10m | evictions = CASE WHEN m >= 30 THEN 1 ELSE 0 END => note | evictions = 5 => silent
-- six an hour | 1d | evictions = CASE WHEN m >= 30 THEN 144 ELSE 0 END => note | evictions = CASE WHEN m >= 30 THEN 143 ELSE 0 END => silent
-- all of them | | evictions = GREATEST(m, 0) / 10 => note, : 6 times & at=60 since=9 until=60
-- in the window | 10m 1h 1d | evictions = CASE WHEN m >= 0 THEN 144 ELSE 0 END => silent | evictions = CASE WHEN m >= 1 THEN 144 ELSE 0 END => note, since=0 | evictions = CASE WHEN m >= 60 THEN 144 ELSE 0 END => note
-- since a sample before | 1h | during = m IN (-119, 10); evictions = m + 120 => note, since=-119 | during = m IN (-120, 10); evictions = m + 120 => silent
-- counters that began again | | evictions = CASE WHEN m < 20 THEN 90 WHEN m < 40 THEN 0 ELSE 6 END => note, : 6 times
-- of all statements | | queryid = 1 => silent
