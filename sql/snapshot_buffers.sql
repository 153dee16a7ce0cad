-- What shared_buffers holds.
CREATE TABLE buffered (id int PRIMARY KEY);
INSERT INTO buffered SELECT generate_series(1, 10000);
SELECT pgperf.snapshot_buffers() AS sample_id \gset
-- Every buffer is counted once.
SELECT sum(buffers) = (SELECT setting::bigint FROM pg_settings WHERE name = 'shared_buffers') AS all_buffers,
       bool_and(dirty <= buffers AND pinned <= buffers) AS parts_of_it,
       bool_and(usage_count BETWEEN 0 AND 5) AS counts_in_range
FROM pgperf.buffer_usage_history WHERE sample_id = :sample_id;
SELECT count(*) <= 1 AS one_row, bool_and(coalesce(database_name, schema_name, relation_name, relation_kind, fork) IS NULL) AS nameless,
       bool_and(dirty = 0) AS clean
FROM pgperf.buffer_usage_history WHERE sample_id = :sample_id AND usage_count IS NULL;
SELECT schema_name, relation_name, relation_kind, fork, sum(buffers) > 20 AS many
FROM pgperf.buffer_usage_history
WHERE sample_id = :sample_id AND database_name = current_database() AND relation_name LIKE 'buffered%' AND fork = 'main'
GROUP BY 1, 2, 3, 4 ORDER BY 2;
-- Catalogs that have no file number in pg_class, and those that all databases share.
SELECT relation_name, bool_and(database_name IS NULL) AS shared, sum(buffers) > 0 AS buffered
FROM pgperf.buffer_usage_history
WHERE sample_id = :sample_id AND schema_name = 'pg_catalog' AND relation_name IN ('pg_class', 'pg_database') GROUP BY 1 ORDER BY 1;
SELECT DISTINCT relation_kind, fork FROM pgperf.buffer_usage_history
WHERE sample_id = :sample_id AND relation_kind IN ('table', 'index') AND fork IN ('main', 'vm') ORDER BY 1, 2;
DROP TABLE buffered;
