-- lock_waits of transactionid
-- conditions: server/lock_waits.sql 20, server/waits.sql 36
-- also: blocking
-- blocked: 0
-- active: 2
-- busy: 1
-- waits: 1
-- looks: m > 0
-- during: m BETWEEN 1 AND 30
-- state: active
-- type: Lock
-- source: activity
-- other: 0
-- other_type: IPC
-- other_state: active
-- other_event: BgWorkerShutdown
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT node_id, sample_id, taken_at, 'activity', 'client backend', 'active', NULL, NULL, 1, {busy} FROM tick WHERE {looks}
UNION ALL SELECT node_id, sample_id, taken_at, '{source}', 'client backend', '{state}', '{type}', 'transactionid', 1, {waits} FROM tick WHERE {during}
UNION ALL SELECT node_id, sample_id, taken_at, 'activity', 'client backend', '{other_state}', '{other_type}', '{other_event}', 1, {other} FROM tick WHERE {other} > 0 AND m BETWEEN 31 AND 60;
INSERT INTO pgperf.session_history (node_id, sample_id, taken_at, looks, seen, most, state)
SELECT node_id, sample_id, taken_at, 60, {active}, 0, 'active' FROM tick WHERE m > 0;
INSERT INTO pgperf.blocking_history (node_id, sample_id, taken_at, waiting_since, session_start, waited_s, head_pid, pid, depth, victims, looks, seen, lock_type, relation_name)
SELECT node_id, sample_id, taken_at, NULL::timestamptz, '2020-01-01'::timestamptz, NULL::float8, n, n, 0, 1, 10, 10, 'relation', 'table ' || n FROM tick, generate_series(1, 2) n WHERE m = 30 AND {blocked} > 0
UNION ALL SELECT node_id, sample_id, taken_at, taken_at - {blocked} * interval '1 s', '2020-01-01', {blocked}, n, n + 10, 1, 0, 10, 10, 'relation', 'table ' || n FROM tick, generate_series(1, 2) n WHERE m = 30 AND {blocked} > 0;

-- rows
-- half a session on average | 10m 1h 1d | => warning, weight=133 kind=server & at=30 since=1 until=30: 0.50 sessions waited for locks on average, 33 % of database time, at most 1 at once; most for a lock of type transactionid & "percent": 33.3, & "time_percent": 33.3, & "average_sessions": 0.5 | during = m BETWEEN 1 AND 29 => silent
-- a fifth of the time | | busy = 2 => warning, 20 % | busy = CASE m WHEN 60 THEN 3 ELSE 2 END => silent
-- in twenty samples | | looks = m > 40; during = m BETWEEN 41 AND 50 => warning | looks = m > 41; during = m BETWEEN 42 AND 51 => silent
-- or five sessions in three samples | 10m 1h 1d | waits = 5; during = m BETWEEN 1 AND 3 => warning, at most 5 | waits = 4; during = m BETWEEN 1 AND 3 => silent | waits = 5; during = m BETWEEN 1 AND 2 => silent
-- critical: two on average | | waits = 4 => critical, 2.00 sessions | waits = 4; during = m BETWEEN 1 AND 29 => warning
-- critical: half of the time | | waits = 4; busy = 2 => critical, 50 % | waits = 4; busy = CASE m WHEN 60 THEN 3 ELSE 2 END => warning
-- critical: 20 at once | | waits = CASE m WHEN 1 THEN 20 ELSE 1 END => critical, at most 20 | waits = CASE m WHEN 1 THEN 19 ELSE 1 END => warning
-- active sessions, locks | | state = idle in transaction => silent | type = LWLock => silent | source = run clients => silent
-- in the window | 10m 1h 1d | during = m BETWEEN -29 AND 0 => silent | during = m BETWEEN 31 AND 60 => warning, since=31
-- rounded | | looks = m > 0 AND m <> 60; during = m BETWEEN 1 AND 30 => warning, "percent": 33.7, & "average_sessions": 0.51
-- who waits for a run to end does not work | | other = 10 => warning, 33 % | other = 10; other_event = BgworkerShutdown => warning, 33 % | other = 10; other_event = BgWorkerStartup => silent
-- most: for this kind of lock | | other = 1; other_type = Lock; other_event = relation; during = m BETWEEN 1 AND 31 => warning | other = 2; other_type = LWLock; other_event = relation; during = m BETWEEN 1 AND 45 => warning, 27 %
-- who is idle waits for nothing | | other = 10; other_type = Client; other_event = ClientRead; other_state = idle => warning, 33 % | other = 5; other_type = Lock; other_event = relation; other_state = idle in transaction => warning
-- of several days some samples | 3d | looks = m % 3 = 2 AND m > 0; during = m % 3 = 2 AND m BETWEEN 1 AND 30; waits = 5 => critical, at=29 since=2 | looks = m % 3 = 1 AND m > 0; during = m % 3 = 1 AND m BETWEEN 1 AND 30; waits = 5 => silent
-- what findings of blocking are about | alone | => warning, "blocking_percent": null | blocked = 30 => warning, "blocking_percent": 50.0 | blocked = 29 => warning, "blocking_percent": null | blocked = 30; active = 0 => warning, "blocking_percent": null
