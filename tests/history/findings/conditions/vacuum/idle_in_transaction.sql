-- idle_in_transaction of {told}
-- conditions: vacuum/idle_in_transaction.sql 25
-- also: horizon_held
-- kind: backend
-- at: m = 30
-- seconds: 300
-- age: 1000
-- state: idle in transaction
-- looked: false
-- seen_as: idle in transaction
-- open: 300
-- named: holder {n}
-- told: holder {n}
-- role: clerk
-- once
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, next_multixid)
SELECT node_id, sample_id, taken_at, 'app', '1000', 1 FROM tick;
INSERT INTO pgperf.session_history (node_id, sample_id, taken_at, looks, seen, most, state) SELECT node_id, sample_id, taken_at, 10, 0, 0, 'active' FROM tick;
-- each
INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, database_name, pid, name, role_name, state, since, age, catalogs_only)
SELECT node_id, sample_id, taken_at, '{kind}', 'app', 5000 + {n}, 'holder {n}', 'app', '{state}', taken_at - {seconds} * interval '1 s', {age}, false FROM tick WHERE {at};
INSERT INTO pgperf.session_history (node_id, sample_id, taken_at, looks, seen, most, database_name, role_name, application_name, backend_type, state, longest_transaction_s)
SELECT node_id, sample_id, taken_at, 10, 10, 1, 'app', '{role}', '{named}', 'client backend', '{seen_as}', {open} FROM tick WHERE {looked};

-- rows
-- for five minutes | 10m 1h 1d | => note, weight=8 kind=backend & at=30 & until=30: pid 50 & , role app, was idle in transaction for 00:05:00, from & fix=none | seconds = 299 => silent
-- weight: the share of an hour | | seconds = 2700 => note, weight=75 | seconds = 7200 => note, weight=99 | at = false; looked = m = 40; open = 2700 => note, weight=75 | at = false; looked = m = 40; open = 7200 => note, weight=99
-- idle | | state = active => silent | state = idle in transaction (aborted) => note | state = idle => silent
-- in the window | 10m 1h 1d | at = m = 0 => silent | at = m = 1 => note | at = m = 60 => note, fix=SELECT pg_terminate_backend(pid)
-- a session | | kind = prepared transaction => silent
-- also while it holds the horizon | | seconds = 600 => note, for 00:10:00
-- the state at the end | 1h | at = m IN (29, 30); seconds = (m - 20) * 60; age = 10; state = '||CASE m WHEN 30 THEN 'active' ELSE 'idle in transaction' END||' => silent | at = m IN (29, 30); seconds = (m - 20) * 60; age = 10; state = '||CASE m WHEN 30 THEN 'idle in transaction' ELSE 'active' END||' => note
-- one without a snapshot, by the looks | 10m 1h 1d | at = false; looked = m = 40 => note, weight=8 kind=backend & at=40 & until=40: a session of role clerk was idle in transaction for 00:05:00, from & fix=none | at = false; looked = m = 40; open = 299 => silent
-- that goes on | | at = false; looked = m = 60 => note, fix=SELECT pg_terminate_backend(pid) & usename = 'clerk'
-- idle | | at = false; looked = m = 40; seen_as = active => silent | at = false; looked = m = 40; seen_as = idle in transaction (aborted) => note | at = false; looked = m = 40; seen_as = idle => silent
-- in the window | 10m 1h 1d | at = false; looked = m = 0 => silent | at = false; looked = m = 1 => note
-- as it was seen last | | at = false; looked = m IN (30, 40); open = 300 + m => note, at=40 & for 00:05:40
-- each once: of the same name and role, at the same time | | looked = m = 30; role = app => note, : pid 50 | state = active; looked = m = 30; role = app => silent
-- of another name, of another role | | state = active; looked = m = 30; role = app; named = other {n}; told = other {n} => note, a session of role app | state = active; looked = m = 30 => note, a session of role clerk
-- no session | | kind = prepared transaction; looked = m = 30; role = app => note, a session of role app
-- later, or earlier | 1h | state = active; at = m = 36; looked = m = 30; role = app => note, a session of role app | state = active; at = m = 35; looked = m = 30; role = app => silent | state = active; at = m = 24; looked = m = 30; role = app => note, a session of role app | state = active; at = m = 25; looked = m = 30; role = app => silent
