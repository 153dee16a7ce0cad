-- Samples at a run's intervals have only this database and the oldest one: those since the newest complete one, which has rows of relations.
WITH newest AS MATERIALIZED (
    (SELECT h.sample_id
       FROM pgperf.wraparound_history h
      WHERE h.node_id = $1::uuid AND h.relation_name IS NOT NULL AND {day h}
      ORDER BY h.sample_id DESC
      LIMIT 1)
    UNION ALL
    (SELECT h.sample_id
       FROM pgperf.wraparound_history h
      WHERE h.node_id = $1::uuid AND {day h}
      ORDER BY h.sample_id DESC
      LIMIT 1)
    LIMIT 1),
databases AS (
    SELECT DISTINCT ON (h.database_name) h.*
      FROM pgperf.wraparound_history h
     WHERE h.node_id = $1::uuid AND h.relation_name IS NULL AND {day h}
       AND h.sample_id >= (SELECT n.sample_id FROM newest n)
     ORDER BY h.database_name, h.sample_id DESC)
-- SetTransactionIdLimit and SetMultiXactIdLimit stop 3 million ids before half of the circle.
SELECT d.database_name AS database,
       d.frozen_xid_age AS xid_age,
       d.multixact_age AS multixact_age,
       d.frozen_xid_age / (2147483647 - 3000000)::float8 AS xid_age_ratio,
       d.multixact_age / (2147483647 - 3000000)::float8 AS multixact_age_ratio,
       d.freeze_max_age AS xid_freeze_max_age,
       GREATEST(count(*) OVER () - 100, 0) AS left_out
  FROM databases d
 ORDER BY d.frozen_xid_age DESC NULLS LAST, d.database_name
 LIMIT 100
