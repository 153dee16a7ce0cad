-- horizon_held of holder {n}
-- conditions: vacuum/horizon_held.sql 26, vacuum/horizon.sql 17
-- The last sample is that of m = 59.
-- at: m = 59
-- since: taken_at - interval '600 s'
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, next_multixid)
SELECT node_id, sample_id, taken_at, 'app', (100000 + 100 * m)::text::xid8, 1 FROM tick WHERE m < 60
-- Another node looks on.
UNION ALL SELECT '00000000-0000-0000-0000-0000000000bb', sample_id, taken_at, 'app', (100000 + 10000 * (m + 200))::text::xid8, 1 FROM tick;
INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, database_name, pid, name, role_name, state, since, age, catalogs_only)
SELECT node_id, sample_id, taken_at, 'backend', 'app', 5000 + {n}, 'holder {n}', 'app', 'active', {since}, 2000 + 100 * m, false FROM tick WHERE {at};

-- rows
-- the last sample saw it | 10m 1h 1d | => warning, at=59 & until=59 & to the last sample & 7,900 transactions old & "goes_on": true & fix=SELECT pg_terminate_backend(pid)
-- one more saw it no longer | 1h | at = m = 58 => warning, at=58 & until=58 & 7,800 transactions old & "goes_on": false & fix=none
