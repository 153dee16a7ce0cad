-- The oldest file waits for at least 10 minutes at the end, twice the usual archive_timeout, and no attempt failed: failures are
-- reported as such. Critical from one hour on: so much would be lost with the disk.
SELECT CASE WHEN a.oldest_ready_s >= 3600 THEN 'critical' END, LEAST(99, a.oldest_ready_s / 36),
       'server', NULL, 'archive', a.taken_at, a.taken_at - make_interval(secs => a.oldest_ready_s), a.taken_at,
       format('%s WAL files wait to be archived, the oldest since %s%s', a.ready_files,
              to_char(a.taken_at - make_interval(secs => a.oldest_ready_s), 'YYYY-MM-DD HH24:MI:SS'),
              '; the archive is ' || pg_size_pretty(a.behind_bytes) || ' behind'),
       jsonb_build_object('ready_files', a.ready_files, 'oldest_ready_s', round(a.oldest_ready_s::numeric, 1), 'behind_bytes', a.behind_bytes,
                          'last_archived_wal', a.last_archived_wal),
       NULL
FROM (SELECT x.* FROM archiver x ORDER BY x.sample_id DESC LIMIT 1) a
WHERE a.oldest_ready_s >= {threshold archive_behind} AND NOT EXISTS (SELECT FROM failed)
