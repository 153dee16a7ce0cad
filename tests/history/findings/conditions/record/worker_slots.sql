-- worker_slots of worker slots
-- conditions: record/worker_slots.sql 8
-- short: m = 30
UPDATE pgperf.samples s SET short_of_workers = {short} FROM tick WHERE s.sample_id = tick.sample_id;

-- rows
-- any | 10m 1h 1d | => warning, weight=102 kind=server & at=30 since=30 until=30: no worker slot was free for the sampler, as 1 of 60 samples say; max_worker_processes is | short = false => silent | short = NULL => silent
-- in the window | 10m 1h 1d | short = m = 0 => silent | short = m < 0 => silent | short = m = 1 => warning, at=1 since=1 | short = m = 60 => warning, at=60
-- all of them | | short = m IN (10, 30) => warning, as 2 of 60 & at=30 since=10 | short = true => warning, as 60 of 60 & weight=199
