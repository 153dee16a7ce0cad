CREATE TABLE pgperf.sequence_history (
    node_id       uuid NOT NULL,
    sample_id     bigint NOT NULL,
    taken_at      timestamptz NOT NULL,
    run_id        bigint,
    sequence_oid  oid NOT NULL,
    last_value    bigint NOT NULL,
    limit_value   bigint NOT NULL,
    increment     bigint NOT NULL,
    used_percent  float8 NOT NULL,
    schema_name   text NOT NULL,
    sequence_name text NOT NULL,
    table_name    text,
    column_name   text,
    column_type   text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('sequence_history', 'sequences');
COMMENT ON TABLE pgperf.sequence_history IS 'Sequences that have used at least 1 % of their values, or of those of their column''s type: the 100 with most. Those that begin again (CYCLE) are left out, unless their column ends before them';
COMMENT ON COLUMN pgperf.sequence_history.limit_value IS 'The last value that can be used: that of the sequence or of its column''s type, whichever comes first';
COMMENT ON COLUMN pgperf.sequence_history.used_percent IS 'How far it has come from its first possible value to the limit';
COMMENT ON COLUMN pgperf.sequence_history.table_name IS 'The table, with its schema, of the column that takes its values from the sequence; NULL: none is known';
COMMENT ON COLUMN pgperf.sequence_history.column_type IS 'The type of that column; of several the smallest';
GRANT SELECT ON pgperf.sequence_history TO pg_monitor;
COMMENT ON COLUMN pgperf.sequence_history.sequence_oid IS 'The sequence';
COMMENT ON COLUMN pgperf.sequence_history.last_value IS 'The value that it gave last';
COMMENT ON COLUMN pgperf.sequence_history.increment IS 'The step from one value to the next; below 0: it counts down';
COMMENT ON COLUMN pgperf.sequence_history.schema_name IS 'Its schema';
COMMENT ON COLUMN pgperf.sequence_history.sequence_name IS 'Its name';
COMMENT ON COLUMN pgperf.sequence_history.column_name IS 'The column that takes its values from it';
