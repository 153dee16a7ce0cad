-- Comparisons of two windows of the history: what they take and refuse, and their shape. tests/history/compare.rs has their contents.
\set SHOW_CONTEXT never
\pset null '(null)'
SET client_min_messages = warning;
SET timezone = 'UTC';
SELECT count(*) > 0 AS sampled FROM pgperf.snapshot();

-- The last hour, with the same hour a day earlier.
SELECT count(*) > 5 AS lines, max(length(l)) <= 80 AS narrow, bool_or(l ~ '^Beyond the usual$') AS usual FROM pgperf.history_compare() l;
SELECT (d -> 'b' ->> 'to')::timestamptz - (d -> 'a' ->> 'to')::timestamptz AS back, jsonb_typeof(d -> 'usual' -> 'days') AS days,
       jsonb_typeof(d -> 'settings') AS settings, jsonb_typeof(d -> 'sections') AS sections
FROM pgperf.history_compare_json(back => '1 week') d;
SELECT pgperf.history_compare_html() ~ '^<!DOCTYPE html>' AS page;
-- Two times without a type are the ends of a window, not names of runs.
SELECT d -> 'b' ->> 'from' AS from_time, d -> 'a' ->> 'to' AS to_time
FROM pgperf.history_compare_json('2026-01-02 12:00', '2026-01-02 13:00') d;
SELECT d -> 'b' ->> 'from' AS from_time, d -> 'a' ->> 'from' AS earlier
FROM pgperf.history_compare_json('2026-01-09 12:00', '2026-01-09 13:00', '1 week') d;
SELECT d -> 'a' ->> 'from' AS a, d -> 'b' ->> 'to' AS b, d -> 'notes' -> 0 AS note
FROM pgperf.history_compare_json('2026-01-01 12:00', '2026-01-01 13:00', '2026-01-02 12:00', '2026-01-02 13:00') d;

-- The same hour of a night that lacks it is as long, an hour of the clock later; other days have it.
SET timezone = 'Europe/Berlin';
SELECT d -> 'a' ->> 'from' AS a_from, d -> 'a' ->> 'to' AS a_to, d -> 'usual' -> 'days' AS days
FROM pgperf.history_compare_json('2026-03-30 02:15'::timestamptz, '2026-03-30 03:15') d;
SET timezone = 'UTC';

-- Refused before anything is read.
SELECT pgperf.history_compare(back => '0');
SELECT pgperf.history_compare(back => '-1 day');
SELECT pgperf.history_compare('2026-01-02 12:00', '2026-01-02 12:00', '1 day');
SELECT pgperf.history_compare('-infinity', now(), '1 day');
SELECT pgperf.history_compare('2026-01-02 12:00', '2026-01-02 13:00', NULL, now());
SELECT pgperf.history_compare('nightly', 'other');
SELECT pgperf.history_compare('2026-01-02 12:00', 'nightly');

-- For those who may read the history.
CREATE ROLE regress_pgperf_nobody;
SET ROLE regress_pgperf_nobody;
SELECT pgperf.history_compare();
RESET ROLE;
CREATE ROLE regress_pgperf_watcher IN ROLE pg_monitor;
SET ROLE regress_pgperf_watcher;
SELECT count(*) > 5 AS lines FROM pgperf.history_compare();
RESET ROLE;
DROP ROLE regress_pgperf_nobody, regress_pgperf_watcher;
