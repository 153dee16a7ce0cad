CREATE TABLE pgperf.wait_profile_history (
    node_id         uuid NOT NULL,
    sample_id       bigint NOT NULL,
    taken_at        timestamptz NOT NULL,
    run_id          bigint,
    samples         bigint NOT NULL,
    period_ms       integer NOT NULL,
    in_statement    boolean NOT NULL,
    wait_event_type text,
    wait_event      text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('wait_profile_history', 'wait_profile');
COMMENT ON TABLE pgperf.wait_profile_history IS 'Waits of all processes by event, as pg_wait_sampling counts them; without rows where it is not installed. Processes waiting for work (type Activity) are left out';
COMMENT ON COLUMN pgperf.wait_profile_history.samples IS 'How often a process was seen waiting so since the profile began; times period_ms: how long they waited';
COMMENT ON COLUMN pgperf.wait_profile_history.period_ms IS 'Milliseconds between two looks: pg_wait_sampling.profile_period';
COMMENT ON COLUMN pgperf.wait_profile_history.in_statement IS 'Whether it waited while it executed a statement; false: also where pg_wait_sampling.profile_queries is off';
COMMENT ON COLUMN pgperf.wait_profile_history.wait_event_type IS 'The type of the wait event; NULL: it did not wait (pg_wait_sampling.sample_cpu)';
COMMENT ON COLUMN pgperf.wait_profile_history.wait_event IS 'The wait event';
GRANT SELECT ON pgperf.wait_profile_history TO pg_monitor;
-- An event that the sample before did not have was seen since.
SELECT pgperf_internal.create_delta_view('wait_profile_history', '{wait_event_type,wait_event,in_statement}', '{period_ms}', began => 's.epoch = cs.epoch');
