-- Captures as SQL sees them while there are none; tests/captures has the rest.
SET client_min_messages = warning;
SELECT count(*) FROM pgperf.captures;
SELECT pgperf.stop_capture();
SELECT pgperf.capture_report('a');
SELECT pgperf.drop_capture('a');
SELECT pgperf.capture_report(NULL);

-- Nobody but superusers starts one, and members of pg_monitor see what there is.
CREATE ROLE regress_pgperf_nobody;
CREATE ROLE regress_pgperf_watcher IN ROLE pg_monitor;
SET ROLE regress_pgperf_nobody;
SELECT pgperf.start_capture('a');
SELECT pgperf.stop_capture();
SELECT pgperf.drop_capture('a');
SELECT pgperf.capture_report('a');
SELECT count(*) FROM pgperf.captures;
SET ROLE regress_pgperf_watcher;
SELECT pgperf.start_capture('a');
SELECT pgperf.capture_report('a');
SELECT count(*) FROM pgperf.captures;
RESET ROLE;
GRANT EXECUTE ON FUNCTION pgperf.start_capture TO regress_pgperf_nobody;
SET ROLE regress_pgperf_nobody;
SELECT pgperf.start_capture('a');
RESET ROLE;
DROP OWNED BY regress_pgperf_nobody, regress_pgperf_watcher;
DROP ROLE regress_pgperf_nobody, regress_pgperf_watcher;
