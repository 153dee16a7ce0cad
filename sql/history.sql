-- A window of the history as text, page and document.
\set SHOW_CONTEXT never
SET client_min_messages = warning;

-- Windows that cannot be.
SELECT pgperf.history_report('infinity', NULL);
SELECT pgperf.history_report(NULL, 'infinity');
SELECT pgperf.history_report('2026-01-02', '2026-01-01');
SELECT pgperf.history_report('2026-01-01', '2026-01-01');
\set VERBOSITY terse
SELECT pgperf.history_report(timestamptz '2999-01-01', '2999-01-02');
SELECT pgperf.history_report(node => 'nowhere');
SELECT pgperf.findings(node => 'nowhere');
SELECT pgperf.history_compare(now() - interval '2 h', now() - interval '1 h', now() - interval '1 h', now(), node_a => 'nowhere');
\set VERBOSITY default
SELECT pgperf.history_report('no such run');
SELECT pgperf.history_report('2026-01-01 12:00');
SELECT pgperf.history_report(NULL::text);
SELECT pgperf.history_html(NULL::text);
SELECT pgperf.history_json(NULL::text);
SELECT * FROM pgperf.findings(NULL::text);
SELECT pgperf.history_compare(NULL::text, 'x');

-- Without data it says so, in each form.
SELECT count(*) > 10 AS lines, bool_or(line LIKE 'No samples were taken in this window.%') AS said,
       count(*) FILTER (WHERE line LIKE 'Nothing: no samples were taken%') > 3 AS each_section, max(length(line)) <= 80 AS fits
FROM pgperf.history_report('2001-01-01', '2001-01-02') line;
SELECT doc -> 'window' ->> 'samples' AS samples, doc ->> 'notes' AS notes,
       (SELECT bool_and(s ->> 'why' IS NOT NULL) FROM jsonb_array_elements(doc -> 'sections') s) AS reasons
FROM pgperf.history_json('2001-01-01', '2001-01-02') doc;
SELECT page LIKE '<!DOCTYPE html>%</html>' AS whole, replace(page, E'\n', ' ') LIKE '%No samples were taken in this window.%' AS said
FROM pgperf.history_html('2001-01-01', '2001-01-02') page;

-- Some work between two samples of a minute that nothing else has.
SELECT set_config('history.before', clock_timestamp()::text, false) IS NOT NULL AS began;
SELECT count(*) > 5 AS taken FROM pgperf.snapshot();
CREATE TABLE history_t AS SELECT g AS n, repeat('x', 100) AS t FROM generate_series(1, 1000) g;
DELETE FROM history_t WHERE n % 2 = 0;
SELECT pg_stat_force_next_flush();
SELECT count(*) > 5 AS taken FROM pgperf.snapshot();
CREATE TEMP TABLE doc AS
SELECT pgperf.history_json(current_setting('history.before')::timestamptz) AS doc;

-- The figures are those of the delta views.
SELECT t -> 'rows' -> 0 ->> 'database' = current_database() AS this_database,
       (t -> 'rows' -> 0 ->> 'commits')::bigint = d.commits AS commits, (t -> 'rows' -> 0 ->> 'inserted')::bigint = d.inserted AS inserted,
       (t -> 'rows' -> 0 ->> 'deleted')::bigint = d.deleted AS deleted, d.inserted >= 1000 AS some
FROM doc, jsonb_array_elements(doc -> 'sections') s, jsonb_array_elements(s -> 'tables') t,
     (SELECT sum(xact_commit) AS commits, sum(tup_inserted) AS inserted, sum(tup_deleted) AS deleted FROM pgperf.database_deltas
      WHERE node_id = pgperf.local_node() AND database_name = current_database()
        AND taken_at > current_setting('history.before')::timestamptz) d
WHERE s ->> 'name' = 'load' AND t ->> 'name' = 'totals';

-- The end of a window that lies in the future is now.
SELECT doc -> 'window' ->> 'cut' AS cut, (doc -> 'window' ->> 'to')::timestamptz <= clock_timestamp() AS now
FROM pgperf.history_json(now() - interval '1 minute', now() + interval '1 day') doc;

-- Nobody reads more than pg_monitor lets him.
CREATE ROLE pgperf_history_nobody;
SET ROLE pgperf_history_nobody;
SELECT pgperf.history_report();
RESET ROLE;
GRANT EXECUTE ON FUNCTION pgperf.history_report(timestamptz, timestamptz, text) TO pgperf_history_nobody;
SET ROLE pgperf_history_nobody;
SELECT pgperf.history_report();
RESET ROLE;
REVOKE EXECUTE ON FUNCTION pgperf.history_report(timestamptz, timestamptz, text) FROM pgperf_history_nobody;
GRANT pg_monitor TO pgperf_history_nobody;
SET ROLE pgperf_history_nobody;
SELECT count(*) > 20 AS lines, max(length(line)) <= 80 AS fits FROM pgperf.history_report() line;
RESET ROLE;
DROP ROLE pgperf_history_nobody;
DROP TABLE history_t;
