-- At least six evictions an hour: each removes the twentieth of the statements that is used least, and what they counted since the sample before is
-- in no figure.
SELECT NULL, LEAST(99, 3600 * e.evictions / e.seconds), 'setting', NULL, 'pg_stat_statements.max', e.until, e.since, e.until,
       format('pg_stat_statements had no room for new statements, and evicted others: %s times, from %s on; it knows %s',
              to_char(e.evictions, 'FM999,999,999,999,990'), to_char(e.since, 'YYYY-MM-DD HH24:MI:SS'), to_char(e.statements, 'FM999,999,999,999,990')),
       jsonb_build_object('evictions', e.evictions, 'statements', e.statements), NULL
FROM (SELECT sum(t.dealloc - t.previous_dealloc) AS evictions, min(t.previous_at) AS since, max(t.taken_at) AS until, max(t.statements) AS statements,
             EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz) AS seconds
      FROM together t WHERE t.taken_at > $2::timestamptz AND t.dealloc > t.previous_dealloc) e
WHERE 600 * e.evictions >= e.seconds
