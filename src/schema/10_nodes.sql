CREATE TABLE pgperf.nodes (
    node_id           uuid PRIMARY KEY DEFAULT pg_catalog.gen_random_uuid(),
    name              text NOT NULL,
    system_identifier bigint NOT NULL,
    database_oid      oid NOT NULL,
    database_name     text NOT NULL,
    host              text,
    created_at        timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    first_of          text UNIQUE
);
COMMENT ON COLUMN pgperf.nodes.first_of IS 'System identifier and database of which this is the first node here; NULL: a later one';
COMMENT ON TABLE pgperf.nodes IS 'The installations whose history is stored here; the newest row with this server''s system identifier and this database is the local one';
SELECT pg_catalog.pg_extension_config_dump('pgperf.nodes', '');
GRANT SELECT ON pgperf.nodes TO pg_monitor;
