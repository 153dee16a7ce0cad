\pset null NULL
\set SHOW_CONTEXT never
-- What users change about the rules of findings.
SELECT count(*) > 40 AS many, bool_and(enabled) AS all_enabled, bool_and(object = '%') AS of_all, count(threshold) = count(unit) AS with_units,
       count(DISTINCT rule) = count(*) AS once, bool_and(muted_until IS NULL AND note IS NULL) AS untouched
FROM pgperf.finding_rules;
SELECT rule, threshold, unit, severity FROM pgperf.finding_rules WHERE rule IN ('connections', 'invalid_index') ORDER BY 1;

-- An invalid index, and a sequence at its end.
CREATE TABLE public.checked (id int);
INSERT INTO public.checked VALUES (1), (1);
CREATE UNIQUE INDEX CONCURRENTLY twice ON public.checked (id);
CREATE SEQUENCE public.numbers MAXVALUE 100;
SELECT setval('public.numbers', 70);
SELECT min(sample_id) > 0 AS sampled FROM pgperf.snapshot('{sequences}');
CREATE VIEW pg_temp.found AS SELECT rule, object_name FROM pgperf.findings() WHERE rule IN ('invalid_index', 'sequence_exhaustion') ORDER BY 1;
TABLE pg_temp.found;
UPDATE pgperf.finding_rules SET threshold = 60 WHERE rule = 'sequence_exhaustion';
TABLE pg_temp.found;
UPDATE pgperf.finding_rules SET muted_until = now() + interval '1 day', note = 'until the release' WHERE rule = 'invalid_index';
TABLE pg_temp.found;
SELECT line FROM pgperf.history_report() line WHERE line LIKE '%muted%';
UPDATE pgperf.finding_rules SET muted_until = now() - interval '1 s' WHERE rule = 'invalid_index';
TABLE pg_temp.found;
INSERT INTO pgperf.finding_rules (rule, object, enabled) VALUES ('invalid_index', 'public.tw%', false), ('sequence_exhaustion', 'shop.%', false);
TABLE pg_temp.found;
UPDATE pgperf.finding_rules SET enabled = true WHERE object = 'public.tw%';
TABLE pg_temp.found;
SELECT rule, object, enabled, threshold, note FROM pgperf.finding_rules WHERE rule IN ('invalid_index', 'sequence_exhaustion');
DELETE FROM pgperf.finding_rules WHERE rule IN ('invalid_index', 'sequence_exhaustion');
SELECT rule, object, enabled, threshold, note FROM pgperf.finding_rules WHERE rule IN ('invalid_index', 'sequence_exhaustion');
TABLE pg_temp.found;

-- What cannot be.
INSERT INTO pgperf.finding_rules (rule) VALUES ('invalid_indexes');
UPDATE pgperf.finding_rules SET threshold = 5 WHERE rule = 'invalid_index';
UPDATE pgperf.finding_rules SET threshold = 0 WHERE rule = 'connections';
UPDATE pgperf.finding_rules SET threshold = 'NaN' WHERE rule = 'connections';
UPDATE pgperf.finding_rules SET title = 'other' WHERE rule = 'connections';
INSERT INTO pgperf.finding_rules (rule, object, threshold) VALUES ('connections', 'x', 5);
INSERT INTO pgperf.finding_rules (rule, object) VALUES ('connections', 'x'), ('connections', 'x');
INSERT INTO pgperf.finding_rules (rule, object) VALUES ('connections', 'public.a\');
UPDATE pgperf.finding_rules SET threshold = 1e13 WHERE rule = 'connections';

-- Members of pg_monitor read them, and nobody else.
CREATE ROLE rules_reader;
GRANT pg_monitor TO rules_reader;
SET ROLE rules_reader;
SELECT count(*) > 40 AS many FROM pgperf.finding_rules;
SELECT rule, object_name FROM pgperf.findings() WHERE rule = 'invalid_index';
UPDATE pgperf.finding_rules SET enabled = false WHERE rule = 'connections';
RESET ROLE;
REVOKE pg_monitor FROM rules_reader;
SET ROLE rules_reader;
SELECT count(*) FROM pgperf.finding_rules;
RESET ROLE;
DROP ROLE rules_reader;
DROP TABLE public.checked;
DROP SEQUENCE public.numbers;
