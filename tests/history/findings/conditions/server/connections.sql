-- connections of max_connections
-- conditions: server/connections.sql 23, server/waits.sql 36
-- also: setting_changed
-- seen: 90
-- source: activity
-- backend: client backend
-- during: m = 30
-- setting: max_connections
-- first: 100
-- second: 100
-- second_at: -40
-- pending: false
-- role: NULL
-- database: NULL
-- connected: NULL
-- looked: m = 40
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, source, pending_restart, role_name, database_name)
SELECT node_id, sample_id, taken_at, 'max_connections', '{first}', 'configuration file', false, NULL, NULL FROM tick WHERE m = -50
UNION ALL SELECT node_id, sample_id, taken_at, '{setting}', '{second}', 'configuration file', {pending}, {role}, {database} FROM tick WHERE m = {second_at};
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT node_id, sample_id, taken_at, '{source}', '{backend}', 'idle', 'Client', 'ClientRead', 1, {seen} - 5 FROM tick WHERE {during}
UNION ALL SELECT node_id, sample_id, taken_at, '{source}', '{backend}', 'idle in transaction', 'Client', 'ClientRead', 1, 5 FROM tick WHERE {during};
INSERT INTO pgperf.connection_history (node_id, sample_id, taken_at, looks, seen, most, most_together, database_name, role_name, application_name)
SELECT node_id, sample_id, taken_at, 10, 10, n, {connected}, 'shop', 'role ' || n, CASE n WHEN 8 THEN '' ELSE 'app ' || n END FROM tick, (VALUES (7), (9), (8)) n(n) WHERE {looked} AND {connected} IS NOT NULL;

-- rows
-- 90 % | 10m 1h 1d | => warning, weight=190 kind=server & at=30 & until=30 & 90 sessions at & 90 % of max_connections (100) | seen = 89 => silent
-- critical where only those of superusers are left | | seen = 97 => critical | seen = 96 => warning
-- the highest counts, the last one of equal ones | | during = m IN (30, 31, 32); seen = CASE m WHEN 31 THEN 95 ELSE 70 END => warning, at=31 & 95 sessions | during = m IN (30, 31, 32); seen = CASE WHEN m > 30 THEN 95 ELSE 70 END => warning, at=32
-- in the window | 10m 1h 1d | during = m = 0 => silent | during = m = 1 => warning, at=1 | during = m = 60 => warning, at=60
-- clients alone, all of them | | backend = background worker => silent | source = run clients => silent
-- of several days some samples | 3d | during = m = 29 => warning | during = m = 30 => silent | during = m = 31 => silent
-- the setting in force | 10m 1h 1d | second = 101 => silent | second = 200; seen = 180 => warning, 90 % of max_connections (200) | second = 200; seen = 179 => silent
-- a day has all of them | 1d | during = m = 29 => warning | during = m = 31 => warning
-- what waits for a restart is not | | second = 101; pending = true => warning, (100) | second = 80; pending = true; seen = 80 => silent
-- of the server | | second = 101; role = 'app' => warning, (100) | second = 101; database = 'app' => warning, (100)
-- at the window's end | | second = 101; second_at = 60 => silent
-- another setting | | second = 101; setting = superuser_reserved_connections => warning, (100)
-- a number | | second = all => warning, (100)
-- the default is 100 | | first = unknown; second = unknown => warning, (100) | first = unknown; second = unknown; seen = 89 => silent
-- of the looks between two samples | 10m 1h 1d | seen = 1; connected = 90 => warning, weight=190 & at=40 & 90 sessions at & (100); most of role role 9, application app 9, 9 & "sessions_of_it": 9 | seen = 1; connected = 89 => silent | seen = 1; connected = 97 => critical
-- whichever is higher | | seen = 92; connected = 91 => warning, at=30 & 92 sessions at & (100) {"role": null | seen = 92; connected = 93 => warning, at=40
-- in the window | 10m 1h 1d | seen = 1; connected = 90; looked = m = 0 => silent | seen = 1; connected = 90; looked = m IN (1, 60) => warning, at=60
