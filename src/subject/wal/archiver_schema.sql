CREATE TABLE pgperf.archiver_history (
    node_id            uuid NOT NULL,
    sample_id          bigint NOT NULL,
    taken_at           timestamptz NOT NULL,
    run_id             bigint,
    archive_mode       text,
    archived_count     bigint,
    failed_count       bigint,
    last_archived_wal  text,
    last_archived_time timestamptz,
    last_failed_wal    text,
    last_failed_time   timestamptz,
    ready_files        bigint,
    oldest_ready_s     float8,
    current_lsn        pg_lsn,
    behind_bytes       bigint,
    stats_reset        timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('archiver_history', 'archiver');
COMMENT ON TABLE pgperf.archiver_history IS 'The archive of the WAL, from pg_stat_archiver, and the files of the WAL that wait for it';
COMMENT ON COLUMN pgperf.archiver_history.archive_mode IS 'The setting: off, on or always';
COMMENT ON COLUMN pgperf.archiver_history.archived_count IS 'Files that were archived';
COMMENT ON COLUMN pgperf.archiver_history.failed_count IS 'Attempts to archive a file that failed';
COMMENT ON COLUMN pgperf.archiver_history.last_archived_wal IS 'The file that was archived last';
COMMENT ON COLUMN pgperf.archiver_history.last_archived_time IS 'When that was';
COMMENT ON COLUMN pgperf.archiver_history.last_failed_wal IS 'The file whose archiving failed last';
COMMENT ON COLUMN pgperf.archiver_history.last_failed_time IS 'When that was';
COMMENT ON COLUMN pgperf.archiver_history.ready_files IS 'Files that wait to be archived; NULL: unknown';
COMMENT ON COLUMN pgperf.archiver_history.oldest_ready_s IS 'For how many seconds the oldest of these has waited; NULL: none waits';
COMMENT ON COLUMN pgperf.archiver_history.current_lsn IS 'Where the server wrote WAL';
COMMENT ON COLUMN pgperf.archiver_history.behind_bytes IS 'WAL from the end of the segment archived last up to there. The segment that is being written is a part of it; NULL: no segment was archived last';
COMMENT ON COLUMN pgperf.archiver_history.stats_reset IS 'When these statistics were last reset';
GRANT SELECT ON pgperf.archiver_history TO pg_monitor;
SELECT pgperf_internal.create_delta_view('archiver_history', '{}', '{ready_files,oldest_ready_s,behind_bytes}');
