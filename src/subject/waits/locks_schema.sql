CREATE TABLE pgperf.lock_history (
    node_id           uuid NOT NULL,
    sample_id         bigint NOT NULL,
    taken_at          timestamptz NOT NULL,
    run_id            bigint,
    lock_type         text NOT NULL,
    waits             bigint,
    wait_time         float8,
    fastpath_exceeded bigint,
    stats_reset       timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('lock_history', 'locks');
COMMENT ON TABLE pgperf.lock_history IS 'Long waits for locks by type of lock, from pg_stat_lock, of the whole server; PostgreSQL 19';
COMMENT ON COLUMN pgperf.lock_history.lock_type IS 'What was locked: relation, transactionid (a row that another transaction changes), tuple, extend, advisory and others';
COMMENT ON COLUMN pgperf.lock_history.waits IS 'Waits that were longer than deadlock_timeout and ended with the lock';
COMMENT ON COLUMN pgperf.lock_history.wait_time IS 'Their time in milliseconds';
COMMENT ON COLUMN pgperf.lock_history.fastpath_exceeded IS 'Locks of relations that had no place left in the fast path of their session and went through the lock table that all share';
COMMENT ON COLUMN pgperf.lock_history.stats_reset IS 'When these statistics were last reset';
GRANT SELECT ON pgperf.lock_history TO pg_monitor;
SELECT pgperf_internal.create_delta_view('lock_history', '{lock_type}');
