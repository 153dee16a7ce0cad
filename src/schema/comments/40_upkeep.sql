-- Columns of the tables and views about samples, history and nodes.
COMMENT ON COLUMN pgperf.sample_outcomes.collector IS 'Name of the collector';
COMMENT ON COLUMN pgperf.sample_outcomes.status IS 'ok, skipped, failed or incomplete';
COMMENT ON COLUMN pgperf.sample_outcomes.rows IS 'Rows that it stored';
COMMENT ON COLUMN pgperf.sample_outcomes.elapsed_ms IS 'Milliseconds that it took';
COMMENT ON COLUMN pgperf.sample_outcomes.reason IS 'Why it was skipped or failed, or a note; NULL: none';

COMMENT ON COLUMN pgperf.sampler_gaps.collector IS 'Name of the collector';
COMMENT ON COLUMN pgperf.sampler_gaps.last_at IS 'The last sample before the gap with this collector ok';
COMMENT ON COLUMN pgperf.sampler_gaps.seconds IS 'Length of the gap in seconds; until now if it has not ended';
COMMENT ON COLUMN pgperf.sampler_gaps.reason IS 'Why there was no sample, as far as the samples show';

COMMENT ON COLUMN pgperf.collectors.name IS 'Name of the collector';
COMMENT ON COLUMN pgperf.collectors.history_tables IS 'The tables that it writes';
COMMENT ON COLUMN pgperf.collectors.description IS 'Short description of what it stores';

COMMENT ON COLUMN pgperf_internal.history_tables.table_name IS 'Name of the table in schema pgperf';

COMMENT ON COLUMN pgperf.history_partitions.table_name IS 'The history table';
COMMENT ON COLUMN pgperf.history_partitions.level IS 'raw, hourly, daily, pinned or rest';
COMMENT ON COLUMN pgperf.history_partitions.partition_name IS 'Name of the partition';
COMMENT ON COLUMN pgperf.history_partitions.partition IS 'The partition';
COMMENT ON COLUMN pgperf.history_partitions.starts_at IS 'Start of its range; NULL: it has no range';
COMMENT ON COLUMN pgperf.history_partitions.ends_at IS 'End of its range; NULL: it has no range';

COMMENT ON COLUMN pgperf.history_size.table_name IS 'The table';
COMMENT ON COLUMN pgperf.history_size.level IS 'raw, hourly, daily, pinned, rest, runs or texts';
COMMENT ON COLUMN pgperf.history_size.partitions IS 'Number of its partitions on that level';
COMMENT ON COLUMN pgperf.history_size.bytes IS 'Their size with indexes and TOAST';
COMMENT ON COLUMN pgperf.history_size.newest_at IS 'End of the newest partition that holds rows, at most now; for runs and texts, when the newest run was requested or the newest text first seen';

COMMENT ON COLUMN pgperf.nodes.name IS 'Name of the node, initially host:port/database, of a target the name of its foreign server; it may be changed';
COMMENT ON COLUMN pgperf.nodes.system_identifier IS 'System identifier of the server, as in pg_control_system(); NULL: not known, a node of import_results, or a target whose role there may not read it';
COMMENT ON COLUMN pgperf.nodes.database_oid IS 'Oid of the database on that server; 0: an imported node';
COMMENT ON COLUMN pgperf.nodes.database_name IS 'Name of the database; NULL: not known';
COMMENT ON COLUMN pgperf.nodes.host IS 'Name of the machine; NULL: not known';
COMMENT ON COLUMN pgperf.nodes.created_at IS 'When the node was first seen';
