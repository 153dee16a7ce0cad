-- Indexes that another one makes superfluous, from the catalog as it is now, if the history is this database's own ($5). All columns of such an index
-- are those of the other one, or the first ones of the other B-tree, with the same operator classes, collations, order and predicate. It is not
-- needed for itself: it keeps nothing unique, supports no constraint, identifies no rows for replication, and belongs to no partitioned
-- index. Both are valid. Of equal ones, one that is needed stays, or else the oldest: so all of these can be dropped together. From 8 MB on they
-- are worth it (large).
WITH made AS MATERIALIZED (
    SELECT x.indexrelid, x.indrelid, c.relam, c.relname, x.indnatts, x.indnkeyatts, x.indkey, x.indclass, x.indcollation, x.indoption,
           -- Where an expression stood in its statement does not matter.
           pg_catalog.regexp_replace(x.indpred::pg_catalog.text, ':location -?\d+', '', 'g') AS predicate,
           pg_catalog.regexp_replace(x.indexprs::pg_catalog.text, ':location -?\d+', '', 'g') AS expressions,
           x.indisunique OR x.indisreplident OR c.relispartition OR x.indexrelid IN (SELECT k.conindid FROM pg_catalog.pg_constraint k) AS is_needed,
           c.relpages::pg_catalog.int8 * pg_catalog.current_setting('block_size')::pg_catalog.int8 AS bytes
    FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class c ON c.oid = x.indexrelid
    WHERE $5 AND c.relkind = 'i' AND x.indisvalid AND x.indisready AND x.indislive AND x.indexrelid >= 16384)
SELECT DISTINCT ON (a.indexrelid) a.indexrelid AS index_oid, a.bytes, a.bytes >= 8388608 AS large,
       b.indexrelid AS by_oid, b.relname AS by_name, b.bytes AS by_bytes, a.indnatts = b.indnatts AS equal
FROM made a JOIN made b ON b.indrelid = a.indrelid AND b.indexrelid <> a.indexrelid AND b.relam = a.relam
WHERE NOT a.is_needed AND a.indnkeyatts = a.indnatts AND b.predicate IS NOT DISTINCT FROM a.predicate
  AND (b.indnatts = a.indnatts AND b.indkey::pg_catalog.text = a.indkey::pg_catalog.text AND b.indclass = a.indclass AND b.indcollation = a.indcollation
           AND b.indoption::pg_catalog.text = a.indoption::pg_catalog.text AND b.expressions IS NOT DISTINCT FROM a.expressions
           AND (b.is_needed OR b.indexrelid < a.indexrelid)
       OR b.indnkeyatts > a.indnkeyatts AND a.expressions IS NULL AND b.expressions IS NULL
           AND a.relam = (SELECT m.oid FROM pg_catalog.pg_am m WHERE m.amname = 'btree')
           AND (b.indkey::pg_catalog.int2[])[0:a.indnkeyatts - 1] = (a.indkey::pg_catalog.int2[])[0:a.indnkeyatts - 1]
           AND (b.indclass::pg_catalog.oid[])[0:a.indnkeyatts - 1] = (a.indclass::pg_catalog.oid[])[0:a.indnkeyatts - 1]
           AND (b.indcollation::pg_catalog.oid[])[0:a.indnkeyatts - 1] = (a.indcollation::pg_catalog.oid[])[0:a.indnkeyatts - 1]
           AND (b.indoption::pg_catalog.int2[])[0:a.indnkeyatts - 1] = (a.indoption::pg_catalog.int2[])[0:a.indnkeyatts - 1])
-- The one that stays itself.
ORDER BY a.indexrelid, b.is_needed DESC, b.indnatts DESC, b.indexrelid
