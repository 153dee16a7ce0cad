-- Nothing that somebody has planted in another schema is found while the objects below are made: what they refer to is the
-- catalog or named with its schema. Their own names are bound now, for ever.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- Fails if a schema of that name is there already: pgperf never adopts somebody else's schema.
CREATE SCHEMA pgperf;
COMMENT ON SCHEMA pgperf IS 'pgperf: synthetic load, snapshots and their history';
GRANT USAGE ON SCHEMA pgperf TO PUBLIC;
