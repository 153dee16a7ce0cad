CREATE TABLE pgperf.wal_history (
    node_id           uuid NOT NULL,
    sample_id         bigint NOT NULL,
    taken_at          timestamptz NOT NULL,
    run_id            bigint,
    insert_lsn        pg_lsn NOT NULL,
    flush_lsn         pg_lsn NOT NULL,
    wal_records       bigint,
    wal_fpi           bigint,
    wal_bytes         bigint,
    wal_buffers_full  bigint,
    wal_write         bigint,
    wal_sync          bigint,
    wal_write_time_ms float8,
    wal_sync_time_ms  float8
);
CREATE INDEX wal_history_sample_idx ON pgperf.wal_history (node_id, sample_id);
CREATE INDEX wal_history_taken_at_idx ON pgperf.wal_history USING brin (taken_at);
COMMENT ON TABLE pgperf.wal_history IS 'The whole server''s WAL: position, and the cumulative counters as the server gave them; subtract only within one epoch of pgperf.samples';
COMMENT ON COLUMN pgperf.wal_history.wal_bytes IS 'Bytes of records; the distance between two LSNs is 1 to 4 % more (page headers, alignment)';
COMMENT ON COLUMN pgperf.wal_history.wal_write IS 'Writes of WAL buffers; from PostgreSQL 18 on as counted in pg_stat_io (WAL receiver excluded)';
COMMENT ON COLUMN pgperf.wal_history.wal_sync IS 'Syncs of WAL files; from PostgreSQL 18 on as counted in pg_stat_io (WAL receiver excluded)';
COMMENT ON COLUMN pgperf.wal_history.wal_write_time_ms IS 'NULL unless track_wal_io_timing is on';
COMMENT ON COLUMN pgperf.wal_history.wal_sync_time_ms IS 'NULL unless track_wal_io_timing is on';
SELECT pg_catalog.pg_extension_config_dump('pgperf.wal_history', '');

CREATE TABLE pgperf.wal_rmgr_history (
    node_id          uuid NOT NULL,
    sample_id        bigint NOT NULL,
    taken_at         timestamptz NOT NULL,
    run_id           bigint,
    start_lsn        pg_lsn NOT NULL,
    end_lsn          pg_lsn NOT NULL,
    resource_manager text NOT NULL,
    record_type      text NOT NULL,
    records          bigint NOT NULL,
    record_bytes     bigint NOT NULL,
    fpi_bytes        bigint NOT NULL,
    sampled_percent  float8 NOT NULL
);
CREATE INDEX wal_rmgr_history_sample_idx ON pgperf.wal_rmgr_history (node_id, sample_id);
CREATE INDEX wal_rmgr_history_taken_at_idx ON pgperf.wal_rmgr_history USING brin (taken_at);
COMMENT ON TABLE pgperf.wal_rmgr_history IS 'What the WAL between two samples consisted of, read through pg_walinspect where that is installed';
COMMENT ON COLUMN pgperf.wal_rmgr_history.start_lsn IS 'Where reading began: the end of the sample before, or 64 MB before end_lsn if that is later';
COMMENT ON COLUMN pgperf.wal_rmgr_history.record_bytes IS 'Bytes of the records without their full-page images';
COMMENT ON COLUMN pgperf.wal_rmgr_history.fpi_bytes IS 'Bytes of full-page images';
COMMENT ON COLUMN pgperf.wal_rmgr_history.sampled_percent IS 'The share of the WAL since the sample before that was read, its newest part; 100: all of it';
SELECT pg_catalog.pg_extension_config_dump('pgperf.wal_rmgr_history', '');
GRANT SELECT ON pgperf.wal_history, pgperf.wal_rmgr_history TO pg_monitor;

CREATE FUNCTION pgperf.snapshot_wal()
RETURNS bigint LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'snapshot_wal_wrapper';
COMMENT ON FUNCTION pgperf.snapshot_wal() IS 'Records the WAL counters in pgperf.wal_history and, with pg_walinspect, what the WAL consisted of in pgperf.wal_rmgr_history; returns the sample_id';
REVOKE EXECUTE ON FUNCTION pgperf.snapshot_wal() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.snapshot_wal() TO pg_monitor;
