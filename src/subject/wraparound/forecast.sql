-- The window is cut into up to 24 parts, each of which gives a rate; with fewer than four there is no band. Ids are never reset, so
-- restarts do not matter. 1.96 + 2.372/f + ... is Student's t for f degrees of freedom, as in pgperf.wraparound_forecast.
WITH aged AS MATERIALIZED (
    SELECT p.sample_id, p.taken_at, p.at_s, h.database_name, h.next_xid::pg_catalog.text::pg_catalog.int8 AS xid, h.next_multixid AS multixid,
           h.frozen_xid_age, h.multixact_age, h.freeze_max_age, h.failsafe_age, h.multixact_freeze_max_age, h.multixact_failsafe_age
    FROM {samples}
    JOIN pgperf.wraparound_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
    WHERE h.relation_name IS NULL
      -- A run's samples between its first and last are of its database alone.
      AND (NOT {is_run} OR h.database_name = (SELECT d.database_name FROM pgperf.nodes d WHERE d.node_id = $1::pg_catalog.uuid))),
ids AS (
    SELECT DISTINCT ON (x.part) x.at_s, x.xid, x.multixid
    FROM (SELECT a.*, pg_catalog.floor(24 * (a.at_s - pg_catalog.min(a.at_s) OVER ())
                   / NULLIF(pg_catalog.max(a.at_s) OVER () - pg_catalog.min(a.at_s) OVER (), 0)) AS part FROM aged a) x
    ORDER BY x.part, x.at_s),
steps AS (
    SELECT i.at_s - pg_catalog.lag(i.at_s) OVER w AS seconds, i.xid - pg_catalog.lag(i.xid) OVER w AS xids,
           (i.multixid - pg_catalog.lag(i.multixid) OVER w + 4294967296) % 4294967296 AS multixids
    FROM ids i WINDOW w AS (ORDER BY i.at_s)),
used AS (
    SELECT k.id_kind, s.seconds, k.ids::pg_catalog.float8 AS ids
    FROM steps s, LATERAL (VALUES ('xid', s.xids), ('multixact', s.multixids)) k(id_kind, ids)
    WHERE s.seconds > 0 AND k.ids BETWEEN 0 AND 2147483647),
rates AS (
    SELECT r.id_kind, r.count, r.ids / r.seconds AS rate,
           CASE WHEN r.count >= 4 THEN (1.96 + 2.372 / (r.count - 1) + 2.823 / (r.count - 1) ^ 2 + 2.556 / (r.count - 1) ^ 3)
               * pg_catalog.sqrt(r.count / (r.count - 1) * (
                   SELECT pg_catalog.sum((u.ids - r.ids / r.seconds * u.seconds) ^ 2) FROM used u WHERE u.id_kind = r.id_kind))
               / r.seconds END AS margin
    FROM (SELECT u.id_kind, pg_catalog.count(*)::pg_catalog.float8 AS count, pg_catalog.sum(u.ids) AS ids, pg_catalog.sum(u.seconds) AS seconds
          FROM used u GROUP BY u.id_kind HAVING pg_catalog.sum(u.seconds) >= 1) r),
oldest AS (
    SELECT DISTINCT ON (l.id_kind, l.limit_name) l.*
    FROM (SELECT DISTINCT ON (a.database_name) a.* FROM aged a ORDER BY a.database_name, a.sample_id DESC) d,
         LATERAL (VALUES ('xid', 'autovacuum freezes in any case', 1, d.frozen_xid_age, d.freeze_max_age),
                         ('xid', 'vacuum does nothing but freeze', 2, d.frozen_xid_age, d.failsafe_age),
                         ('xid', 'the server assigns no more ids', 3, d.frozen_xid_age, 2147483647 - 3000000),
                         ('multixact', 'autovacuum freezes in any case', 1, d.multixact_age, d.multixact_freeze_max_age),
                         ('multixact', 'the server assigns no more ids', 3, d.multixact_age, 2147483647 - 3000000))
             l(id_kind, limit_name, no, age, limit_age)
    WHERE l.age IS NOT NULL AND l.limit_age IS NOT NULL
    ORDER BY l.id_kind, l.limit_name, l.limit_age - l.age)
SELECT o.id_kind, o.limit_name, o.no, o.limit_age, GREATEST(o.limit_age - o.age, 0) AS ids_left, r.rate AS per_s,
       CASE WHEN o.limit_age <= o.age THEN 0 * r.rate
            WHEN r.rate > 0 AND o.limit_age - o.age < 1e12 * r.rate THEN (o.limit_age - o.age) / r.rate END AS left_s,
       CASE WHEN o.limit_age <= o.age THEN 0 * (r.rate + r.margin)
            WHEN (r.rate + r.margin) > 0 AND o.limit_age - o.age < 1e12 * (r.rate + r.margin) THEN (o.limit_age - o.age) / (r.rate + r.margin) END AS left_low_s,
       CASE WHEN o.limit_age <= o.age THEN 0 * (r.rate - r.margin)
            WHEN (r.rate - r.margin) > 0 AND o.limit_age - o.age < 1e12 * (r.rate - r.margin) THEN (o.limit_age - o.age) / (r.rate - r.margin) END AS left_high_s
FROM oldest o LEFT JOIN rates r USING (id_kind)
ORDER BY o.id_kind DESC, o.no
