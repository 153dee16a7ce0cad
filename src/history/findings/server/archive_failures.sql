-- The last failure lies in the window. It is read from the server's view, since the history does not store it. Critical if nothing has
-- been archived since.
SELECT CASE WHEN a.last_archived_time IS NULL OR a.last_failed_time > a.last_archived_time THEN 'critical' END, 90,
       'server', NULL, 'archive_command', a.last_failed_time, NULL::timestamptz, a.last_failed_time,
       format('archiving of %s failed at %s%s', a.last_failed_wal, to_char(a.last_failed_time, 'YYYY-MM-DD HH24:MI:SS'),
              CASE WHEN a.last_archived_time > a.last_failed_time THEN format('; the last success was at %s', to_char(a.last_archived_time, 'YYYY-MM-DD HH24:MI:SS'))
                   ELSE ', and none has succeeded since' END),
       jsonb_build_object('failed', a.failed_count, 'last_failed_wal', a.last_failed_wal, 'last_archived_at', a.last_archived_time),
       NULL
FROM pg_stat_archiver a
WHERE $1::uuid = (SELECT pgperf.local_node()) AND a.last_failed_time > $2::timestamptz AND a.last_failed_time <= $3::timestamptz
