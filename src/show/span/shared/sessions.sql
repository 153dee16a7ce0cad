-- Sessions at work, in each of {points} stretches of the window, and the observations of the stretch. Who waits for a worker to end, as
-- CALL pgperf.run does for its run, is left out: it works no more than who waits for a client.
WITH h AS MATERIALIZED (
    SELECT {stretch} AS stretch, h.sample_id, h.looks, h.seen, h.most, h.database_name, h.role_name, h.application_name, h.backend_type, h.state,
           h.query_id, h.wait_event_type, h.wait_event, h.longest_statement_s, h.longest_transaction_s
    FROM pgperf.session_history h
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz{of_run}),
looks AS (
    SELECT x.stretch, pg_catalog.sum(x.looks)::pg_catalog.int8 AS looks
    FROM (SELECT DISTINCT h.stretch, h.sample_id, h.looks FROM h) x GROUP BY x.stretch)
SELECT h.stretch, l.looks, h.database_name, h.role_name, h.application_name, h.backend_type, h.state, h.query_id, h.wait_event_type, h.wait_event,
       pg_catalog.sum(h.seen)::pg_catalog.int8 AS seen, pg_catalog.max(h.most)::pg_catalog.int8 AS most,
       pg_catalog.max(h.longest_statement_s) AS longest_statement_s, pg_catalog.max(h.longest_transaction_s) AS longest_transaction_s
FROM h JOIN looks l ON l.stretch = h.stretch
WHERE (h.wait_event IN ('BgWorkerShutdown', 'BgworkerShutdown')) IS NOT TRUE
GROUP BY h.stretch, l.looks, h.database_name, h.role_name, h.application_name, h.backend_type, h.state, h.query_id, h.wait_event_type, h.wait_event
