-- idle_in_transaction of holder {n}
-- conditions: vacuum/idle_in_transaction.sql 25
-- looked: m = 59
INSERT INTO pgperf.session_history (node_id, sample_id, taken_at, looks, seen, most, database_name, role_name, application_name, backend_type, state, longest_transaction_s)
SELECT node_id, sample_id, taken_at, 10, 10, 1, 'app', 'clerk', 'holder {n}', 'client backend', 'idle in transaction', 300 + m FROM tick WHERE {looked}
-- Another node looks on.
UNION ALL SELECT '00000000-0000-0000-0000-0000000000bb', sample_id, taken_at, 10, 0, 0, NULL, NULL, NULL, NULL, 'active', NULL FROM tick;

-- rows
-- seen by the last look | 10m 1h 1d | => note, weight=10 & at=59 & until=59 & for 00:05:59 & "goes_on": true & fix=SELECT pg_terminate_backend(pid) & usename = 'clerk' AND application_name = 'holder
