CREATE TABLE pgperf.slru_history (
    node_id      uuid NOT NULL,
    sample_id    bigint NOT NULL,
    taken_at     timestamptz NOT NULL,
    run_id       bigint,
    name         text NOT NULL,
    blks_zeroed  bigint,
    blks_hit     bigint,
    blks_read    bigint,
    blks_written bigint,
    blks_exists  bigint,
    flushes      bigint,
    truncates    bigint,
    stats_reset  timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('slru_history', 'slru');
COMMENT ON TABLE pgperf.slru_history IS 'The SLRU caches of pg_stat_slru: transaction status, subtransactions, multixacts, notifications and others, of the whole server';
COMMENT ON COLUMN pgperf.slru_history.name IS 'As the server names it: Subtrans, from PostgreSQL 17 on subtransaction';
COMMENT ON COLUMN pgperf.slru_history.blks_zeroed IS 'Pages that began empty';
COMMENT ON COLUMN pgperf.slru_history.blks_hit IS 'Pages that were found in the cache';
COMMENT ON COLUMN pgperf.slru_history.blks_read IS 'Pages that had to be read from their file';
COMMENT ON COLUMN pgperf.slru_history.blks_written IS 'Pages that were written to their file';
COMMENT ON COLUMN pgperf.slru_history.blks_exists IS 'How often the server looked whether a page exists';
COMMENT ON COLUMN pgperf.slru_history.flushes IS 'How often all dirty pages were flushed';
COMMENT ON COLUMN pgperf.slru_history.truncates IS 'How often old pages were removed';
COMMENT ON COLUMN pgperf.slru_history.stats_reset IS 'When these statistics were last reset';
GRANT SELECT ON pgperf.slru_history TO pg_monitor;
SELECT pgperf_internal.create_delta_view('slru_history', '{name}');
