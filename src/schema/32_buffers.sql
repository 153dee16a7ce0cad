CREATE TABLE pgperf.buffer_usage_history (
    node_id       uuid NOT NULL,
    sample_id     bigint NOT NULL,
    taken_at      timestamptz NOT NULL,
    run_id        bigint,
    database_name text,
    schema_name   text,
    relation_name text,
    relation_kind text,
    fork          text,
    usage_count   smallint,
    buffers       bigint NOT NULL,
    dirty         bigint NOT NULL,
    pinned        bigint NOT NULL
);
CREATE INDEX buffer_usage_history_sample_idx ON pgperf.buffer_usage_history (node_id, sample_id);
CREATE INDEX buffer_usage_history_taken_at_idx ON pgperf.buffer_usage_history USING brin (taken_at);
COMMENT ON TABLE pgperf.buffer_usage_history IS 'What shared_buffers held: buffers by relation, fork and usage count. The buffers of a sample add up to shared_buffers';
COMMENT ON COLUMN pgperf.buffer_usage_history.database_name IS 'NULL: unused buffers, or a catalog that all databases share';
COMMENT ON COLUMN pgperf.buffer_usage_history.relation_name IS 'NULL: of another database, dropped, or not committed yet';
COMMENT ON COLUMN pgperf.buffer_usage_history.fork IS 'main, fsm (free space map), vm (visibility map) or init';
COMMENT ON COLUMN pgperf.buffer_usage_history.usage_count IS '0 to 5; NULL: buffers that hold no page';
COMMENT ON COLUMN pgperf.buffer_usage_history.pinned IS 'Buffers in use at that moment';
SELECT pg_catalog.pg_extension_config_dump('pgperf.buffer_usage_history', '');
GRANT SELECT ON pgperf.buffer_usage_history TO pg_monitor;

CREATE FUNCTION pgperf.snapshot_buffers()
RETURNS bigint LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'snapshot_buffers_wrapper';
COMMENT ON FUNCTION pgperf.snapshot_buffers() IS 'Records what shared_buffers holds in pgperf.buffer_usage_history; returns the sample_id';
REVOKE EXECUTE ON FUNCTION pgperf.snapshot_buffers() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.snapshot_buffers() TO pg_monitor;
