-- long_lock_waits of lock {n}
-- conditions: server/long_lock_waits.sql 10
-- waits: GREATEST(m, 0) / 6
-- time: GREATEST(m, 0) / 6 * 0.6 * {ms}
-- reset: NULL
-- active: 10
-- once
INSERT INTO pgperf.session_history (node_id, sample_id, taken_at, looks, seen, most, state) SELECT node_id, sample_id, taken_at, 60, {active}, 0, 'active' FROM tick;
-- each
INSERT INTO pgperf.lock_history (node_id, sample_id, taken_at, lock_type, waits, wait_time, fastpath_exceeded, stats_reset)
SELECT node_id, sample_id, taken_at, 'lock {n}', {waits}, {time}, 0, {reset} FROM tick;

-- rows
-- a tenth of the time | 1h | => note, weight=10 kind=server & at=60 since=1 until=60: 10 waits of more than deadlock_timeout for locks of type & took 360.0 s together, 36.0 s each | time = GREATEST(m, 0) / 6 * 0.599 * {ms} => silent
-- a tenth of the time | 10m 1d | => note, 10 waits | time = GREATEST(m, 0) / 6 * 0.599 * {ms} => silent
-- ten of them | 10m 1h 1d | waits = LEAST(GREATEST(m, 0) / 6, 9); time = GREATEST(m, 0) / 6 * {ms} => silent
-- a warning with half of the time | 10m 1h 1d | time = GREATEST(m, 0) / 6 * 3 * {ms} => warning, weight=150 | time = GREATEST(m, 0) / 6 * 2.99 * {ms} => note
-- weight | | time = GREATEST(m, 0) / 6 * 6 * {ms} => warning, weight=199
-- in the window | 10m 1h 1d | waits = LEAST(m, 0); time = LEAST(m, 0) * {ms} => silent
-- counters that were reset | | reset = CASE WHEN m < 30 THEN '2020-01-01' ELSE '2020-01-02' END::timestamptz; waits = CASE WHEN m < 30 THEN 0 ELSE 100 END; time = CASE WHEN m < 30 THEN 0 ELSE 60 END * {ms} => silent
-- the share of the time of sessions at work | alone 1h | => note, "time_percent": 60.0 | active = 12 => note, "time_percent": 50.0 | active = 1 => note, "time_percent": 100.0 | active = 0 => note, "time_percent": null
