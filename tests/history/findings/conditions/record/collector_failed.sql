-- collector_failed of collector {n}
-- conditions: record/collector_failed.sql 4
-- status: failed
-- at: m = 30
-- reason: 'a reason'
UPDATE pgperf.samples s SET outcomes = outcomes || jsonb_build_object('collector {n}', jsonb_build_object('status', CASE WHEN {at} THEN '{status}' ELSE 'ok' END, 'reason', {reason}))
FROM tick WHERE s.sample_id = tick.sample_id;

-- rows
-- any | 10m 1h 1d | => note, weight=2 kind=collector & at=30 since=30 until=30: failed in 1 of 60 samples, last: a reason | status = ok => silent | status = skipped => silent
-- in the window | 10m 1h 1d | at = m = 0 => silent | at = m < 0 => silent | at = m = 1 => note, at=1 since=1 | at = m = 60 => note, at=60
-- the last reason | | at = m IN (10, 20, 30); reason = CASE WHEN m > 20 THEN 'third' ELSE 'first' END => note, failed in 3 of 60 samples, last: third & at=30 since=10 & weight=5 | at = m IN (10, 20, 30); reason = CASE WHEN m > 20 THEN 'a' ELSE 'z' END => note, last: a
-- of all samples | | at = true => note, failed in 60 of 60 & weight=99
