-- gap of samples
-- conditions: record/gap.sql 27
-- also: no_samples restart
-- gone: m BETWEEN 30 AND 34
-- cadence: interval '1 ms' * {ms}
-- run: NULL
UPDATE pgperf.samples s SET cadence = {cadence}, run_id = {run} FROM tick WHERE s.sample_id = tick.sample_id;
-- Another node's have no gap.
INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, cadence, elapsed_ms, cpu_ms, rows, pages, wal_bytes, outcomes)
SELECT '00000000-0000-0000-0000-0000000000bb', s.sample_id, s.taken_at, 1, interval '1 day', 1, 1, 1, 1, 0, '{}' FROM pgperf.samples s;
DELETE FROM pgperf.samples s USING tick WHERE s.node_id = tick.node_id AND s.sample_id = tick.sample_id AND ({gone});

-- rows
-- six times the interval | 10m 1h 1d | => note, weight=10 kind=history & at=35 since=29 until=35: gaps in the sampler's history: 1, & in all, the longest from | gone = m BETWEEN 30 AND 33 => silent
-- a minute | 10m | cadence = interval '1 s' => note | cadence = interval '1 s'; gone = m BETWEEN 30 AND 33 => silent
-- all of them | | gone = m BETWEEN 10 AND 14 OR m BETWEEN 20 AND 26 => note, history: 2, 00:14:00 in all & at=27 since=19 & weight=23
-- a warning from a quarter of the window on | 10m 1h 1d | gone = m BETWEEN 30 AND 43 => warning, weight=125 | gone = m BETWEEN 30 AND 42 => note | gone = m BETWEEN 10 AND 20 OR m BETWEEN 30 AND 42 => note
-- samples on demand are due at no time | | cadence = NULL => silent
-- and fill no gap | | gone = false; cadence = CASE WHEN m BETWEEN 30 AND 34 THEN NULL ELSE interval '1 minute' END => note
-- nor do those of runs | | gone = false; run = CASE WHEN m BETWEEN 30 AND 34 THEN 5 END => note | gone = false; run = 5 => silent
-- from the last sample before the window on | 10m 1h 1d | gone = m BETWEEN -3 AND 5 => note, since=-4 until=6 & weight=10 | gone = m BETWEEN -3 AND 4 => silent
-- of the last day | 1h | gone = m < 6 => silent
-- up to its end | 10m 1h 1d | gone = m > 54 => note, since=54 until=60 | gone = m > 55 => silent
-- before the window | | gone = m BETWEEN -20 AND -10 => silent
-- ten samples on each side tell it | | cadence = CASE WHEN m = 20 OR m >= 35 THEN interval '1 minute' ELSE interval '2 minutes' END => note | cadence = CASE WHEN m = 19 OR m >= 35 THEN interval '1 minute' ELSE interval '2 minutes' END => silent | cadence = CASE WHEN m < 30 OR m = 35 THEN interval '1 minute' ELSE interval '2 minutes' END => note | cadence = CASE WHEN m < 30 OR m = 44 THEN interval '1 minute' ELSE interval '2 minutes' END => note | cadence = CASE WHEN m < 30 OR m = 45 THEN interval '1 minute' ELSE interval '2 minutes' END => silent
-- the interval of that time, before and after it | | cadence = CASE WHEN m < 30 THEN interval '1 minute' ELSE interval '2 minutes' END => silent | cadence = CASE WHEN m < 30 THEN interval '2 minutes' ELSE interval '1 minute' END => silent | cadence = CASE WHEN m < 20 THEN interval '2 minutes' ELSE interval '1 minute' END => note | cadence = CASE WHEN m < 45 THEN interval '1 minute' ELSE interval '2 minutes' END => note
