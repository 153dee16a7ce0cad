-- no_samples of samples
-- conditions: record/no_samples.sql 4, record/source.sql 23
-- also: gap
-- gone: m > 0
DELETE FROM pgperf.samples s USING tick WHERE s.sample_id = tick.sample_id AND ({gone});

-- rows
-- not one | 10m 1h 1d | => warning, weight=150 kind=history & at=60 since=0 until=60: the history has no sample of this window & fix=SELECT pgperf.start_sampler() | gone = m <> 30 => silent
-- in the window | 10m 1h 1d | gone = true => warning | gone = m <> 1 => silent | gone = m <> 60 => silent
