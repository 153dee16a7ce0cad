-- blocking of orders {n}
-- conditions: server/blocking.sql 14, server/waits.sql 36
-- also: gap
-- head: m = 30
-- queue: m = 30
-- longest: 20
-- others: 2
-- each: 5
-- victims: 3
-- state: idle in transaction
-- depth: 1
-- behind: 2
-- last: 60
-- left: false
-- sampled: true
-- looks: 60
-- active: 2
-- at_work: active
-- wait: NULL
-- once
INSERT INTO pgperf.session_history (node_id, sample_id, taken_at, looks, seen, most, state, wait_event_type, wait_event)
SELECT node_id, sample_id, taken_at, {looks}, CASE WHEN m > 0 THEN {active} ELSE 100 END, 0, '{at_work}', 'Client', {wait} FROM tick WHERE m <= {last} AND (m <= 0 OR {sampled});
DELETE FROM pgperf.samples s USING tick t WHERE s.sample_id = t.sample_id AND t.m > 0 AND NOT ({sampled});
-- each
INSERT INTO pgperf.blocking_history (node_id, sample_id, taken_at, waiting_since, session_start, transaction_start, waited_s, head_pid, pid, depth, victims,
    looks, seen, database_name, role_name, application_name, state, lock_type, lock_mode, schema_name, relation_name, statement)
SELECT node_id, sample_id, taken_at, NULL::timestamptz, '2020-01-01'::timestamptz, '2020-01-02'::timestamptz, NULL::float8, 70000 + {n}, 70000 + {n}, 0, {victims},
       10, 10, 'app', 'clerk', 'desk', '{state}', 'relation', 'RowExclusiveLock', 'shop', 'orders {n}', 'UPDATE orders' FROM tick WHERE {head}
UNION ALL SELECT node_id, sample_id, taken_at, NULL, '2020-01-01', '2020-01-02', NULL, 60000 + {n}, 60000 + {n}, 0, 1,
       10, 10, 'app', 'other', 'gone', 'active', 'relation', 'RowExclusiveLock', 'shop', 'orders {n}', 'SELECT 1' FROM tick WHERE {left}
UNION ALL SELECT node_id, sample_id, taken_at, taken_at - {longest} * interval '1 s', '2020-01-01', NULL, {longest}, 70000 + {n}, 80000 + {n}, {depth}, {behind},
       10, 10, 'app', 'dba', '', 'active', 'relation', 'AccessExclusiveLock', 'shop', 'orders {n}', 'ALTER TABLE orders' FROM tick WHERE {queue}
UNION ALL SELECT node_id, sample_id, taken_at, taken_at - {each} * interval '1 s', '2020-01-01', NULL, {each}, 70000 + {n}, 100000 * i + {n}, {depth} + 1, 0,
       10, 10, 'app', 'web', 'shop', 'active', 'relation', 'AccessShareLock', 'shop', 'orders {n}', 'SELECT' FROM tick, generate_series(1, {others}) i WHERE {queue};

-- rows
-- for 30 seconds together | 10m 1h 1d | => warning, kind=relation & at=30 & until=30: pid 7 & (role clerk, application desk) held RowExclusiveLock of shop.orders & and was idle in transaction; behind it 3 waits took 30.0 s, the longest 20.0 s, at most 3 at once; first in the queue: ALTER TABLE orders (role dba); its last statement: UPDATE orders & "victims": 3 & fix=none | each = 4.9 => silent
-- one of them for five | | longest = 5; others = 5 => warning | longest = 4.9; each = 4.9; others = 9 => silent
-- critical: half of the window | 10m | longest = 290; others = 1; each = 10 => critical | longest = 289; others = 1; each = 10 => warning
-- critical: 20 at once | | victims = 20 => critical, at most 20 at once | victims = 19 => warning
-- in the window | 10m 1h 1d | head = m = 0; queue = m = 0 => silent | head = m = 61; queue = m = 61 => silent | head = m = 1; queue = m = 1 => warning
-- each wait once, as it was last | | head = m IN (29, 30); queue = m IN (29, 30) => warning, behind it 6 waits took 60.0 s
-- what goes on can be ended | | head = m = 60; queue = m = 60 => warning, fix=SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = 7 | head = m = 59; queue = m = 59 => warning, fix=none
-- who is behind the head | | depth = 0 => silent
-- nobody behind the first | | behind = 0 => warning, at most 3 at once; its last statement
-- one whose waits went on behind another head is none | | left = m = 29 => warning, (role clerk, application desk) held
-- the share of the time of sessions at work | alone | => warning, "time_percent": 25.0 | active = 3 => warning, "time_percent": 16.7 | each = 100 => warning, "time_percent": 100.0 | active = 0 => warning, "time_percent": null | at_work = idle in transaction => warning, "time_percent": null | wait = 'ClientRead' => warning, "time_percent": null | wait = 'ClientWrite' => warning, "time_percent": 25.0
-- one look a minute, samples of which every thirtieth is left | alone | looks = 1; active = CASE m WHEN 60 THEN 2 ELSE 0 END => warning, "time_percent": 25.0 | sampled = m % 30 = 0 => warning, "time_percent": 25.0 | looks = 0 => warning, "time_percent": null
-- a longer window has more time | alone 1d | => warning, "time_percent": 1.0
