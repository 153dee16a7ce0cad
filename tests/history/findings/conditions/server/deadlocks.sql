-- deadlocks of database {n}
-- conditions: server/deadlocks.sql 8, server/source.sql 23
-- about: counters
-- also: restart
-- database: 'database {n}'
-- deadlocks: CASE WHEN m >= 30 THEN 1 ELSE 0 END
-- commits: m + 200
-- hits: m + 200
-- reads: m + 200
-- epoch: 1
-- during: m >= -60
-- once
UPDATE pgperf.samples s SET epoch = {epoch} FROM tick WHERE s.sample_id = tick.sample_id;
-- each
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read, deadlocks)
SELECT node_id, sample_id, taken_at, {database}, {commits}, 0, {hits}, {reads}, {deadlocks} FROM tick WHERE {during};

-- rows
-- any | 10m 1h 1d | => warning, weight=110 kind=database & at=30 since=29 until=30: deadlocks between & : 1 | deadlocks = 7 => silent
-- in the window | 10m 1h 1d | deadlocks = CASE WHEN m >= 1 THEN 3 ELSE 0 END => warning, since=0 | deadlocks = CASE WHEN m >= 0 THEN 3 ELSE 0 END => silent | deadlocks = LEAST(m, -10) => silent
-- with a sample before it | | during = m IN (-59, 10); deadlocks = m => warning, since=-59 & : 69 | during = m IN (-60, 10); deadlocks = m => silent | during = m = 10; deadlocks = m => silent
-- of the day before it | 2d | during = m IN (-29, 10); deadlocks = m => warning, since=-29 | during = m IN (-30, 10); deadlocks = m => silent
-- not those of before | 10m 1h 1d | deadlocks = CASE WHEN m >= 30 THEN 2 WHEN m >= -30 THEN 1 ELSE 0 END => warning, at=30 since=29 until=30 & : 1
-- all of them | | deadlocks = GREATEST(m, 0) / 10 => warning, at=60 since=9 until=60 & : 6
-- critical from 100 on | | deadlocks = CASE WHEN m >= 30 THEN 100 ELSE 0 END => critical, weight=299 | deadlocks = CASE WHEN m >= 30 THEN 99 ELSE 0 END => warning
-- weight | | deadlocks = CASE WHEN m >= 30 THEN 5 ELSE 0 END => warning, weight=150
-- of a database | | database = NULL => silent
-- a counter that fell tells nothing of that step | | commits = CASE WHEN m = 30 THEN 0 ELSE 10 END => silent | hits = CASE WHEN m = 30 THEN 0 ELSE 10 END => silent | reads = CASE WHEN m = 30 THEN 0 ELSE 10 END => silent | reads = 0; hits = 0; commits = 0 => warning
-- counters that began again | alone | epoch = CASE WHEN m < 30 THEN 1 ELSE 2 END; deadlocks = CASE WHEN m < 30 THEN 5 WHEN m < 40 THEN 0 ELSE 2 END => warning, : 2 & since=39 | epoch = CASE WHEN m < 30 THEN 1 ELSE 2 END; deadlocks = CASE WHEN m < 30 THEN 5 ELSE 7 END => silent | epoch = CASE WHEN m < -10 THEN 1 ELSE 2 END; deadlocks = CASE WHEN m < -10 THEN 5 ELSE 7 END => silent
