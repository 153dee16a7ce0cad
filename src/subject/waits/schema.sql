CREATE TABLE pgperf.wait_history (
    node_id         uuid NOT NULL,
    sample_id       bigint NOT NULL,
    taken_at        timestamptz NOT NULL,
    run_id          bigint,
    source          text NOT NULL CHECK (source IN ('activity', 'run clients')),
    backend_type    text,
    state           text,
    wait_event_type text,
    wait_event      text,
    looks           bigint NOT NULL,
    seen            bigint NOT NULL
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('wait_history', 'waits');
COMMENT ON TABLE pgperf.wait_history IS 'Wait events in which sessions were seen; processes waiting for work (type Activity) are left out';
COMMENT ON COLUMN pgperf.wait_history.source IS 'activity: one look at pg_stat_activity, including the clients of runs; run clients: the run''s own clients, observed every 10 ms since the previous sample';
COMMENT ON COLUMN pgperf.wait_history.wait_event IS 'The wait event; NULL: it did not wait; while active, it was on a CPU or ready for one. Extension: a client of a run between its transactions (rate, think time, \sleep); BgWorkerShutdown (from 17 on BgworkerShutdown): a session waits for a worker to end, as CALL pgperf.run does';
COMMENT ON COLUMN pgperf.wait_history.looks IS 'Number of observations';
COMMENT ON COLUMN pgperf.wait_history.seen IS 'Sessions seen in this state, summed over all looks; seen / looks is their average number';
GRANT SELECT ON pgperf.wait_history TO pg_monitor;

CREATE VIEW pgperf.wait_rates AS
SELECT w.*, w.seen::float8 / w.looks AS average_sessions,
       100 * w.seen / pg_catalog.sum(w.seen) OVER (PARTITION BY w.node_id, w.sample_id, w.source)::float8 AS percent
FROM pgperf.wait_history w;
COMMENT ON VIEW pgperf.wait_rates IS 'pgperf.wait_history with the average number of sessions, and their share of all sessions of the sample and source';
GRANT SELECT ON pgperf.wait_rates TO pg_monitor;
