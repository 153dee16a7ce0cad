\pset null NULL
\set SHOW_CONTEXT never
-- What users note, and where reports show it.
SELECT min(sample_id) > 0 AS sampled FROM pgperf.snapshot('{wal}');
SELECT pgperf.note(' release 42 ') > now() - interval '1 minute' AS noted;
CREATE ROLE regress_deployer;
GRANT pg_monitor TO regress_deployer;
SET ROLE regress_deployer;
SELECT pgperf.note('rolled back', at => now() - interval '5 minutes') < now() AS noted;
RESET ROLE;
SELECT note, role_name = current_user AS mine, node_id = pgperf.local_node() AS here, at > now() - interval '1 minute' AS now FROM pgperf.notes ORDER BY at;
SELECT regexp_replace(replace(line, current_user::text, 'me'), '\d\d-\d\d \d\d:\d\d:\d\d', 'then') FROM pgperf.history_report() line WHERE line LIKE 'Note,%';
SELECT kind, text, at_s BETWEEN 3200 AND 3700 AS lately, at_s = until_s AS moment
FROM jsonb_to_recordset(pgperf.history_json() -> 'timeline') AS t(kind text, text text, at_s float8, until_s float8)
WHERE kind = 'note' AND text LIKE '%regress_deployer)';
SELECT replace(replace(pgperf.history_html(), E'<!--\n-->', ''), E'\n', ' ') ~ 'Timeline\s*</h3\s*>.*rolled back \(role regress_deployer\)' AS shown;
SELECT count(*) FROM jsonb_array_elements(pgperf.history_json(now() - interval '3 hours', now() - interval '2 hours') -> 'timeline') t WHERE t ->> 'kind' = 'note';
-- It is a text.
SELECT pgperf.note('<b>') IS NOT NULL AS noted;
SELECT page LIKE '%&lt;b&gt; (role%' AS escaped, page LIKE '%<b> (role%' AS not_escaped FROM replace(pgperf.history_html(), E'\n', ' ') page;

-- What cannot be.
SELECT pgperf.note(NULL);
SELECT pgperf.note('  ');
SELECT pgperf.note(repeat('x', 201));
SELECT pgperf.note('x', 'infinity');
CREATE ROLE regress_reader;
SET ROLE regress_reader;
SELECT pgperf.note('x');
SELECT count(*) FROM pgperf.notes;
RESET ROLE;
DELETE FROM pgperf.notes;
DROP ROLE regress_deployer, regress_reader;
