-- What sessions were seen waiting for, in each of {points} stretches of the window. The ends of the window are computed once.
SELECT pg_catalog.floor({points} * (pg_catalog.date_part('epoch', h.taken_at) - (SELECT pg_catalog.date_part('epoch', $2::pg_catalog.timestamptz)))
           / pg_catalog.date_part('epoch', $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz))::pg_catalog.int4 AS stretch,
       h.backend_type, h.state, h.wait_event_type, h.wait_event, pg_catalog.sum(h.seen) AS seen, pg_catalog.max(h.seen) AS most
FROM pgperf.wait_history h
WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz AND h.source = 'activity'
GROUP BY 1, h.backend_type, h.state, h.wait_event_type, h.wait_event
