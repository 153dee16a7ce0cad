-- While the objects below are created, nothing planted in another schema is found: they refer to the catalog, or name the
-- schema. Their own names are bound now, for ever.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- Fails if such a schema exists already: pgperf never adopts somebody else's schema.
CREATE SCHEMA pgperf;
COMMENT ON SCHEMA pgperf IS 'pgperf: synthetic load, snapshots and their history';
GRANT USAGE ON SCHEMA pgperf TO PUBLIC;

-- Internal parts of pgperf: functions behind functions, tables behind views, partitions. The caller of a public procedure
-- calls its parts with the caller's own rights, so each part has privileges of its own.
CREATE SCHEMA pgperf_internal;
COMMENT ON SCHEMA pgperf_internal IS 'Internal parts of pgperf, not meant to be used: they may change with any release';
GRANT USAGE ON SCHEMA pgperf_internal TO PUBLIC;
