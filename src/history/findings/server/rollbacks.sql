-- Of a stretch or several, sixtieths of the window, in each of which at least 5 % of the transactions were rolled back: 100 in all, and twice
-- the share of other times, if samples tell of other times: a surge is not diluted by the rest of the window. From 20 % on a warning.
SELECT CASE WHEN c.rollbacks >= 0.2 * (c.commits + c.rollbacks) THEN 'warning' END, 100.0 * c.rollbacks / (c.commits + c.rollbacks),
       'database', NULL, c.database_name, c.until, c.since, c.until,
       format('%s of %s transactions were rolled back between %s and %s, %s %%; at other times, %s', to_char(c.rollbacks, 'FM999,999,999,999,990'),
              to_char(c.commits + c.rollbacks, 'FM999,999,999,999,990'), to_char(c.since, 'YYYY-MM-DD HH24:MI:SS'), to_char(c.until, 'HH24:MI:SS'),
              round(100.0 * c.rollbacks / (c.commits + c.rollbacks), 1),
              COALESCE(round(100.0 * b.rollbacks / NULLIF(b.commits + b.rollbacks, 0), 1) || ' %', 'there were no transactions')),
       jsonb_build_object('rollbacks', c.rollbacks, 'commits', c.commits), NULL
FROM (SELECT s.database_name, min(s.since) FILTER (WHERE s.surges) AS since, max(s.taken_at) FILTER (WHERE s.surges) AS until,
             sum(s.commits) FILTER (WHERE s.surges) AS commits, sum(s.rollbacks) FILTER (WHERE s.surges) AS rollbacks
      FROM (SELECT x.*, x.inside AND x.rollbacks > 0 AND x.rollbacks >= {threshold rollbacks} / 100 * (x.commits + x.rollbacks) AS surges FROM steps x) s
      GROUP BY s.database_name) c
CROSS JOIN LATERAL (
    SELECT sum(s.commits) AS commits, sum(s.rollbacks) AS rollbacks
    FROM steps s
    WHERE s.database_name = c.database_name AND s.taken_at > s.since
      AND NOT (s.inside AND s.rollbacks > 0 AND s.rollbacks >= {threshold rollbacks} / 100 * (s.commits + s.rollbacks))
    HAVING count(*) > 0) b
WHERE c.rollbacks >= 100 AND 1.0 * c.rollbacks / (c.commits + c.rollbacks) >= 2.0 * COALESCE(1.0 * b.rollbacks / NULLIF(b.commits + b.rollbacks, 0), 0)
