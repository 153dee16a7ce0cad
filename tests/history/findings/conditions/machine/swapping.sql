-- swapping of memory
-- conditions: machine/swapping.sql 5
-- about: counters
-- into: CASE WHEN m >= 30 THEN 25600 ELSE 0 END
-- out: CASE WHEN m >= 30 THEN 25600 ELSE 0 END
-- boot: '00000000-0000-0000-0000-000000000001'
-- during: m >= -60
INSERT INTO pgperf.host_history (node_id, sample_id, taken_at, boot_id, cpus, cpu_user_ms, cpu_nice_ms, cpu_system_ms, cpu_idle_ms, swap_in_pages, swap_out_pages)
SELECT node_id, sample_id, taken_at, {boot}, 1, 0, 0, 0, (m + 60) * 60000, {into}, {out} FROM tick WHERE {during};

-- rows
-- 100 MB in both directions | 10m 1h | => warning, weight=160 kind=host & at=60 since=0 until=60: 100 MB were swapped in, 100 MB out | into = CASE WHEN m >= 30 THEN 25599 ELSE 0 END => silent | out = CASE WHEN m >= 30 THEN 25599 ELSE 0 END => silent
-- 100 MB an hour | 1d | into = CASE WHEN m >= 30 THEN 614400 ELSE 0 END; out = CASE WHEN m >= 30 THEN 614400 ELSE 0 END => warning | into = CASE WHEN m >= 30 THEN 614399 ELSE 0 END; out = CASE WHEN m >= 30 THEN 614400 ELSE 0 END => silent
-- in the window | 10m 1h | into = CASE WHEN m >= 1 THEN 25600 ELSE 0 END => warning | into = CASE WHEN m >= 0 THEN 25600 ELSE 0 END => silent
-- a step begins at most an hour before | 1h | during = m IN (-59, 40) => warning, since=-59 | during = m IN (-60, 40) => silent
-- the last sample before the window is the one to compare with | 1h | during = m IN (-59, -5, 40); into = CASE WHEN m >= -5 THEN 25600 ELSE 0 END => silent
-- counters that began again | | into = CASE WHEN m < 20 THEN 90000 WHEN m < 30 THEN 0 ELSE 25600 END => warning, 100 MB were swapped in | out = CASE WHEN m < 20 THEN 90000 WHEN m < 30 THEN 0 ELSE 25600 END => warning, 100 MB out
-- within one start of the machine | | boot = CASE WHEN m >= 30 THEN '00000000-0000-0000-0000-000000000002' ELSE '00000000-0000-0000-0000-000000000001' END::uuid => silent
