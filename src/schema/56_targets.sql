-- Other servers, on which runs work. USAGE on the wrapper is the right to make servers of it, and nobody but superusers has it unless it
-- is granted, as of any wrapper; USAGE on a server is the right to connect to it.
CREATE FUNCTION pgperf_internal.target_validator(options text[], catalog oid)
RETURNS void LANGUAGE c STABLE STRICT
    AS 'MODULE_PATHNAME', 'target_validator_wrapper';
COMMENT ON FUNCTION pgperf_internal.target_validator(text[], oid) IS
    'Checks the options of servers and user mappings of pgperf_target: libpq''s keywords, by the rules of postgres_fdw';

CREATE FOREIGN DATA WRAPPER pgperf_target NO HANDLER VALIDATOR pgperf_internal.target_validator;
COMMENT ON FOREIGN DATA WRAPPER pgperf_target IS
    'Other PostgreSQL servers as targets of pgperf; they have no foreign tables';

CREATE FUNCTION pgperf.doctor(server text, OUT check_name text, OUT status text, OUT detail text, OUT remedy text)
RETURNS SETOF record LANGUAGE c VOLATILE STRICT ROWS 20 SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'doctor_of_target_wrapper';
COMMENT ON FUNCTION pgperf.doctor(text) IS
    'The same of a target, a foreign server of pgperf_target: whether it can be reached, what can be known of it, and settings that would spoil a measurement; remedy: what helps, in words, most of it SQL for the target';
GRANT EXECUTE ON FUNCTION pgperf.doctor(text) TO PUBLIC;

CREATE FUNCTION pgperf.target_facts(server text, OUT category text, OUT name text, OUT value text, OUT unit text, OUT note text)
RETURNS SETOF record LANGUAGE c VOLATILE STRICT ROWS 60 SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'target_facts_wrapper';
COMMENT ON FUNCTION pgperf.target_facts(text) IS
    'What a target, a foreign server of pgperf_target, tells of itself: its build, extensions, database size, and settings that are not at their defaults';
GRANT EXECUTE ON FUNCTION pgperf.target_facts(text) TO PUBLIC;

CREATE FUNCTION pgperf.target_figures(server text)
RETURNS text LANGUAGE c VOLATILE STRICT SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'target_figures_wrapper';
COMMENT ON FUNCTION pgperf.target_figures(text) IS
    'Sizes and counters of a target at this moment, as the line that docs/figures.sql prints: two of them, before and after a run, are what pgperf.import_results reads';
GRANT EXECUTE ON FUNCTION pgperf.target_figures(text) TO PUBLIC;
