-- Not one sample.
SELECT NULL, 50, 'history', NULL, 'samples', $3::timestamptz, $2::timestamptz, $3::timestamptz,
       'the history has no sample of this window: nothing is known about it', '{}'::jsonb,
       CASE WHEN $1::uuid = (SELECT pgperf.local_node()) THEN 'SELECT pgperf.start_sampler()' END
WHERE NOT EXISTS (SELECT FROM counted)
