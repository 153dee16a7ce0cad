-- From PostgreSQL 19 on. A table was due for a vacuum in each sample of the window's last half hour, ten samples at least. A warning where five
-- tables were, or one to prevent wraparound.
SELECT CASE WHEN t.tables >= 5 OR t.for_wraparound THEN 'warning' END, LEAST(99, 5.0 * t.tables), 'table', t.schema_name, t.relation_name, n.last_at, n.first_at, n.last_at,
       format('%s %s due for a vacuum in all %s samples from %s on: the highest score is %s, 1 being the threshold',
              t.tables, CASE t.tables WHEN 1 THEN 'table was' ELSE 'tables were' END, n.looks, to_char(n.first_at, 'YYYY-MM-DD HH24:MI'), round(t.score::numeric, 1)),
       jsonb_build_object('tables', t.tables, 'score', round(t.score::numeric, 1), 'for_wraparound', t.for_wraparound), format('VACUUM (ANALYZE) %I.%I', t.schema_name, t.relation_name)
FROM (SELECT array_agg(s.sample_id) AS ids, count(*) AS looks, min(s.taken_at) AS first_at, max(s.taken_at) AS last_at
      FROM pgperf.samples s
      WHERE s.node_id = $1::uuid AND s.taken_at > GREATEST($2::timestamptz, $3::timestamptz - interval '30 min') AND s.taken_at <= $3::timestamptz
        AND s.outcomes #>> '{autovacuum,status}' = 'ok') n
CROSS JOIN LATERAL (
    SELECT count(*) AS tables, bool_or(a.for_wraparound) AS for_wraparound, max(a.score) AS score,
           (array_agg(a.schema_name ORDER BY a.score DESC, a.relation_oid))[1] AS schema_name,
           (array_agg(a.relation_name ORDER BY a.score DESC, a.relation_oid))[1] AS relation_name
    FROM (SELECT h.relation_oid, max(h.schema_name) AS schema_name, max(h.relation_name) AS relation_name, bool_or(h.for_wraparound) AS for_wraparound,
                 max(h.score) FILTER (WHERE h.taken_at = n.last_at) AS score
          FROM pgperf.autovacuum_history h
          WHERE h.node_id = $1::uuid AND h.sample_id = ANY (n.ids) AND h.taken_at BETWEEN n.first_at AND n.last_at AND h.do_vacuum
          GROUP BY h.relation_oid HAVING count(*) = n.looks) a) t
WHERE n.looks >= 10 AND t.tables > 0
