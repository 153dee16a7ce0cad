//! What the catalog of a target is asked, in words that all majors know.

use crate::pg::sql::quote::quote_literal;

/// The relations of a schema: see [`super::Destination::relations`]. Who creates one locks it until the end of the transaction.
pub(super) fn relations(schema: &str) -> String {
    format!(
        "SELECT c.oid::pg_catalog.int8 AS oid, c.relname AS name, c.relkind AS kind, \
                EXISTS (SELECT FROM pg_catalog.pg_locks l \
                         WHERE l.locktype OPERATOR(pg_catalog.=) 'relation' AND l.relation OPERATOR(pg_catalog.=) c.oid \
                           AND l.pid OPERATOR(pg_catalog.=) pg_catalog.pg_backend_pid() AND l.granted \
                           AND l.mode OPERATOR(pg_catalog.=) 'AccessExclusiveLock' \
                           AND l.database OPERATOR(pg_catalog.=) (SELECT d.oid FROM pg_catalog.pg_database d \
                                  WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database())) AS is_of_this_transaction \
           FROM pg_catalog.pg_class c \
           JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
          WHERE n.nspname OPERATOR(pg_catalog.=) {}::pg_catalog.name \
            AND c.relkind OPERATOR(pg_catalog.=) ANY ('{{r,p,v,m,f,S}}'::pg_catalog.\"char\"[]) \
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i \
                              JOIN pg_catalog.pg_class p ON p.oid OPERATOR(pg_catalog.=) i.inhparent \
                             WHERE i.inhrelid OPERATOR(pg_catalog.=) c.oid AND p.relkind OPERATOR(pg_catalog.=) 'p') \
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d \
                             WHERE c.relkind OPERATOR(pg_catalog.=) 'S'::pg_catalog.\"char\" \
                               AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass \
                               AND d.objid OPERATOR(pg_catalog.=) c.oid \
                               AND d.refclassid OPERATOR(pg_catalog.=) d.classid \
                               AND d.deptype OPERATOR(pg_catalog.=) ANY ('{{a,i}}'::pg_catalog.\"char\"[])) \
          ORDER BY c.oid",
        quote_literal(schema)
    )
}

/// What COPY has to know of a table: whether it is partitioned, whether rows need further work, and its columns with their types.
pub(super) fn table(schema: &str, table: &str) -> String {
    format!(
        "SELECT c.relkind OPERATOR(pg_catalog.=) 'p' AS is_partitioned, \
                c.relkind OPERATOR(pg_catalog.=) ANY ('{{r,p}}'::pg_catalog.\"char\"[]) \
                    AND NOT c.relhastriggers AND NOT c.relrowsecurity AS takes_rows, \
                ARRAY(SELECT pg_catalog.json_build_object('name', a.attname, 'kind', a.atttypid::pg_catalog.int8) \
                        FROM pg_catalog.pg_attribute a \
                       WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.>) 0 \
                         AND NOT a.attisdropped) AS columns \
           FROM pg_catalog.pg_class c \
           JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
          WHERE n.nspname OPERATOR(pg_catalog.=) {}::pg_catalog.name AND c.relname OPERATOR(pg_catalog.=) {}::pg_catalog.name",
        quote_literal(schema),
        quote_literal(table)
    )
}

/// The rules of a table that rewrite an INSERT.
pub(super) fn insert_rules(schema: &str, table: &str) -> String {
    format!(
        "SELECT r.rulename AS name \
           FROM pg_catalog.pg_rewrite r \
           JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) r.ev_class \
           JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
          WHERE n.nspname OPERATOR(pg_catalog.=) {}::pg_catalog.name AND c.relname OPERATOR(pg_catalog.=) {}::pg_catalog.name \
            AND r.ev_type OPERATOR(pg_catalog.=) '3' AND r.ev_enabled OPERATOR(pg_catalog.=) ANY ('{{A,O}}'::pg_catalog.\"char\"[]) \
          ORDER BY 1",
        quote_literal(schema),
        quote_literal(table)
    )
}
