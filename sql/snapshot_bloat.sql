-- Bloat: a fresh relation has none, a rewrite gives it back, and some relations cannot be measured.
CREATE SCHEMA bloat_test;
SET search_path = bloat_test, public;
CREATE TABLE fresh (id int PRIMARY KEY, filler char(84));
INSERT INTO fresh SELECT i, '' FROM generate_series(1, 20000) i;
CREATE TABLE roomy (id int PRIMARY KEY) WITH (fillfactor = 70);
INSERT INTO roomy SELECT generate_series(1, 20000);
CREATE INDEX roomy_half ON roomy (id) WITH (fillfactor = 50);
CREATE TABLE holey (id int PRIMARY KEY, doc text) WITH (autovacuum_enabled = off);
ALTER TABLE holey ALTER doc SET STORAGE EXTERNAL;
INSERT INTO holey SELECT i, repeat('x', 3000) FROM generate_series(1, 5000) i;
BEGIN;
DELETE FROM holey WHERE id % 5 <> 0;
SELECT pg_current_xact_id() AS deleted_by \gset
COMMIT;
CREATE TABLE none ();
CREATE INDEX holey_hash ON holey USING hash (id);
VACUUM fresh, roomy;
-- Rows are dead to all as soon as no snapshot is older than what deleted them: autovacuum may hold one for a moment.
CREATE PROCEDURE await_snapshots(deleted_by xid8) LANGUAGE plpgsql AS $$ BEGIN
    LOOP
        PERFORM pg_stat_clear_snapshot();
        EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND age(backend_xmin) >= age(deleted_by::xid));
        PERFORM pg_sleep(0.01);
    END LOOP;
END $$;

SELECT pgperf.snapshot_bloat(ARRAY['fresh', 'fresh_pkey', 'roomy', 'roomy_pkey', 'roomy_half', 'holey', 'none', 'holey_hash']::regclass[], 'exact') AS sample_id \gset
SELECT relation_name, relation_kind, table_schema, table_name, method,
       pages_read = size_bytes / 8192 AS all_read, round(live_percent) BETWEEN 1 AND 100 AS has_live,
       dead_tuples, CASE WHEN bloat_percent < 2 THEN 'none' WHEN bloat_percent BETWEEN 70 AND 85 THEN 'most' ELSE bloat_percent::text END AS bloat, leaf_density_percent > 0 AS has_density, deleted_pages, error_margin_percent
FROM pgperf.bloat_history WHERE sample_id = :sample_id ORDER BY relation_name;
SELECT size_bytes = pg_relation_size('fresh') AS size_right, live_tuples, live_bytes + free_bytes < size_bytes AS adds_up
FROM pgperf.bloat_history WHERE sample_id = :sample_id AND relation_name = 'fresh';
-- The bound that each leaf but the last begins with is no entry.
SELECT relation_name, live_tuples, live_bytes / live_tuples AS entry_bytes
FROM pgperf.bloat_history WHERE sample_id = :sample_id AND relation_name IN ('fresh_pkey', 'roomy_half') ORDER BY relation_name;

-- After vacuum, the space of the dead rows is free, and still bloat; approx agrees.
CALL await_snapshots(:'deleted_by');
VACUUM holey;
SELECT pgperf.snapshot_bloat(ARRAY['holey', 'fresh']::regclass[], 'exact') AS exact_id,
       pgperf.snapshot_bloat(ARRAY['holey', 'fresh']::regclass[], 'approx') AS approx_id \gset
SELECT relation_name, e.dead_tuples, abs(e.bloat_percent - a.bloat_percent) < 10 AS agree, a.method,
       a.pages_read < e.pages_read AS cheaper, a.error_margin_percent
FROM pgperf.bloat_history e JOIN pgperf.bloat_history a USING (relation_name)
WHERE e.sample_id = :exact_id AND a.sample_id = :approx_id ORDER BY 1;
VACUUM FULL holey;
SELECT pgperf.snapshot_bloat(ARRAY['holey', 'holey_pkey']::regclass[]) AS full_id \gset
SELECT relation_name, bloat_bytes FROM pgperf.bloat_history WHERE sample_id = :full_id ORDER BY 1;

-- VACUUM FULL gave back the bytes that bloat_bytes promised, within 2 % of the table.
SELECT abs((e.size_bytes - e.bloat_bytes) - f.size_bytes) < 0.02 * e.size_bytes AS kept_its_promise
FROM pgperf.bloat_history e, pgperf.bloat_history f
WHERE e.sample_id = :exact_id AND f.sample_id = :full_id AND e.relation_name = 'holey' AND f.relation_name = 'holey';

-- A sample of a small relation includes all of its pages.
SELECT pgperf.snapshot_bloat(ARRAY['holey', 'holey_pkey']::regclass[], 'sampled') AS sample_id \gset
SELECT relation_name, method, pages_read = size_bytes / 8192 AS all_read, bloat_bytes, error_margin_percent
FROM pgperf.bloat_history WHERE sample_id = :sample_id ORDER BY 1;

-- The next call begins with the relations that the budget did not reach.
SET client_min_messages = warning;
SELECT pgperf.snapshot_bloat(max_pages => 30) AS first_id \gset
SELECT pgperf.snapshot_bloat() AS second_id \gset
RESET client_min_messages;
SELECT coalesce(sum(pages_read), 0) <= 30 AS within FROM pgperf.bloat_history WHERE sample_id = :first_id;
SELECT count(*) AS twice FROM pgperf.bloat_history f JOIN pgperf.bloat_history s USING (schema_name, relation_name)
WHERE f.sample_id = :first_id AND s.sample_id = :second_id;

-- Without a budget, and without a snapshot while pages are read.
CALL pgperf.take_snapshot('{bloat}') \gset
SELECT collector, status, rows > 0 AS has_rows FROM pgperf.sample_outcomes WHERE sample_id = :sample_id ORDER BY 1;
BEGIN;
CALL pgperf.take_snapshot();
ROLLBACK;

-- Without names, the user's tables, TOAST tables and B-trees are taken, each TOAST table with its table.
CREATE TEMP TABLE mine (id int PRIMARY KEY);
SELECT pgperf.snapshot_bloat() AS sample_id \gset
SELECT regexp_replace(relation_name, '\d+', 'N') AS relation_name, relation_kind, table_schema, table_name
FROM pgperf.bloat_history
WHERE sample_id = :sample_id AND 'bloat_test' IN (schema_name, table_schema) ORDER BY relation_kind, table_name, relation_name;
SELECT count(*) AS of_the_system FROM pgperf.bloat_history
WHERE sample_id = :sample_id AND coalesce(table_schema, schema_name) IN ('pg_catalog', 'information_schema', 'pgperf', 'pgperf_internal');
SELECT count(*) AS temporary FROM pgperf.bloat_history WHERE sample_id = :sample_id AND relation_name LIKE 'mine%';
-- A temporary table of the session itself may be named.
SELECT pgperf.snapshot_bloat(ARRAY['mine'::regclass]) > 0 AS taken;

-- For indexes other than B-trees, the free space and the empty pages are known.
CREATE TABLE docs AS SELECT i AS id, ARRAY['a' || i % 7, 'b' || i] AS words, point(i % 100, i / 100) AS place FROM generate_series(1, 20000) i;
CREATE INDEX docs_brin ON docs USING brin (id);
CREATE INDEX docs_gin ON docs USING gin (words);
CREATE INDEX docs_gist ON docs USING gist (place);
CREATE INDEX docs_hash ON docs USING hash (id);
CREATE INDEX docs_spgist ON docs USING spgist (place);
DELETE FROM docs WHERE id > 1000;
VACUUM docs;
SELECT pgperf.snapshot_bloat(ARRAY['docs_brin', 'docs_gin', 'docs_gist', 'docs_hash', 'docs_spgist']::regclass[]) AS sample_id \gset
SELECT relation_name, table_name, method, pages_read = size_bytes / 8192 AS all_read, free_percent > 0 AS has_free,
       deleted_pages >= 0 AS has_deleted, live_tuples, dead_bytes, bloat_percent, error_margin_percent
FROM pgperf.bloat_history WHERE sample_id = :sample_id ORDER BY 1;

-- These calls are refused before anything is stored.
CREATE TABLE parts (id int) PARTITION BY RANGE (id);
CREATE INDEX parts_idx ON parts (id);
CREATE VIEW looks AS SELECT 1 AS one;
CREATE SEQUENCE numbers;
SELECT count(*) AS before FROM pgperf.samples \gset
SELECT pgperf.snapshot_bloat(ARRAY['fresh'::regclass, 'parts']);
SELECT pgperf.snapshot_bloat(ARRAY['parts_idx'::regclass]);
SELECT pgperf.snapshot_bloat(ARRAY['looks'::regclass]);
SELECT pgperf.snapshot_bloat(ARRAY['numbers'::regclass]);
SELECT pgperf.snapshot_bloat(ARRAY['fresh_pkey'::regclass], 'approx');
SELECT pgperf.snapshot_bloat(method => 'guess');
SELECT pgperf.snapshot_bloat('{}');
SELECT pgperf.snapshot_bloat(ARRAY[NULL::regclass]);
SELECT pgperf.snapshot_bloat(ARRAY[1::regclass]);
SELECT pgperf.snapshot_bloat(budget => '0');
SELECT pgperf.snapshot_bloat(max_pages => 0);
SELECT count(*) = :before AS nothing_stored FROM pgperf.samples;
SET client_min_messages = warning;
-- A dropped relation does not move the place where the next call continues; a place beyond the end ends the round.
DELETE FROM pgperf_internal.bloat_cursor;
INSERT INTO pgperf_internal.bloat_cursor
SELECT node_id, false, ARRAY['fresh'::regclass::oid, 'roomy'::regclass::oid, 4000000000::oid], 0 FROM pgperf.samples LIMIT 1;
SELECT pgperf.snapshot_bloat(max_pages => pg_relation_size('fresh') / 8192) > 0 AS taken;
SELECT next FROM pgperf_internal.bloat_cursor;
UPDATE pgperf_internal.bloat_cursor SET next = 7;
SELECT pgperf.snapshot_bloat() > 0 AS taken;
SELECT count(*) AS rounds FROM pgperf_internal.bloat_cursor;
DROP SCHEMA bloat_test CASCADE;
