-- The circumstances of a run and its effects on the server: what a comparison needs besides the speed. The leader writes
-- settings and environment before the load begins, metrics and relations after its end.

CREATE TABLE pgperf.run_settings (
    node_id         uuid NOT NULL,
    run_id          bigint NOT NULL,
    name            text NOT NULL,
    setting         text,
    unit            text,
    source          text NOT NULL,
    default_setting text,
    PRIMARY KEY (node_id, run_id, name)
);
COMMENT ON TABLE pgperf.run_settings IS 'The settings of a run''s clients that were not at their defaults: of the server, the database, the role, and those given by the call';
COMMENT ON COLUMN pgperf.run_settings.setting IS 'Value as in pg_settings, in unit, without passwords in connection strings. NULL: the run''s role may not see it';
COMMENT ON COLUMN pgperf.run_settings.source IS 'Source as in pg_settings; run: given by the call (settings => ...)';
COMMENT ON COLUMN pgperf.run_settings.default_setting IS 'Value that the server would use if nobody had set it; NULL: none (an extension''s setting that nobody declared)';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_settings', '');

CREATE TABLE pgperf.run_environment (
    node_id  uuid NOT NULL,
    run_id   bigint NOT NULL,
    category text NOT NULL CHECK (category IN ('server', 'extension', 'system', 'cpu', 'memory', 'file system', 'device')),
    name     text NOT NULL,
    value    text,
    unit     text,
    note     text,
    PRIMARY KEY (node_id, run_id, category, name)
);
COMMENT ON TABLE pgperf.run_environment IS 'The server and the machine of a run, one row for each fact';
COMMENT ON COLUMN pgperf.run_environment.name IS 'Name of the fact; for file systems after their contents (data, wal, tablespace NAME), for devices after their name: data.mount_options, sda.rotational';
COMMENT ON COLUMN pgperf.run_environment.value IS 'Value of the fact; NULL: it could not be read, for the reason in note';
COMMENT ON COLUMN pgperf.run_environment.note IS 'Why there is no value, or what the value implies';
COMMENT ON COLUMN pgperf.run_environment.unit IS 'Unit of a number: bytes, kB, kHz; NULL: a count, or no number';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_environment', '');

CREATE TABLE pgperf.run_metrics (
    node_id   uuid NOT NULL,
    run_id    bigint NOT NULL,
    metric    text NOT NULL,
    value     float8 CHECK (value > '-Infinity' AND value < 'Infinity'),
    unit      text NOT NULL,
    direction text CHECK (direction IN ('higher', 'lower')),
    category  text NOT NULL DEFAULT 'workload'
              CHECK (category IN ('workload', 'size', 'wal', 'checkpoint', 'vacuum', 'database', 'host', 'device', 'pgperf')),
    PRIMARY KEY (node_id, run_id, metric)
);
COMMENT ON TABLE pgperf.run_metrics IS 'Further figures of a run: those that the workload defines, and the activity of the server and the machine between the sample at its start (before a warm-up) and the one at its end. pgperf''s own part is subtracted where it is known, and is a metric by itself';
COMMENT ON COLUMN pgperf.run_metrics.metric IS 'Name of the metric, followed by a dot and the part it covers, if any: wal_bytes.Heap, device_read_bytes.sda';
COMMENT ON COLUMN pgperf.run_metrics.value IS 'Value; NULL: the counters began again in between (reset, crash), or Citus distributes the tables and not all nodes can tell';
COMMENT ON COLUMN pgperf.run_metrics.direction IS 'The better direction; NULL: neither by itself';
COMMENT ON COLUMN pgperf.run_metrics.category IS 'Kind of metric; workload: defined by the workload; pgperf: the part of pgperf itself';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_metrics', '');

CREATE TABLE pgperf.run_relations (
    node_id              uuid NOT NULL,
    run_id               bigint NOT NULL,
    relation_oid         oid NOT NULL,
    schema_name          text NOT NULL,
    relation_name        text NOT NULL,
    relation_kind        text NOT NULL,
    table_name           text,
    start_size_bytes     bigint,
    end_size_bytes       bigint,
    start_live_tuples    bigint,
    end_live_tuples      bigint,
    start_dead_tuples    bigint,
    end_dead_tuples      bigint,
    start_tuple_percent  float8,
    end_tuple_percent    float8,
    start_bloat_percent  float8,
    end_bloat_percent    float8,
    seq_scan             bigint,
    idx_scan             bigint,
    n_tup_ins            bigint,
    n_tup_upd            bigint,
    n_tup_hot_upd        bigint,
    n_tup_del            bigint,
    vacuum_count         bigint,
    autovacuum_count     bigint,
    analyze_count        bigint,
    autoanalyze_count    bigint,
    blks_read            bigint,
    blks_hit             bigint,
    note                 text,
    PRIMARY KEY (node_id, run_id, relation_oid)
);
COMMENT ON TABLE pgperf.run_relations IS 'The tables, indexes, TOAST tables and materialized views whose statistics changed during a run, without the system catalogs and pgperf''s own: their state at its start and end, and their activity in between (seq_scan to blks_hit)';
COMMENT ON COLUMN pgperf.run_relations.table_name IS 'The table to which an index or TOAST table belongs';
COMMENT ON COLUMN pgperf.run_relations.start_size_bytes IS 'Size of the main fork in bytes at the start; this and the other start columns are NULL if the relation did not exist or had not been seen yet';
COMMENT ON COLUMN pgperf.run_relations.start_live_tuples IS 'Live rows at the start, estimated by the statistics; NULL, as dead_tuples and n_tup_...: an index has none of its own';
COMMENT ON COLUMN pgperf.run_relations.start_tuple_percent IS 'Share of the size taken by live rows at the start; NULL, as bloat_percent: the sample did not measure it';
COMMENT ON COLUMN pgperf.run_relations.start_bloat_percent IS 'Share of the size that rewriting it at the start would have freed';
COMMENT ON COLUMN pgperf.run_relations.seq_scan IS 'Sequential scans during the run; this and the following are NULL if the counters began again in between (reset, crash) or their start values are not known';
COMMENT ON COLUMN pgperf.run_relations.note IS 'Why all figures are NULL: Citus distributes the table';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_relations', '');

CREATE TABLE pgperf.run_plans (
    node_id    uuid NOT NULL,
    run_id     bigint NOT NULL,
    script_no  integer NOT NULL,
    script     text NOT NULL,
    command_no integer NOT NULL,
    statement  text NOT NULL,
    plan       jsonb,
    shape      text,
    reason     text,
    PRIMARY KEY (node_id, run_id, script_no, command_no)
);
COMMENT ON TABLE pgperf.run_plans IS 'The plans that the statements of a run had before it began, with the role and the settings of its clients, and values as its first transactions draw them (plans => true)';
COMMENT ON COLUMN pgperf.run_plans.plan IS 'As EXPLAIN (FORMAT JSON) has it; NULL: see reason';
COMMENT ON COLUMN pgperf.run_plans.shape IS 'The nodes of the plan, a line each, without costs, conditions and values: plans with the same shape do the same';
COMMENT ON COLUMN pgperf.run_plans.reason IS 'Why there is no plan: the error of EXPLAIN, as where a value comes from the result of another statement';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_plans', '');

GRANT SELECT ON pgperf.run_settings, pgperf.run_environment, pgperf.run_metrics, pgperf.run_relations, pgperf.run_plans TO pg_monitor;
