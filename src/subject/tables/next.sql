-- As the last sample of the window has it, with the share of the samples in which the table was due.
WITH looks AS MATERIALIZED (SELECT p.sample_id, p.taken_at FROM {samples} WHERE p.taken_at > $2::pg_catalog.timestamptz),
number AS (SELECT pg_catalog.count(*) AS looks, pg_catalog.max(l.sample_id) AS newest FROM looks l)
SELECT x.schema_name || '.' || x.relation_name AS relation,
       CASE WHEN x.for_wraparound THEN 'wraparound' WHEN x.score = x.vacuum_score THEN 'dead rows' WHEN x.score = x.vacuum_insert_score THEN 'new rows'
            WHEN x.score = x.analyze_score THEN 'changed rows' WHEN x.score = x.xid_score THEN 'transaction ids' WHEN x.score = x.mxid_score THEN 'multixacts' END AS why,
       x.score, x.most, 100.0 * x.due / n.looks AS due_percent,
       pg_catalog.concat_ws(', ', CASE WHEN x.do_vacuum THEN 'vacuum' END, CASE WHEN x.do_analyze THEN 'analyze' END) AS next
FROM number n
JOIN (SELECT h.*, pg_catalog.max(h.score) OVER same AS most, pg_catalog.count(*) FILTER (WHERE h.do_vacuum OR h.do_analyze) OVER same AS due
      FROM looks l
      JOIN pgperf.autovacuum_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = l.sample_id AND h.taken_at = l.taken_at
      WINDOW same AS (PARTITION BY h.relation_oid)) x ON x.sample_id = n.newest
ORDER BY x.score DESC, 1
