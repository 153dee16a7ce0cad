-- What sessions were seen waiting for, in each of {points} stretches of the window.
SELECT {stretch} AS stretch,
       h.backend_type, h.state, h.wait_event_type, h.wait_event, pg_catalog.sum(h.seen) AS seen, pg_catalog.max(h.seen) AS most
FROM pgperf.wait_history h
WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz AND h.source = 'activity'
GROUP BY 1, h.backend_type, h.state, h.wait_event_type, h.wait_event
