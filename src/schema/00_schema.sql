-- Nothing that somebody has planted in another schema is found while the objects below are made: what they refer to is the
-- catalog or named with its schema. Their own names are bound now, for ever.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- Fails if a schema of such a name is there already: pgperf never adopts somebody else's schema.
CREATE SCHEMA pgperf;
COMMENT ON SCHEMA pgperf IS 'pgperf: synthetic load, snapshots and their history';
GRANT USAGE ON SCHEMA pgperf TO PUBLIC;

-- Parts of what is in pgperf, which nobody need know of: functions behind functions, tables behind views, partitions. Whoever
-- calls a public procedure calls its parts with his own rights, so each has privileges of its own.
CREATE SCHEMA pgperf_internal;
COMMENT ON SCHEMA pgperf_internal IS 'Parts of what is in the schema pgperf, not meant to be used: they may change with any release';
GRANT USAGE ON SCHEMA pgperf_internal TO PUBLIC;
