-- A workload out of the statements of pg_stat_statements.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA own_load_test;
SET search_path = own_load_test, public;
CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, stock int NOT NULL, price numeric);
INSERT INTO item SELECT i, 'item ' || i, i % 7, i / 4.0 FROM generate_series(1, 2000) AS i;
CREATE TABLE sale (id bigserial PRIMARY KEY, item int NOT NULL, at timestamptz DEFAULT now());
INSERT INTO sale (item) SELECT i FROM generate_series(1, 500) AS i;
CREATE TABLE visit (id int PRIMARY KEY, shop int NOT NULL);
INSERT INTO visit SELECT i, CASE WHEN i % 20 > 0 THEN 1 ELSE i END FROM generate_series(1, 2000) AS i;
CREATE INDEX ON visit (shop);
CREATE TABLE none (id int);
CREATE TABLE tag (name text PRIMARY KEY);
CREATE TABLE ticket (id bigint PRIMARY KEY);
CREATE TEMP TABLE mine (id int);
VACUUM ANALYZE item, sale, visit;
CREATE FUNCTION noisy() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1';

-- Nothing to make it of.
SELECT count(*) AS reset FROM (SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_database WHERE datname = current_database()) r;
SELECT * FROM pgperf.create_workload_from_statements('own');
\echo :LAST_ERROR_SQLSTATE

-- The load.
\o /dev/null
SELECT format('SELECT name FROM item WHERE id = %s', i) FROM generate_series(1, 20) AS i \gexec
SELECT format('SELECT id, price FROM item WHERE id BETWEEN %s AND %s', i, i + 9) FROM generate_series(1, 20) AS i \gexec
SELECT format('SELECT id FROM item WHERE name = ''item %s'' AND stock = %s LIMIT 1', i, i % 7) FROM generate_series(1, 20) AS i \gexec
SELECT format('SELECT sum(stock) FROM item WHERE id >= %s - 20 AND id < %s', i, i) FROM generate_series(100, 119) AS i \gexec
SELECT format('SELECT name FROM item WHERE id = ANY (''{%s,%s,%s}''::int[])', i, i + 500, i + 1000) FROM generate_series(1, 20) AS i \gexec
SELECT format('UPDATE item SET stock = CASE WHEN stock >= 3 + 1 THEN stock - 1 ELSE stock - 1 + 7 END WHERE id = %s', i) FROM generate_series(1, 20) AS i \gexec
SELECT format('DELETE FROM sale WHERE id = ANY (''{%s,%s}''::int[])', i + 100, i + 200) FROM generate_series(1, 20) AS i \gexec
SELECT format('UPDATE item SET stock = stock - 1 WHERE id = %s', i) FROM generate_series(1, 20) AS i \gexec
SELECT format('INSERT INTO sale (item) VALUES (%s)', i) FROM generate_series(1, 20) AS i \gexec
SELECT format('INSERT INTO item VALUES (%s, ''new'', 1, 1)', i) FROM generate_series(2001, 2003) AS i \gexec
SELECT format('INSERT INTO tag VALUES (''tag %s'')', i) FROM generate_series(1, 3) AS i \gexec
SELECT id FROM item WHERE name LIKE 'item 1%';
SELECT count(*) FROM sale WHERE at > now() - interval '1 day';
SELECT id FROM none WHERE id = 1;
SELECT id FROM mine WHERE id = 1;
SELECT id, noisy() FROM item WHERE id = 1;
SELECT relname FROM pg_class WHERE relname = 'item';
SELECT format('INSERT INTO ticket VALUES (%s)', i) FROM generate_series(1, 3) AS i \gexec
TRUNCATE ticket;
ANALYZE sale;
\o

-- What becomes of it: reads alone.
SELECT script IS NOT NULL AS has_script, outcome, calls, statement FROM pgperf.create_workload_from_statements('own', top => 100)
 WHERE statement ~ 'item|sale|none|mine' AND statement !~ 'format|CREATE|generate_series|VACUUM' ORDER BY statement COLLATE "C";
-- Which of two pools of a table has its name alone depends on the time that statements took, and how far a range with a sum reaches on
-- the blocks that its calls happened to read.
SELECT regexp_replace(regexp_replace(s ->> 'text', 'item_[0-9]', 'item', 'g'), ':id [+] [01]\n', E':id + few\n') AS script FROM pgperf.workloads, jsonb_array_elements(scripts) AS s
 WHERE name = 'own' AND s ->> 'text' ~ 'FROM item' ORDER BY 1;
SELECT settings, role = current_user AS mine FROM pgperf.workloads WHERE name = 'own';
SELECT pgperf.observed_rate('own') > 0 AS has_rate, pgperf.observed_rate('select-only') AS built_in;

-- Statements that write as well.
SELECT script IS NOT NULL AS has_script, outcome, statement
  FROM pgperf.create_workload_from_statements('own_writes', top => 100, by => 'calls', writes => true)
 WHERE statement ~ '^(UPDATE|INSERT|DELETE)' AND statement !~ 'generate_series' ORDER BY statement COLLATE "C";

SELECT regexp_replace(regexp_replace(s ->> 'text', 'item_[0-9]', 'item', 'g'), ':id [+] [01]\n', E':id + few\n') AS script FROM pgperf.workloads, jsonb_array_elements(scripts) AS s
 WHERE name = 'own_writes' AND s ->> 'text' ~ 'INTO item';

-- A run finds the tables by the search_path that made it. It is long enough for the shares of the statements to be theirs: a few have most rows.
SET search_path = public;
SELECT pgperf.start_run('own_writes', transactions_per_client => 10000, random_seed => 1) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT status, transactions FROM pgperf.run_summary WHERE run_id = :run_id;
-- All together have fewer: each sale is deleted but once, and stocks are no longer those that a statement looks for.
SELECT statement, abs(rows_per_call / original_rows_per_call - 1) < CASE statement WHEN 'all together' THEN 0.2 ELSE 0.1 END AS rows, calls > 0 AS ran, likeness_percent > 0 AS alike, queryid IS NOT NULL AS has_id
  FROM pgperf.workload_fidelity(:run_id)
 WHERE statement ~ '^(UPDATE item|SELECT name FROM item|SELECT id, price|SELECT sum)' OR statement = 'all together' ORDER BY statement COLLATE "C";
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
\set VERBOSITY sqlstate
SELECT * FROM pgperf.workload_fidelity(:run_id);
\set VERBOSITY default

-- Most visits are of one shop, which is drawn most often, as it was asked for. How many rows are skipped is found by blocks.
SELECT count(*) AS reset FROM (SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_database WHERE datname = current_database()) r;
SET search_path = own_load_test, public;
\o /dev/null
SELECT 'SELECT id FROM visit WHERE shop = 1' FROM generate_series(1, 20) AS i \gexec
SELECT 'SELECT id FROM visit ORDER BY id LIMIT 10 OFFSET 1500' FROM generate_series(1, 20) AS i \gexec
\o
SELECT count(script) > 1 AS made FROM pgperf.create_workload_from_statements('visits', by => 'calls', top => 4);
SELECT s ->> 'text' ~ 'power' AS prefers, s ->> 'text' ~ 'skipped 1[45]\d\d\n' AS skips, s ->> 'text' ~ 'shop = :shop' AS asks
  FROM pgperf.workloads, jsonb_array_elements(scripts) AS s WHERE name = 'visits' AND s ->> 'text' ~ 'SELECT id FROM visit' ORDER BY 2;
SELECT pgperf.start_run('visits', transactions_per_client => 500, random_seed => 1) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT abs(rows_per_call / original_rows_per_call - 1) < 0.1 AS rows FROM pgperf.workload_fidelity(:run_id) WHERE statement ~ 'SELECT id FROM visit' ORDER BY statement;
SELECT pgperf.drop_workload('visits');

-- Ranges of times and of numbers with a point, and a time that counts back from now. No autovacuum changes what a call reads meanwhile.
CREATE TABLE event (id int PRIMARY KEY, at timestamptz NOT NULL, day date NOT NULL, amount numeric NOT NULL)
    WITH (autovacuum_enabled = off);
INSERT INTO event SELECT i, '2026-01-01 00:00+00'::timestamptz + i * interval '7 minutes', '2026-01-01'::date + i / 20, i / 8.0 FROM generate_series(1, 4000) AS i;
CREATE TABLE recent WITH (autovacuum_enabled = off) AS SELECT i AS id, now() - i * interval '1 minute' AS at FROM generate_series(0, 4000) AS i;
CREATE INDEX ON event (at);
CREATE INDEX ON event (day);
CREATE INDEX ON event (amount);
CREATE INDEX ON recent (at);
VACUUM ANALYZE event, recent;
-- A moment later nobody may still see other rows: then all pages are all-visible.
VACUUM event, recent;
SELECT count(*) AS reset FROM (SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_database WHERE datname = current_database()) r;
\o /dev/null
SELECT format('SELECT id FROM event WHERE at >= timestamptz ''2026-01-%s'' AND at < timestamptz ''2026-01-%s'' + interval ''70'' minute', i, i) FROM generate_series(2, 19) AS i \gexec
SELECT format('SELECT id, at FROM event WHERE day BETWEEN date ''2026-01-%s'' AND ''2026-01-%s''', i, i + 4) FROM generate_series(2, 21) AS i \gexec
SELECT format('SELECT id, day FROM event WHERE amount > %s AND amount <= %s AND id > 0', i, i + 8) FROM generate_series(1, 20) AS i \gexec
SELECT format('SELECT amount FROM event WHERE at >= date ''2026-01-%s'' AND at < date ''2026-01-%s''', i, i + 1) FROM generate_series(2, 19) AS i \gexec
SELECT 'SELECT at FROM recent WHERE at > now() - interval ''1'' day' FROM generate_series(1, 20) AS i \gexec
SELECT 'SELECT id FROM recent WHERE at < now() - interval ''2 days''' FROM generate_series(1, 20) AS i \gexec
SELECT 'SELECT id, now() - interval ''1 day'' * 2 FROM recent WHERE id = 1' FROM generate_series(1, 20) AS i \gexec
SELECT 'SELECT id FROM recent WHERE at BETWEEN now() - interval ''2 days'' AND now() - interval ''1 day''' FROM generate_series(1, 19) AS i \gexec
\o
SELECT outcome, statement FROM pgperf.create_workload_from_statements('events', by => 'calls', top => 8) ORDER BY statement COLLATE "C";
SELECT regexp_replace(regexp_replace(s ->> 'text', '(event|recent)_\d', '\1', 'g'), '\d+[.]\d+|\d{5,}', 'some', 'g') AS script
  FROM pgperf.workloads, jsonb_array_elements(scripts) AS s WHERE name = 'events' ORDER BY 1;
-- Long enough for what the first calls find in the catalog not to matter.
SELECT pgperf.start_run('events', transactions_per_client => 10000, random_seed => 1) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT status, transactions, failed FROM pgperf.run_summary WHERE run_id = :run_id;
SELECT abs(rows_per_call / original_rows_per_call - 1) < 0.1 AS rows, abs(blocks_per_call / original_blocks_per_call - 1) < 0.2 AS blocks, statement
  FROM pgperf.workload_fidelity(:run_id) WHERE queryid IS NOT NULL ORDER BY statement COLLATE "C";
SELECT pgperf.drop_workload('events');
SET search_path = public;

-- Wrong arguments.
SELECT * FROM pgperf.create_workload_from_statements('own');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM pgperf.create_workload_from_statements(NULL);
SELECT * FROM pgperf.create_workload_from_statements('tpcb-like');
SELECT * FROM pgperf.create_workload_from_statements('a', top => 0);
SELECT * FROM pgperf.create_workload_from_statements('a', by => 'rows');
SELECT * FROM pgperf.create_workload_from_statements('a', pool_rows => 0);
SELECT * FROM pgperf.create_workload_from_statements('a', to_time => now());
SELECT * FROM pgperf.create_workload_from_statements('a', from_time => '1999-01-02', to_time => '1999-01-01');
SELECT * FROM pgperf.create_workload_from_statements('a', from_time => '-infinity');
SELECT * FROM pgperf.create_workload_from_statements('a', from_time => now() + interval '1 day');
SELECT * FROM pgperf.create_workload_from_statements('a', from_time => '1999-01-01', to_time => '1999-01-02');
\echo :LAST_ERROR_SQLSTATE

-- A pool that a script has by itself.
SELECT pgperf.start_run(script => E'\\pool p SELECT 7, NULL UNION ALL SELECT 7, NULL\n\\set v pool(''p'', pool_rows(''p''), 1)\nSELECT 1 / (:v - 7 + 1);',
                        transactions_per_client => 3) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT command_no, is_sql, statement, calls, failed FROM pgperf.run_statements WHERE run_id = :run_id ORDER BY command_no;
SELECT pgperf.start_run(script => E'\\pool p SELECT 1 FROM\nSELECT 1;');
SELECT pgperf.start_run(script => E'\\pool p DELETE FROM pg_class RETURNING 1\nSELECT 1;');
SELECT pgperf.drop_workload('own'), pgperf.drop_workload('own_writes');
SET client_min_messages = error;
DROP SCHEMA own_load_test CASCADE;
