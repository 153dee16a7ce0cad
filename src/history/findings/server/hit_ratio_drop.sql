-- At least 5 percentage points less than before, and 1 GB an hour more was read: where little is read, a percentage says little. From
-- 20 points on a warning.
SELECT CASE WHEN x.before - x.now >= 20 THEN 'warning' END, LEAST(99, x.before - x.now),
       'database', NULL, c.database_name, c.until, c.since, c.until,
       format('%s %% of the blocks were found in shared buffers, before it was %s %%; %s were read', round(x.now, 1), round(x.before, 1),
              pg_size_pretty(c.reads * current_setting('block_size')::bigint)),
       jsonb_build_object('hit_percent', round(x.now, 1), 'hit_percent_before', round(x.before, 1), 'blocks_read', c.reads), NULL
FROM counted c JOIN counted b ON b.database_name = c.database_name AND NOT b.inside
CROSS JOIN LATERAL (SELECT 100.0 * c.hits / NULLIF(c.hits + c.reads, 0) AS now, 100.0 * b.hits / NULLIF(b.hits + b.reads, 0) AS before,
                           EXTRACT(epoch FROM c.until - c.since) AS seconds, EXTRACT(epoch FROM b.until - b.since) AS seconds_before) x
WHERE c.inside AND x.before - x.now >= {threshold hit_ratio_drop} AND x.seconds > 0 AND x.seconds_before > 0
  AND (c.reads / x.seconds - b.reads / x.seconds_before) * current_setting('block_size')::bigint * 3600 >= 1073741824
