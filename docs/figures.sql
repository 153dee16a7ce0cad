-- The figures of a server and of one of its databases, as a line for pgperf.import_results: a server of 9.6 to 19 needs no extension for it.
--
--   psql -X -f figures.sql DATABASE  > results.txt
--   pgbench -r -P 1 -T 600 ... DATABASE >> results.txt 2>&1
--   psql -X -f figures.sql DATABASE >> results.txt
--
-- Where pgstattuple is installed, it tells the share of live rows of each table, which reads the pages that are not all-visible: for a
-- superuser, from 10 on also for members of pg_stat_scan_tables. Nothing is written.
\set ON_ERROR_STOP on
\set QUIET on
\pset format unaligned
\pset tuples_only on
\pset pager off
SET search_path = pg_catalog;
SET client_min_messages = warning;
-- Sessions report their statistics at most once a second.
SELECT count(pg_sleep(1.5)) AS slept \gset
SELECT CASE WHEN v.is_old AND pg_is_in_recovery() THEN 'pg_xlog_location_diff(pg_last_xlog_replay_location(), ''0/0'')'
            WHEN v.is_old THEN 'pg_xlog_location_diff(pg_current_xlog_insert_location(), ''0/0'')'
            WHEN pg_is_in_recovery() THEN 'pg_wal_lsn_diff(pg_last_wal_replay_lsn(), ''0/0'')'
            ELSE 'pg_wal_lsn_diff(pg_current_wal_insert_lsn(), ''0/0'')' END AS wal,
       COALESCE((SELECT '(SELECT a.approx_tuple_percent FROM ' || quote_ident(n.nspname) || '.pgstattuple_approx(c.oid::regclass) a)'
                   FROM pg_extension e
                   JOIN pg_namespace n ON n.oid = e.extnamespace
                   JOIN pg_proc p ON p.pronamespace = n.oid AND p.proname = 'pgstattuple_approx'
                   JOIN pg_depend m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid AND m.refobjid = e.oid AND m.deptype = 'e'
                  WHERE e.extname = 'pgstattuple' AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')
                    AND (NOT v.is_old OR current_setting('is_superuser')::bool)),
                'NULL::float8') AS tuple_percent
  FROM (SELECT current_setting('server_version_num')::int < 100000 AS is_old) v
\gset
SELECT 'pgperf figures ' || replace(json_build_object(
    'version', 1,
    'taken_at', EXTRACT(epoch FROM clock_timestamp()),
    'server_version', current_setting('server_version'),
    'wal', :wal,
    'database_size', pg_database_size(d.datid),
    'hit', d.blks_hit,
    'read', d.blks_read,
    'reset', EXTRACT(epoch FROM d.stats_reset),
    'relations', (
        SELECT json_agg(r ORDER BY r.oid) FROM (
            SELECT c.oid::bigint AS oid, n.nspname AS schema, c.relname AS name,
                   CASE c.relkind WHEN 'i' THEN 'index' WHEN 't' THEN 'TOAST table' WHEN 'm' THEN 'materialized view' ELSE 'table' END AS kind,
                   COALESCE(it.relname, tt.relname) AS table,
                   pg_relation_size(c.oid) AS size,
                   CASE WHEN c.relkind IN ('r', 'm') AND c.relam IN (0, 2) THEN :tuple_percent END AS tuple_percent,
                   s.n_live_tup AS live, s.n_dead_tup AS dead,
                   s.seq_scan, COALESCE(s.idx_scan, i.idx_scan) AS idx_scan,
                   s.n_tup_ins, s.n_tup_upd, s.n_tup_hot_upd, s.n_tup_del,
                   s.vacuum_count, s.autovacuum_count, s.analyze_count, s.autoanalyze_count
              FROM pg_class c
              JOIN pg_namespace n ON n.oid = c.relnamespace
              LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
              LEFT JOIN pg_stat_all_indexes i ON i.indexrelid = c.oid
              LEFT JOIN pg_class it ON it.oid = i.relid
              LEFT JOIN pg_class tt ON tt.reltoastrelid = c.oid AND c.relkind = 't'
              LEFT JOIN pg_class ti ON ti.reltoastrelid = i.relid
             WHERE c.relkind IN ('r', 'm', 't', 'i') AND c.relpersistence <> 't'
               AND COALESCE(ti.relnamespace, tt.relnamespace, c.relnamespace)
                   NOT IN (SELECT x.oid FROM pg_namespace x WHERE x.nspname IN ('pg_catalog', 'information_schema', 'pgperf', 'pgperf_internal'))
               AND pg_relation_size(c.oid) IS NOT NULL
        ) r)
    )::text, E'\n', '')
  FROM pg_stat_database d WHERE d.datname = current_database();
