-- autovacuum_queue of due
-- conditions: tables/autovacuum_queue.sql 20
-- also: collector_failed
-- others: 0
-- score: 3
-- vacuum: true
-- wraparound: false
-- seen: m > 0
-- looks: m > 0
-- status: ok
UPDATE pgperf.samples s SET outcomes = outcomes || '{"autovacuum": {"status": "{status}"}}'::jsonb FROM tick WHERE s.sample_id = tick.sample_id AND {looks};
INSERT INTO pgperf.autovacuum_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, score, xid_score, mxid_score, vacuum_score, vacuum_insert_score, analyze_score,
    do_vacuum, do_analyze, for_wraparound)
SELECT node_id, sample_id, taken_at, 90000 - g, 'public', CASE g WHEN 0 THEN 'due' ELSE 'other_' || g END, {score} - 0.01 * g, 0, 0, {score} - 0.01 * g, 0, 0, {vacuum}, false, {wraparound}
FROM tick, generate_series(0, {others}) g WHERE {seen};

-- rows
-- in each sample of half an hour | 1h | => note, weight=5 kind=table schema=public at=60 since=31 until=60: 1 table was due for a vacuum in all 30 samples from & the highest score is 3.0, & fix=VACUUM (ANALYZE) public.due | seen = m > 31 => silent | seen = m > 30 => note | seen = m > 0 AND m <> 45 => silent | seen = m BETWEEN 1 AND 59 => silent
-- of a shorter window in all | 10m | => note, since=1 until=60 & in all 60 samples | seen = m > 1 => silent
-- ten samples | 1h | looks = m > 50 => note, in all 10 samples | looks = m > 51 => silent
-- a day has too few of them | 1d | => silent
-- those that have it | 1h | status = failed => silent | looks = m > 0 AND m <> 45; seen = m > 0 AND m <> 45 => note, in all 29 samples
-- for a vacuum | 1h | vacuum = false => silent | vacuum = m <> 45 => silent
-- five tables | 1h | others = 4 => warning, weight=125 & 5 tables were | others = 3 => note, weight=20 & 4 tables were
-- or one to prevent wraparound | 1h | wraparound = m = 60 => warning, "for_wraparound": true
-- the score of the last sample | 1h | score = CASE m WHEN 60 THEN 7 ELSE 9 END => note, the highest score is 7.0
-- weight | 1h | others = 30 => warning, weight=199
