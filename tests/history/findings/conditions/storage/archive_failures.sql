-- archive_failures of archive_command
-- conditions: storage/archive_failures.sql 4, storage/source.sql 14
-- mode: on
-- failed: taken_at - interval '1 second'
-- archived: taken_at
-- count: 1
-- reset: NULL
-- during: m = 30
INSERT INTO pgperf.archiver_history (node_id, sample_id, taken_at, archive_mode, archived_count, failed_count, last_failed_wal, last_failed_time, last_archived_time, ready_files, oldest_ready_s, stats_reset)
SELECT node_id, sample_id, taken_at, '{mode}', 1, {count}, '0000000100000000000000' || to_char(m, 'FM00'), {failed}, {archived}, 0, NULL, {reset} FROM tick WHERE {during};

-- rows
-- any | 10m 1h 1d | => warning, weight=190 kind=server & archiving of 000000010000000000000030 failed at & ; the last success was at | failed = NULL => silent
-- in the window | 10m 1h 1d | failed = taken_at - 30 * {ms} * interval '1 ms' => silent | failed = taken_at - 29 * {ms} * interval '1 ms' => warning, at=1 since=1
-- up to its end | | during = m = 60; failed = taken_at; archived = taken_at + interval '1 s' => warning, at=60 | during = m = 60; failed = taken_at + interval '1 s'; archived = taken_at + interval '2 s' => silent
-- seen in the window | | during = m = 0 => silent | during = m = 60 => warning | during = m = 1; failed = taken_at => warning, at=1
-- critical without any | | archived = NULL => critical, and none has succeeded since | archived = taken_at - interval '2 s' => critical | archived = taken_at - interval '0.999 s' => warning
-- a success that a later sample saw | | during = m IN (30, 40); failed = (SELECT x.taken_at FROM tick x WHERE x.m = 30); archived = CASE WHEN m > 30 THEN taken_at END => warning
-- the last failure is named | 1h | during = m IN (30, 40) => warning, of 000000010000000000000040 failed & at=39.98 since=29.98
-- number of failures | | during = m >= -60; count = GREATEST(0, m - 57) => warning, failures in the window: 3 | during = m >= -60; count = LEAST(m + 100, 100) => warning, "failures": null
-- and those of the sample before | | during = m IN (-59, 30); count = m + 100 => warning, failures in the window: 89 | during = m IN (-60, 30); count = m + 100 => warning, "failures": null
-- counters that began again | | during = m IN (29, 30); count = m; reset = CASE WHEN m = 30 THEN taken_at END => warning, "failures": null | during = m IN (28, 30); count = m => warning, failures in the window: 2
-- not while it is off | | mode = off => silent | mode = always => warning
