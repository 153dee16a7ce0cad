-- restart of {as}
-- conditions: record/restart.sql 18
-- as: restart
-- epoch: CASE WHEN m >= 30 THEN 2 ELSE 1 END
-- server: '5'
-- wal: '3'
-- writer: '3'
-- database: '4'
-- transactions: '1'
-- counting: NULL
-- records: 100
-- records_at: true
-- gone: false
-- also: gap statistics_reset
UPDATE pgperf.samples s SET epoch = {epoch}, counting = {counting} FROM tick WHERE s.sample_id = tick.sample_id;
DELETE FROM pgperf.samples s USING tick WHERE s.sample_id = tick.sample_id AND ({gone});
INSERT INTO pgperf.wal_history (node_id, sample_id, taken_at, insert_lsn, flush_lsn, next_xid, wal_records)
SELECT node_id, sample_id, taken_at, '0/0'::pg_lsn, '0/0', '1000', {records} FROM tick WHERE {records_at};

-- rows
-- any | 10m 1h 1d | => note, weight=20 kind=server & at=30 since=29 until=30: the server was restarted between & "counters_began_again": false | epoch = 1 => silent
-- in the window | 10m 1h 1d | epoch = CASE WHEN m >= 1 THEN 2 ELSE 1 END => note, at=1 since=0 | epoch = CASE WHEN m >= 0 THEN 2 ELSE 1 END => silent | epoch = CASE WHEN m >= 60 THEN 2 ELSE 1 END => note
-- a warning if the WAL's counters began again | | as = crash; records = CASE WHEN m >= 30 THEN 99 ELSE 100 END => warning, weight=170 & began again between | records = CASE WHEN m >= 30 THEN 100 ELSE 100 END => note | records = CASE WHEN m >= 30 THEN 101 ELSE 100 END => note
-- at that time | | records = CASE WHEN m >= 28 THEN 99 ELSE 100 END => note | records = CASE WHEN m > 30 THEN 99 ELSE 100 END => note | as = crash; records = CASE WHEN m >= 30 THEN 99 ELSE 100 END; records_at = m IN (-120, 40) => warning
-- from a sample of the day before it | 1d | as = crash; records = CASE WHEN m >= 30 THEN 99 ELSE 100 END; records_at = m IN (-30, 40) => warning | records = CASE WHEN m >= 30 THEN 99 ELSE 100 END; records_at = m IN (-31, 40) => note
-- a sample before it, of the last day | 1h | gone = m < 30 => silent | gone = m BETWEEN -119 AND 29 => note, since=-120
-- a sample before it, of the last day | 1d | gone = m BETWEEN -59 AND 29 => silent | gone = m BETWEEN -58 AND 29 => note, since=-59
-- not a reset of statistics | | counting = jsonb_build_object('server', {server}, 'wal', {wal}, 'background_writer', {writer}, 'database', CASE WHEN m >= 30 THEN '9' ELSE '4' END) => silent | counting = jsonb_build_object('server', CASE WHEN m >= 30 THEN '9' ELSE '5' END, 'wal', {wal}, 'background_writer', {writer}, 'database', CASE WHEN m >= 30 THEN '9' ELSE '4' END) => note
-- a crash begins all of them again | | counting = jsonb_build_object('server', {server}, 'wal', CASE WHEN m >= 30 THEN '9' ELSE '4' END, 'background_writer', CASE WHEN m >= 30 THEN '9' ELSE '4' END, 'database', {database}) => note | counting = jsonb_build_object('server', {server}, 'wal', CASE WHEN m >= 30 THEN '9' ELSE '4' END, 'background_writer', {writer}, 'database', {database}) => silent | counting = jsonb_build_object('server', {server}, 'background_writer', CASE WHEN m >= 30 THEN '9' ELSE '4' END, 'wal', {wal}, 'database', {database}) => silent
-- not known | | counting = CASE WHEN m >= 30 THEN jsonb_build_object('server', {server}, 'wal', {wal}, 'background_writer', {writer}) END => note
-- counters that are no statistics | | counting = jsonb_build_object('server', {server}, 'wal', {wal}, 'background_writer', {writer}, 'reset', m, 'transactions', m, 'blocks', m) => note
