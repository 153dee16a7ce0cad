-- observer of samples
-- conditions: record/observer.sql 6
-- cpu: 1180
-- run: NULL
-- wal: 1048576
UPDATE pgperf.samples s SET cpu_ms = {cpu}, run_id = {run}, wal_bytes = {wal} FROM tick WHERE s.sample_id = tick.sample_id;

-- rows
-- 2 % of a CPU | 1h | => warning, weight=102 kind=history & since=1 until=60: pgperf's samples took 70.8 s of CPU time, 2.0 % of one CPU, and wrote 60 MB of WAL | cpu = 1179.9 => silent
-- 2 % of a CPU | 10m | cpu = 196.7 => warning | cpu = 196.6 => silent
-- 2 % of a CPU | 1d | cpu = 28320 => warning | cpu = 28319 => silent
-- ten seconds | 5m | cpu = 166.7 => warning | cpu = 166.6 => silent
-- of the samples of a window | | cpu = CASE WHEN m <= 0 THEN 100000 ELSE 0 END => silent | cpu = CASE WHEN m = 1 THEN 71000 ELSE 0 END => warning | cpu = CASE WHEN m = 60 THEN 71000 ELSE 0 END => warning
-- runs take their own | | run = 5 => silent | run = CASE WHEN m = 30 THEN 5 END; cpu = 1200 => warning, 70.8 s | run = CASE WHEN m = 30 THEN 5 END => silent
