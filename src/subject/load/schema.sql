CREATE TABLE pgperf.database_history (
    node_id                    uuid NOT NULL,
    sample_id                  bigint NOT NULL,
    taken_at                   timestamptz NOT NULL,
    run_id                     bigint,
    database_name              text,
    size_bytes                 bigint,
    numbackends                bigint,
    xact_commit                bigint,
    xact_rollback              bigint,
    blks_read                  bigint,
    blks_hit                   bigint,
    tup_returned               bigint,
    tup_fetched                bigint,
    tup_inserted               bigint,
    tup_updated                bigint,
    tup_deleted                bigint,
    temp_files                 bigint,
    temp_bytes                 bigint,
    deadlocks                  bigint,
    checksum_failures          bigint,
    checksum_last_failure      timestamptz,
    blk_read_time              float8,
    blk_write_time             float8,
    session_time               float8,
    active_time                float8,
    idle_in_transaction_time   float8,
    sessions                   bigint,
    sessions_abandoned         bigint,
    sessions_fatal             bigint,
    sessions_killed            bigint,
    parallel_workers_to_launch bigint,
    parallel_workers_launched  bigint,
    conflicts                  bigint,
    confl_tablespace           bigint,
    confl_lock                 bigint,
    confl_snapshot             bigint,
    confl_bufferpin            bigint,
    confl_deadlock             bigint,
    confl_active_logicalslot   bigint,
    stats_reset                timestamptz,
    databases_mark             bigint
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('database_history', 'database');
COMMENT ON TABLE pgperf.database_history IS 'pg_stat_database and pg_stat_database_conflicts, under their own names: this database, and all databases together. Columns that the server''s version lacks are NULL';
COMMENT ON COLUMN pgperf.database_history.database_name IS 'Name of the database; NULL: all databases together, including what belongs to none (shared catalogs)';
COMMENT ON COLUMN pgperf.database_history.size_bytes IS 'Size of the database; not in a run''s interval samples';
COMMENT ON COLUMN pgperf.database_history.blk_read_time IS 'Milliseconds spent reading blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.database_history.blk_write_time IS 'Milliseconds spent writing blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.database_history.session_time IS 'Milliseconds that sessions lasted; the clients of a run are background workers and are not counted';
COMMENT ON COLUMN pgperf.database_history.stats_reset IS 'When these statistics were last reset, other than those of a single table; for all databases together, the latest reset';
COMMENT ON COLUMN pgperf.database_history.databases_mark IS 'For all databases together: changes when one is created, dropped or has its statistics reset; counters can be subtracted only between equal marks';
GRANT SELECT ON pgperf.database_history TO pg_monitor;
SELECT pgperf_internal.create_delta_view('database_history', '{database_name}', '{size_bytes,numbackends}',
    lived_on => 's.epoch = ps.epoch AND h.databases_mark IS NOT DISTINCT FROM p.databases_mark');
