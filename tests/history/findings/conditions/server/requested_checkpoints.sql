-- requested_checkpoints of max_wal_size
-- conditions: server/requested_checkpoints.sql 29
-- also: setting_changed
-- requested: LEAST(3, m / 10 - 1)
-- timed: 0
-- during: m % 10 = 0 AND m > 0
-- lsn: CASE WHEN m = 60 THEN 1e9 ELSE 0 END
-- setting: max_wal_size
-- first: 1024
-- second: 1024
-- second_at: -40
-- role: NULL
-- database: NULL
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, unit, source, pending_restart, role_name, database_name)
SELECT node_id, sample_id, taken_at, 'max_wal_size', '{first}', 'MB', 'configuration file', false, NULL, NULL FROM tick WHERE m = -50
UNION ALL SELECT node_id, sample_id, taken_at, '{setting}', '{second}', 'MB', 'configuration file', false, {role}, {database} FROM tick WHERE m = {second_at};
INSERT INTO pgperf.checkpoint_history (node_id, sample_id, taken_at, in_progress, redo_lsn, checkpoint_lsn, checkpoint_time, num_timed, num_requested)
SELECT node_id, sample_id, taken_at, false, '0/0', '0/0', taken_at, {timed}, {requested} FROM tick WHERE {during};
INSERT INTO pgperf.wal_history (node_id, sample_id, taken_at, insert_lsn, flush_lsn, next_xid)
SELECT node_id, sample_id, taken_at, '0/0'::pg_lsn + {lsn}, '0/0', '1000' FROM tick;

-- rows
-- three | 10m 1h 1d | => warning, weight=199 kind=server & at=40 since=0 until=40: 3 checkpoints were forced by WAL, 0 came by time; 318 MB of WAL between two, max_wal_size is 1024 MB & fix=ALTER SYSTEM SET max_wal_size = '4096 MB' | requested = LEAST(2, m / 10 - 1) => silent
-- more than by time | 10m 1h 1d | timed = LEAST(2, m / 10 - 1) => warning, weight=160 & 2 came by time | timed = LEAST(3, m / 10 - 1) => silent
-- a quarter of max_wal_size apart | 10m 1h 1d | lsn = CASE WHEN m = 60 THEN 805306368 ELSE 0 END => warning, 256 MB of WAL | lsn = CASE WHEN m = 60 THEN 805306367 ELSE 0 END => silent
-- the setting at the time | | second = 2048; lsn = CASE WHEN m = 60 THEN 1610612736 ELSE 0 END => warning, max_wal_size is 2048 MB | second = 2048; lsn = CASE WHEN m = 60 THEN 1610612735 ELSE 0 END => silent
-- at the window's end | | second = 2048; second_at = 60 => silent
-- of the server | | second = 2048; role = 'app' => warning | second = 2048; database = 'app' => warning | second = 2048; setting = min_wal_size => warning
-- a number | | second = all => warning, is 1024 MB
-- the default is 1 GB | | first = unknown; second = unknown; lsn = CASE WHEN m = 60 THEN 805306368 ELSE 0 END => warning | first = unknown; second = unknown; lsn = CASE WHEN m = 60 THEN 805306367 ELSE 0 END => silent
-- critical if more often than every 30 s | 10m | during = m > 0; requested = LEAST(21, m); lsn = GREATEST(m, 0) * 1e9 => warning, 20 checkpoints | during = m > 0; requested = LEAST(22, m); lsn = GREATEST(m, 0) * 1e9 => critical, 21 checkpoints
-- critical if more often than every 30 s | 1h | during = m > 0; requested = LEAST(120, 3 * m - 3); lsn = GREATEST(m, 0) * 1e9 => warning | during = m > 0; requested = LEAST(121, 3 * m - 3); lsn = GREATEST(m, 0) * 1e9 => critical
-- in the window | 10m 1h 1d | during = m % 10 = 0; requested = CASE WHEN m >= 10 THEN 3 ELSE 0 END => silent | during = m >= 0; requested = CASE WHEN m >= 2 THEN 3 ELSE 0 END => warning, at=2
-- its WAL | | lsn = CASE WHEN m > 0 THEN 9e9 ELSE 0 END => silent
-- counters that began again | | requested = CASE WHEN m < 30 THEN 9 ELSE m / 10 - 3 END => warning, 3 checkpoints | timed = CASE WHEN m < 30 THEN 9 ELSE m / 10 - 3 END => silent | timed = CASE WHEN m < 30 THEN 9 ELSE 0 END => warning, 0 came by time
-- no less than what is configured now | | first = 256; second = 256 => warning, is 256 MB & fix=none | first = 257; second = 257 => warning, fix=ALTER SYSTEM
