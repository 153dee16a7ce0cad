-- setting_changed of setting.{n}
-- conditions: server/setting_changed.sql 44
-- before: '4096'
-- before_at: -30
-- value: '8192'
-- at: 30
-- pending_before: false
-- pending: false
-- role_before: NULL
-- role: NULL
-- database_before: NULL
-- database: NULL
-- unit: 'kB'
-- once
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, source, pending_restart)
SELECT node_id, sample_id, taken_at, 'first', 'x', 'configuration file', false FROM tick WHERE m = -60;
-- each
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, unit, source, pending_restart, role_name, database_name)
SELECT node_id, sample_id, taken_at, 'setting.{n}', {before}, {unit}, 'configuration file', {pending_before}, {role_before}, {database_before} FROM tick WHERE m = {before_at}
UNION ALL SELECT node_id, sample_id, taken_at, 'setting.{n}', {value}, {unit}, 'configuration file', {pending}, {role}, {database} FROM tick WHERE m = {at};

-- rows
-- any change | 10m 1h 1d | => note, weight=10 kind=setting & at=30 since=25 until=30 & (in kB): 4096 became 8192 between & fix=none | value = '4096' => silent
-- from and to nothing | | before = ''; unit = NULL => note, : nothing became 8192 | value = NULL => note, 4096 became nothing | before = NULL; value = NULL => silent
-- in the window | 10m 1h 1d | at = 0 => silent | at = 1 => note, at=1 since=0 | at = 60 => note, since=55
-- whether it waits for a restart | | value = '4096'; pending = true => note, ; it waits for a restart | value = '4096'; pending = true; pending_before = true => silent | pending_before = true; value = '4096' => note
-- for whom | | role = 'app'; role_before = 'app' => note, for role app (in kB): 4096 became 8192 | role = 'app'; role_before = 'app'; value = '4096' => silent | role = 'app'; value = '4096' => note, the default became 4096 | database = 'app'; database_before = 'app' => note, for database app (in kB): 4096 became | database = 'app'; database_before = 'app'; value = '4096' => silent | database = 'app'; value = '4096' => note, for database app (in kB): the default became
