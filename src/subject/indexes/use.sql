-- What an index is made of is in no history: it is that of the present catalog, if the history is this database's own ($5). One that was dropped
-- since is not looked at for what it was good for.
WITH used AS MATERIALIZED (
    SELECT r.relation_oid, r.schema_name, r.relation_name, r.table_name, r.size_bytes AS size, r.idx_scans_ever AS scans_ever,
           r.idx_scans AS scans, r.idx_rows AS entries
    FROM {relations} r
    WHERE r.relation_kind = 'index' AND r.schema_name NOT IN ('pg_catalog', 'pg_toast')),
made AS MATERIALIZED (
    SELECT x.indexrelid, x.indisunique, x.indisprimary, x.indisvalid,
           x.indisunique OR x.indisreplident OR k.conindid IS NOT NULL AS is_needed, k.contype
    FROM pg_catalog.pg_index x
    LEFT JOIN (SELECT c.conindid, pg_catalog.min(c.contype) AS contype FROM pg_catalog.pg_constraint c WHERE c.contype IN ('p', 'u', 'x') GROUP BY c.conindid) k
           ON k.conindid = x.indexrelid
    WHERE $5 AND x.indislive AND x.indexrelid >= 16384),
tables AS MATERIALIZED (
    SELECT u.schema_name, u.table_name, pg_catalog.row_number() OVER (ORDER BY COALESCE(pg_catalog.sum(u.scans), 0) DESC, u.schema_name, u.table_name) AS place
    FROM used u GROUP BY u.schema_name, u.table_name),
lists AS (
    SELECT l.no, l.list, u.*, m.indisprimary, m.indisunique, m.indisvalid, m.contype, c.by_name,
           pg_catalog.row_number() OVER (PARTITION BY l.no ORDER BY l.amount DESC, u.schema_name, u.table_name, u.relation_name) AS place
    FROM used u
    LEFT JOIN tables t USING (schema_name, table_name)
    LEFT JOIN made m ON m.indexrelid = u.relation_oid
    LEFT JOIN {covered} c ON c.index_oid = u.relation_oid
    CROSS JOIN LATERAL (VALUES
        (1, 'Not scanned in the window, and for no constraint',
         CASE WHEN u.scans = 0 AND u.size > 0 AND CASE WHEN $5 THEN m.indisvalid AND NOT m.is_needed ELSE true END THEN u.size END),
        (2, 'Covered by another index', CASE WHEN c.by_name IS NOT NULL THEN u.size END),
        (3, 'Of the ten tables whose indexes are scanned most', CASE WHEN t.place <= {first} THEN 1000000 - t.place END),
        (4, 'Invalid: written to, and used by no query', CASE WHEN NOT m.indisvalid THEN u.size END)) l(no, list, amount)
    WHERE l.amount IS NOT NULL)
SELECT l.list, l.schema_name || '.' || l.table_name AS relation, l.relation_name AS index,
       CASE WHEN $5 THEN pg_catalog.left((SELECT COALESCE(pg_catalog.string_agg(pgperf_internal.index_column(x.indexrelid, k.n), ', ' ORDER BY k.n), CASE WHEN pg_catalog.count(*) > 0 THEN '(its table is locked)' END)
        FROM pg_catalog.pg_index x, pg_catalog.generate_series(1, x.indnatts::pg_catalog.int4) k(n) WHERE x.indexrelid = l.relation_oid), 200) END AS columns,
       l.size AS size_bytes, l.scans, l.entries, l.scans_ever,
       CASE WHEN l.indisvalid IS FALSE THEN 'invalid' WHEN l.indisprimary THEN 'primary key' WHEN l.contype = 'x' THEN 'exclusion'
            WHEN l.indisunique THEN 'unique' END AS constraint,
       l.by_name AS covered_by
FROM lists l WHERE l.place <= CASE l.no WHEN 3 THEN 3 * {first} ELSE 3 * {first} / 2 END
ORDER BY l.no, l.place
