CREATE TABLE pgperf.statement_history (
    node_id                uuid NOT NULL,
    sample_id              bigint NOT NULL,
    taken_at               timestamptz NOT NULL,
    run_id                 bigint,
    queryid                bigint NOT NULL,
    userid                 oid NOT NULL,
    dbid                   oid NOT NULL,
    toplevel               boolean NOT NULL,
    before_sample_id       bigint,
    role_name              text,
    database_name          text,
    statements             bigint,
    left_out               bigint,
    dealloc                bigint,
    min_plan_time          float8,
    max_plan_time          float8,
    mean_plan_time         float8,
    stddev_plan_time       float8,
    min_exec_time          float8,
    max_exec_time          float8,
    mean_exec_time         float8,
    stddev_exec_time       float8,
    plans                  bigint,
    total_plan_time        float8,
    plan_time_squares      float8,
    calls                  bigint,
    total_exec_time        float8,
    exec_time_squares      float8,
    rows                   bigint,
    shared_blks_hit        bigint,
    shared_blks_read       bigint,
    shared_blks_dirtied    bigint,
    shared_blks_written    bigint,
    local_blks_hit         bigint,
    local_blks_read        bigint,
    local_blks_dirtied     bigint,
    local_blks_written     bigint,
    temp_blks_read         bigint,
    temp_blks_written      bigint,
    shared_blk_read_time   float8,
    shared_blk_write_time  float8,
    local_blk_read_time    float8,
    local_blk_write_time   float8,
    temp_blk_read_time     float8,
    temp_blk_write_time    float8,
    wal_records            bigint,
    wal_fpi                bigint,
    wal_bytes              bigint,
    wal_buffers_full       bigint,
    jit_functions          bigint,
    jit_generation_time    float8,
    jit_inlining_count     bigint,
    jit_inlining_time      float8,
    jit_optimization_count bigint,
    jit_optimization_time  float8,
    jit_emission_count     bigint,
    jit_emission_time      float8,
    jit_deform_count       bigint,
    jit_deform_time        float8,
    parallel_workers_to_launch bigint,
    parallel_workers_launched  bigint,
    generic_plan_calls     bigint,
    custom_plan_calls      bigint,
    stats_since            timestamptz,
    minmax_stats_since     timestamptz,
    stats_reset            timestamptz,
    max_left_out_time      float8,
    exec_reads             bigint,
    exec_system_time       float8,
    exec_user_time         float8,
    exec_writes            bigint,
    postponed_since        timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('statement_history', 'statements', object => '{queryid,userid,dbid,toplevel}', indexes => '{"(node_id, queryid, sample_id)", USING brin (taken_at)}');
COMMENT ON TABLE pgperf.statement_history IS 'pg_stat_statements, under its own names (those of its version 1.11 and later): the statements called since their previous row, the 500 that took most of the time. The sampler postpones the row of a statement that came to less than a 50th of all calls, time, blocks read, WAL and temporary files of an interval, or is its own, for up to ten samples. Columns that the installed version of the extension lacks are NULL, as are those of pg_stat_kcache where it is not installed';
COMMENT ON COLUMN pgperf.statement_history.queryid IS 'Identifier of the statement; 0: all statements together, without nested ones, which are part of those that call them';
COMMENT ON COLUMN pgperf.statement_history.statements IS 'For all together: number of statements in pg_stat_statements';
COMMENT ON COLUMN pgperf.statement_history.before_sample_id IS 'The sample of the row with which this one was compared; NULL: the first';
COMMENT ON COLUMN pgperf.statement_history.left_out IS 'For all together: number of statements that were called but got no row';
COMMENT ON COLUMN pgperf.statement_history.max_left_out_time IS 'For all together: the most milliseconds that one of those left out whose time no recent row tells has taken in all; NULL: none was left out';
COMMENT ON COLUMN pgperf.statement_history.postponed_since IS 'For all together: rows were postponed, of statements whose previous row is not older than this; NULL: none was';
COMMENT ON COLUMN pgperf.statement_history.dealloc IS 'For all together: how often pg_stat_statements has evicted the least used statements';
COMMENT ON COLUMN pgperf.statement_history.mean_exec_time IS 'Average execution time in milliseconds since the statement was first seen; for an interval see pgperf.statement_rates';
COMMENT ON COLUMN pgperf.statement_history.exec_time_squares IS 'Sum of the squares of the execution times in square milliseconds: from calls, mean and standard deviation';
COMMENT ON COLUMN pgperf.statement_history.shared_blk_read_time IS 'Milliseconds spent reading blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_history.stats_reset IS 'When all of pg_stat_statements was last reset';

CREATE TABLE pgperf.statement_texts (
    node_id  uuid NOT NULL,
    queryid  bigint NOT NULL,
    dbid     oid NOT NULL,
    taken_at timestamptz NOT NULL,
    query    text
);
-- Not unique: a sample must not wait for another that stores the same text.
CREATE INDEX statement_texts_object_idx ON pgperf.statement_texts (node_id, queryid, dbid);
ALTER TABLE pgperf.statement_texts REPLICA IDENTITY FULL;
COMMENT ON TABLE pgperf.statement_texts IS 'Texts of the statements in statement_history, as in pg_stat_statements when first seen; at most 10,000 characters';
COMMENT ON COLUMN pgperf.statement_texts.taken_at IS 'When it was first seen';
SELECT pg_catalog.pg_extension_config_dump('pgperf.statement_texts', '');
GRANT SELECT ON pgperf.statement_history, pgperf.statement_texts TO pg_monitor;

-- pg_stat_statements survives a restart, so the epoch of the sample says nothing. From version 1.11 on it reports when it
-- began to count a statement. Before, counters that fell and extremes, which only widen, reveal a statement that was reset or evicted and
-- came back; and one that has no row is new if the sample before left out none.
SELECT pgperf_internal.create_delta_view('statement_history', '{queryid,userid,dbid,toplevel}',
    '{role_name,database_name,statements,left_out,dealloc}', sparse => true,
    lived_on => 'CASE WHEN h.queryid = 0 THEN h.dealloc = p.dealloc
                      WHEN h.stats_since IS NOT NULL THEN h.stats_since = p.stats_since
                      ELSE LEAST(h.calls - p.calls, h.total_exec_time - p.total_exec_time, h.rows - p.rows, h.shared_blks_hit - p.shared_blks_hit,
                                 h.shared_blks_read - p.shared_blks_read, h.temp_blks_written - p.temp_blks_written, h.wal_bytes - p.wal_bytes) >= 0
                           AND h.min_exec_time <= p.min_exec_time AND h.max_exec_time >= p.max_exec_time END',
    began => 'h.queryid <> 0 AND CASE WHEN h.stats_since IS NOT NULL THEN h.stats_since > c.taken_at ELSE c.left_out = 0 END',
    later => '{exec_user_time,exec_system_time,exec_reads,exec_writes}');

-- Column by column: those of later releases come last.
CREATE VIEW pgperf.statement_rates AS
SELECT d.node_id, d.sample_id, d.taken_at, d.run_id, d.queryid, d.userid, d.dbid, d.toplevel, d.seconds, d.role_name, d.database_name, d.statements,
       d.left_out, d.dealloc, d.plans, d.total_plan_time, d.plan_time_squares, d.calls, d.total_exec_time, d.exec_time_squares, d.rows,
       d.shared_blks_hit, d.shared_blks_read, d.shared_blks_dirtied, d.shared_blks_written, d.local_blks_hit, d.local_blks_read, d.local_blks_dirtied,
       d.local_blks_written, d.temp_blks_read, d.temp_blks_written, d.shared_blk_read_time, d.shared_blk_write_time, d.local_blk_read_time,
       d.local_blk_write_time, d.temp_blk_read_time, d.temp_blk_write_time, d.wal_records, d.wal_fpi, d.wal_bytes, d.wal_buffers_full, d.jit_functions,
       d.jit_generation_time, d.jit_inlining_count, d.jit_inlining_time, d.jit_optimization_count, d.jit_optimization_time, d.jit_emission_count,
       d.jit_emission_time, d.jit_deform_count, d.jit_deform_time, d.parallel_workers_to_launch, d.parallel_workers_launched, d.generic_plan_calls,
       d.custom_plan_calls, d.plans_per_s, d.total_plan_time_per_s, d.plan_time_squares_per_s, d.calls_per_s, d.total_exec_time_per_s,
       d.exec_time_squares_per_s, d.rows_per_s, d.shared_blks_hit_per_s, d.shared_blks_read_per_s, d.shared_blks_dirtied_per_s,
       d.shared_blks_written_per_s, d.local_blks_hit_per_s, d.local_blks_read_per_s, d.local_blks_dirtied_per_s, d.local_blks_written_per_s,
       d.temp_blks_read_per_s, d.temp_blks_written_per_s, d.shared_blk_read_time_per_s, d.shared_blk_write_time_per_s, d.local_blk_read_time_per_s,
       d.local_blk_write_time_per_s, d.temp_blk_read_time_per_s, d.temp_blk_write_time_per_s, d.wal_records_per_s, d.wal_fpi_per_s, d.wal_bytes_per_s,
       d.wal_buffers_full_per_s, d.jit_functions_per_s, d.jit_generation_time_per_s, d.jit_inlining_count_per_s, d.jit_inlining_time_per_s,
       d.jit_optimization_count_per_s, d.jit_optimization_time_per_s, d.jit_emission_count_per_s, d.jit_emission_time_per_s, d.jit_deform_count_per_s,
       d.jit_deform_time_per_s, d.parallel_workers_to_launch_per_s, d.parallel_workers_launched_per_s, d.generic_plan_calls_per_s,
       d.custom_plan_calls_per_s,
       d.total_exec_time / NULLIF(d.calls, 0) AS mean_exec_time,
       CASE WHEN d.calls > 0 AND d.exec_time_squares IS NOT NULL AND d.total_exec_time IS NOT NULL
            THEN pg_catalog.sqrt(GREATEST(0, d.exec_time_squares / d.calls - (d.total_exec_time / d.calls) * (d.total_exec_time / d.calls))) END AS stddev_exec_time,
       d.total_plan_time / NULLIF(d.plans, 0) AS mean_plan_time,
       100 * d.shared_blks_hit / NULLIF(d.shared_blks_hit + d.shared_blks_read, 0)::float8 AS hit_percent,
       t.query,
       d.exec_user_time, d.exec_system_time, d.exec_reads, d.exec_writes,
       d.exec_user_time_per_s, d.exec_system_time_per_s, d.exec_reads_per_s, d.exec_writes_per_s
FROM pgperf.statement_deltas d
LEFT JOIN LATERAL (SELECT x.query FROM pgperf.statement_texts x
                   WHERE x.node_id = d.node_id AND x.queryid = d.queryid AND x.dbid = d.dbid LIMIT 1) t ON true;
COMMENT ON VIEW pgperf.statement_rates IS 'pgperf.statement_deltas with the mean and standard deviation of the time since the previous sample, and the text';
GRANT SELECT ON pgperf.statement_rates TO pg_monitor;
