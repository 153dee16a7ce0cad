-- A workload out of statements that do more than their texts show, and of values of other types than numbers and texts.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA own_load_values;
SET search_path = own_load_values, public;
CREATE TABLE thing (id int PRIMARY KEY, code text UNIQUE, tags text[] NOT NULL, places int[] NOT NULL, doc jsonb NOT NULL, price numeric NOT NULL, x int NOT NULL);
INSERT INTO thing SELECT i, 'code ' || i, ARRAY['a "' || i, 'b\', NULL], ARRAY[i, i + 1], CASE i % 3 WHEN 0 THEN '"dark"' WHEN 1 THEN 'null' ELSE '{"a": [1, "x"]}' END::jsonb, i, i % 9
FROM generate_series(1, 500) AS i;
CREATE TABLE label (id int PRIMARY KEY, name text NOT NULL);
CREATE UNIQUE INDEX ON label (lower(name));
INSERT INTO label SELECT i, 'Name ' || i FROM generate_series(1, 500) AS i;
CREATE TABLE part (id int NOT NULL, of_day int NOT NULL) PARTITION BY LIST (of_day);
CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
CREATE UNIQUE INDEX ON part_1 (id);
INSERT INTO part SELECT i, 1 FROM generate_series(1, 500) AS i;
CREATE TABLE pair (a int, b int);
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE DOMAIN kind AS text;
CREATE TABLE account (id int NOT NULL, balance int, mood mood NOT NULL, kind kind NOT NULL);
CREATE UNIQUE INDEX ON account (id) INCLUDE (balance);
INSERT INTO account SELECT i, i, 'good', 'kind ' || i % 3 FROM generate_series(1, 500) AS i;
CREATE TABLE mail (id bigserial PRIMARY KEY, address text NOT NULL, gone timestamptz);
CREATE UNIQUE INDEX ON mail (lower(address)) WHERE gone IS NULL;
INSERT INTO mail (address) SELECT 'Address ' || i FROM generate_series(1, 500) AS i;
CREATE TABLE seen (at timestamptz);
CREATE FUNCTION look(n int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$BEGIN INSERT INTO seen VALUES (now()); RETURN n; END$$;
CREATE FUNCTION add(a int, b int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$BEGIN INSERT INTO seen VALUES (now()); RETURN a + b; END$$;
CREATE AGGREGATE total(int) (SFUNC = add, STYPE = int, INITCOND = 0);
CREATE DOMAIN looked AS int CHECK (look(VALUE) = VALUE);
-- What another table checks is nobody else's matter.
CREATE TABLE odd (n int CHECK (look(n) = n));
VACUUM ANALYZE thing, label, part, account, mail;
SELECT count(*) AS reset FROM (SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_database WHERE datname = current_database()) r;

-- The load.
\set ECHO none
\o /dev/null
SELECT format('SELECT id FROM thing WHERE tags = %L', tags) FROM thing WHERE id <= 20 \gexec
SELECT format('SELECT id FROM thing WHERE code = %L AND x <> %s', code, x + 1) FROM thing WHERE id <= 20 \gexec
SELECT format('SELECT id FROM thing WHERE places = %L AND id = %s', places, id) FROM thing WHERE id <= 20 \gexec
SELECT format('UPDATE thing SET tags = %L, doc = %L WHERE id = %s', tags, doc, id) FROM thing WHERE id <= 20 \gexec
SELECT format('UPDATE thing SET x=x-%s WHERE id = %s', i, i) FROM generate_series(1, 20) AS i \gexec
SELECT format('UPDATE thing SET price = price / %s WHERE id = %s', i, i) FROM generate_series(1, 20) AS i \gexec
SELECT format('/*route=''/thing/:id''*/ SELECT code /* $1 :x /* nested */ */ FROM thing WHERE id = %s -- :y', i) FROM generate_series(1, 20) AS i \gexec
SELECT format('SELECT doc @? %L FROM thing WHERE id = %s', '$.a', i) FROM generate_series(1, 20) AS i \gexec
SELECT format('SELECT total(x) FROM thing WHERE id = %s', i) FROM generate_series(1, 20) AS i \gexec
SELECT format('SELECT x::looked FROM thing WHERE id = %s', i) FROM generate_series(1, 20) AS i \gexec
SELECT format('SELECT id INTO made FROM thing WHERE id = %s', i), 'DROP TABLE made' FROM generate_series(1, 3) AS i \gexec
SELECT format('INSERT INTO pair VALUES %s', string_agg(format('(%s,%s)', i, i), ',')) FROM generate_series(1, 128) AS i \gexec
SELECT format('UPDATE thing SET code = ''new '' || %s WHERE id = %s', i, i) FROM generate_series(1, 3) AS i \gexec
SELECT format('INSERT INTO thing (id, code, tags, places, doc, price, x) VALUES (%s, ''other '' || %s, ''{}'', ''{}'', ''1'', 1, 1)', i, i) FROM generate_series(1001, 1003) AS i \gexec
SELECT format('INSERT INTO label VALUES (%s, ''label '' || %s)', i, i) FROM generate_series(1001, 1003) AS i \gexec
SELECT format('UPDATE label SET name = ''other %s'' WHERE id = %s', i, i) FROM generate_series(1, 3) AS i \gexec
SELECT format('UPDATE account SET balance = %s WHERE id = %s', i, i) FROM generate_series(1, 20) AS i \gexec
SELECT format('SELECT balance FROM account WHERE mood = ''good'' AND id = %s', i) FROM generate_series(1, 20) AS i \gexec
SELECT format('SELECT count(*) FILTER (WHERE kind = ''kind %s'') FROM account WHERE id = %s', i % 3, i) FROM generate_series(1, 20) AS i \gexec
SELECT format('INSERT INTO mail (address) VALUES (''other %s'')', i) FROM generate_series(1, 3) AS i \gexec
SELECT format('INSERT INTO part VALUES (%s + 1, 1)', i) FROM generate_series(1001, 1003) AS i \gexec
\o
\set ECHO all

-- pg_stat_statements has the comment before a statement, or not, depending on its version.
SELECT regexp_replace(outcome, '[0-9.]+ blocks', 'some blocks') AS outcome, left(text, 100) AS statement
  FROM (SELECT outcome, regexp_replace(statement, '^/[*]route.*?[*]/ ', '') AS text FROM pgperf.create_workload_from_statements('values', top => 100, writes => true)) s
 WHERE text ~ 'thing|label|part|pair|account|mail' AND text !~ 'format|CREATE|ANALYZE|INTO made' ORDER BY text COLLATE "C";
SELECT DISTINCT outcome FROM pgperf.create_workload_from_statements('values', top => 100, writes => true, replace => true) WHERE statement ~ '^SELECT id INTO made';
-- No minus of a number makes a comment, and no comment is left.
SELECT bool_and(s ->> 'text' !~ 'x-:' AND s ->> 'text' !~ '/[*]|:x|:y') AS safe FROM pgperf.workloads, jsonb_array_elements(scripts) AS s WHERE name = 'values';
SELECT count(*) AS seen FROM seen \gset before_
SELECT pgperf.start_run('values', transactions_per_client => 1000, random_seed => 1) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT status, transactions, failed FROM pgperf.run_summary WHERE run_id = :run_id;
SELECT pgperf.start_run('values', query_mode => 'simple', transactions_per_client => 1000, random_seed => 1) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT status, transactions, failed FROM pgperf.run_summary WHERE run_id = :run_id;
SELECT round(rows_per_call::numeric, 1) AS rows, statement FROM pgperf.workload_fidelity(:run_id) WHERE statement ~ 'x=x' ORDER BY 1;
SELECT count(*) = :before_seen AS nothing_more_seen FROM seen;

SELECT count(*) AS dropped FROM pgperf.workloads w, pgperf.drop_workload(w.name) WHERE w.name = 'values';
SET search_path = public;
DROP SCHEMA own_load_values CASCADE;
