-- At least 5 % of the transactions, 100, and twice the share of before, if samples tell of before. From 20 % on a warning.
SELECT CASE WHEN c.rollbacks >= 0.2 * (c.commits + c.rollbacks) THEN 'warning' END, 100.0 * c.rollbacks / (c.commits + c.rollbacks),
       'database', NULL, c.database_name, c.until, c.since, c.until,
       format('%s of %s transactions were rolled back, %s %%; before, %s', to_char(c.rollbacks, 'FM999,999,999,999,990'),
              to_char(c.commits + c.rollbacks, 'FM999,999,999,999,990'), round(100.0 * c.rollbacks / (c.commits + c.rollbacks), 1),
              COALESCE(round(100.0 * b.rollbacks / NULLIF(b.commits + b.rollbacks, 0), 1) || ' %', 'there were no transactions')),
       jsonb_build_object('rollbacks', c.rollbacks, 'commits', c.commits), NULL
FROM counted c JOIN counted b ON b.database_name = c.database_name AND NOT b.inside AND b.until > b.since
WHERE c.inside AND c.rollbacks >= 100 AND c.rollbacks >= {threshold rollbacks} / 100 * (c.commits + c.rollbacks)
  AND 1.0 * c.rollbacks / (c.commits + c.rollbacks) >= 2.0 * COALESCE(1.0 * b.rollbacks / NULLIF(b.commits + b.rollbacks, 0), 0)
