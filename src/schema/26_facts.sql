-- Under what circumstances a run ran, and what it did to the server: what a comparison needs to know of it besides its
-- speed. The leader writes settings and environment before the load begins, metrics and relations after its end.

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
COMMENT ON TABLE pgperf.run_settings IS 'The settings of a run''s clients that were not at their defaults: of the server, the database, the role, and those that the run was given';
COMMENT ON COLUMN pgperf.run_settings.setting IS 'As in pg_settings, in unit; passwords in connection strings are left out. NULL: the run''s role may not see it';
COMMENT ON COLUMN pgperf.run_settings.source IS 'As in pg_settings; run: given by the call (settings => ...)';
COMMENT ON COLUMN pgperf.run_settings.default_setting IS 'What the server would use if nobody had set it; NULL: it has none (a setting of an extension that nobody declared)';
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
COMMENT ON TABLE pgperf.run_environment IS 'The server and the machine that a run ran on, one row a fact';
COMMENT ON COLUMN pgperf.run_environment.name IS 'Of file systems with what they hold in front (data, wal, tablespace NAME), of devices with their name: data.mount_options, sda.rotational';
COMMENT ON COLUMN pgperf.run_environment.value IS 'NULL: it could not be read, for the reason in note';
COMMENT ON COLUMN pgperf.run_environment.note IS 'Why there is no value, or what follows from it';
COMMENT ON COLUMN pgperf.run_environment.unit IS 'Of a number: bytes, kB, kHz; NULL: a count, or no number';
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
COMMENT ON TABLE pgperf.run_metrics IS 'Further figures of a run: what the workload defines, and what happened in the server and the machine between the sample at its start (before a warm-up) and the one at its end. pgperf''s own part is taken off where it is known, and is a metric by itself';
COMMENT ON COLUMN pgperf.run_metrics.metric IS 'With the part that it is of behind a dot: wal_bytes.Heap, device_read_bytes.sda';
COMMENT ON COLUMN pgperf.run_metrics.value IS 'NULL: the counters started again in between (reset, crash), or the figure is of tables that Citus distributes';
COMMENT ON COLUMN pgperf.run_metrics.direction IS 'Which is better; NULL: neither by itself';
COMMENT ON COLUMN pgperf.run_metrics.category IS 'workload: what the workload defines; pgperf: what pgperf itself added';
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
COMMENT ON TABLE pgperf.run_relations IS 'The tables, indexes, TOAST tables and materialized views whose statistics changed during a run, without the system catalogs and pgperf''s own: as they were at its start and end, and what happened to them in between (seq_scan to blks_hit)';
COMMENT ON COLUMN pgperf.run_relations.table_name IS 'The table of an index or TOAST table';
COMMENT ON COLUMN pgperf.run_relations.start_size_bytes IS 'Of the main fork; NULL, as the other start columns: the relation was not there yet, or had not been seen';
COMMENT ON COLUMN pgperf.run_relations.start_live_tuples IS 'As the statistics estimate them; NULL, as dead_tuples and n_tup_...: an index has none of its own';
COMMENT ON COLUMN pgperf.run_relations.start_tuple_percent IS 'Live rows'' share of the size; NULL, as bloat_percent: the sample did not measure it';
COMMENT ON COLUMN pgperf.run_relations.start_bloat_percent IS 'The share of the size that rewriting it would give back';
COMMENT ON COLUMN pgperf.run_relations.seq_scan IS 'NULL, as the following: the counters started again in between (reset, crash), or it is not known what they were at the start';
COMMENT ON COLUMN pgperf.run_relations.note IS 'Why all figures are NULL: the table is distributed by Citus';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_relations', '');

GRANT SELECT ON pgperf.run_settings, pgperf.run_environment, pgperf.run_metrics, pgperf.run_relations TO pg_monitor;
