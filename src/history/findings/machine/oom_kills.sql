-- Any.
SELECT NULL, 95, 'host', NULL, 'memory', max(s.taken_at), min(s.since), max(s.taken_at),
       format('processes that the kernel killed for want of memory: %s', sum(s.oom_kills)), jsonb_build_object('oom_kills', sum(s.oom_kills)), NULL
FROM steps s WHERE s.oom_kills > 0 HAVING sum(s.oom_kills) > 0
