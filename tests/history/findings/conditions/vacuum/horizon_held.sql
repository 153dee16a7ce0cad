-- horizon_held of holder {n}
-- conditions: vacuum/horizon_held.sql 26, vacuum/horizon.sql 17
-- also: idle_in_transaction
-- kind: backend
-- at: m = 30
-- since: taken_at - interval '600 s'
-- age: 1000
-- state: active
-- catalogs_only: false
-- name: 'holder {n}'
-- once
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, relation_name, next_xid, next_multixid)
SELECT node_id, sample_id, taken_at, 'app', r, (100000 + 100 * m + CASE WHEN r IS NULL THEN 0 ELSE 1e9 * m + 1e12 END::int8)::text::xid8, 1 FROM tick, unnest('{NULL, orders}'::text[]) r
-- Another node's, which uses more and goes on for longer.
UNION ALL SELECT '00000000-0000-0000-0000-0000000000bb', sample_id, taken_at + interval '1 s', 'app', NULL, (100000 + 10000000 * (m + 200))::text::xid8, 1 FROM tick;
-- each
INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, database_name, pid, name, role_name, state, since, age, catalogs_only)
SELECT node_id, sample_id, taken_at, '{kind}', 'app', 5000 + {n}, {name}, 'app', '{state}', {since}, {age}, {catalogs_only} FROM tick WHERE {at};

-- rows
-- for ten minutes | 10m 1h 1d | => warning, kind=backend & at=30 & until=30: backend of pid & , role app, active kept vacuum from removing dead rows for 00:10:00, from & 1,000 transactions old & fix=none | since = taken_at - interval '599 s' => silent
-- a thousand ids | | age = 999 => silent | age = 1001 => warning, 1,001 transactions old
-- critical from 200 million on | | age = 200000000 => critical | age = 199999999 => warning
-- weight: the share of the window | 1h | at = m = 30 => warning, weight=117 | at = m = 54; since = taken_at - interval '3 hours' => warning, weight=190 | since = taken_at - interval '3 hours' => warning, weight=150 & since=-150 | at = m = 60; since = taken_at - interval '1 hours' => warning, weight=199
-- in the window | 10m 1h 1d | at = m = 0 => silent | at = m = 1 => warning, at=1 | at = m = 60 => warning, at=60
-- all samples of one transaction | 1h | at = m IN (30, 38); since = (SELECT x.taken_at FROM tick x WHERE x.m = 28) => warning, since=28 until=38 & for 00:10:00 | at = m IN (30, 37); since = (SELECT x.taken_at FROM tick x WHERE x.m = 28) => silent
-- the oldest it has become | 1h | at = m IN (30, 38); since = (SELECT x.taken_at FROM tick x WHERE x.m = 20); age = CASE m WHEN 38 THEN 1000 ELSE 500 END => warning, 1,000 transactions old
-- a short transaction after the other | 1h | at = m BETWEEN 1 AND 60; since = taken_at - interval '599 s' => silent
-- it goes on: the last sample saw it | 1h | at = m = 60 => warning, to the last sample & "goes_on": true & fix=SELECT pg_terminate_backend(pid) | at = m = 59 => warning, "goes_on": false & fix=none
-- of catalogs | | catalogs_only = true => warning, dead rows of catalogs for
-- a prepared transaction | 1h | kind = prepared transaction; at = m = 60 => warning, fix=ROLLBACK PREPARED 'holder | kind = prepared transaction; since = taken_at - interval '599 s' => silent
-- a slot that needs older ids all the time | 1h | kind = replication slot; since = NULL; at = m BETWEEN 10 AND 20; age = 2000 + 100 * m => warning, since=10 until=20 & for 00:10:00 | kind = replication slot; since = NULL; at = m BETWEEN 10 AND 20; age = 2000 + 90 * m => warning | kind = replication slot; since = NULL; at = m BETWEEN 10 AND 20; age = CASE m WHEN 20 THEN 2899 ELSE 2000 END => silent | kind = replication slot; since = NULL; at = m BETWEEN 10 AND 19; age = 2000 + 100 * m => silent
-- a slot to the end | 1h | kind = replication slot; since = NULL; at = m BETWEEN 10 AND 60; age = 2000 + 100 * m => warning, fix=SELECT pg_drop_replication_slot(slot_name)
-- a standby | 10m | kind = standby feedback; since = NULL; at = m BETWEEN 0 AND 60; age = 20000 + 100 * m => silent
-- a standby | 1d | kind = standby feedback; since = NULL; at = m BETWEEN 1 AND 2; age = 2000 + 100 * m => warning, kind=standby feedback | kind = standby feedback; since = NULL; at = m BETWEEN 1 AND 2; age = 2000 + 89 * m => silent
