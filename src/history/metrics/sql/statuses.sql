SELECT c.name AS collector, last.status, 1 AS collector_status
  FROM pgperf.collectors c
 CROSS JOIN LATERAL (
       SELECT s.outcomes -> c.name ->> 'status' AS status
         FROM pgperf.samples s
        WHERE s.node_id = $1::uuid AND s.taken_at > now() - interval '1 day' AND s.outcomes ? c.name
        ORDER BY s.sample_id DESC
        LIMIT 1) last
 WHERE c.enabled
