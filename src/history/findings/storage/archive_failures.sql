-- Any failure in the window. Critical if nothing has been archived since.
SELECT CASE WHEN f.archived_at IS NULL OR f.at > f.archived_at THEN 'critical' END, 90,
       'server', NULL, 'archive_command', f.at, f.since, f.at,
       format('archiving of %s failed at %s%s%s', f.wal, to_char(f.at, 'YYYY-MM-DD HH24:MI:SS'),
              CASE WHEN f.archived_at > f.at THEN format('; the last success was at %s', to_char(f.archived_at, 'YYYY-MM-DD HH24:MI:SS'))
                   ELSE ', and none has succeeded since' END,
              CASE WHEN f.failures > 1 THEN format('; failures in the window: %s', f.failures) ELSE '' END),
       jsonb_build_object('failures', f.failures, 'last_failed_wal', f.wal, 'last_archived_at', f.archived_at),
       NULL
FROM failed f
