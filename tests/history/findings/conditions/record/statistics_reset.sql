-- statistics_reset of statistics
-- conditions: record/statistics_reset.sql 2
-- also: restart
-- epoch: CASE WHEN m >= 30 THEN 2 ELSE 1 END
-- server: '5'
-- wal: '3'
-- writer: '3'
-- database: CASE WHEN m >= 30 THEN '9' ELSE '4' END
-- io: '3'
UPDATE pgperf.samples s SET epoch = {epoch}, counting = jsonb_build_object('server', {server}, 'wal', {wal}, 'background_writer', {writer}, 'database', {database}, 'io', {io}, 'transactions', m)
FROM tick WHERE s.sample_id = tick.sample_id;

-- rows
-- any | 10m 1h 1d | => note, weight=20 kind=server & at=30 since=29 until=30: statistics were reset between & : this database | database = '4' => silent
-- while the server went on | | server = CASE WHEN m >= 30 THEN '9' ELSE '4' END => silent
-- which | | wal = CASE WHEN m >= 30 THEN '9' ELSE '4' END => note, : this database, the WAL | wal = CASE WHEN m >= 30 THEN '9' ELSE '4' END; database = '4' => note, : the WAL | writer = CASE WHEN m >= 30 THEN '9' ELSE '4' END; database = '4' => note, : the background writer | io = CASE WHEN m >= 30 THEN '9' ELSE '4' END => note, : this database, I/O
-- not all of them: that was a crash | | wal = CASE WHEN m >= 30 THEN '9' ELSE '4' END; writer = CASE WHEN m >= 30 THEN '9' ELSE '4' END => silent
-- in the window | 10m 1h 1d | epoch = CASE WHEN m >= 1 THEN 2 ELSE 1 END; database = CASE WHEN m >= 1 THEN '9' ELSE '4' END => note, at=1 since=0 | epoch = CASE WHEN m >= 0 THEN 2 ELSE 1 END; database = CASE WHEN m >= 0 THEN '9' ELSE '4' END => silent
