-- slot_holds_wal of slot {n}
-- conditions: replication/slot_holds_wal.sql 21
-- bytes: 1073741824
-- kind: slot
-- active: false
-- status: extended
-- inactive_since: NULL
-- during: m BETWEEN 1 AND 6
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, active, retained_bytes, wal_status, inactive_since)
SELECT node_id, sample_id, taken_at, '{kind}', 'slot {n}', {active}, {bytes}, '{status}', {inactive_since} FROM tick WHERE {during};

-- rows
-- at least 1 GB | | => warning, weight=101 kind=replication slot & at=6 since=1 until=6: the slot keeps 1024 MB of WAL, and nobody uses it & fix=SELECT pg_drop_replication_slot | bytes = 1073741823 => silent
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
-- critical from 50 GB on | | bytes = 53687091200 => critical, 50 GB of WAL | bytes = 53687091199 => warning
