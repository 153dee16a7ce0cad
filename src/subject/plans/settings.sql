-- What the sessions of a role ($1) have in a database ($2) of the settings that a plan depends on. A role without a search_path of its own has
-- the server's, or the database's: that of this session, unless its role has one of its own.
SELECT DISTINCT ON (o.name) o.name, o.value
FROM (
    SELECT pg_catalog.split_part(c.item, '=', 1) AS name, pg_catalog.substr(c.item, pg_catalog.strpos(c.item, '=') + 1) AS value,
           CASE WHEN s.setrole <> 0 THEN 2 ELSE 0 END + CASE WHEN s.setdatabase <> 0 THEN 1 ELSE 0 END AS rank
    FROM pg_catalog.pg_db_role_setting s CROSS JOIN LATERAL pg_catalog.unnest(s.setconfig) c(item)
    WHERE s.setrole IN (0, $1) AND s.setdatabase IN (0, $2)
    UNION ALL
    SELECT g.name, CASE WHEN EXISTS (
            SELECT FROM pg_catalog.pg_db_role_setting s JOIN pg_catalog.pg_roles r ON r.oid = s.setrole
            CROSS JOIN LATERAL pg_catalog.unnest(s.setconfig) c(item)
            WHERE r.rolname = SESSION_USER AND s.setdatabase IN (0, $2) AND c.item LIKE 'search\_path=%') THEN g.boot_val ELSE g.reset_val END, -1
    FROM pg_catalog.pg_settings g WHERE g.name = 'search_path') o
JOIN pg_catalog.pg_settings g ON g.name = o.name AND (g.category LIKE 'Query Tuning%' OR g.name IN ('search_path', 'work_mem', 'hash_mem_multiplier'))
ORDER BY o.name, o.rank DESC
