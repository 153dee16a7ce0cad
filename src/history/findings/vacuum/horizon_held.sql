-- For at least 10 minutes, ten times autovacuum's usual pause, and 1,000 transaction ids: with fewer there is hardly a row to remove.
-- Critical from 200 million ids on, where autovacuum starts to freeze at any cost.
SELECT CASE WHEN h.age >= 200000000 THEN 'critical' END,
       LEAST(99, 100 * EXTRACT(epoch FROM h.last_at - GREATEST(h.since, $2::timestamptz)) / EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz)),
       h.holder_kind, NULL, COALESCE(NULLIF(h.name, ''), 'pid ' || h.pid), h.last_at, h.since, h.last_at,
       format('%s%s%s%s kept vacuum from removing dead rows%s for %s, from %s to %s: %s transactions old%s',
              h.holder_kind,
              COALESCE(' of pid ' || h.pid, ''), COALESCE(', role ' || h.role_name, ''), COALESCE(', ' || h.state, ''),
              CASE WHEN h.catalogs_only THEN ' of catalogs' ELSE '' END,
              date_trunc('second', h.last_at - h.since), to_char(h.since, 'YYYY-MM-DD HH24:MI:SS'),
              CASE WHEN h.goes_on THEN 'the last sample' ELSE to_char(h.last_at, 'HH24:MI:SS') END,
              to_char(h.age, 'FM999,999,999,999,990'),
              (SELECT format('; %s dead rows were in %s at the end', to_char(d.n_dead_tup, 'FM999,999,999,999,990'), format('%I.%I', d.schema_name, d.relation_name))
               FROM (SELECT DISTINCT ON (r.relation_oid) r.schema_name, r.relation_name, r.n_dead_tup
                     FROM pgperf.relation_history r
                     WHERE r.node_id = $1::uuid AND r.relation_kind = 'table' AND r.schema_name NOT IN ('pgperf', 'pgperf_internal')
                       AND r.taken_at > h.last_at - interval '1 hour' AND r.taken_at <= h.last_at
                     ORDER BY r.relation_oid, r.sample_id DESC) d
               WHERE d.n_dead_tup > 0 AND NOT h.catalogs_only ORDER BY d.n_dead_tup DESC LIMIT 1)),
       jsonb_build_object('holder', h.holder_kind, 'pid', h.pid, 'name', h.name, 'role', h.role_name, 'state', h.state, 'database', h.database_name,
                          'since', h.since, 'until', h.last_at, 'age', h.age, 'catalogs_only', h.catalogs_only, 'goes_on', h.goes_on),
       CASE WHEN NOT h.goes_on THEN NULL
            WHEN h.holder_kind = 'backend' THEN h.end_sql
            WHEN h.holder_kind = 'prepared transaction' THEN format('ROLLBACK PREPARED %L', h.name)
            WHEN h.holder_kind = 'replication slot' THEN format('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %L AND NOT active', h.name) END
FROM holders h
WHERE h.last_at - h.since >= {threshold horizon_held} * interval '1 minute' AND h.age >= 1000
