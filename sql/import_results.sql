-- Results of other programs as runs: what is read is tested in crates/results, here what becomes of it.
\set VERBOSITY default
CREATE TEMP TABLE texts (name text, content text);
INSERT INTO texts VALUES
('pgbench', $$pgbench (17.6 (Ubuntu 17.6-2), server 15.14)
starting vacuum...end.
progress: 5.0 s, 900.0 tps, lat 8.000 ms stddev 5.000, 1 failed
progress: 10.0 s, 1100.0 tps, lat 7.000 ms stddev 5.000, 0 failed
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 10
query mode: prepared
number of clients: 8
number of threads: 2
maximum number of tries: 1
duration: 10 s
number of transactions actually processed: 10000
number of failed transactions: 1 (0.010%)
latency average = 7.500 ms
latency stddev = 5.000 ms
initial connection time = 20.000 ms
tps = 1000.000000 (without initial connection time)
statement latencies in milliseconds and failures:
         0.001           0  \set aid random(1, 100000 * :scale)
         7.000           1  UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
$$),
('log', $$0 1 1000 0 1700000000 500000
1 1 3000 0 1700000001 250000
$$),
('sysbench', $$sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)
Number of threads: 4
[ 10s ] thds: 4 tps: 50.00 qps: 1000.00 (r/w/o: 700.00/200.00/100.00) lat (ms,95%): 90.00 err/s: 0.10 reconn/s: 0.00
SQL statistics:
    queries performed:
        read:                            7000
        write:                           2000
        other:                           1000
        total:                           10000
    transactions:                        500    (50.00 per sec.)
    queries:                             10000  (1000.00 per sec.)
    ignored errors:                      1      (0.10 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          10.0000s
    total number of events:              500

Latency (ms):
         min:                                   60.00
         avg:                                   80.00
         max:                                  200.00
         95th percentile:                       90.00
         sum:                                40000.00

Threads fairness:
    events (avg/stddev):           125.0000/1.50
    execution time (avg/stddev):   10.0000/0.01
$$),
('hammerdb', $$Vuser 1:Timing test period of 5 in minutes
Vuser 1:8 Active Virtual Users configured
Vuser 1:TEST RESULT : System achieved 17099 NOPM from 39188 PostgreSQL TPM
$$),
('pg_stat_statements', $$userid,dbid,queryid,query,calls,total_exec_time,mean_exec_time,stddev_exec_time,max_exec_time,rows,shared_blks_hit,temp_blks_read
10,5,1,SELECT $1,4,8,2,0.5,3,4,16,0
10,5,2,"UPDATE ""t"" SET x = $1",2,50,25,1,30,20,8,0
$$);
-- Each is recognised, and strict finds nothing to complain about.
SELECT t.name, i.count FROM texts t, LATERAL (SELECT count(*) FROM pgperf.import_results(t.content, label => t.name, strict => true)) i ORDER BY t.ctid;
SELECT r.label, r.workload, r.status, r.clients, r.query_mode, r.scale, r.server_version, n.name AS node, r.origin_run_id, r.started_at
FROM pgperf.runs r JOIN pgperf.nodes n USING (node_id) WHERE r.origin_node_id IS NOT NULL ORDER BY r.run_id;
SELECT s.label, s.transactions, s.duration_s, s.tps, s.latency_avg_ms, s.latency_p95_ms, s.latency_max_ms, s.failed, s.retried, s.wal_bytes, s.has_totals
FROM pgperf.run_summary s WHERE s.label IN (SELECT name FROM texts) ORDER BY s.run_id;
SELECT s.label, round(s.latency_stddev_ms::numeric, 3) AS latency_stddev_ms FROM pgperf.run_summary s WHERE s.label IN (SELECT name FROM texts) ORDER BY s.run_id;
SELECT r.label, i.interval_no, i.started_at - min(i.started_at) OVER (PARTITION BY r.run_id) AS after, i.seconds, i.transactions, i.tps, i.latency_avg_ms,
       i.latency_p95_ms, i.failed, i.histogram IS NOT NULL AS has_histogram
FROM pgperf.run_intervals i JOIN pgperf.runs r USING (node_id, run_id) WHERE r.label IN (SELECT name FROM texts) ORDER BY r.run_id, i.interval_no;
SELECT r.label, t.command_no, t.statement, t.is_sql, t.calls, t.failed, t.latency_avg_ms, t.rows, t.shared_blks_hit
FROM pgperf.run_statements t JOIN pgperf.runs r USING (node_id, run_id) WHERE r.label IN (SELECT name FROM texts) ORDER BY r.run_id, t.command_no;
SELECT r.label, m.metric, m.value, m.unit
FROM pgperf.run_metrics m JOIN pgperf.runs r USING (node_id, run_id) WHERE r.label IN (SELECT name FROM texts) ORDER BY r.run_id, m.metric;
-- Nothing is known of the nodes, and what is known of a run is pinned.
SELECT name, system_identifier, database_oid, database_name, host FROM pgperf.nodes WHERE system_identifier IS NULL ORDER BY name;
-- The reports: pgbench's own lines first, and sysbench's in its style.
SELECT regexp_replace(line, '^run \d+ ', 'run N ') AS line FROM pgperf.report('pgbench') AS r (line);
SELECT regexp_replace(line, '^run \d+ ', 'run N ') AS line FROM pgperf.report('sysbench', style => 'sysbench') AS r (line);
SELECT regexp_replace(line, '^run \d+ ', 'run N ') AS line FROM pgperf.report('hammerdb') AS r (line);
SELECT regexp_replace(line, '^run \d+ ', 'run N ') AS line FROM pgperf.report('pg_stat_statements') AS r (line);
SELECT pgperf.report_json('pgbench') -> 'call' AS call, pgperf.report_html('log') ~ 'Measured\s+by\s+pgbench,\s+not\s+by\s+pgperf' AS page;
-- The same text is the same run, whatever else is said.
SET client_min_messages = warning;
SELECT i = (SELECT run_id FROM pgperf.runs WHERE label = 'log') AS same
FROM pgperf.import_results((SELECT content FROM texts WHERE name = 'log'), label => 'other') i;
SELECT i = (SELECT run_id FROM pgperf.runs WHERE label = 'log') AS same_but_for_empty_lines
FROM pgperf.import_results((SELECT E'\n' || replace(content, E'\n', E' \n') || E'\n\n' FROM texts WHERE name = 'log')) i;
RESET client_min_messages;
-- Several runs of one text; a node and a workload of one's own; when it began.
SELECT count(*) FROM pgperf.import_results((SELECT content || replace(content, '1000.0', '1200.0') FROM texts WHERE name = 'pgbench'), label => 'twice');
SELECT count(*) FROM pgperf.import_results((SELECT replace(content, 'tps: 50', 'tps: 51') FROM texts WHERE name = 'sysbench'),
    label => 'named', node => 'rack 7', workload => 'oltp_read_write', started => '2024-05-01 12:00+00');
SELECT n.name, r.workload, r.started_at = '2024-05-01 12:00+00' AS started, r.ended_at - r.started_at AS took
FROM pgperf.runs r JOIN pgperf.nodes n USING (node_id) WHERE r.label = 'named';
-- What a program does not print can be given. Without its scale a run is not compared with those of a known one.
SELECT count(*) FROM pgperf.import_results((SELECT replace(content, 'tps: 50', 'tps: 52') FROM texts WHERE name = 'sysbench'), label => 'told',
    workload => 'oltp_read_write', scale => 3, clients => 7, query_mode => 'prepared', server_version => '15.20', transport => 'tcp');
SELECT scale, clients, query_mode, server_version, spec -> 'results' ->> 'transport' AS transport, spec -> 'call' ->> 'transport' AS told FROM pgperf.runs WHERE label = 'told';
SELECT regexp_replace(verdict, '\d+', 'N') AS verdict FROM pgperf.compare('named', 'told') WHERE metric = 'tps';
-- The options of a run that a program prints are those of its call.
SELECT count(*) FROM pgperf.import_results((SELECT regexp_replace(content, 'maximum number of tries: 1\nduration: 10 s',
    E'maximum number of tries: 3\nnumber of transactions per client: 1250') FROM texts WHERE name = 'pgbench'), label => 'counted');
SELECT spec -> 'call' AS call, spec -> 'transactions_per_client' AS of_each FROM pgperf.runs WHERE label = 'counted';
SELECT count(*) FROM pgperf.import_results((SELECT replace(content, 'tps: 50', 'tps: 53') FROM texts WHERE name = 'sysbench'), label => 'told too',
    workload => 'oltp_read_write', scale => 3);
SELECT verdict FROM pgperf.compare('told', 'told too') WHERE metric = 'tps';
SELECT pgperf.import_results('tps = 1.0 ()', scale => 0);
SELECT pgperf.import_results('tps = 1.0 ()', clients => -1);
SELECT pgperf.import_results('tps = 1.0 ()', query_mode => 'fast');
SELECT pgperf.import_results('tps = 1.0 ()', server_version => '');
SELECT pgperf.import_results('tps = 1.0 ()', transport => 'pigeon');
-- The name of this server stays its own, which a notice says.
SET client_min_messages = warning;
SELECT count(*) FROM pgperf.import_results('tps = 7.0 (without initial connection time)', label => 'stranger', node => (SELECT name FROM pgperf.nodes WHERE first_of IS NOT NULL));
RESET client_min_messages;
SELECT n.node_id <> pgperf.local_node() AS another, n.name LIKE '% (2)' AS numbered, m.metric, m.value
FROM pgperf.runs r JOIN pgperf.nodes n USING (node_id) JOIN pgperf.run_metrics m USING (node_id, run_id) WHERE r.label = 'stranger';
-- A window of the history needs to know when it was.
DO $$ BEGIN
    PERFORM pgperf.history_report('stranger');
EXCEPTION WHEN object_not_in_prerequisite_state THEN RAISE NOTICE '%', regexp_replace(SQLERRM, '\d+', 'N');
END $$;
-- Comparisons: of one run with another, and of dumps by the text of their statements.
SELECT metric, baseline, candidate, verdict FROM pgperf.compare(
    (SELECT min(run_id) FROM pgperf.runs WHERE label = 'twice'), (SELECT max(run_id) FROM pgperf.runs WHERE label = 'twice')) WHERE metric = 'tps';
SELECT count(*) FROM pgperf.import_results((SELECT 'query,calls,total_exec_time,mean_exec_time' || E'\n"UPDATE ""t"" SET x = $1",4,100,25\n' || E'SELECT $1,4,16,4\n'), label => 'later');
SELECT object IS NOT NULL AS has_object, metric, round(baseline::numeric, 6) AS baseline, round(candidate::numeric, 6) AS candidate
FROM pgperf.compare('pg_stat_statements', 'later') WHERE category = 'statements' AND metric = 'latency_avg_ms' ORDER BY baseline;
-- A run that did not end, and one whose clients were aborted.
SELECT count(*) FROM pgperf.import_results(E'progress: 1.0 s, 10.0 tps, lat 1.000 ms stddev 0.100\n', label => 'progress alone');
SELECT count(*) FROM pgperf.import_results((SELECT E'pgbench: error: client 1 script 0 aborted in command 4 query 0\n' || content FROM texts WHERE name = 'pgbench'), label => 'aborted');
SELECT label, status, error FROM pgperf.runs WHERE label IN ('progress alone', 'aborted') ORDER BY label;
-- Lines that are not understood, and texts without a result.
SELECT count(*) FROM pgperf.import_results((SELECT E'make: hello\n' || content || 'bye' FROM texts WHERE name = 'hammerdb'));
SELECT pgperf.import_results((SELECT E'make: hello\n' || content || 'bye' FROM texts WHERE name = 'hammerdb'), strict => true);
SELECT pgperf.import_results(NULL);
SELECT pgperf.import_results('');
SELECT pgperf.import_results('pgbench (15.1)');
SELECT pgperf.import_results('x', format => 'gatling');
SELECT pgperf.import_results('x', format => 'sysbench');
SELECT pgperf.import_results('tps = 1.0 ()', node => ' ');
SELECT pgperf.import_results('tps = 1.0 ()', workload => '');
SELECT pgperf.import_results('tps = 1.0 ()', node => repeat('x', 201));
SELECT pgperf.import_results('tps = 1.0 ()', started => 'infinity');
SELECT pgperf.import_results('tps = 1.0 ()', started => now() + interval '1 day');
SELECT pgperf.import_results((SELECT content || content FROM texts WHERE name = 'pgbench'), started => now());
SELECT pgperf.import_results((SELECT string_agg(content, '') FROM (SELECT content FROM texts WHERE name = 'pgbench' UNION ALL SELECT content FROM texts WHERE name IN ('pgbench', 'log')) t));
-- Exported and deleted as any other.
SELECT pgperf.export_run((SELECT run_id FROM pgperf.runs WHERE label = 'log')) -> 'contents' AS contents;
SELECT count(*) FILTER (WHERE pgperf.delete_run(run_id)) FROM pgperf.runs WHERE origin_node_id IS NOT NULL;
-- Not for everybody.
SELECT p.proname, has_function_privilege('pg_monitor', p.oid, 'EXECUTE') AS monitor
FROM pg_proc p WHERE p.proname IN ('import_results', 'results_origin') ORDER BY 1;
