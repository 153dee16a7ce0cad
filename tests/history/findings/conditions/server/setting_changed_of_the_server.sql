-- setting_changed of {name}
-- conditions: server/setting_changed.sql 44
-- name: work_mem
-- before: '1'
-- before_at: -30
-- value: '2'
-- source: configuration file
-- role: NULL
-- first_at: -60
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, source, pending_restart)
SELECT node_id, sample_id, taken_at, 'first', 'x', 'configuration file', false FROM tick WHERE m = {first_at};
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, source, pending_restart, role_name)
SELECT node_id, sample_id, taken_at, '{name}', {before}, '{source}', false, {role} FROM tick WHERE m = {before_at}
UNION ALL SELECT node_id, sample_id, taken_at, '{name}', {value}, '{source}', false, {role} FROM tick WHERE m = 30;

-- rows
-- a note | | => note | name = synchronous_commit; value = 'off' => note
-- critical if crashes lose data | | name = fsync; value = 'off' => critical | name = full_page_writes; value = 'off' => critical | name = fsync; value = 'on' => note
-- a warning if vacuum does not come | | name = autovacuum; value = 'off' => warning | name = track_counts; value = 'off' => warning | name = autovacuum; value = 'on' => note
-- without a row before, it was at its default | | before_at = -99; first_at = -98; value = '8192' => note, : 1 became 8192 | before_at = 61; value = '8192' => note, : 4096, the default, became 8192 & "from": "4096" | before_at = 61; value = '4096' => silent | before_at = 61; value = '8192'; source = default => silent | before_at = 61; name = autovacuum_work_mem; value = '1000' => note, : the default became 1000 & "from": null | before_at = 61; name = max_stack_depth; value = '1000' => note, : the default became 1000 | before_at = 61; name = log_min_duration_statement; value = '-1' => silent
-- of a role the default is not known | | before_at = 61; role = 'app'; value = '4096' => note, for role app: the default became 4096
-- not the first sample of settings | | first_at = 30; before_at = 61 => silent | first_at = 29; before_at = 61 => note
-- before, for a sample that knows of none | | value = '3' => note, : 1 became 3 between
