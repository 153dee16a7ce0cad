CREATE TABLE pgperf.wraparound_history (
    node_id        uuid NOT NULL,
    sample_id      bigint NOT NULL,
    taken_at       timestamptz NOT NULL,
    run_id         bigint,
    database_name  text NOT NULL,
    schema_name    text,
    relation_name  text,
    next_xid       xid8 NOT NULL,
    frozen_xid_age bigint NOT NULL,
    next_multixid  bigint NOT NULL,
    multixact_age  bigint NOT NULL,
    horizon_holder text,
    horizon_age    bigint
);
CREATE INDEX wraparound_history_sample_idx ON pgperf.wraparound_history (node_id, sample_id);
CREATE INDEX wraparound_history_taken_at_idx ON pgperf.wraparound_history USING brin (taken_at);
COMMENT ON TABLE pgperf.wraparound_history IS 'How far each database, and the oldest relation of this one, is from transaction id wraparound. A run''s samples each interval hold this database, and the oldest one if that is another; other samples all databases and this one''s oldest relations';
COMMENT ON COLUMN pgperf.wraparound_history.relation_name IS 'NULL: the database as a whole';
COMMENT ON COLUMN pgperf.wraparound_history.next_xid IS 'The next transaction id, with its epoch';
COMMENT ON COLUMN pgperf.wraparound_history.frozen_xid_age IS 'Transactions since datfrozenxid or relfrozenxid; the server stops assigning ids near 2.1 billion';
COMMENT ON COLUMN pgperf.wraparound_history.next_multixid IS 'The next multixact id: 32 bits, it wraps';
COMMENT ON COLUMN pgperf.wraparound_history.multixact_age IS 'Multixacts since datminmxid or relminmxid';
COMMENT ON COLUMN pgperf.wraparound_history.horizon_holder IS 'What keeps vacuum in that database from removing newer dead rows: a backend, a prepared transaction, a replication slot or a standby''s feedback; NULL: nothing older than the sample itself';
COMMENT ON COLUMN pgperf.wraparound_history.horizon_age IS 'Transactions since the one that horizon_holder still needs';
SELECT pg_catalog.pg_extension_config_dump('pgperf.wraparound_history', '');
GRANT SELECT ON pgperf.wraparound_history TO pg_monitor;

CREATE FUNCTION pgperf.snapshot_wraparound()
RETURNS bigint LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'snapshot_wraparound_wrapper';
COMMENT ON FUNCTION pgperf.snapshot_wraparound() IS 'Records the transaction id ages and what holds them back in pgperf.wraparound_history; returns the sample_id';
REVOKE EXECUTE ON FUNCTION pgperf.snapshot_wraparound() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.snapshot_wraparound() TO pg_monitor;
