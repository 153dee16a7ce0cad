-- Not one sample.
SELECT NULL, 50, 'history', NULL, 'samples', $3::timestamptz, $2::timestamptz, $3::timestamptz,
       'the history has no sample of this window: nothing is known about it', '{}'::jsonb,
       CASE WHEN $1::uuid = (SELECT pgperf.local_node()) THEN 'SELECT pgperf.start_sampler()'
            ELSE (SELECT format('SELECT pgperf.start_sampler(server => %L)', s.srvname) FROM pgperf.nodes n JOIN pg_foreign_server s ON s.srvname = n.name
                   WHERE n.node_id = $1::uuid AND n.sampled_by = (SELECT pgperf.local_node())) END
WHERE NOT EXISTS (SELECT FROM counted)
