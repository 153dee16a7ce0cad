CREATE SEQUENCE pgperf_internal.capture_id_seq;
COMMENT ON SEQUENCE pgperf_internal.capture_id_seq IS 'Numbers the captures of this database';
-- A restored dump has other captures.
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.capture_id_seq', '');

-- Written by start_capture, updated by the capture's writer. What was captured is in files of this server: a dump has neither.
CREATE TABLE pgperf_internal.stored_captures (
    capture_id        bigint PRIMARY KEY,
    node_id           uuid NOT NULL,
    name              text NOT NULL UNIQUE,
    role              text NOT NULL,
    scope             jsonb NOT NULL,
    duration_s        float8 NOT NULL CHECK (duration_s > 0),
    max_bytes         bigint NOT NULL CHECK (max_bytes > 0),
    requested_at      timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    started_at        timestamptz,
    ended_at          timestamptz,
    stored_status     text NOT NULL DEFAULT 'waiting' CHECK (stored_status IN ('waiting', 'capturing', 'finished', 'stopped', 'failed')),
    reason            text,
    bytes             bigint NOT NULL DEFAULT 0,
    sessions          bigint NOT NULL DEFAULT 0,
    sessions_left_out bigint NOT NULL DEFAULT 0,
    transactions      bigint NOT NULL DEFAULT 0,
    statements        bigint NOT NULL DEFAULT 0,
    dropped           bigint NOT NULL DEFAULT 0,
    imported_from     text
);
COMMENT ON TABLE pgperf_internal.stored_captures IS 'The captures as stored; read pgperf.captures for their true status';
COMMENT ON COLUMN pgperf_internal.stored_captures.name IS 'As start_capture named it';
COMMENT ON COLUMN pgperf_internal.stored_captures.capture_id IS 'Its number in this database';
COMMENT ON COLUMN pgperf_internal.stored_captures.role IS 'The role that started it, and controls it';
COMMENT ON COLUMN pgperf_internal.stored_captures.requested_at IS 'When start_capture was called';
COMMENT ON COLUMN pgperf_internal.stored_captures.started_at IS 'When sessions began to take part';
COMMENT ON COLUMN pgperf_internal.stored_captures.ended_at IS 'When it ended';
COMMENT ON COLUMN pgperf_internal.stored_captures.reason IS 'Why it ended, if not by its duration or by stop_capture';
COMMENT ON COLUMN pgperf_internal.stored_captures.bytes IS 'Size of its files; while it is under way, five seconds old at most, as the counts are';
COMMENT ON COLUMN pgperf_internal.stored_captures.sessions IS 'Sessions that took part';
COMMENT ON COLUMN pgperf_internal.stored_captures.sessions_left_out IS 'Sessions that did not for want of pgperf.capture_memory';
COMMENT ON COLUMN pgperf_internal.stored_captures.transactions IS 'Transactions recorded';
COMMENT ON COLUMN pgperf_internal.stored_captures.statements IS 'Their statements at top level';
COMMENT ON COLUMN pgperf_internal.stored_captures.dropped IS 'Transactions that are missing: their sessions left more than the writer could take';
COMMENT ON COLUMN pgperf_internal.stored_captures.imported_from IS 'The node from which it came by import_capture; NULL: it was recorded here';
COMMENT ON COLUMN pgperf_internal.stored_captures.max_bytes IS 'Size at which it ends';
COMMENT ON COLUMN pgperf_internal.stored_captures.node_id IS 'The installation that it is of';
COMMENT ON COLUMN pgperf_internal.stored_captures.scope IS 'Which sessions and transactions are recorded';
COMMENT ON COLUMN pgperf_internal.stored_captures.duration_s IS 'Seconds after which it ends';
COMMENT ON COLUMN pgperf_internal.stored_captures.stored_status IS 'Its status, unless its writer went away';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.stored_captures', 'WHERE false');
GRANT SELECT ON pgperf_internal.stored_captures TO pg_monitor;

CREATE FUNCTION pgperf_internal.capture_alive(capture_id bigint) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'capture_alive_wrapper';
COMMENT ON FUNCTION pgperf_internal.capture_alive(bigint) IS 'Whether the writer of this capture is alive; used by the view pgperf.captures';
REVOKE ALL ON FUNCTION pgperf_internal.capture_alive(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.capture_alive(bigint) TO pg_monitor;

CREATE FUNCTION pgperf.start_capture(name text, duration interval = '10 min', roles text[] = NULL, application_names text[] = NULL,
                                     share float8 = 1, share_of text = 'sessions', max_bytes text = '1GB') RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'start_capture_wrapper';
COMMENT ON FUNCTION pgperf.start_capture(text, interval, text[], text[], float8, text, text) IS
    'Records the transactions of this database''s sessions, with their values, from the commit of this call until the duration is over; returns the capture''s number';
CREATE FUNCTION pgperf.stop_capture() RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'stop_capture_wrapper';
COMMENT ON FUNCTION pgperf.stop_capture() IS 'Ends the capture of this database that is under way; false if none is';
CREATE FUNCTION pgperf.drop_capture(name text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'drop_capture_wrapper';
COMMENT ON FUNCTION pgperf.drop_capture(text) IS 'Removes a capture and, when the transaction commits, its files';
CREATE FUNCTION pgperf.capture_report(name text) RETURNS SETOF text
    LANGUAGE c STABLE STRICT PARALLEL UNSAFE ROWS 40 AS 'MODULE_PATHNAME', 'capture_report_wrapper';
COMMENT ON FUNCTION pgperf.capture_report(text) IS
    'What a capture has: sessions, transactions, and its statements by the time that they took, without any value';
CREATE FUNCTION pgperf.export_capture(name text) RETURNS bytea
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'export_capture_wrapper';
COMMENT ON FUNCTION pgperf.export_capture(text) IS 'A capture with all its values as one value, for import_capture on another server';
CREATE FUNCTION pgperf.export_capture(name text, file text) RETURNS bigint
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'export_capture_to_file_wrapper';
COMMENT ON FUNCTION pgperf.export_capture(text, text) IS 'Writes a capture to a new file of the server; its length in bytes';
CREATE FUNCTION pgperf.import_capture(document bytea, name text = NULL) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'import_capture_wrapper';
COMMENT ON FUNCTION pgperf.import_capture(bytea, text) IS 'Takes a capture that export_capture made, under its name or another one; its number here';
CREATE FUNCTION pgperf.import_capture(file text, name text = NULL) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'import_capture_from_file_wrapper';
COMMENT ON FUNCTION pgperf.import_capture(text, text) IS 'The same from a file of the server';
CREATE FUNCTION pgperf.test_statements(capture text, baseline jsonb = '{}', candidate jsonb = '{}', baseline_sql text = NULL, candidate_sql text = NULL,
                                       statements integer = 20, samples integer = 20, repetitions integer = 3, writes boolean = false,
                                       budget interval = '1 min')
RETURNS TABLE (statement text, calls bigint, captured_ms float8, tested integer, baseline_ms float8, candidate_ms float8, change_percent float8,
               ci_low_percent float8, ci_high_percent float8, verdict text, baseline_blocks float8, candidate_blocks float8, plan_changed boolean,
               error text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 20 AS 'MODULE_PATHNAME', 'test_statements_wrapper';
COMMENT ON FUNCTION pgperf.test_statements(text, jsonb, jsonb, text, text, integer, integer, integer, boolean, interval) IS
    'The statements of a capture that took most of the time, each with values that it had, under two configurations in turns: time, blocks, plan';
REVOKE EXECUTE ON FUNCTION pgperf.test_statements(text, jsonb, jsonb, text, text, integer, integer, integer, boolean, interval) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION pgperf.export_capture(text), pgperf.export_capture(text, text), pgperf.import_capture(bytea, text),
    pgperf.import_capture(text, text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION pgperf.start_capture(text, interval, text[], text[], float8, text, text), pgperf.stop_capture(),
    pgperf.drop_capture(text), pgperf.capture_report(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.capture_report(text) TO pg_monitor;

CREATE VIEW pgperf.captures AS
SELECT c.name, CASE WHEN c.stored_status IN ('waiting', 'capturing') AND NOT pgperf_internal.capture_alive(c.capture_id)
                    THEN 'interrupted' ELSE c.stored_status END AS status,
       c.capture_id, c.role, c.requested_at, c.started_at, c.ended_at, c.reason, c.bytes, c.sessions, c.sessions_left_out, c.transactions,
       c.statements, c.dropped,
       pg_catalog.make_interval(secs => c.duration_s) AS duration, c.max_bytes,
       (SELECT pg_catalog.array_agg(r.name) FROM pg_catalog.jsonb_array_elements_text(c.scope->'roles') r (name)) AS roles,
       (SELECT pg_catalog.array_agg(a.name) FROM pg_catalog.jsonb_array_elements_text(c.scope->'applications') a (name)) AS application_names,
       (c.scope->>'share')::float8 AS share, c.scope->>'share_of' AS share_of, c.imported_from
FROM pgperf_internal.stored_captures c;
COMMENT ON VIEW pgperf.captures IS 'The captures of this database: what is recorded, and how each goes or ended';
COMMENT ON COLUMN pgperf.captures.status IS 'waiting (for the commit of its start), capturing, finished, stopped, failed, or interrupted: the server or its writer went away';
COMMENT ON COLUMN pgperf.captures.duration IS 'After which it ends';
COMMENT ON COLUMN pgperf.captures.roles IS 'Roles whose sessions are recorded; NULL: all';
COMMENT ON COLUMN pgperf.captures.application_names IS 'Values of application_name whose sessions are recorded; NULL: all';
COMMENT ON COLUMN pgperf.captures.share IS 'The part of sessions or transactions that is recorded';
COMMENT ON COLUMN pgperf.captures.share_of IS 'Of what it is a part: sessions or transactions';
GRANT SELECT ON pgperf.captures TO pg_monitor;
