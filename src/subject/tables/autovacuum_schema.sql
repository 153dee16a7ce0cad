CREATE TABLE pgperf.autovacuum_history (
    node_id             uuid NOT NULL,
    sample_id           bigint NOT NULL,
    taken_at            timestamptz NOT NULL,
    run_id              bigint,
    relation_oid        oid NOT NULL,
    schema_name         text,
    relation_name       text,
    score               float8,
    xid_score           float8,
    mxid_score          float8,
    vacuum_score        float8,
    vacuum_insert_score float8,
    analyze_score       float8,
    do_vacuum           boolean,
    do_analyze          boolean,
    for_wraparound      boolean
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('autovacuum_history', 'autovacuum');
COMMENT ON TABLE pgperf.autovacuum_history IS 'The tables of this database that autovacuum would take next, from pg_stat_autovacuum_scores: the 100 with the highest score, those that are due or have 0.5; without TOAST tables; PostgreSQL 19';
COMMENT ON COLUMN pgperf.autovacuum_history.relation_oid IS 'The table''s OID';
COMMENT ON COLUMN pgperf.autovacuum_history.schema_name IS 'The table''s schema';
COMMENT ON COLUMN pgperf.autovacuum_history.relation_name IS 'The table';
COMMENT ON COLUMN pgperf.autovacuum_history.score IS 'The highest of its parts: autovacuum takes tables in this order; 1: a threshold is reached, unless autovacuum_..._score_weight is not 1';
COMMENT ON COLUMN pgperf.autovacuum_history.xid_score IS 'Age of its oldest transaction id against autovacuum_freeze_max_age';
COMMENT ON COLUMN pgperf.autovacuum_history.mxid_score IS 'Age of its oldest multixact against autovacuum_multixact_freeze_max_age';
COMMENT ON COLUMN pgperf.autovacuum_history.vacuum_score IS 'Dead rows against the threshold for a vacuum';
COMMENT ON COLUMN pgperf.autovacuum_history.vacuum_insert_score IS 'Rows inserted since the last vacuum against their threshold';
COMMENT ON COLUMN pgperf.autovacuum_history.analyze_score IS 'Rows changed since the last analyze against its threshold';
COMMENT ON COLUMN pgperf.autovacuum_history.do_vacuum IS 'Whether autovacuum would vacuum it';
COMMENT ON COLUMN pgperf.autovacuum_history.do_analyze IS 'Whether autovacuum would analyze it';
COMMENT ON COLUMN pgperf.autovacuum_history.for_wraparound IS 'Whether it must be vacuumed to prevent wraparound';
GRANT SELECT ON pgperf.autovacuum_history TO pg_monitor;
