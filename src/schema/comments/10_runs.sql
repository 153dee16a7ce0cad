-- Columns of the tables that belong to runs. Views take their comments from here: 90_derived.sql.
COMMENT ON COLUMN pgperf_internal.stored_runs.kind IS 'run or load';
COMMENT ON COLUMN pgperf_internal.stored_runs.label IS 'Name given by the call; NULL: none';
COMMENT ON COLUMN pgperf_internal.stored_runs.workload IS 'The workload or weighted mix that it ran; for a load, the workload whose tables it made';
COMMENT ON COLUMN pgperf_internal.stored_runs.role IS 'The role that started it; its clients are sessions of this role';
COMMENT ON COLUMN pgperf_internal.stored_runs.clients IS 'Number of client sessions; for a load, of workers';
COMMENT ON COLUMN pgperf_internal.stored_runs.query_mode IS 'simple, extended or prepared, as for pgbench -M';
COMMENT ON COLUMN pgperf_internal.stored_runs.scale IS 'Scale of the workload''s tables, rounded up, or the value of :scale in scripts';
COMMENT ON COLUMN pgperf_internal.stored_runs.random_seed IS 'Seed of its random values';
COMMENT ON COLUMN pgperf_internal.stored_runs.spec IS 'All options in force, as a document; the key call holds the arguments as given';
COMMENT ON COLUMN pgperf_internal.stored_runs.stored_status IS 'The last status that its leader stored: waiting, preparing, warming up, running, draining, finished, stopped or failed';
COMMENT ON COLUMN pgperf_internal.stored_runs.requested_at IS 'When it was requested';
COMMENT ON COLUMN pgperf_internal.stored_runs.started_at IS 'When its leader began; NULL: not yet';
COMMENT ON COLUMN pgperf_internal.stored_runs.ended_at IS 'When it ended; NULL: it has not, or it was interrupted';
COMMENT ON COLUMN pgperf_internal.stored_runs.start_lsn IS 'WAL position of the server when the measured part began';
COMMENT ON COLUMN pgperf_internal.stored_runs.end_lsn IS 'WAL position of the server when the measured part ended';
COMMENT ON COLUMN pgperf_internal.stored_runs.start_full_xid IS 'Next transaction id of the server, with its epoch, when the measured part began';
COMMENT ON COLUMN pgperf_internal.stored_runs.end_full_xid IS 'Next transaction id of the server, with its epoch, when the measured part ended';
COMMENT ON COLUMN pgperf_internal.stored_runs.server_version IS 'Version of the server on which it ran';
COMMENT ON COLUMN pgperf_internal.stored_runs.leader_pid IS 'Process id of its leader on this server; once the run has ended, another process may have it';
COMMENT ON COLUMN pgperf_internal.stored_runs.origin_node_id IS 'For an imported run: the node on which it ran; NULL: it ran here';
COMMENT ON COLUMN pgperf_internal.stored_runs.sqlstate IS 'SQLSTATE of the error that made it fail; NULL: none';
COMMENT ON COLUMN pgperf_internal.stored_runs.error IS 'Why it failed, was stopped, or is not resumed automatically; NULL: no such reason';

COMMENT ON COLUMN pgperf.runs.status IS 'waiting, preparing, warming up, running, draining, finished, stopped, failed, or interrupted (its leader or the server went away)';
COMMENT ON COLUMN pgperf.runs.sweep_id IS 'The sweep to which it belongs (pgperf.sweeps); NULL: none';
COMMENT ON COLUMN pgperf.runs.sweep_point IS 'In a sweep: number of its point (pgperf.sweep_points)';
COMMENT ON COLUMN pgperf.runs.sweep_repetition IS 'In a sweep: number of the repetition of its point, from 1';

COMMENT ON COLUMN pgperf_internal.run_totals.seconds IS 'Length of the measured part in seconds';
COMMENT ON COLUMN pgperf_internal.run_totals.transactions IS 'Successful transactions; for a load, rows';
COMMENT ON COLUMN pgperf_internal.run_totals.failed IS 'Transactions that were given up: after the last try, or, with continue_on_error, because of another error';
COMMENT ON COLUMN pgperf_internal.run_totals.serialization_failures IS 'Failed transactions whose last error was a serialization failure';
COMMENT ON COLUMN pgperf_internal.run_totals.deadlock_failures IS 'Failed transactions whose last error was a deadlock';
COMMENT ON COLUMN pgperf_internal.run_totals.other_failures IS 'Transactions that failed with any other error (continue_on_error)';
COMMENT ON COLUMN pgperf_internal.run_totals.retried IS 'Transactions that were tried more than once';
COMMENT ON COLUMN pgperf_internal.run_totals.retries IS 'Retries of all transactions together';
COMMENT ON COLUMN pgperf_internal.run_totals.skipped IS 'With a rate: transactions not begun because they would have exceeded latency_limit';
COMMENT ON COLUMN pgperf_internal.run_totals.late IS 'Transactions that took longer than latency_limit';
COMMENT ON COLUMN pgperf_internal.run_totals.warmup_transactions IS 'Transactions of the warm-up; no other figure includes them';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_avg_ms IS 'Mean latency of successful transactions in ms; with a rate, measured from the time at which each was due';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_stddev_ms IS 'Standard deviation of the latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_p50_ms IS 'Median latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_p90_ms IS '90th percentile of the latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_p95_ms IS '95th percentile of the latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_p99_ms IS '99th percentile of the latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_p999_ms IS '99.9th percentile of the latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_p9999_ms IS '99.99th percentile of the latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_max_ms IS 'Highest latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.lag_avg_ms IS 'Average delay in ms of successful transactions behind the schedule of the rate; NULL: no rate';
COMMENT ON COLUMN pgperf_internal.run_totals.lag_max_ms IS 'Longest delay in ms of a successful transaction behind the schedule; NULL: no rate';
COMMENT ON COLUMN pgperf_internal.run_totals.connect_ms IS 'Time in ms from the first client''s start until all clients were ready';
COMMENT ON COLUMN pgperf_internal.run_totals.reconnects IS 'Number of new client sessions (reconnect)';
COMMENT ON COLUMN pgperf_internal.run_totals.reconnect_avg_ms IS 'Average time in ms to open a new session; NULL: there was none';
COMMENT ON COLUMN pgperf_internal.run_totals.bytes_returned IS 'Bytes of the rows that the clients received';
COMMENT ON COLUMN pgperf_internal.run_totals.rows_returned IS 'Rows that the clients received';
COMMENT ON COLUMN pgperf_internal.run_totals.wal_bytes IS 'Bytes of WAL records that the clients wrote';
COMMENT ON COLUMN pgperf_internal.run_totals.wal_records IS 'WAL records that the clients wrote';
COMMENT ON COLUMN pgperf_internal.run_totals.wal_fpi IS 'Full-page images in the clients'' WAL';
COMMENT ON COLUMN pgperf_internal.run_totals.shared_blks_hit IS 'Blocks that the clients found in shared_buffers';
COMMENT ON COLUMN pgperf_internal.run_totals.shared_blks_read IS 'Blocks that the clients had to read into shared_buffers';
COMMENT ON COLUMN pgperf_internal.run_totals.shared_blks_dirtied IS 'Clean blocks that the clients changed';
COMMENT ON COLUMN pgperf_internal.run_totals.histogram IS 'Latencies of successful transactions: HdrHistogram V2 in nanoseconds';
COMMENT ON COLUMN pgperf_internal.run_totals.parse_ms IS 'Average time in ms per transaction for parse analysis and rewriting of its statements; 0 for prepared ones';
COMMENT ON COLUMN pgperf_internal.run_totals.plan_ms IS 'Average time in ms per transaction for planning its statements; 0 where generic plans were used';

COMMENT ON COLUMN pgperf.run_summary.duration_s IS 'Length of the measured part in seconds';
COMMENT ON COLUMN pgperf.run_summary.tps IS 'Successful transactions per second; for a load, rows per second';
COMMENT ON COLUMN pgperf.run_summary.wal_bytes_per_tx IS 'Bytes of the clients'' WAL per successful transaction';
COMMENT ON COLUMN pgperf.run_summary.hit_percent IS 'Share of the blocks accessed by the clients that were found in shared_buffers';
COMMENT ON COLUMN pgperf.run_summary.database_growth_bytes IS 'Growth of the database, without pgperf''s history; NULL: not measured';
COMMENT ON COLUMN pgperf.run_summary.own_history_bytes IS 'Growth of pgperf''s history meanwhile; NULL: not measured';
COMMENT ON COLUMN pgperf.run_summary.own_wal_bytes IS 'Bytes of WAL that pgperf itself wrote; NULL: not measured';
COMMENT ON COLUMN pgperf.run_summary.own_xids IS 'Transaction ids that pgperf itself used; NULL: not measured';
COMMENT ON COLUMN pgperf.run_summary.has_totals IS 'Whether the figures are its final totals; false: sums over its intervals so far, with NULL for figures that intervals do not have';

COMMENT ON COLUMN pgperf.run_intervals.interval_no IS 'Number of the interval, from 0';
COMMENT ON COLUMN pgperf.run_intervals.started_at IS 'When the interval began';
COMMENT ON COLUMN pgperf.run_intervals.seconds IS 'Length of the interval in seconds';
COMMENT ON COLUMN pgperf.run_intervals.tps IS 'Successful transactions per second in the interval';
COMMENT ON COLUMN pgperf.run_intervals.in_checkpoint IS 'Whether a checkpoint was being written at any time in the interval; NULL: not known';

COMMENT ON COLUMN pgperf.progress.elapsed_s IS 'Seconds of the measured part so far; NULL: it has not begun';
COMMENT ON COLUMN pgperf.progress.percent IS 'Percent done, by time, by the number of transactions, or of a load by what its steps are expected to take; NULL: not known yet';
COMMENT ON COLUMN pgperf.progress.eta_s IS 'Seconds until it ends, from the rest of the duration or the pace so far; NULL: not known yet';
COMMENT ON COLUMN pgperf.progress.transactions IS 'Transactions so far';
COMMENT ON COLUMN pgperf.progress.tps IS 'Transactions per second in the last interval';
COMMENT ON COLUMN pgperf.progress.latency_avg_ms IS 'Mean latency in ms in the last interval';
COMMENT ON COLUMN pgperf.progress.latency_stddev_ms IS 'Standard deviation of the latency in ms in the last interval';
COMMENT ON COLUMN pgperf.progress.failed IS 'Failed transactions in the last interval';
COMMENT ON COLUMN pgperf.progress.lag_avg_ms IS 'Average delay in ms of the last interval''s transactions behind the schedule; NULL: no rate';
COMMENT ON COLUMN pgperf.progress.rate IS 'Transactions per second that are scheduled now; NULL: as fast as they go';

COMMENT ON COLUMN pgperf.run_scripts.script_no IS 'Number of the script, from 0';
COMMENT ON COLUMN pgperf.run_scripts.script IS 'Name of the script: a workload, or script 1, script 2 and so on';
COMMENT ON COLUMN pgperf.run_scripts.weight IS 'Relative frequency with which it is chosen';
COMMENT ON COLUMN pgperf.run_scripts.tps IS 'Successful transactions of the script per second';

COMMENT ON COLUMN pgperf.run_servers.server_no IS 'Place of the server in the argument servers, from 0';
COMMENT ON COLUMN pgperf.run_servers.server IS 'Name of the server, a foreign server (pgperf_target)';
COMMENT ON COLUMN pgperf.run_servers.weight IS 'The weight by which it had clients';
COMMENT ON COLUMN pgperf.run_servers.clients IS 'Number of its clients';
COMMENT ON COLUMN pgperf.run_servers.aborted IS 'How many of them an error ended';
COMMENT ON COLUMN pgperf.run_servers.seconds IS 'Seconds of the measured part until the last of its clients had ended';
COMMENT ON COLUMN pgperf.run_servers.tps IS 'Successful transactions of its clients per second of the run';
COMMENT ON COLUMN pgperf.run_servers.server_version IS 'Its version when the run began; NULL: not known';
COMMENT ON COLUMN pgperf.run_servers.in_recovery IS 'Whether it was a standby when the run began; NULL: not known';
COMMENT ON COLUMN pgperf.run_server_intervals.interval_no IS 'Number of the interval, from 0';
COMMENT ON COLUMN pgperf.run_server_intervals.tps IS 'Successful transactions of its clients per second in the interval';

COMMENT ON COLUMN pgperf.run_statements.script_no IS 'Number of the script, from 0';
COMMENT ON COLUMN pgperf.run_statements.script IS 'Name of the script';
COMMENT ON COLUMN pgperf.run_statements.command_no IS 'Place of the command in its script, from 0';
COMMENT ON COLUMN pgperf.run_statements.statement IS 'The command as written in the script; for a load, the step';
COMMENT ON COLUMN pgperf.run_statements.is_sql IS 'Whether the server executes it: true for statements, \syncpipeline and \endpipeline, false for other meta-commands';
COMMENT ON COLUMN pgperf.run_statements.calls IS 'How often it succeeded';
COMMENT ON COLUMN pgperf.run_statements.failed IS 'How often its error ended the transaction or the client';
COMMENT ON COLUMN pgperf.run_statements.retries IS 'How often its error caused a retry of the transaction';
COMMENT ON COLUMN pgperf.run_statements.latency_avg_ms IS 'Mean time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_stddev_ms IS 'Standard deviation of the time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_p50_ms IS 'Median time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_p90_ms IS '90th percentile of the time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_p95_ms IS '95th percentile of the time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_p99_ms IS '99th percentile of the time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_p999_ms IS '99.9th percentile of the time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_p9999_ms IS '99.99th percentile of the time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_max_ms IS 'Longest time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.rows IS 'Rows that all calls returned or changed';
COMMENT ON COLUMN pgperf.run_statements.shared_blks_hit IS 'Blocks found in shared_buffers, all calls together';
COMMENT ON COLUMN pgperf.run_statements.shared_blks_read IS 'Blocks read into shared_buffers, all calls together';
COMMENT ON COLUMN pgperf.run_statements.shared_blks_dirtied IS 'Clean blocks changed, all calls together';
COMMENT ON COLUMN pgperf.run_statements.shared_blks_written IS 'Blocks that the client had to write itself, all calls together';
COMMENT ON COLUMN pgperf.run_statements.wal_records IS 'WAL records, all calls together; those of a commit belong to END or COMMIT';
COMMENT ON COLUMN pgperf.run_statements.wal_fpi IS 'Full-page images in the WAL, all calls together';
COMMENT ON COLUMN pgperf.run_statements.wal_bytes IS 'Bytes of WAL records, all calls together';
COMMENT ON COLUMN pgperf.run_statements.histogram IS 'Times of successful calls: HdrHistogram V2 in nanoseconds';

COMMENT ON COLUMN pgperf.run_transactions.client_id IS 'Number of the client, from 0';
COMMENT ON COLUMN pgperf.run_transactions.transaction_no IS 'Number of the transaction within its client, from 1; skipped and failed ones count too';
COMMENT ON COLUMN pgperf.run_transactions.script_no IS 'Number of its script, from 0';
COMMENT ON COLUMN pgperf.run_transactions.outcome IS 'done, skipped, or the reason for its failure: serialization, deadlock, other';
COMMENT ON COLUMN pgperf.run_transactions.ended_at IS 'When it ended';
COMMENT ON COLUMN pgperf.run_transactions.latency_ms IS 'Latency in ms if it was done; with a rate, from the time at which it was due';
COMMENT ON COLUMN pgperf.run_transactions.lag_ms IS 'Delay in ms behind the schedule; NULL: no rate, or it was not done';
COMMENT ON COLUMN pgperf.run_transactions.retries IS 'Number of retries';

COMMENT ON COLUMN pgperf.run_errors.error_no IS 'Number of the row within the run, from 0';
COMMENT ON COLUMN pgperf.run_errors.occurred_at IS 'When the error last occurred';
COMMENT ON COLUMN pgperf.run_errors.first_occurred_at IS 'When it first occurred';
COMMENT ON COLUMN pgperf.run_errors.client_id IS 'Number of the client, from 0; NULL: no client';
COMMENT ON COLUMN pgperf.run_errors.script IS 'The script, or vacuum, before_sql or after_sql; NULL: none of these';
COMMENT ON COLUMN pgperf.run_errors.command_no IS 'Place of the command in its script, from 0; for before_sql and after_sql, place of the statement; NULL: none of these';
COMMENT ON COLUMN pgperf.run_errors.sqlstate IS 'SQLSTATE of the error';
COMMENT ON COLUMN pgperf.run_errors.message IS 'Message of the last occurrence';
COMMENT ON COLUMN pgperf.run_errors.detail IS 'Detail of the last occurrence';
COMMENT ON COLUMN pgperf.run_errors.occurrences IS 'How often it occurred; from the ninth kind on, a client''s errors are counted with its eighth';

COMMENT ON COLUMN pgperf_internal.stored_segments.segment_no IS 'Number of the segment, from 0';
COMMENT ON COLUMN pgperf_internal.stored_segments.started_at IS 'When its measured part began, after connecting and a warm-up';
COMMENT ON COLUMN pgperf_internal.stored_segments.first_interval_no IS 'Its first row in pgperf.run_intervals';
COMMENT ON COLUMN pgperf_internal.stored_segments.server_started_at IS 'Start time of the server on which it ran';

COMMENT ON COLUMN pgperf.run_segments.seconds IS 'Length of its stored intervals in seconds';
COMMENT ON COLUMN pgperf.run_segments.transactions IS 'Transactions in its stored intervals';
COMMENT ON COLUMN pgperf.run_segments.reason IS 'Why it ended early; NULL: it did not, or no reason is known';

COMMENT ON COLUMN pgperf.data_sets.schema_name IS 'Schema of the tables';
COMMENT ON COLUMN pgperf.data_sets.data_set IS 'Name of the data set, which several built-in workloads may share; that of a stored workload has its name';
COMMENT ON COLUMN pgperf.data_sets.scale IS 'Scale of their rows, rounded up: options has one with a fraction; 0: the tables exist, but are not filled';
COMMENT ON COLUMN pgperf.data_sets.relations IS 'Oids of the tables, and of the views and sequences that the setup_sql of a stored workload has created';
COMMENT ON COLUMN pgperf.data_sets.relation_names IS 'Names of the tables when they were created; NULL: loaded before 1.2';
COMMENT ON COLUMN pgperf.data_sets.run_id IS 'The load that last created or filled them; it may have been deleted since';
COMMENT ON COLUMN pgperf.data_sets.created_at IS 'When they were created';
COMMENT ON COLUMN pgperf.data_sets.options IS 'Options of the workload with which they were created; runs take those that apply to both';

COMMENT ON COLUMN pgperf.run_settings.name IS 'Name of the setting';
COMMENT ON COLUMN pgperf.run_settings.unit IS 'Unit of setting and default_setting, as in pg_settings; NULL: none';
COMMENT ON COLUMN pgperf.run_plans.script_no IS 'Number of the script, from 0';
COMMENT ON COLUMN pgperf.run_plans.script IS 'Name of the script';
COMMENT ON COLUMN pgperf.run_plans.command_no IS 'Number of the command in its script, from 0';
COMMENT ON COLUMN pgperf.run_plans.statement IS 'Text of the statement, with its variables';

COMMENT ON COLUMN pgperf.run_environment.category IS 'server, extension, system, cpu, memory, file system or device';
COMMENT ON COLUMN pgperf.run_environment.note IS 'Why the value could not be read';

COMMENT ON COLUMN pgperf.run_metrics.unit IS 'Unit of the value';

COMMENT ON COLUMN pgperf.run_relations.relation_oid IS 'Oid of the relation';
COMMENT ON COLUMN pgperf.run_relations.schema_name IS 'Schema of the relation';
COMMENT ON COLUMN pgperf.run_relations.relation_name IS 'Name of the relation';
COMMENT ON COLUMN pgperf.run_relations.relation_kind IS 'table, index, TOAST table or materialized view';
COMMENT ON COLUMN pgperf.run_relations.end_size_bytes IS 'Size of the main fork in bytes at the end';
COMMENT ON COLUMN pgperf.run_relations.end_live_tuples IS 'Live rows at the end, estimated by the statistics; NULL: an index';
COMMENT ON COLUMN pgperf.run_relations.start_dead_tuples IS 'Dead rows at the start, estimated by the statistics; NULL: an index';
COMMENT ON COLUMN pgperf.run_relations.end_dead_tuples IS 'Dead rows at the end, estimated by the statistics; NULL: an index';
COMMENT ON COLUMN pgperf.run_relations.end_tuple_percent IS 'Share of the size taken by live rows at the end; NULL: the sample did not measure it';
COMMENT ON COLUMN pgperf.run_relations.end_bloat_percent IS 'Share of the size that rewriting it at the end would free; NULL: the sample did not measure it';
COMMENT ON COLUMN pgperf.run_relations.idx_scan IS 'Index scans during the run; for a table, over all its indexes';
COMMENT ON COLUMN pgperf.run_relations.n_tup_ins IS 'Rows inserted during the run';
COMMENT ON COLUMN pgperf.run_relations.n_tup_upd IS 'Rows updated during the run, including HOT updates';
COMMENT ON COLUMN pgperf.run_relations.n_tup_hot_upd IS 'Rows updated during the run without new index entries (HOT)';
COMMENT ON COLUMN pgperf.run_relations.n_tup_del IS 'Rows deleted during the run';
COMMENT ON COLUMN pgperf.run_relations.vacuum_count IS 'Manual vacuums during the run, VACUUM FULL excepted';
COMMENT ON COLUMN pgperf.run_relations.autovacuum_count IS 'Vacuums by autovacuum during the run';
COMMENT ON COLUMN pgperf.run_relations.analyze_count IS 'Manual analyzes during the run';
COMMENT ON COLUMN pgperf.run_relations.autoanalyze_count IS 'Analyzes by autovacuum during the run';
COMMENT ON COLUMN pgperf.run_relations.blks_read IS 'Blocks of the relation read into shared_buffers during the run';
COMMENT ON COLUMN pgperf.run_relations.blks_hit IS 'Blocks of the relation found in shared_buffers during the run';

COMMENT ON COLUMN pgperf.run_checkpoint_cycle.tenth IS 'Position in the cycle: 1 (a checkpoint has just begun) to 10';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.cycles IS 'Number of checkpoint cycles with intervals in this tenth';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.intervals IS 'Number of intervals in this tenth';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.seconds IS 'Total length of these intervals in seconds';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.tps IS 'Transactions per second in these intervals';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.latency_avg_ms IS 'Mean latency in ms in these intervals';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.wal_bytes_per_tx IS 'Bytes of the clients'' WAL per transaction in these intervals';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.in_checkpoint_percent IS 'Share of the time during which a checkpoint was being written';

COMMENT ON COLUMN pgperf.run_tables.table_name IS 'Name of the table in schema pgperf';

COMMENT ON COLUMN pgperf_internal.pinned_runs.run_id IS 'The run';

COMMENT ON COLUMN pgperf.kept_runs.run_id IS 'The run';

COMMENT ON COLUMN pgperf_internal.resume_points.run_id IS 'The run';

COMMENT ON COLUMN pgperf.baselines.name IS 'Name of the baseline';
COMMENT ON COLUMN pgperf.baselines.run_no IS 'Place of the run in the baseline, from 1';
COMMENT ON COLUMN pgperf.baselines.role IS 'The role that set the baseline';
COMMENT ON COLUMN pgperf.baselines.created_at IS 'When the baseline was set';
