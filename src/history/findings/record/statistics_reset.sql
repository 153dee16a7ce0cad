-- Any, while the server went on: what was counted of these before is in no figure that spans the reset. Resets of single tables, statements, slots
-- or SLRUs change only their own figures.
SELECT NULL, 20, 'server', NULL, 'statistics', t.taken_at, t.since, t.taken_at,
       format('statistics were reset between %s and %s: %s', to_char(t.since, 'YYYY-MM-DD HH24:MI:SS'), to_char(t.taken_at, 'HH24:MI:SS'), t.was_reset),
       jsonb_build_object('reset', t.was_reset), NULL
FROM breaks t
WHERE t.was_reset IS NOT NULL
