-- Sessions waited for a lock of one relation, or of one type, for 30 seconds together, one of them for at least 5: shorter waits are
-- normal under load. Critical if they waited half of the window together, or 20 of them at once.
SELECT CASE WHEN q.all_victims >= 20 OR q.all_s >= 0.5 * EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz) THEN 'critical' END,
       LEAST(99, 100.0 * q.all_s / EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz)),
       CASE WHEN q.relation_name IS NULL THEN 'server' ELSE 'relation' END, q.schema_name, COALESCE(q.relation_name, q.lock_type), q.all_until, q.all_since, q.all_until,
       format('%s%s held %s of %s and was %s; behind it %s waits took %s s, the longest %s s, at most %s at once%s%s%s',
              CASE WHEN q.pid = 0 THEN 'a prepared transaction' ELSE 'pid ' || q.pid END,
              format(' (role %s%s)', q.role_name, ', application ' || NULLIF(q.application_name, '')),
              COALESCE(q.lock_mode, 'a lock'), COALESCE(q.schema_name || '.' || q.relation_name, q.relation_name, q.lock_type),
              COALESCE(q.state, q.backend_type), q.waits, round(q.together_s::numeric, 1), round(q.longest_s::numeric, 1), q.victims,
              '; first in the queue: ' || q.first_in_queue, '; its last statement: ' || left(q.statement, 300),
              CASE WHEN q.heads > 1 THEN format('; %s s with those of %s other sessions', round(q.all_s::numeric, 1), q.heads - 1) END),
       jsonb_build_object('pid', q.pid, 'role', q.role_name, 'application', q.application_name, 'state', q.state, 'lock_mode', q.lock_mode,
                          'statement', q.statement, 'first_in_queue', q.first_in_queue, 'waits', q.waits, 'waited_s', round(q.all_s::numeric, 1),
                          'longest_s', round(q.all_longest_s::numeric, 1), 'victims', q.all_victims, 'heads', q.heads, 'goes_on', q.goes_on,
                          'time_percent', (SELECT round(LEAST(100, 100 * q.all_s / a.seconds)::numeric, 1) FROM active a WHERE a.seconds > 0)),
       -- Another process may have got its number since, or it may be in another transaction.
       CASE WHEN q.goes_on AND q.pid > 0
            THEN format('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = %s AND xact_start = %L', q.pid, q.transaction_start) END
FROM queues q
