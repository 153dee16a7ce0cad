-- From 1.2.0 to 1.3.0, by hand: what cannot be derived, such as rows and tables that move.

CREATE FUNCTION pgperf_internal.target_validator(options text[], catalog oid)
RETURNS void LANGUAGE c STABLE STRICT
    AS 'MODULE_PATHNAME', 'target_validator_wrapper';
CREATE FOREIGN DATA WRAPPER pgperf_target NO HANDLER VALIDATOR pgperf_internal.target_validator;
COMMENT ON FOREIGN DATA WRAPPER pgperf_target IS
    'Other PostgreSQL servers as targets of pgperf; they have no foreign tables';
