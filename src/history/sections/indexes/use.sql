-- What an index is made of is in no history: it is that of the present catalog, if the history is this database's own ($5). One that was dropped
-- since is not looked at for what it was good for.
WITH used AS MATERIALIZED (
    SELECT r.relation_oid, r.schema_name, r.relation_name, r.table_name, r.size_bytes AS size, r.idx_scans_ever AS scans_ever,
           r.idx_scans AS scans, r.idx_rows AS entries
    FROM {relations} r
    WHERE r.relation_kind = 'index' AND r.schema_name NOT IN ('pg_catalog', 'pg_toast')),
made AS MATERIALIZED (
    SELECT x.indexrelid, x.indrelid, x.indisunique, x.indisprimary, x.indkey::pg_catalog.text AS keys,
           x.indpred IS NULL AND x.indexprs IS NULL AS plain, c.relam
    FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class c ON c.oid = x.indexrelid
    WHERE $5 AND x.indislive AND x.indexrelid >= 16384),
-- Another index begins with the same columns, in the same order, so that it can do the same work.
covered AS MATERIALIZED (
    SELECT m.indexrelid, pg_catalog.min(o.indexrelid::pg_catalog.int8) AS by_id
    FROM made m JOIN made o ON o.indrelid = m.indrelid AND o.indexrelid <> m.indexrelid AND o.relam = m.relam AND o.plain AND m.plain
         AND (o.keys = m.keys OR pg_catalog.starts_with(o.keys, m.keys || ' '))
         AND (o.keys <> m.keys OR (o.indisunique, o.indexrelid) > (m.indisunique, m.indexrelid))
    WHERE NOT m.indisunique
      AND EXISTS (SELECT FROM pg_catalog.pg_index a JOIN pg_catalog.pg_index b ON b.indexrelid = o.indexrelid
                  WHERE a.indexrelid = m.indexrelid AND pg_catalog.starts_with(b.indclass::pg_catalog.text || ' ', a.indclass::pg_catalog.text || ' ')
                    AND pg_catalog.starts_with(b.indcollation::pg_catalog.text || ' ', a.indcollation::pg_catalog.text || ' ')
                    AND pg_catalog.starts_with(b.indoption::pg_catalog.text || ' ', a.indoption::pg_catalog.text || ' '))
    GROUP BY m.indexrelid),
tables AS MATERIALIZED (
    SELECT u.schema_name, u.table_name, pg_catalog.row_number() OVER (ORDER BY COALESCE(pg_catalog.sum(u.scans), 0) DESC, u.schema_name, u.table_name) AS place
    FROM used u GROUP BY u.schema_name, u.table_name),
lists AS (
    SELECT l.no, l.list, u.*, m.indisprimary, m.indisunique, c.by_id,
           pg_catalog.row_number() OVER (PARTITION BY l.no ORDER BY l.amount DESC, u.schema_name, u.table_name, u.relation_name) AS place
    FROM used u
    LEFT JOIN tables t USING (schema_name, table_name)
    LEFT JOIN made m ON m.indexrelid = u.relation_oid
    LEFT JOIN covered c ON c.indexrelid = u.relation_oid
    CROSS JOIN LATERAL (VALUES
        (1, 'Not scanned in the window, and not unique', CASE WHEN u.scans = 0 AND m.indisunique IS NOT TRUE AND u.size > 0 AND (m.indexrelid IS NOT NULL OR NOT $5) THEN u.size END),
        (2, 'Covered by another index', CASE WHEN c.by_id IS NOT NULL THEN u.size END),
        (3, 'Of the ten tables whose indexes are scanned most', CASE WHEN t.place <= {first} THEN 1000000 - t.place END)) l(no, list, amount)
    WHERE l.amount IS NOT NULL)
SELECT l.list, l.schema_name || '.' || l.table_name AS relation, l.relation_name AS index,
       CASE WHEN $5 THEN pg_catalog.left((SELECT pg_catalog.string_agg(pg_catalog.pg_get_indexdef(x.indexrelid, k.n, true), ', ' ORDER BY k.n)
        FROM pg_catalog.pg_index x, pg_catalog.generate_series(1, x.indnatts::pg_catalog.int4) k(n) WHERE x.indexrelid = l.relation_oid), 200) END AS columns,
       l.size AS size_bytes, l.scans, l.entries, l.scans_ever,
       CASE WHEN l.indisprimary THEN 'primary key' WHEN l.indisunique THEN 'unique' END AS constraint,
       (SELECT c.relname FROM pg_catalog.pg_class c WHERE c.oid = l.by_id::pg_catalog.oid) AS covered_by
FROM lists l WHERE l.place <= CASE l.no WHEN 3 THEN 3 * {first} ELSE 3 * {first} / 2 END
ORDER BY l.no, l.place
