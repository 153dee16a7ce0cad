CREATE TABLE pgperf.hit_curve_history (
    node_id              uuid NOT NULL,
    sample_id            bigint NOT NULL,
    taken_at             timestamptz NOT NULL,
    run_id               bigint,
    shared_buffers_bytes bigint NOT NULL,
    times                float8 NOT NULL,
    hit_percent          float8,
    low                  float8,
    high                 float8,
    seconds              float8,
    blks_hit             bigint,
    blks_read            bigint,
    followed             bigint,
    arrivals             bigint,
    looks                bigint,
    looks_ms             float8,
    note                 text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('hit_curve_history', 'hit_curve');
COMMENT ON TABLE pgperf.hit_curve_history IS 'The hit ratio that larger shared_buffers would have had since the previous sample, or over a run, up to four times the present size: one row for each size';
COMMENT ON COLUMN pgperf.hit_curve_history.shared_buffers_bytes IS 'The size';
COMMENT ON COLUMN pgperf.hit_curve_history.times IS 'The size as a multiple of the present one; 1: the present one, with the hit ratio that was counted';
COMMENT ON COLUMN pgperf.hit_curve_history.hit_percent IS 'Share of the accessed blocks that would have been found in shared_buffers; NULL: it cannot be said, see note, or the bounds are more than 20 points apart';
COMMENT ON COLUMN pgperf.hit_curve_history.low IS 'Lower bound of the 95 % confidence interval; NULL where nothing is estimated';
COMMENT ON COLUMN pgperf.hit_curve_history.high IS 'Upper bound of the 95 % confidence interval';
COMMENT ON COLUMN pgperf.hit_curve_history.seconds IS 'How long the buffers were followed';
COMMENT ON COLUMN pgperf.hit_curve_history.blks_hit IS 'Blocks that were found in shared_buffers: by the clients of the run, else by all sessions of the database';
COMMENT ON COLUMN pgperf.hit_curve_history.blks_read IS 'Blocks that were read, likewise; in PostgreSQL 15, outside of runs, also blocks added to relations';
COMMENT ON COLUMN pgperf.hit_curve_history.followed IS 'Buffers with a page of the followed sample at the last look';
COMMENT ON COLUMN pgperf.hit_curve_history.arrivals IS 'How often a followed page of the database was seen to have been read';
COMMENT ON COLUMN pgperf.hit_curve_history.looks IS 'Looks at all buffers';
COMMENT ON COLUMN pgperf.hit_curve_history.looks_ms IS 'Time on a CPU that the looks took';
COMMENT ON COLUMN pgperf.hit_curve_history.note IS 'What limits the estimate';
GRANT SELECT ON pgperf.hit_curve_history TO pg_monitor;
