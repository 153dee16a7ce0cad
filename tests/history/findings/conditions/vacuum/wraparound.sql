-- wraparound of database {n}
-- conditions: vacuum/wraparound.sql 15
-- during: true
-- relation: NULL
-- next_xid: 500000000
-- age: 300000000
-- freeze: 200000000
-- failsafe: 1600000000
-- multi_age: 1
-- multi_freeze: 400000000
-- multi_failsafe: 1600000000
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, relation_name, next_xid, next_multixid, frozen_xid_age, freeze_max_age, failsafe_age, multixact_age, multixact_freeze_max_age, multixact_failsafe_age)
SELECT node_id, sample_id, taken_at, 'database {n}', {relation}, ({next_xid})::text::xid8, 1, {age}, {freeze}, {failsafe}, {multi_age}, {multi_freeze}, {multi_failsafe} FROM tick WHERE {during};
-- Another node's, which is older.
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, next_multixid, frozen_xid_age, freeze_max_age, failsafe_age)
SELECT '00000000-0000-0000-0000-0000000000bb', sample_id, taken_at, 'database {n}', (1000000000 + 10000000 * (m + 200))::text::xid8, 1, 1500000000, 200000000, 1600000000 FROM tick;

-- rows
-- beyond one and a half times the age of freezing | 1h | age = 310000000 => warning, 310,000,000 transactions old
-- one and a half times the age of freezing | 10m 1h 1d | => warning, weight=114 kind=database & at=60 since= until=: 300,000,000 transactions old, 14.0 % of the way to the end; autovacuum freezes from 200,000,000 on { | age = 299999999 => silent
-- or the failsafe's | | freeze = 1500000000; age = 1600000000 => critical, weight=275 | freeze = 1500000000; age = 1599999999 => silent
-- weight: the share of the way | 1h | age = 1490000000; freeze = 990000000 => warning, weight=169
-- critical from the failsafe's on | | age = 1600000000 => critical | age = 1599999999 => warning
-- multixacts | | age = 1; multi_age = 600000000 => warning, 600,000,000 multixacts old & freezes from 400,000,000 on | age = 1; multi_age = 599999999 => silent | age = 1; multi_age = 1600000000 => critical | age = 1; multi_age = 700000000; multi_failsafe = 500000000 => critical
-- the older of both | | multi_age = 700000000 => warning, 700,000,000 multixacts old | multi_age = 600000001; age = 700000000 => warning, 700,000,000 transactions old
-- the last sample counts | | age = CASE WHEN m >= 50 THEN 310000000 ELSE 300000000 END => warning, 310,000,000 & at=60 | age = CASE WHEN m >= 50 THEN 1 ELSE 300000000 END => warning, at=49
-- in the window | 10m 1h 1d | during = m = 0 => silent | during = m < 0 => silent | during = m = 1 => warning, at=1 | during = m = 60 => warning
-- of a database, not of its oldest tables | | relation = 'orders' => silent
-- time that is left at the window's rate | 1h alone | next_xid = 500000000 + m * 1000000 => warning, on; at this window's rate the server stops assigning ids in 1 day 06:00:00 & "per_s": 16666.67 | next_xid = 500000000 + m * 370 => warning, stops assigning ids in | next_xid = 500000000 + m * 368 => warning, 200,000,000 on { | next_xid = 500000000 + m * 1000000; age = 1; multi_age = 600000000 => warning, 400,000,000 on {
-- to 3,000,000 before the end, in whole hours | 1h alone | next_xid = 500000000 + m * 60000; age = 2108483647 => critical, stops assigning ids in 10:00:00 | next_xid = 500000000 + m * 60000; age = 2108483648 => critical, stops assigning ids in 09:00:00
-- of the window | 1h alone | next_xid = 500000000 + LEAST(m, 1) * 1000000 => warning, 200,000,000 on { | next_xid = 500000000 + GREATEST(m, 59) * 1000000 => warning, stops assigning ids in
-- not of one sample | 1h alone | during = m = 60 => warning, 200,000,000 on {
