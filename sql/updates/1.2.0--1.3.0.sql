-- From 1.2.0 to 1.3.0, by hand: what cannot be derived, such as rows and tables that move.

CREATE FUNCTION pgperf_internal.target_validator(options text[], catalog oid)
RETURNS void LANGUAGE c STABLE STRICT
    AS 'MODULE_PATHNAME', 'target_validator_wrapper';
CREATE FOREIGN DATA WRAPPER pgperf_target NO HANDLER VALIDATOR pgperf_internal.target_validator;
COMMENT ON FOREIGN DATA WRAPPER pgperf_target IS
    'Other PostgreSQL servers as targets of pgperf; they have no foreign tables';

-- A target does not tell all that this server knows of itself, and a standby tells of its own replay.
ALTER TABLE pgperf.checkpoint_history ALTER in_progress DROP NOT NULL, ALTER redo_lsn DROP NOT NULL,
    ALTER checkpoint_lsn DROP NOT NULL, ALTER checkpoint_time DROP NOT NULL;
ALTER TABLE pgperf.replication_history DROP CONSTRAINT replication_history_kind_check,
    ADD CONSTRAINT replication_history_kind_check CHECK (kind IN ('standby', 'slot', 'subscription', 'replay'));

-- It has to see every change of a node that comes from elsewhere.
CREATE OR REPLACE TRIGGER number_node_name BEFORE INSERT OR UPDATE ON pgperf.nodes
    FOR EACH ROW EXECUTE FUNCTION pgperf_internal.number_node_name();
ALTER TABLE pgperf.nodes ENABLE ALWAYS TRIGGER number_node_name;
