-- Tablespaces and the WAL's folder, with the room on their file systems.
SET client_min_messages = warning;
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE regress_pgperf_space LOCATION '';
CREATE TABLE in_space TABLESPACE regress_pgperf_space AS SELECT repeat('x', 1000) AS filler FROM generate_series(1, 1000);
CHECKPOINT;
SELECT min(sample_id) AS sample FROM pgperf.snapshot('{tablespaces}') \gset
SELECT array_agg(h.name ORDER BY h.name) FILTER (WHERE h.kind = 'tablespace') = (SELECT array_agg(t.spcname::text ORDER BY t.spcname::text) FROM pg_tablespace t) AS all_of_them,
       array_agg(h.name) FILTER (WHERE h.kind = 'WAL') AS wal, count(*) FILTER (WHERE h.location IS NULL) >= 3 AS in_the_data_directory
FROM pgperf.tablespace_history h WHERE h.sample_id = :sample;
SELECT h.name, abs(h.size_bytes - pg_tablespace_size(h.name)) < 1000000 AS size,
       h.file_system ~ '^\d+:\d+$' AS device, h.free_bytes BETWEEN 1 AND h.file_system_bytes AS room
FROM pgperf.tablespace_history h WHERE h.sample_id = :sample AND h.name IN ('pg_global', 'regress_pgperf_space') ORDER BY 1;
SELECT h.size_bytes >= pg_size_bytes(current_setting('wal_segment_size')) AS size FROM pgperf.tablespace_history h WHERE h.sample_id = :sample AND h.kind = 'WAL';
SELECT h.size_bytes >= 1000000 AS has_the_table FROM pgperf.tablespace_history h WHERE h.sample_id = :sample AND h.name = 'regress_pgperf_space';
DROP TABLE in_space;
DROP TABLESPACE regress_pgperf_space;
