CREATE TABLE pgperf.io_history (
    node_id        uuid NOT NULL,
    sample_id      bigint NOT NULL,
    taken_at       timestamptz NOT NULL,
    run_id         bigint,
    backend_type   text NOT NULL,
    object         text NOT NULL,
    context        text NOT NULL,
    op_bytes       bigint,
    reads          bigint,
    read_bytes     bigint,
    read_time      float8,
    writes         bigint,
    write_bytes    bigint,
    write_time     float8,
    writebacks     bigint,
    writeback_time float8,
    extends        bigint,
    extend_bytes   bigint,
    extend_time    float8,
    hits           bigint,
    evictions      bigint,
    reuses         bigint,
    fsyncs         bigint,
    fsync_time     float8,
    stats_reset    timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('io_history', 'io');
COMMENT ON TABLE pgperf.io_history IS 'pg_stat_io (PostgreSQL 16 and later), under its own names: the rows in which something was counted. Columns that the server''s version lacks are NULL';
COMMENT ON COLUMN pgperf.io_history.backend_type IS 'Type of the process; the clients of a run are background workers';
COMMENT ON COLUMN pgperf.io_history.op_bytes IS 'Bytes of one operation; PostgreSQL 16 and 17; later versions count read_bytes, write_bytes and extend_bytes';
COMMENT ON COLUMN pgperf.io_history.read_time IS 'Milliseconds spent reading; NULL, like all times, unless track_io_timing (for WAL: track_wal_io_timing) is or was on';
GRANT SELECT ON pgperf.io_history TO pg_monitor;
-- A missing row means that nothing had been counted.
SELECT pgperf_internal.create_delta_view('io_history', '{backend_type,object,context}', '{op_bytes}',
    began => 's.epoch = cs.epoch');
