-- What sessions were seen waiting for, in each of {points} stretches of the window. Who waits for a worker to end, as CALL pgperf.run does
-- for its run, is left out: it works no more than who waits for a client.
SELECT {stretch} AS stretch,
       h.backend_type, h.state, h.wait_event_type, h.wait_event, pg_catalog.sum(h.seen) AS seen, pg_catalog.max(h.seen) AS most
FROM pgperf.wait_history h
WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz AND h.source = 'activity'{of_run}
  AND (h.wait_event IN ('BgWorkerShutdown', 'BgworkerShutdown')) IS NOT TRUE
GROUP BY 1, h.backend_type, h.state, h.wait_event_type, h.wait_event
