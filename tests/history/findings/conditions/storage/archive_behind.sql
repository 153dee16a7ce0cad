-- archive_behind of archive
-- conditions: storage/archive_behind.sql 7
-- also: archive_failures
-- mode: on
-- ready_s: 600
-- failed: NULL
-- during: m = 60
INSERT INTO pgperf.archiver_history (node_id, sample_id, taken_at, archive_mode, archived_count, failed_count, last_failed_wal, last_failed_time, last_archived_time, ready_files, oldest_ready_s, behind_bytes)
SELECT node_id, sample_id, taken_at, '{mode}', 1, 0, 'x', {failed}, taken_at, 40, {ready_s}, 1e9 FROM tick WHERE {during};

-- rows
-- ten minutes | 10m 1h 1d | => warning, weight=117 kind=server & 40 WAL files wait to be archived, the oldest since & the archive is 954 MB behind | ready_s = 599.9 => silent
-- critical from an hour on | | ready_s = 3600 => critical, weight=299 | ready_s = 3599.9 => warning
-- the last sample counts | | during = m >= 0; ready_s = CASE WHEN m = 60 THEN 1 ELSE 900 END => silent | during = m >= 0; ready_s = CASE WHEN m = 60 THEN 900 ELSE 1 END => warning, since=45
-- in the window | 10m 1h 1d | during = m = 0 => silent | during = m = 1 => warning, at=1
-- failures are reported as such | | failed = taken_at - interval '59 minutes' => silent | failed = taken_at - interval '60 minutes' => warning
-- not while it is off | | mode = off => silent
