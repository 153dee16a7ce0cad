CREATE TABLE pgperf.bloat_history (
    node_id                    uuid NOT NULL,
    sample_id                  bigint NOT NULL,
    taken_at                   timestamptz NOT NULL,
    run_id                     bigint,
    schema_name                text NOT NULL,
    relation_name              text NOT NULL,
    relation_kind              text NOT NULL,
    table_schema               text,
    table_name                 text,
    method                     text NOT NULL CHECK (method IN ('exact', 'approx', 'sampled')),
    size_bytes                 bigint NOT NULL,
    pages_read                 bigint NOT NULL,
    live_tuples                bigint,
    live_bytes                 bigint,
    live_percent               float8,
    dead_tuples                bigint,
    dead_bytes                 bigint,
    dead_percent               float8,
    free_bytes                 bigint,
    free_percent               float8,
    bloat_bytes                bigint,
    bloat_percent              float8,
    leaf_density_percent       float8,
    leaf_fragmentation_percent float8,
    deleted_pages              bigint,
    error_margin_percent       float8,
    changes                    bigint
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('bloat_history', 'bloat', object => '{schema_name,relation_name}', indexes => '{"(node_id, sample_id)", USING brin (taken_at), "(node_id, schema_name, relation_name, taken_at)"}');
COMMENT ON TABLE pgperf.bloat_history IS 'Live, dead, free and wasted space of tables, TOAST tables, materialized views and indexes, one row for each relation that a sample measured';
COMMENT ON COLUMN pgperf.bloat_history.table_schema IS 'Schema of the table of table_name';
COMMENT ON COLUMN pgperf.bloat_history.table_name IS 'The table that an index or TOAST table (or the index of that) belongs to, or the distributed table of which a table is a shard; NULL for a table itself';
COMMENT ON COLUMN pgperf.bloat_history.method IS 'exact: every page was read; sampled: random pages were read, or all if it is small; approx: all-visible pages were taken from the free space map (where most rows of a page are gone, this understates bloat by some percentage points)';
COMMENT ON COLUMN pgperf.bloat_history.size_bytes IS 'Size of the main fork';
COMMENT ON COLUMN pgperf.bloat_history.pages_read IS 'Pages that were read for this row';
COMMENT ON COLUMN pgperf.bloat_history.live_bytes IS 'Bytes of live tuples; with approx, all-visible pages count whole except their free space';
COMMENT ON COLUMN pgperf.bloat_history.dead_bytes IS 'Bytes of tuples whose deletion has committed (or whose insertion never did) and that vacuum has not removed yet; for a B-tree, entries that a scan has marked as dead';
COMMENT ON COLUMN pgperf.bloat_history.free_bytes IS 'Free space, including the space that the fillfactor sets aside';
COMMENT ON COLUMN pgperf.bloat_history.bloat_bytes IS 'Bytes that rewriting it at its own fillfactor (VACUUM FULL, REINDEX) would free: the pages minus those that the live tuples would fill when packed anew; for B-trees, of the leaf pages, plus all deleted pages. 0 for a freshly loaded table or built index. With approx, from the average size of a tuple';
COMMENT ON COLUMN pgperf.bloat_history.bloat_percent IS 'bloat_bytes as a share of size_bytes; NULL if it has no pages';
COMMENT ON COLUMN pgperf.bloat_history.leaf_density_percent IS 'Average fill of a B-tree''s leaf pages; after a build, the fillfactor';
COMMENT ON COLUMN pgperf.bloat_history.leaf_fragmentation_percent IS 'Share of leaf pages whose right sibling lies before them in the file';
COMMENT ON COLUMN pgperf.bloat_history.deleted_pages IS 'Empty pages of an index: in a B-tree, deleted or half-dead pages; in others, pages without an entry';
COMMENT ON COLUMN pgperf.bloat_history.error_margin_percent IS 'Half the width of the 95 % interval in percentage points, for each of the percentages; 0: every page was read; NULL: not known';
COMMENT ON COLUMN pgperf.bloat_history.changes IS 'Rows of the table inserted, updated and deleted since its statistics began; decides which relation to measure next';

-- Its rows are not dumped: the next call chooses anew.
CREATE UNLOGGED TABLE pgperf_internal.bloat_cursor (
    node_id     uuid NOT NULL,
    tables_only boolean NOT NULL,
    relations   oid[] NOT NULL,
    next        integer NOT NULL,
    PRIMARY KEY (node_id, tables_only)
);
COMMENT ON TABLE pgperf_internal.bloat_cursor IS 'Where snapshot_bloat continues: the relations of this round in order, and the number that are done';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.bloat_cursor', 'WHERE false');
GRANT SELECT ON pgperf.bloat_history, pgperf_internal.bloat_cursor TO pg_monitor;

CREATE FUNCTION pgperf.snapshot_bloat(
    relations regclass[] DEFAULT NULL, method text DEFAULT 'auto', budget interval DEFAULT NULL, max_pages bigint DEFAULT NULL)
RETURNS bigint LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'snapshot_bloat_wrapper';
COMMENT ON FUNCTION pgperf.snapshot_bloat(regclass[], text, interval, bigint) IS 'Measures the named relations (default: those of this database with the oldest figures, for 2 s) into pgperf.bloat_history, within the given time and number of pages; method: auto, exact, approx, sampled; returns the sample_id';
REVOKE EXECUTE ON FUNCTION pgperf.snapshot_bloat(regclass[], text, interval, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.snapshot_bloat(regclass[], text, interval, bigint) TO pg_monitor;
