CREATE TABLE pgperf.session_history (
    node_id               uuid NOT NULL,
    sample_id             bigint NOT NULL,
    taken_at              timestamptz NOT NULL,
    run_id                bigint,
    query_id              bigint,
    longest_statement_s   float8,
    longest_transaction_s float8,
    looks                 integer NOT NULL,
    seen                  integer NOT NULL,
    most                  integer NOT NULL,
    database_name         text,
    role_name             text,
    application_name      text,
    backend_type          text,
    state                 text,
    wait_event_type       text,
    wait_event            text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('session_history', 'sessions');
COMMENT ON TABLE pgperf.session_history IS 'Sessions that worked or were in a transaction, of the whole server: counted by database, role, application, statement and wait event. The sampler looks every second. Of a sample with more than 200 rows, the smallest are together, with the application (others)';
COMMENT ON COLUMN pgperf.session_history.query_id IS 'Of the top-level statement, as pg_stat_statements has it; NULL: it is not computed (compute_query_id), or the process has none';
COMMENT ON COLUMN pgperf.session_history.longest_statement_s IS 'Age in seconds of the oldest statement that was active';
COMMENT ON COLUMN pgperf.session_history.longest_transaction_s IS 'Age in seconds of the oldest transaction';
COMMENT ON COLUMN pgperf.session_history.looks IS 'Number of observations since the previous sample, one every second';
COMMENT ON COLUMN pgperf.session_history.seen IS 'Sessions seen, summed over all looks; seen / looks is their average number. A row with 0 says that nobody was seen';
COMMENT ON COLUMN pgperf.session_history.most IS 'Most of them at one look';
COMMENT ON COLUMN pgperf.session_history.application_name IS 'The clients of a run are one application, pgperf run 7';
COMMENT ON COLUMN pgperf.session_history.state IS 'As pg_stat_activity.state, without idle; NULL: a process of the server that keeps none';
COMMENT ON COLUMN pgperf.session_history.wait_event IS 'NULL: it did not wait; while active, it was on a CPU or ready for one. Processes that wait for work (type Activity) are left out';
GRANT SELECT ON pgperf.session_history TO pg_monitor;

CREATE TABLE pgperf.connection_history (
    node_id          uuid NOT NULL,
    sample_id        bigint NOT NULL,
    taken_at         timestamptz NOT NULL,
    run_id           bigint,
    looks            integer NOT NULL,
    seen             integer NOT NULL,
    most             integer NOT NULL,
    most_together    integer,
    database_name    text,
    role_name        text,
    application_name text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('connection_history', 'sessions');
COMMENT ON TABLE pgperf.connection_history IS 'Connections of clients to the whole server, idle ones among them, by database, role and application. Background workers, such as the clients of runs, have none';
COMMENT ON COLUMN pgperf.connection_history.looks IS 'Number of observations since the previous sample, one every second';
COMMENT ON COLUMN pgperf.connection_history.seen IS 'Connections seen, summed over all looks; seen / looks is their average number';
COMMENT ON COLUMN pgperf.connection_history.most IS 'Most of them at one look';
COMMENT ON COLUMN pgperf.connection_history.most_together IS 'Most connections at one look, of all clients: the same in all rows of a sample';
GRANT SELECT ON pgperf.connection_history TO pg_monitor;

CREATE TABLE pgperf.blocking_history (
    node_id           uuid NOT NULL,
    sample_id         bigint NOT NULL,
    taken_at          timestamptz NOT NULL,
    run_id            bigint,
    waiting_since     timestamptz,
    session_start     timestamptz,
    transaction_start timestamptz,
    statement_start   timestamptz,
    waited_s          float8,
    query_id          bigint,
    head_pid          integer NOT NULL,
    pid               integer NOT NULL,
    depth             integer NOT NULL,
    victims           integer NOT NULL,
    looks             integer NOT NULL,
    seen              integer NOT NULL,
    blocked_by        integer[],
    database_name     text,
    role_name         text,
    application_name  text,
    backend_type      text,
    state             text,
    wait_event_type   text,
    wait_event        text,
    lock_type         text,
    lock_mode         text,
    lock_object       text,
    schema_name       text,
    relation_name     text,
    statement         text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('blocking_history', 'sessions');
COMMENT ON TABLE pgperf.blocking_history IS 'Chains of sessions that waited for locks, of the whole server: one row for each head, which waits for nobody, and for each wait behind it; without the chains in which nobody had waited for a second. 100 rows of a sample at most: heads first, then those that waited longest';
COMMENT ON COLUMN pgperf.blocking_history.head_pid IS 'The process at the head of the chain; 0: a prepared transaction';
COMMENT ON COLUMN pgperf.blocking_history.depth IS '0: the head; 1: waits for the head; 2: waits for one that waits for the head';
COMMENT ON COLUMN pgperf.blocking_history.blocked_by IS 'All that it waits for, also those ahead of it in the queue: pg_blocking_pids()';
COMMENT ON COLUMN pgperf.blocking_history.victims IS 'Most sessions behind it at one look';
COMMENT ON COLUMN pgperf.blocking_history.waited_s IS 'Seconds that it had waited at the last look; NULL: the head';
COMMENT ON COLUMN pgperf.blocking_history.looks IS 'Looks at the queues since the previous sample: at those seconds at which somebody still waited for a lock; fewer on a server with many locks';
COMMENT ON COLUMN pgperf.blocking_history.seen IS 'In how many of them it was part of the chain';
COMMENT ON COLUMN pgperf.blocking_history.lock_type IS 'Of the lock that it waits for; of the head: of that which it holds and others wait for. transactionid: a row that another transaction has changed';
COMMENT ON COLUMN pgperf.blocking_history.lock_mode IS 'The mode in which it wants it, or holds it';
COMMENT ON COLUMN pgperf.blocking_history.lock_object IS 'The key of an advisory lock, or the id of a transaction';
COMMENT ON COLUMN pgperf.blocking_history.relation_name IS 'The relation of the lock, or of the row; of other databases: its OID. NULL: not known, as the row''s is of those that share a row''s lock';
COMMENT ON COLUMN pgperf.blocking_history.statement IS 'What it executes, or executed last, without its constants; as long as track_activity_query_size allows';
GRANT SELECT ON pgperf.blocking_history TO pg_monitor;
COMMENT ON COLUMN pgperf.session_history.database_name IS 'The database; NULL: a process that has none';
COMMENT ON COLUMN pgperf.session_history.role_name IS 'The role; NULL: a process of the server';
COMMENT ON COLUMN pgperf.session_history.backend_type IS 'As pg_stat_activity.backend_type';
COMMENT ON COLUMN pgperf.session_history.wait_event_type IS 'The type of the wait event';
COMMENT ON COLUMN pgperf.connection_history.database_name IS 'The database';
COMMENT ON COLUMN pgperf.connection_history.role_name IS 'The role';
COMMENT ON COLUMN pgperf.connection_history.application_name IS 'The application, as the client names it';
COMMENT ON COLUMN pgperf.blocking_history.waiting_since IS 'Since when it waited; NULL: the head';
COMMENT ON COLUMN pgperf.blocking_history.session_start IS 'When the session began';
COMMENT ON COLUMN pgperf.blocking_history.transaction_start IS 'When its transaction began';
COMMENT ON COLUMN pgperf.blocking_history.statement_start IS 'When its statement began';
COMMENT ON COLUMN pgperf.blocking_history.query_id IS 'Of the statement that it executes, or executed last';
COMMENT ON COLUMN pgperf.blocking_history.pid IS 'The process; 0: a prepared transaction';
COMMENT ON COLUMN pgperf.blocking_history.database_name IS 'Its database';
COMMENT ON COLUMN pgperf.blocking_history.role_name IS 'Its role';
COMMENT ON COLUMN pgperf.blocking_history.application_name IS 'Its application, as the client names it';
COMMENT ON COLUMN pgperf.blocking_history.backend_type IS 'As pg_stat_activity.backend_type';
COMMENT ON COLUMN pgperf.blocking_history.state IS 'As pg_stat_activity.state';
COMMENT ON COLUMN pgperf.blocking_history.wait_event_type IS 'The type of its wait event';
COMMENT ON COLUMN pgperf.blocking_history.wait_event IS 'Its wait event';
COMMENT ON COLUMN pgperf.blocking_history.schema_name IS 'The schema of the relation';
