-- file_system_full of space {n}
-- conditions: storage/file_system_full.sql 19
-- total: 100000000000
-- free: 4999999999
-- during: m % 5 = 0 AND m >= -60
-- files: '8:{n}'
INSERT INTO pgperf.tablespace_history (node_id, sample_id, taken_at, kind, name, size_bytes, file_system, file_system_bytes, free_bytes)
SELECT node_id, sample_id, taken_at, 'tablespace', 'space {n}', 1e9, {files}, {total}, {free} FROM tick WHERE {during};

-- rows
-- less than 5 % free | 10m 1h 1d | => critical, weight=295 kind=file system & 4768 MB of 93 GB are free (5.0 %) & "full_at": null | free = 5000000000 => silent
-- and less than 10 GB | | total = 1000000000000; free = 10737418239 => critical | total = 1000000000000; free = 10737418240 => silent
-- the last sample counts | | free = CASE WHEN m = 60 THEN 1e11 ELSE 1 END => silent | free = CASE WHEN m = 60 THEN 1 ELSE 1e6 END => critical, 1 bytes of
-- in the window | 10m 1h 1d | during = m % 5 = 0 AND m <= 0 => silent | during = m = 1 => critical
-- of a file system that is known | | total = 0; free = -1 => silent | total = NULL => silent
-- at the rate of both hours | 1h | total = 1e12; free = 839.9e8 + (60 - m) * 1e8 => warning, weight=192 & since=-60 & it lost 11 GB, and at this rate is full at | total = 1e12; free = 840.1e8 + (60 - m) * 1e8 => silent
-- at the rate of both stretches | 10m 1d | total = 1e12; free = 419e8 + (60 - m) * 1e8 => silent
-- seven times as long as looked at: half an hour | 1h | total = 1e12; during = m >= 30; free = 209e8 + (60 - m) * 1e8 => warning, since=30 | total = 1e12; during = m >= 30; free = 211e8 + (60 - m) * 1e8 => silent
-- at least half an hour | 1h | total = 1e12; during = m >= 31; free = 120e8 + (60 - m) * 1e8 => silent | total = 1e12; during = m >= 30; free = 120e8 + (60 - m) * 1e8 => warning
-- at least half an hour | 10m | total = 1e12; during = true; free = 120e8 + (60 - m) * 1e8 => critical | total = 1e12; during = m > -120; free = 120e8 + (60 - m) * 1e8 => silent
-- the lower of two rates: lost in the window alone | 1h | total = 1e12; free = 419e8 + LEAST(60 - m, 60) * 1e8 => warning | total = 1e12; free = 421e8 + LEAST(60 - m, 60) * 1e8 => silent
-- lost before it alone | 1h | total = 1e12; free = 120e8 + GREATEST(-m, 0) * 1e8 => silent | total = 1e12; free = 120e8 + GREATEST(20 - m, 0) * 1e8 => warning
-- lost before the last day | 2d | total = 1e12; free = 120e8 + GREATEST(30 - m, 0) * 1e8 => silent | total = 1e12; free = 120e8 + GREATEST(50 - m, 0) * 1e8 => warning
-- no further than a week | 2d | total = 1e12; free = 209e8 + (60 - m) * 1e8 => warning | total = 1e12; free = 211e8 + (60 - m) * 1e8 => silent
-- critical where the room lasts no longer than that | 1h | total = 1e12; free = 119.9e8 + (60 - m) * 1e8 => critical | total = 1e12; free = 120.1e8 + (60 - m) * 1e8 => warning
-- or than a day | 2d | total = 1e13; free = 29.9e9 + (60 - m) * 1e9 => critical | total = 1e13; free = 30.1e9 + (60 - m) * 1e9 => warning
-- it grew | | total = 1e12; free = 1e11 + m * 1e8 => silent
