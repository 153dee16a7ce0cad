-- With the caller's rights and settings: a run's clients are sessions of the caller's role.
CREATE FUNCTION pgperf.doctor(OUT check_name text, OUT status text, OUT detail text, OUT fix_sql text)
RETURNS SETOF record LANGUAGE c VOLATILE ROWS 30 SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'doctor_wrapper';
COMMENT ON FUNCTION pgperf.doctor() IS
    'Conditions that would spoil a measurement on this server: one row for each check, with its status (ok, warning, problem, or unknown where it cannot be seen, for the reason in detail) and, if there is one, the statement that fixes it, for psql''s \gexec';
GRANT EXECUTE ON FUNCTION pgperf.doctor() TO PUBLIC;
