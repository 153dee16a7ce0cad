CREATE TABLE pgperf.nodes (
    node_id           uuid PRIMARY KEY DEFAULT pg_catalog.gen_random_uuid(),
    name              text NOT NULL UNIQUE,
    system_identifier bigint,
    database_oid      oid NOT NULL,
    database_name     text,
    host              text,
    created_at        timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    first_of          text UNIQUE,
    sampled_by        uuid,
    group_name        text,
    first_timeline    bigint,
    timeline          bigint,
    timeline_since    timestamptz
);
COMMENT ON COLUMN pgperf.nodes.first_of IS 'On the first node of a server and database: system identifier and database; for a target after its sampled_by, and with the name of the foreign server where it does not tell its identifier. NULL: a later node';
COMMENT ON COLUMN pgperf.nodes.sampled_by IS 'Of a target: the node that samples it over a connection (pgperf_target); NULL: pgperf is installed there';
COMMENT ON COLUMN pgperf.nodes.group_name IS 'The group to which set_node_group has added it here; NULL: none';
COMMENT ON COLUMN pgperf.nodes.first_timeline IS 'The timeline of the server''s WAL on which the node began; each later one adds 1000000000 to the numbers of its runs, sweeps and samples. NULL: 1';
COMMENT ON COLUMN pgperf.nodes.timeline IS 'The timeline of the server''s WAL when the node was last in use: another one after a promotion';
COMMENT ON COLUMN pgperf.nodes.timeline_since IS 'When the node was first in use on this timeline';
COMMENT ON TABLE pgperf.nodes IS 'The installations whose history is stored here, and the targets that they sample; the local one is the newest row with this server''s system identifier and this database and no sampled_by';
SELECT pg_catalog.pg_extension_config_dump('pgperf.nodes', '');
GRANT SELECT ON pgperf.nodes TO pg_monitor;

-- A run of another node is named 'node name/run_id'. Rows from elsewhere (a document, a dump, a publication) must not
-- fail because of their name: the later one gets a number. Renaming a node here raises the constraint's error instead.
-- A change that is replicated leaves the node in the group that it has here, unless it has one there.
CREATE FUNCTION pgperf_internal.number_node_name() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wanted text := NEW.name;
    number integer := 1;
BEGIN
    IF current_setting('session_replication_role') <> 'replica' THEN
        IF TG_OP = 'UPDATE' THEN
            RETURN NEW;
        END IF;
    ELSE
        -- These are of use only where the node lives: a server made from the same image has the same ones.
        NEW.first_of := NULL;
        NEW.database_oid := 0;
        IF TG_OP = 'UPDATE' THEN
            NEW.group_name := COALESCE(NEW.group_name, OLD.group_name);
        END IF;
    END IF;
    WHILE EXISTS (SELECT FROM pgperf.nodes n WHERE n.name = NEW.name AND n.node_id <> NEW.node_id) LOOP
        number := number + 1;
        NEW.name := format('%s (%s)', wanted, number);
    END LOOP;
    RETURN NEW;
END
$$;
COMMENT ON FUNCTION pgperf_internal.number_node_name() IS 'Appends a number to the name of a node from elsewhere if the name is taken, and keeps its group';
REVOKE ALL ON FUNCTION pgperf_internal.number_node_name() FROM PUBLIC;
CREATE TRIGGER number_node_name BEFORE INSERT OR UPDATE ON pgperf.nodes
    FOR EACH ROW EXECUTE FUNCTION pgperf_internal.number_node_name();
ALTER TABLE pgperf.nodes ENABLE ALWAYS TRIGGER number_node_name;
