CREATE TABLE pgperf.plan_history (
    node_id         uuid NOT NULL,
    sample_id       bigint NOT NULL,
    taken_at        timestamptz NOT NULL,
    run_id          bigint,
    queryid         bigint NOT NULL,
    userid          oid NOT NULL,
    dbid            oid NOT NULL,
    role_name       text,
    database_name   text,
    cause           text NOT NULL,
    plan_hash       bigint,
    reason          text,
    total_cost      float8,
    plan_rows       float8,
    relations       text,
    since           timestamptz,
    calls           bigint,
    mean_exec_time  float8,
    blocks_per_call float8,
    index_relation  oid,
    index_columns   text,
    index_rows      float8,
    index_cost      float8
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('plan_history', 'plans', object => '{queryid,userid,dbid}', indexes => '{"(node_id, queryid, sample_id)", USING brin (taken_at)}');
COMMENT ON TABLE pgperf.plan_history IS 'Plans of the statements that take most of the time, by EXPLAIN with any values (a generic plan): at their first appearance, a day later, and when their mean time or blocks per call leave their spread';
COMMENT ON COLUMN pgperf.plan_history.queryid IS 'Identifier of the statement, as in pg_stat_statements';
COMMENT ON COLUMN pgperf.plan_history.userid IS 'Oid of the role that ran it, with whose rights and settings it was planned';
COMMENT ON COLUMN pgperf.plan_history.dbid IS 'Oid of the database';
COMMENT ON COLUMN pgperf.plan_history.role_name IS 'Name of the role';
COMMENT ON COLUMN pgperf.plan_history.database_name IS 'Name of the database';
COMMENT ON COLUMN pgperf.plan_history.cause IS 'Why it was planned. top: it is among the statements with most time, and no plan of the last day is known; changed: its mean time or its blocks per call left their spread; again: some time after that';
COMMENT ON COLUMN pgperf.plan_history.plan_hash IS 'Hash of the plan in pgperf.plan_texts; NULL: see reason';
COMMENT ON COLUMN pgperf.plan_history.reason IS 'Why there is no plan: the error of EXPLAIN, as for a table that is gone, a temporary one, or a text that was cut off';
COMMENT ON COLUMN pgperf.plan_history.total_cost IS 'Cost of the plan, as the planner estimated it then';
COMMENT ON COLUMN pgperf.plan_history.plan_rows IS 'Number of rows that the planner expected then';
COMMENT ON COLUMN pgperf.plan_history.relations IS 'Tables that the plan reads or writes, as SQL names them: 20 at most';
COMMENT ON COLUMN pgperf.plan_history.since IS 'The sample before that of the statement''s last row: between the two it had the figures of this row; NULL: it had no row before';
COMMENT ON COLUMN pgperf.plan_history.calls IS 'Calls in that interval';
COMMENT ON COLUMN pgperf.plan_history.mean_exec_time IS 'Average execution time in that interval, in milliseconds';
COMMENT ON COLUMN pgperf.plan_history.blocks_per_call IS 'Shared blocks hit and read per call in that interval';
COMMENT ON COLUMN pgperf.plan_history.index_relation IS 'Oid of the table on which the plan lacks an index, as the rule missing_index proposes it; NULL: none';
COMMENT ON COLUMN pgperf.plan_history.index_columns IS 'The columns of that index, as SQL names them';
COMMENT ON COLUMN pgperf.plan_history.index_rows IS 'Rows of that table that passed the filter of the plan, per call, as pg_qualstats counted them until then; NULL: it is not installed, or did not look at the statement';
COMMENT ON COLUMN pgperf.plan_history.index_cost IS 'Cost of the plan with that index, as hypopg has the planner estimate it; no lower than total_cost: the planner would not use it; NULL: hypopg is not installed';

CREATE TABLE pgperf.plan_texts (
    node_id   uuid NOT NULL,
    plan_hash bigint NOT NULL,
    taken_at  timestamptz NOT NULL,
    plan      text
);
-- Not unique, as that of statement_texts.
CREATE INDEX plan_texts_object_idx ON pgperf.plan_texts (node_id, plan_hash);
ALTER TABLE pgperf.plan_texts REPLICA IDENTITY FULL;
COMMENT ON TABLE pgperf.plan_texts IS 'The plans of plan_history, each once: a line for each node, below it its conditions, without costs and with ? in place of constants; at most 10,000 characters';
COMMENT ON COLUMN pgperf.plan_texts.plan_hash IS 'Hash of the whole text: nodes, relations, indexes, their order, and conditions without constants';
COMMENT ON COLUMN pgperf.plan_texts.taken_at IS 'When it was first seen';
COMMENT ON COLUMN pgperf.plan_texts.plan IS 'The plan';
SELECT pg_catalog.pg_extension_config_dump('pgperf.plan_texts', '');
GRANT SELECT ON pgperf.plan_history, pgperf.plan_texts TO pg_monitor;

CREATE VIEW pgperf.statement_plans AS
SELECT h.node_id, h.queryid, h.userid, h.dbid, h.plan_hash,
       (pg_catalog.array_agg(h.role_name ORDER BY h.sample_id DESC))[1] AS role_name,
       (pg_catalog.array_agg(h.database_name ORDER BY h.sample_id DESC))[1] AS database_name,
       pg_catalog.min(h.taken_at) AS first_seen_at, pg_catalog.max(h.taken_at) AS last_seen_at, pg_catalog.count(*) AS times_seen,
       pg_catalog.sum(h.mean_exec_time * h.calls) / NULLIF(pg_catalog.sum(h.calls), 0)::float8 AS mean_exec_time,
       pg_catalog.sum(h.blocks_per_call * h.calls) / NULLIF(pg_catalog.sum(h.calls), 0)::float8 AS blocks_per_call,
       (pg_catalog.array_agg(h.total_cost ORDER BY h.sample_id DESC))[1] AS total_cost,
       (SELECT x.plan FROM pgperf.plan_texts x WHERE x.node_id = h.node_id AND x.plan_hash = h.plan_hash LIMIT 1) AS plan,
       (SELECT x.query FROM pgperf.statement_texts x WHERE x.node_id = h.node_id AND x.queryid = h.queryid AND x.dbid = h.dbid LIMIT 1) AS query
FROM pgperf.plan_history h
WHERE h.plan_hash IS NOT NULL
GROUP BY h.node_id, h.queryid, h.userid, h.dbid, h.plan_hash;
COMMENT ON VIEW pgperf.statement_plans IS 'Each plan that a statement had in pgperf.plan_history, with its text, when it was seen, and the mean figures of the intervals in which it was';
COMMENT ON COLUMN pgperf.statement_plans.queryid IS 'Identifier of the statement, as in pg_stat_statements';
COMMENT ON COLUMN pgperf.statement_plans.userid IS 'Oid of the role that ran it';
COMMENT ON COLUMN pgperf.statement_plans.dbid IS 'Oid of the database';
COMMENT ON COLUMN pgperf.statement_plans.plan_hash IS 'Hash of the plan';
COMMENT ON COLUMN pgperf.statement_plans.role_name IS 'Name of the role';
COMMENT ON COLUMN pgperf.statement_plans.database_name IS 'Name of the database';
COMMENT ON COLUMN pgperf.statement_plans.first_seen_at IS 'When a sample first had it';
COMMENT ON COLUMN pgperf.statement_plans.last_seen_at IS 'When a sample last had it';
COMMENT ON COLUMN pgperf.statement_plans.times_seen IS 'How many rows of pgperf.plan_history have it';
COMMENT ON COLUMN pgperf.statement_plans.mean_exec_time IS 'Average execution time in milliseconds, in the intervals in which it was seen';
COMMENT ON COLUMN pgperf.statement_plans.blocks_per_call IS 'Shared blocks hit and read per call, in the intervals in which it was seen';
COMMENT ON COLUMN pgperf.statement_plans.total_cost IS 'Its cost, as the planner estimated it last';
COMMENT ON COLUMN pgperf.statement_plans.plan IS 'The plan: a line for each node, below it its conditions';
COMMENT ON COLUMN pgperf.statement_plans.query IS 'Text of the statement';
GRANT SELECT ON pgperf.statement_plans TO pg_monitor;
