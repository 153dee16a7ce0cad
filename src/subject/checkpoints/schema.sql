CREATE TABLE pgperf.checkpoint_history (
    node_id               uuid NOT NULL,
    sample_id             bigint NOT NULL,
    taken_at              timestamptz NOT NULL,
    run_id                bigint,
    in_progress           boolean,
    redo_lsn              pg_lsn,
    checkpoint_lsn        pg_lsn,
    checkpoint_time       timestamptz,
    num_timed             bigint,
    num_requested         bigint,
    num_done              bigint,
    restartpoints_timed   bigint,
    restartpoints_req     bigint,
    restartpoints_done    bigint,
    write_time            float8,
    sync_time             float8,
    buffers_written       bigint,
    slru_written          bigint,
    buffers_clean         bigint,
    maxwritten_clean      bigint,
    buffers_backend       bigint,
    buffers_backend_fsync bigint,
    buffers_alloc         bigint,
    stats_reset           timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('checkpoint_history', 'checkpoints');
COMMENT ON TABLE pgperf.checkpoint_history IS 'Checkpoints and the background writer, under the names of pg_stat_checkpointer and pg_stat_bgwriter of PostgreSQL 17 and later. Columns that the server''s version lacks are NULL';
COMMENT ON COLUMN pgperf.checkpoint_history.in_progress IS 'Whether a checkpoint (on a standby: a restartpoint) was being written; NULL: a target, of which nobody here can see it';
COMMENT ON COLUMN pgperf.checkpoint_history.redo_lsn IS 'Redo position of the latest complete checkpoint, where recovery after a crash would begin; NULL: a target whose role may not read the control file';
COMMENT ON COLUMN pgperf.checkpoint_history.checkpoint_lsn IS 'Position of the latest complete checkpoint''s own record';
COMMENT ON COLUMN pgperf.checkpoint_history.checkpoint_time IS 'When the latest complete checkpoint began';
COMMENT ON COLUMN pgperf.checkpoint_history.write_time IS 'Milliseconds that checkpoints spent writing buffers';
COMMENT ON COLUMN pgperf.checkpoint_history.buffers_backend IS 'Buffers that backends had to write themselves; PostgreSQL 15 and 16, later in io_history';
GRANT SELECT ON pgperf.checkpoint_history TO pg_monitor;
SELECT pgperf_internal.create_delta_view('checkpoint_history', '{}', '{}');
