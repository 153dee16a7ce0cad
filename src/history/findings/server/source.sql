-- What database_history counted in sixtieths of the window, over the window and as long before it, but no more than a day: of each part the highest
-- counters, since they only grow within an epoch; of the first part of an epoch, what it counted itself.
starts AS (
    SELECT COALESCE(array_agg(x.first_id ORDER BY x.first_id), '{}') AS ids
    FROM (SELECT min(s.sample_id) AS first_id FROM pgperf.samples s
          WHERE s.node_id = $1::uuid AND s.taken_at > $2::timestamptz - LEAST($3::timestamptz - $2::timestamptz, interval '1 day') AND s.taken_at <= $3::timestamptz
          GROUP BY s.epoch) x),
parts AS (
    SELECT h.database_name, width_bucket(h.sample_id, s.ids) AS epoch, {sixtieth} AS part, max(h.taken_at) AS taken_at,
           max(h.xact_commit) AS xact_commit, max(h.xact_rollback) AS xact_rollback, max(h.blks_hit) AS blks_hit, max(h.blks_read) AS blks_read,
           max(h.deadlocks) AS deadlocks, max(h.checksum_failures) AS checksum_failures,
           min(h.taken_at) AS first_at, min(h.xact_commit) AS first_commit, min(h.xact_rollback) AS first_rollback, min(h.blks_hit) AS first_hit,
           min(h.blks_read) AS first_read, min(h.deadlocks) AS first_deadlocks, min(h.checksum_failures) AS first_failures
    FROM pgperf.database_history h CROSS JOIN starts s
    WHERE h.node_id = $1::uuid AND h.database_name IS NOT NULL AND h.taken_at <= $3::timestamptz
      AND h.taken_at > $2::timestamptz - LEAST($3::timestamptz - $2::timestamptz, interval '1 day')
    GROUP BY 1, 2, 3),
steps AS MATERIALIZED (
    SELECT x.* FROM (
        SELECT p.database_name, p.taken_at, p.part >= 0 AS inside, lag(p.taken_at, 1, p.first_at) OVER w AS since,
               p.xact_commit - lag(p.xact_commit, 1, p.first_commit) OVER w AS commits,
               p.xact_rollback - lag(p.xact_rollback, 1, p.first_rollback) OVER w AS rollbacks,
               p.blks_hit - lag(p.blks_hit, 1, p.first_hit) OVER w AS hits, p.blks_read - lag(p.blks_read, 1, p.first_read) OVER w AS reads,
               p.deadlocks - lag(p.deadlocks, 1, p.first_deadlocks) OVER w AS deadlocks,
               p.checksum_failures - lag(p.checksum_failures, 1, p.first_failures) OVER w AS checksum_failures
        FROM parts p WINDOW w AS (PARTITION BY p.database_name, p.epoch ORDER BY p.part)) x
    WHERE x.commits >= 0 AND x.hits >= 0 AND x.reads >= 0),
counted AS MATERIALIZED (
    SELECT s.database_name, s.inside, min(s.since) AS since, max(s.taken_at) AS until, sum(s.commits) AS commits, sum(s.rollbacks) AS rollbacks,
           sum(s.hits) AS hits, sum(s.reads) AS reads, sum(s.deadlocks) AS deadlocks, sum(s.checksum_failures) AS checksum_failures
    FROM steps s GROUP BY s.database_name, s.inside),
-- Pages of all databases and of the catalogs that they share; a sum that can be subtracted as long as the databases are the same.
failures AS MATERIALIZED (
    SELECT sum(x.failures) AS failures, min(x.since) AS since, max(x.taken_at) AS until
    FROM (SELECT p.taken_at, p.part, lag(p.taken_at, 1, p.first_at) OVER w AS since, p.failures - lag(p.failures, 1, p.first_failures) OVER w AS failures
          FROM (SELECT width_bucket(h.sample_id, s.ids) AS epoch, {sixtieth} AS part, h.databases_mark, max(h.taken_at) AS taken_at, max(h.checksum_failures) AS failures,
                       min(h.taken_at) AS first_at, min(h.checksum_failures) AS first_failures
                FROM pgperf.database_history h CROSS JOIN starts s
                WHERE h.node_id = $1::uuid AND h.database_name IS NULL AND h.taken_at <= $3::timestamptz
                  AND h.taken_at > $2::timestamptz - LEAST($3::timestamptz - $2::timestamptz, interval '1 day')
                GROUP BY 1, 2, 3) p
          WINDOW w AS (PARTITION BY p.epoch, p.databases_mark ORDER BY p.part)) x
    WHERE x.part >= 0 AND x.failures > 0)
