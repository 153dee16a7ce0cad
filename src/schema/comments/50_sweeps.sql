-- Columns of workloads and sweeps.
COMMENT ON COLUMN pgperf_internal.stored_workloads.name IS 'Name of the workload';
COMMENT ON COLUMN pgperf_internal.stored_workloads.role IS 'The role that stored it; NULL: a built-in one';
COMMENT ON COLUMN pgperf_internal.stored_workloads.description IS 'Short description; NULL: none';
COMMENT ON COLUMN pgperf_internal.stored_workloads.scripts IS 'Its scripts: an array of name, text and weight';
COMMENT ON COLUMN pgperf_internal.stored_workloads.variables IS 'Default script variables of its runs';
COMMENT ON COLUMN pgperf_internal.stored_workloads.settings IS 'Default settings of the clients of its runs';
COMMENT ON COLUMN pgperf_internal.stored_workloads.options IS 'Options of its loads and runs, with their defaults';
COMMENT ON COLUMN pgperf_internal.stored_workloads.setup_sql IS 'Statements that create its tables; NULL: it has none';
COMMENT ON COLUMN pgperf_internal.stored_workloads.load_sql IS 'Statements that fill a part of its tables';
COMMENT ON COLUMN pgperf_internal.stored_workloads.check_sql IS 'Query of the conditions that its tables meet';
COMMENT ON COLUMN pgperf_internal.stored_workloads.metrics_sql IS 'Query of the metrics of a run';
COMMENT ON COLUMN pgperf_internal.stored_workloads.origin IS 'Of a workload made of observed statements: what they did then; NULL: it is none';
COMMENT ON COLUMN pgperf_internal.stored_workloads.created_at IS 'When it was stored; NULL: a built-in one';

COMMENT ON COLUMN pgperf.workloads.kind IS 'built-in or stored';

COMMENT ON COLUMN pgperf_internal.stored_sweeps.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.label IS 'Name given by the call; NULL: none';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.role IS 'The role that started it';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.repetitions IS 'Number of runs planned for each point; with until_precise there may be more';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.random_seed IS 'Seed of the order of runs and of the runs'' random values';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.spec IS 'All options of the sweep as a document';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.stored_status IS 'The last status that was stored: waiting, running, finished, stopped or failed';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.requested_at IS 'When it was requested';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.resumed_at IS 'When it was last resumed; NULL: never';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.started_at IS 'When its worker began; NULL: not yet';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.ended_at IS 'When it ended; NULL: it has not, or it was interrupted';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.server_version IS 'Version of the server on which it ran';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.worker_pid IS 'Process id of its worker on this server; once the sweep has ended, another process may have it';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.sqlstate IS 'SQLSTATE of the error that made it fail; NULL: none';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.error IS 'Why it failed or was stopped; NULL: no such reason';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.origin_node_id IS 'For an imported sweep: the node on which it ran; NULL: it ran here';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.origin_sweep_id IS 'For an imported sweep: its number on the node on which it ran; sweep_id is its number here';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.origin_role IS 'For an imported sweep: the role that ran it; role is the role that imported it';

COMMENT ON COLUMN pgperf.sweeps.status IS 'waiting, running, finished, stopped, failed, needs restart (of the server, for its next point), or interrupted (its worker or the server went away)';
COMMENT ON COLUMN pgperf.sweeps.points IS 'Number of points of the grid';
COMMENT ON COLUMN pgperf.sweeps.finished IS 'Number of runs done';
COMMENT ON COLUMN pgperf.sweeps.attempts IS 'Number of attempts at runs';
COMMENT ON COLUMN pgperf.sweeps.load_run_id IS 'The load that is running; NULL: none';

COMMENT ON COLUMN pgperf_internal.stored_sweep_points.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.point_no IS 'Number of the point, from 1';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.workload IS 'Workload of the point''s runs';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.clients IS 'Client sessions of the point''s runs';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.scale IS 'Scale of the tables, whether loaded for the point or found; without tables, the value of :scale in scripts';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.partitions IS 'Partitions of accounts as loaded for the point; NULL: the point loads nothing, or gives no number';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.fillfactor IS 'Fillfactor of the tables as loaded for the point; NULL: the point loads nothing, or gives none';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.query_mode IS 'Query mode of the point''s runs';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.settings IS 'Settings of the clients that vary with the point';

COMMENT ON COLUMN pgperf_internal.sweep_attempts.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.position IS 'Place of the run in the order of runs, from 1';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.attempt IS 'Number of the attempt at this run, from 1';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.point_no IS 'Number of the point';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.repetition IS 'Number of the repetition of the point, from 1';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.load_run_id IS 'The load before it; NULL: none, or it has been deleted since';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.started_at IS 'When the attempt began';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.ended_at IS 'When the attempt ended; NULL: not known yet';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.sqlstate IS 'SQLSTATE of the error; NULL: none';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.error IS 'Why it failed; NULL: it did not';

COMMENT ON COLUMN pgperf_internal.sweep_plan.attempts IS 'Number of attempts';
COMMENT ON COLUMN pgperf_internal.sweep_plan.done IS 'Whether one of them finished and its run still exists';

COMMENT ON COLUMN pgperf.sweep_points.tps IS 'Mean tps of its finished runs';
COMMENT ON COLUMN pgperf.sweep_points.tps_ci_high IS 'Upper end of the 95 % interval of that mean; NULL: one run gives no interval';
COMMENT ON COLUMN pgperf.sweep_points.run_ids IS 'The finished runs, in the order of repetitions';
COMMENT ON COLUMN pgperf.sweep_points.latency_avg_ms IS 'Average of the runs'' mean latencies in ms';
COMMENT ON COLUMN pgperf.sweep_points.latency_p50_ms IS 'Median latency in ms over the transactions of all runs';
COMMENT ON COLUMN pgperf.sweep_points.latency_p95_ms IS '95th percentile of the latency in ms over the transactions of all runs';
COMMENT ON COLUMN pgperf.sweep_points.latency_p99_ms IS '99th percentile of the latency in ms over the transactions of all runs';
COMMENT ON COLUMN pgperf.sweep_points.latency_p999_ms IS '99.9th percentile of the latency in ms over the transactions of all runs';
COMMENT ON COLUMN pgperf.sweep_points.failed_transactions IS 'Failed transactions of the finished runs together';
COMMENT ON COLUMN pgperf.sweep_points.error IS 'An error of a run of the point; NULL: none';

COMMENT ON COLUMN pgperf.sweep_peak.combination IS 'Dimensions other than the number of clients, as ''name=value, ...''; empty: nothing';
COMMENT ON COLUMN pgperf.sweep_peak.point_no IS 'Number of the point with the highest mean tps';
COMMENT ON COLUMN pgperf.sweep_peak.clients IS 'Number of clients at that point';
COMMENT ON COLUMN pgperf.sweep_peak.n IS 'Number of its finished runs';
