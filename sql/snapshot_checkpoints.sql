-- Checkpoints: the newest, the counters, and their difference.
SET client_min_messages = warning;
SELECT min(sample_id) AS first FROM pgperf.snapshot('{checkpoints}') \gset
CREATE TABLE written AS SELECT generate_series(1, 1000) AS id;
CHECKPOINT;
-- The checkpointer reports its work a moment later.
DO $$
BEGIN
    FOR i IN 1..1000 LOOP
        PERFORM pgperf.snapshot('{checkpoints}');
        EXIT WHEN (SELECT num_requested > 0 FROM pgperf.checkpoint_deltas ORDER BY sample_id DESC LIMIT 1);
        PERFORM pg_sleep(0.02);
    END LOOP;
END
$$;
SELECT max(sample_id) AS second FROM pgperf.checkpoint_history \gset
SELECT in_progress, redo_lsn < checkpoint_lsn AS in_order, now() - checkpoint_time < '1 hour' AS recent, num_requested > 0 AS requested,
       num_timed IS NOT NULL AND write_time IS NOT NULL AND sync_time IS NOT NULL AND buffers_written IS NOT NULL AS written,
       buffers_clean IS NOT NULL AND maxwritten_clean IS NOT NULL AND buffers_alloc IS NOT NULL AS background_writer,
       (buffers_backend IS NULL) = (current_setting('server_version_num')::int >= 170000) AS until_16,
       (num_done IS NULL) = (current_setting('server_version_num')::int < 180000) AS of_18
FROM pgperf.checkpoint_history WHERE sample_id = :second;
SELECT a.redo_lsn < b.redo_lsn AS moved FROM pgperf.checkpoint_history a, pgperf.checkpoint_history b
WHERE a.sample_id = :first AND b.sample_id = :second;
SELECT num_requested >= 1 AS requested, buffers_written > 0 AS written, num_requested_per_s > 0 AS per_second
FROM pgperf.checkpoint_deltas WHERE sample_id = :second;
DROP TABLE written;
