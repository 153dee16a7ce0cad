-- A repository is a database that keeps the history of other servers, its sources, by logical replication.

-- On a source: what it publishes.
CREATE TABLE pgperf_internal.publications (
    publication text PRIMARY KEY,
    of_samples  boolean NOT NULL,
    nodes       uuid[] NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE pgperf_internal.publications IS 'The publications that pgperf.publish_history made, which pgperf.maintain() keeps current';
COMMENT ON COLUMN pgperf_internal.publications.publication IS 'Its name';
COMMENT ON COLUMN pgperf_internal.publications.of_samples IS 'Whether it has the samples and texts, which are only added, or the other tables';
COMMENT ON COLUMN pgperf_internal.publications.nodes IS 'The nodes whose rows it publishes: the local one, and the targets that it samples';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.publications', '');

-- Written before the rows of the run are deleted, in the same transaction: a repository then knows to keep them.
CREATE TABLE pgperf_internal.forgotten_runs (
    node_id uuid NOT NULL,
    run_id  bigint NOT NULL,
    deleted boolean NOT NULL DEFAULT false,
    PRIMARY KEY (node_id, run_id)
);
COMMENT ON TABLE pgperf_internal.forgotten_runs IS 'The runs that are no longer stored while the history is published: a repository keeps those that only pgperf.run_retention deleted';
COMMENT ON COLUMN pgperf_internal.forgotten_runs.run_id IS 'Number of the run';
COMMENT ON COLUMN pgperf_internal.forgotten_runs.deleted IS 'Whether pgperf.delete_run() deleted it';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.forgotten_runs', '');

-- On a repository. A source that is no longer subscribed stays: its runs and texts are kept as before.
CREATE TABLE pgperf_internal.sources (
    node_id       uuid PRIMARY KEY,
    server        text NOT NULL,
    publication   text NOT NULL,
    subscription  text UNIQUE,
    slot_name     text NOT NULL,
    subscribed_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    run_retention interval CHECK (run_retention > '0'),
    gaps          jsonb NOT NULL DEFAULT '[]'
);
COMMENT ON TABLE pgperf_internal.sources IS 'The sources of this repository, a row each; written by pgperf.subscribe_history';
COMMENT ON COLUMN pgperf_internal.sources.node_id IS 'The node of the source';
COMMENT ON COLUMN pgperf_internal.sources.server IS 'The foreign server (pgperf_target) that says where it is';
COMMENT ON COLUMN pgperf_internal.sources.publication IS 'Its publication of runs; that of samples has the same name and _samples';
COMMENT ON COLUMN pgperf_internal.sources.subscription IS 'The subscription here; NULL: no longer subscribed';
COMMENT ON COLUMN pgperf_internal.sources.slot_name IS 'The replication slot on the source';
COMMENT ON COLUMN pgperf_internal.sources.subscribed_at IS 'When it was last subscribed';
COMMENT ON COLUMN pgperf_internal.sources.run_retention IS 'How long its runs are kept here; NULL: for ever';
COMMENT ON COLUMN pgperf_internal.sources.gaps IS 'Stretches of time whose samples were lost between two subscriptions: from, to, reason';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.sources', '');

GRANT SELECT ON pgperf_internal.publications, pgperf_internal.forgotten_runs, pgperf_internal.sources TO pg_monitor;

CREATE FUNCTION pgperf_internal.is_of_source(node_id uuid) RETURNS boolean LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT EXISTS (SELECT FROM pgperf_internal.sources s
                   WHERE s.node_id IN (is_of_source.node_id, (SELECT n.sampled_by FROM pgperf.nodes n WHERE n.node_id = is_of_source.node_id)));
END;
COMMENT ON FUNCTION pgperf_internal.is_of_source(uuid) IS 'Whether a node is a source of this repository, or a target that one samples';
REVOKE ALL ON FUNCTION pgperf_internal.is_of_source(uuid) FROM PUBLIC;
