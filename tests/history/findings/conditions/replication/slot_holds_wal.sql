-- slot_holds_wal of slot {n}
-- conditions: replication/slot_holds_wal.sql 46
-- also: setting_changed
-- bytes: 1073741824
-- kind: slot
-- active: false
-- status: extended
-- inactive_since: NULL
-- during: m BETWEEN 1 AND 6
-- setting: max_slot_wal_keep_size
-- value: -1
-- set_at: -50
-- role: NULL
-- database: NULL
-- space: tablespace
-- free: NULL
-- measured: -50
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, active, retained_bytes, wal_status, inactive_since)
SELECT node_id, sample_id, taken_at, '{kind}', 'slot {n}', {active}, {bytes}, '{status}', {inactive_since} FROM tick WHERE {during};
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, source, pending_restart, role_name, database_name)
SELECT node_id, sample_id, taken_at, '{setting}', '{value}', 'configuration file', false, {role}, {database} FROM tick WHERE m = {set_at};
INSERT INTO pgperf.tablespace_history (node_id, sample_id, taken_at, kind, name, free_bytes)
SELECT node_id, sample_id, taken_at, '{space}', 'pg_wal', {free} FROM tick WHERE m = {measured};

-- rows
-- at least max_wal_size | alone | => warning, weight=101 kind=replication slot & at=6 since=1 until=6: the slot keeps 1024 MB of WAL, and nobody uses it; max_wal_size is 1024 MB, nothing limits slots {"active" & "free_bytes": null & fix=SELECT pg_drop_replication_slot | bytes = 1073741823 => silent
-- as it is set | alone | setting = max_wal_size; value = 2048; bytes = 2147483648 => warning, max_wal_size is 2048 MB | setting = max_wal_size; value = 2048; bytes = 2147483647 => silent | setting = max_wal_size; value = 2048; set_at = 60 => silent | setting = max_wal_size; value = 1GB => warning, max_wal_size is 1024 MB
-- for all | alone | setting = max_wal_size; value = 2048; role = 'a' => warning, max_wal_size is 1024 MB | setting = max_wal_size; value = 2048; database = 'a' => warning, max_wal_size is 1024 MB
-- or half of what a slot may keep | alone | value = 1000; bytes = 524288000 => warning, weight=150 & a slot may keep 1000 MB | value = 1000; bytes = 524287999 => silent | value = 0; bytes = 1 => critical
-- critical from 90 % of it on | alone | value = 1000; bytes = 943718400 => critical, weight=290 | value = 1000; bytes = 943718399 => warning
-- or half of the room | alone | space = WAL; free = 1000; bytes = 500 => warning, weight=133 & nothing limits slots, and 1000 bytes are free | space = WAL; free = 1000; bytes = 499 => silent | free = 1000; bytes = 500 => silent
-- critical where as much again fills it | alone | space = WAL; free = 1000; bytes = 1000 => critical, weight=250 | space = WAL; free = 1000; bytes = 999 => warning
-- unless something limits it | alone | space = WAL; free = 1000; bytes = 2000; value = 1000 => warning
-- the room of the last day | alone 1d | space = WAL; free = 1000; bytes = 500; measured = 1 => warning | space = WAL; free = 1000; bytes = 500; measured = 0 => silent
-- nobody used it | | active = true => silent | active = m = 1 => silent | active = m = 6 => silent
-- for five minutes | | during = m BETWEEN 2 AND 6 => silent | during = m IN (10, 15) => warning, since=10
-- for five minutes | 10m | during = m BETWEEN 1 AND 31 => warning, since=1 until=31 | during = m BETWEEN 2 AND 31 => silent
-- for five minutes | 1d | during = m IN (1, 2) => warning | during = m = 1 => silent
-- a short window looks further back | 3m | during = m >= -40 => warning, until=60 | during = m >= -39 => silent | during = m >= -80; active = m <= -60 => warning | during = m >= -80; active = m <= -59 => silent
-- but names what was seen in the window | 3m | status = lost; bytes = NULL; during = m = 0 => silent | status = lost; bytes = NULL; during = m = 1 => critical
-- not so far | 2m | during = m >= -120; active = m <= -120 => warning
-- who used it before the window does not matter | | during = m BETWEEN -5 AND 6; active = m <= 0 => warning, since=1
-- since the server's own time | | inactive_since = taken_at - interval '1 minute' => warning, since=5
-- in the window | 10m 1h 1d | during = m BETWEEN -60 AND 0 => silent | during = m BETWEEN 10 AND 60 => warning
-- and still there | | bytes = CASE WHEN m = 6 THEN 1 ELSE 2000000000 END => silent | bytes = CASE WHEN m = 6 THEN 2000000000 ELSE 1 END => warning
-- no standby | | kind = standby => silent
-- about to be removed, although it is used | | status = unreserved; active = true; bytes = 5000 => critical, the slot keeps 5000 bytes of WAL; its WAL is unreserved & fix=none | status = extended; active = true; bytes = 5000 => silent
-- or was | 10m 1h 1d | status = lost; bytes = NULL; during = m = 60 => critical, the WAL of the slot is lost, and nobody uses it | status = lost; bytes = NULL; during = m = 0 => silent | status = reserved; bytes = NULL => silent
