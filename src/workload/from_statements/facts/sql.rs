//! The queries of facts. $1: the oids.

pub const RELATIONS: &str = "SELECT c.oid::pg_catalog.int8 AS oid, \
        pg_catalog.format('%I.%I', n.nspname, c.relname) AS qualified, c.relname AS name, n.nspname AS schema, \
        c.relkind AS kind, c.relpersistence = 't' AS is_temporary, \
        s.rows, s.pages, \
        pg_catalog.pg_stat_get_tuples_updated(c.oid)::pg_catalog.float8 AS updated, \
        pg_catalog.pg_stat_get_tuples_hot_updated(c.oid)::pg_catalog.float8 AS updated_in_place, \
        f.name AS foreign_code \
   FROM pg_catalog.pg_class c \
   CROSS JOIN LATERAL (SELECT CASE WHEN pg_catalog.min(l.reltuples) >= 0 THEN pg_catalog.sum(l.reltuples)::pg_catalog.float8 END AS rows, \
                              COALESCE(pg_catalog.sum(l.relpages), 0)::pg_catalog.float8 AS pages \
                         FROM pg_catalog.pg_class l \
                        WHERE l.oid = c.oid AND c.relkind <> 'p' \
                           OR c.relkind = 'p' AND l.oid IN (SELECT t.relid FROM pg_catalog.pg_partition_tree(c.oid) t WHERE t.isleaf)) s \
   JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
   LEFT JOIN LATERAL (\
        WITH RECURSIVE tables (oid) AS (\
            SELECT c.oid UNION SELECT i.inhrelid FROM tables t JOIN pg_catalog.pg_inherits i ON i.inhparent = t.oid), \
        parts (classid, objid) AS (\
            SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, t.oid FROM tables t \
            UNION ALL SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, i.indexrelid FROM tables t JOIN pg_catalog.pg_index i ON i.indrelid = t.oid \
            UNION ALL SELECT 'pg_catalog.pg_constraint'::pg_catalog.regclass, k.oid FROM tables t JOIN pg_catalog.pg_constraint k ON k.conrelid = t.oid \
            UNION ALL SELECT 'pg_catalog.pg_statistic_ext'::pg_catalog.regclass, s.oid FROM tables t JOIN pg_catalog.pg_statistic_ext s ON s.stxrelid = t.oid \
            UNION ALL SELECT 'pg_catalog.pg_policy'::pg_catalog.regclass, y.oid FROM pg_catalog.pg_policy y \
                       WHERE y.polrelid = c.oid AND pg_catalog.row_security_active(c.oid)), \
        code (name, owner) AS (\
            SELECT p.proname, p.proowner FROM parts JOIN pg_catalog.pg_depend d USING (classid, objid) \
              LEFT JOIN pg_catalog.pg_operator o ON d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass AND o.oid = d.refobjid \
              JOIN pg_catalog.pg_proc p ON p.oid = COALESCE(o.oprcode::pg_catalog.oid, d.refobjid) \
             WHERE d.refclassid IN ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass) \
            UNION ALL SELECT v.relname, v.relowner FROM parts JOIN pg_catalog.pg_depend d USING (classid, objid) \
              JOIN pg_catalog.pg_class v ON v.oid = d.refobjid AND v.relkind = 'v' \
             WHERE d.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass) \
        SELECT pg_catalog.min(x.name::pg_catalog.text) AS name FROM code x JOIN pg_catalog.pg_roles r ON r.oid = x.owner \
         WHERE NOT r.rolsuper AND r.rolname <> current_user) f ON true \
  WHERE c.oid IN (SELECT x::pg_catalog.oid FROM pg_catalog.unnest($1) AS x)";

pub const COLUMNS: &str = "SELECT a.attrelid::pg_catalog.int8 AS relation, a.attnum AS number, a.attname AS name, \
        pg_catalog.quote_ident(a.attname) AS quoted, pg_catalog.format_type(a.atttypid, NULL) AS type_name, \
        CASE WHEN a.atttypid IN ('pg_catalog.int2'::pg_catalog.regtype, 'pg_catalog.int4'::pg_catalog.regtype, \
                                 'pg_catalog.int8'::pg_catalog.regtype) THEN 'whole' \
             WHEN a.atttypid = 'pg_catalog.date'::pg_catalog.regtype THEN 'days' \
             WHEN a.atttypid IN ('pg_catalog.timestamp'::pg_catalog.regtype, 'pg_catalog.timestamptz'::pg_catalog.regtype) THEN 'seconds' \
             WHEN a.atttypid IN ('pg_catalog.numeric'::pg_catalog.regtype, 'pg_catalog.float4'::pg_catalog.regtype, \
                                 'pg_catalog.float8'::pg_catalog.regtype) THEN 'decimal' END AS measure, \
        a.atttypid IN ('pg_catalog.int4'::pg_catalog.regtype, 'pg_catalog.int8'::pg_catalog.regtype) AS is_wide, \
        s.n_distinct::pg_catalog.float8 AS distinct, \
        LEAST(s.avg_width, NULLIF(a.atttypmod, -1))::pg_catalog.int8 - 4 AS width, \
        EXISTS (SELECT FROM pg_catalog.pg_constraint f WHERE f.conrelid = a.attrelid AND f.contype = 'f' \
                   AND a.attnum = ANY (f.conkey)) AS refers, \
        EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indisvalid \
                   AND i.indnkeyatts = 1 AND i.indpred IS NULL AND i.indkey[0] = a.attnum) AS is_key, \
        a.atttypid >= 16384 OR y.typcategory NOT IN ('N', 'B', 'S', 'D', 'T') AS is_read_as_text, \
        pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT') AS is_readable \
   FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type y ON y.oid = a.atttypid \
   LEFT JOIN LATERAL (SELECT p.n_distinct, p.avg_width FROM pg_catalog.pg_stats p \
                        JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                       WHERE p.schemaname = n.nspname AND p.tablename = c.relname AND p.attname = a.attname \
                       ORDER BY p.inherited DESC LIMIT 1) s ON true \
  WHERE a.attrelid IN (SELECT x::pg_catalog.oid FROM pg_catalog.unnest($1) AS x) AND a.attnum > 0 AND NOT a.attisdropped";

/// Volatile functions, without those whose calls leave nothing behind and whose results differ by nature; and those of other roles.
/// An aggregate does what its functions do.
pub const FUNCTIONS: &str = "SELECT f.oid, f.name, f.is_nextval, f.is_volatile, f.is_foreign \
   FROM (SELECT p.oid::pg_catalog.int8 AS oid, p.proname AS name, \
                p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND p.proname = 'nextval' AS is_nextval, \
                pg_catalog.bool_or(d.provolatile = 'v' AND NOT (d.pronamespace = 'pg_catalog'::pg_catalog.regnamespace \
                    AND d.proname IN ('random', 'clock_timestamp', 'timeofday', 'gen_random_uuid', 'uuidv4', 'uuidv7'))) AS is_volatile, \
                pg_catalog.bool_or(NOT r.rolsuper AND r.rolname <> current_user) AS is_foreign \
           FROM pg_catalog.pg_proc p \
           LEFT JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = p.oid \
           JOIN pg_catalog.pg_proc d ON d.oid IN (p.oid, a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn) \
           JOIN pg_catalog.pg_roles r ON r.oid = d.proowner \
          WHERE p.oid IN (SELECT x::pg_catalog.oid FROM pg_catalog.unnest($1) AS x) \
          GROUP BY p.oid, p.proname, p.pronamespace) f \
  WHERE f.is_volatile OR f.is_foreign";

pub const OPERATORS: &str = "SELECT o.oid::pg_catalog.int8 AS oid, o.oprname AS name, \
        (SELECT pg_catalog.min(a.amopstrategy) FROM pg_catalog.pg_amop a JOIN pg_catalog.pg_am m ON m.oid = a.amopmethod \
          WHERE a.amopopr = o.oid AND m.amname = 'btree' AND a.amoppurpose = 's') AS strategy \
   FROM pg_catalog.pg_operator o WHERE o.oid IN (SELECT x::pg_catalog.oid FROM pg_catalog.unnest($1) AS x)";

/// Unique indexes, those of partitions among them, with the numbers that the columns have in the table itself.
pub const KEYS: &str = "WITH RECURSIVE tables (asked, oid) AS (\
        SELECT x::pg_catalog.oid, x::pg_catalog.oid FROM pg_catalog.unnest($1) AS x \
        UNION SELECT t.asked, h.inhrelid FROM tables t JOIN pg_catalog.pg_inherits h ON h.inhparent = t.oid \
                JOIN pg_catalog.pg_class p ON p.oid = h.inhparent AND p.relkind = 'p') \
    SELECT t.asked::pg_catalog.int8 AS relation, c.relname AS name, t.oid <> t.asked AS is_of_part, \
        ARRAY(SELECT COALESCE(m.attnum, 0) FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY AS k (number, place) \
                LEFT JOIN pg_catalog.pg_attribute o ON o.attrelid = t.oid AND o.attnum = k.number AND k.number > 0 \
                LEFT JOIN pg_catalog.pg_attribute m ON m.attrelid = t.asked AND m.attname = o.attname \
               WHERE k.place <= i.indnkeyatts ORDER BY k.place) AS columns, \
        ARRAY(SELECT DISTINCT m.attnum FROM pg_catalog.pg_depend d \
                JOIN pg_catalog.pg_attribute o ON o.attrelid = t.oid AND o.attnum = d.refobjsubid \
                JOIN pg_catalog.pg_attribute m ON m.attrelid = t.asked AND m.attname = o.attname \
               WHERE (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL) \
                 AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = i.indexrelid \
                 AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = t.oid AND d.refobjsubid > 0) AS reads \
   FROM tables t JOIN pg_catalog.pg_index i ON i.indrelid = t.oid JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid \
  WHERE i.indisunique";

/// A domain without a check may get one at any time. That two values of a range type are so far apart is a function of its owner, which the
/// planner calls.
pub const TYPES: &str = "SELECT t.oid::pg_catalog.int8 AS oid, pg_catalog.format_type(t.oid, NULL) AS name, \
        t.typcategory IN ('N', 'S') AS takes_zero, \
        t.typtype = 'd' AND t.typcategory <> 'C' AS is_plain_domain, \
        COALESCE(c.is_checked_by_others, false) AS is_checked_by_others, COALESCE(c.has_volatile_checks, false) AS has_volatile_checks \
   FROM pg_catalog.pg_type t \
   LEFT JOIN LATERAL (\
        WITH RECURSIVE parts (oid) AS (\
            SELECT t.oid UNION SELECT x.oid FROM parts p CROSS JOIN LATERAL (\
                SELECT y.typelem FROM pg_catalog.pg_type y WHERE y.oid = p.oid \
                UNION ALL SELECT y.typbasetype FROM pg_catalog.pg_type y WHERE y.oid = p.oid \
                UNION ALL SELECT a.atttypid FROM pg_catalog.pg_type y JOIN pg_catalog.pg_attribute a ON a.attrelid = y.typrelid \
                           WHERE y.oid = p.oid AND a.attnum > 0 AND NOT a.attisdropped \
                UNION ALL SELECT g.rngsubtype FROM pg_catalog.pg_range g WHERE p.oid IN (g.rngtypid, g.rngmultitypid)) x (oid) \
             WHERE x.oid <> 0), \
        code (owner, is_volatile) AS (\
            SELECT y.typowner, false FROM parts p JOIN pg_catalog.pg_type y ON y.oid = p.oid WHERE y.typtype = 'd' \
            UNION ALL SELECT f.proowner, false FROM parts p JOIN pg_catalog.pg_range g ON p.oid IN (g.rngtypid, g.rngmultitypid) \
              JOIN pg_catalog.pg_proc f ON f.oid IN (g.rngsubdiff::pg_catalog.oid, g.rngcanonical::pg_catalog.oid) \
            UNION ALL SELECT f.proowner, f.provolatile = 'v' FROM parts p JOIN pg_catalog.pg_constraint k ON k.contypid = p.oid \
              JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND d.objid = k.oid \
              LEFT JOIN pg_catalog.pg_operator o ON d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass AND o.oid = d.refobjid \
              JOIN pg_catalog.pg_proc f ON f.oid = COALESCE(o.oprcode::pg_catalog.oid, d.refobjid) \
             WHERE d.refclassid IN ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass)) \
        SELECT pg_catalog.bool_or(NOT r.rolsuper AND r.rolname <> current_user) AS is_checked_by_others, \
               pg_catalog.bool_or(code.is_volatile) AS has_volatile_checks \
          FROM code JOIN pg_catalog.pg_roles r ON r.oid = code.owner) c ON true \
  WHERE t.oid IN (SELECT x::pg_catalog.oid FROM pg_catalog.unnest($1) AS x) AND t.typtype <> 'p'";
