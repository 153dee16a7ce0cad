-- From 1.2.0 to 1.3.0, by hand: what cannot be derived, such as rows and tables that move.
-- New histories: their partitions, and what is known of them.
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
CREATE TABLE pgperf.connection_history (
    node_id          uuid NOT NULL,
    sample_id        bigint NOT NULL,
    taken_at         timestamptz NOT NULL,
    run_id           bigint,
    looks            integer NOT NULL,
    seen             integer NOT NULL,
    most             integer NOT NULL,
    database_name    text,
    role_name        text,
    application_name text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('connection_history', 'sessions');
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
CREATE TABLE pgperf.sequence_history (
    node_id       uuid NOT NULL,
    sample_id     bigint NOT NULL,
    taken_at      timestamptz NOT NULL,
    run_id        bigint,
    sequence_oid  oid NOT NULL,
    last_value    bigint NOT NULL,
    limit_value   bigint NOT NULL,
    increment     bigint NOT NULL,
    used_percent  float8 NOT NULL,
    schema_name   text NOT NULL,
    sequence_name text NOT NULL,
    table_name    text,
    column_name   text,
    column_type   text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('sequence_history', 'sequences');
