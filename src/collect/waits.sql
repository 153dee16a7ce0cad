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
COMMENT ON TABLE pgperf.wait_history IS 'What sessions were seen waiting for; processes that wait for work (type Activity) are left out';
COMMENT ON COLUMN pgperf.wait_history.source IS 'activity: one look at pg_stat_activity, the clients of runs among the others; run clients: the run''s own clients, looked at each 10 ms since the sample before';
COMMENT ON COLUMN pgperf.wait_history.wait_event IS 'NULL: it did not wait; while active, it was on a CPU or wanted one. Extension: a client of a run between its transactions (rate, think time, \sleep)';
COMMENT ON COLUMN pgperf.wait_history.looks IS 'How often sessions were looked at';
COMMENT ON COLUMN pgperf.wait_history.seen IS 'How many sessions were seen so, over all looks; seen / looks is their average number';
GRANT SELECT ON pgperf.wait_history TO pg_monitor;

CREATE VIEW pgperf.wait_rates AS
SELECT w.*, w.seen::float8 / w.looks AS average_sessions,
       100 * w.seen / pg_catalog.sum(w.seen) OVER (PARTITION BY w.node_id, w.sample_id, w.source)::float8 AS percent
FROM pgperf.wait_history w;
COMMENT ON VIEW pgperf.wait_rates IS 'pgperf.wait_history with the average number of sessions, and their share of all of the sample and source';
GRANT SELECT ON pgperf.wait_rates TO pg_monitor;
