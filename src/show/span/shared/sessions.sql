-- Sessions at work, in each of {points} stretches of the window, with the observations of the stretch and the time that they stand for: without a
-- sampler, and of days that are reduced to one sample an hour, it is more than a second for each. Who waits for a worker to end, as CALL pgperf.run
-- does for its run, is left out: it works no more than who waits for a client.
WITH covered AS (
    SELECT {stretch} AS stretch, pg_catalog.sum(h.covered_s) AS covered_s
    FROM (SELECT p.taken_at, p.at_s - p.since_s AS covered_s FROM {samples} WHERE p.samples > 0) h GROUP BY 1),
h AS MATERIALIZED (
    SELECT {stretch} AS stretch, h.sample_id, h.looks, h.seen, h.most, h.database_name, h.role_name, h.application_name, h.backend_type, h.state,
           h.query_id, h.wait_event_type, h.wait_event, h.longest_statement_s, h.longest_transaction_s
    FROM pgperf.session_history h
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz{of_run}),
looks AS (
    SELECT x.stretch, pg_catalog.sum(x.looks)::pg_catalog.int8 AS looks
    FROM (SELECT DISTINCT h.stretch, h.sample_id, h.looks FROM h) x GROUP BY x.stretch)
SELECT h.stretch, l.looks, c.covered_s, h.database_name, h.role_name, h.application_name, h.backend_type, h.state, h.query_id, h.wait_event_type, h.wait_event,
       pg_catalog.sum(h.seen)::pg_catalog.int8 AS seen, pg_catalog.max(h.most)::pg_catalog.int8 AS most,
       pg_catalog.max(h.longest_statement_s) AS longest_statement_s, pg_catalog.max(h.longest_transaction_s) AS longest_transaction_s
FROM h JOIN looks l ON l.stretch = h.stretch LEFT JOIN covered c ON c.stretch = h.stretch
WHERE (h.wait_event IN ('BgWorkerShutdown', 'BgworkerShutdown')) IS NOT TRUE
GROUP BY h.stretch, l.looks, c.covered_s, h.database_name, h.role_name, h.application_name, h.backend_type, h.state, h.query_id, h.wait_event_type, h.wait_event
