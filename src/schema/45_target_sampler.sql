-- Targets that are sampled, each as the role that asked for it. About this server alone: a dump has none, so what is restored from it connects
-- nowhere.
CREATE TABLE pgperf_internal.sampled_targets (
    node_id        uuid NOT NULL,
    server         oid NOT NULL,
    role           oid NOT NULL,
    started_at     timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    connected      boolean NOT NULL DEFAULT false,
    since          timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    target_node_id uuid,
    error          text,
    failed_at      timestamptz,
    unknown        jsonb,
    PRIMARY KEY (node_id, server)
);
COMMENT ON TABLE pgperf_internal.sampled_targets IS 'The targets that are sampled, written by start_sampler(server) and the sampler of targets; read pgperf.sampled_servers';
COMMENT ON COLUMN pgperf_internal.sampled_targets.node_id IS 'The installation that samples it';
COMMENT ON COLUMN pgperf_internal.sampled_targets.server IS 'Oid of the foreign server';
COMMENT ON COLUMN pgperf_internal.sampled_targets.role IS 'Oid of the role whose user mapping is used';
COMMENT ON COLUMN pgperf_internal.sampled_targets.started_at IS 'When sampling was asked for';
COMMENT ON COLUMN pgperf_internal.sampled_targets.connected IS 'Whether the last sample came';
COMMENT ON COLUMN pgperf_internal.sampled_targets.since IS 'Since when it is, or is not';
COMMENT ON COLUMN pgperf_internal.sampled_targets.target_node_id IS 'The node of its samples; NULL: none came yet';
COMMENT ON COLUMN pgperf_internal.sampled_targets.error IS 'The last error; NULL: none so far';
COMMENT ON COLUMN pgperf_internal.sampled_targets.failed_at IS 'When that began';
COMMENT ON COLUMN pgperf_internal.sampled_targets.unknown IS 'What it cannot tell, with the reasons';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.sampled_targets', 'WHERE false');
GRANT SELECT ON pgperf_internal.sampled_targets TO pg_monitor;

CREATE FUNCTION pgperf_internal.target_sampler_alive() RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'target_sampler_alive_wrapper';
COMMENT ON FUNCTION pgperf_internal.target_sampler_alive() IS
    'Whether the sampler of this database''s targets is alive; used by the view pgperf.sampled_servers';
REVOKE ALL ON FUNCTION pgperf_internal.target_sampler_alive() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.target_sampler_alive() TO pg_monitor;

CREATE FUNCTION pgperf.start_sampler(server text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'start_target_sampler_wrapper';
COMMENT ON FUNCTION pgperf.start_sampler(text) IS
    'Has a target, a foreign server of pgperf_target, sampled over a connection of the caller''s user mapping when the transaction commits, until it is stopped or the foreign server dropped. False if it is already';
CREATE FUNCTION pgperf.stop_sampler(server text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'stop_target_sampler_wrapper';
COMMENT ON FUNCTION pgperf.stop_sampler(text) IS
    'Has a target sampled no more when the transaction commits; its history stays. False if it was not';
REVOKE EXECUTE ON FUNCTION pgperf.start_sampler(text), pgperf.stop_sampler(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.start_sampler(text), pgperf.stop_sampler(text) TO pg_monitor;

CREATE VIEW pgperf.sampled_servers AS
SELECT s.srvname AS server, pg_catalog.pg_get_userbyid(t.role) AS role, t.started_at, a.alive AS running, t.connected AND a.alive AS connected,
       t.since, l.taken_at AS last_sample_at, t.error, t.failed_at, t.unknown, t.target_node_id AS node_id
FROM pgperf_internal.sampled_targets t
JOIN pg_catalog.pg_foreign_server s ON s.oid = t.server
CROSS JOIN (SELECT pgperf_internal.target_sampler_alive() AS alive) a
LEFT JOIN LATERAL (SELECT m.taken_at FROM pgperf.samples m
                   WHERE m.node_id = t.target_node_id AND m.cadence IS NOT NULL AND m.run_id IS NULL
                   ORDER BY m.sample_id DESC LIMIT 1) l ON true
WHERE t.node_id = (SELECT n.node_id FROM pgperf.nodes n
                   WHERE n.system_identifier = (SELECT c.system_identifier FROM pg_catalog.pg_control_system() c)
                     AND n.database_oid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
                     AND n.sampled_by IS NULL
                   ORDER BY n.created_at DESC, n.node_id LIMIT 1);
COMMENT ON VIEW pgperf.sampled_servers IS 'The targets that start_sampler(server) has sampled: a row each, with the last sample, the last error and what it cannot tell';
COMMENT ON COLUMN pgperf.sampled_servers.server IS 'The foreign server';
COMMENT ON COLUMN pgperf.sampled_servers.role IS 'The role whose user mapping is used';
COMMENT ON COLUMN pgperf.sampled_servers.started_at IS 'When sampling was asked for';
COMMENT ON COLUMN pgperf.sampled_servers.running IS 'Whether the sampler of targets is alive; the same in each row';
COMMENT ON COLUMN pgperf.sampled_servers.connected IS 'Whether its last sample came: it is connected to, and answers';
COMMENT ON COLUMN pgperf.sampled_servers.since IS 'Since when that is so';
COMMENT ON COLUMN pgperf.sampled_servers.last_sample_at IS 'When its last sample was taken; NULL: none yet';
COMMENT ON COLUMN pgperf.sampled_servers.error IS 'The last error, also where it is over; NULL: none so far';
COMMENT ON COLUMN pgperf.sampled_servers.failed_at IS 'When that error began';
COMMENT ON COLUMN pgperf.sampled_servers.unknown IS 'What it cannot tell, each with the reason: by collector, and under rights what its role there may not see; NULL: not known yet';
COMMENT ON COLUMN pgperf.sampled_servers.node_id IS 'The node of its samples; NULL: none came yet';
GRANT SELECT ON pgperf.sampled_servers TO pg_monitor;
