-- What the windows' rows lack for the views: discarded and flushed blocks, a busy device, a spread, looks, the bytes of images, checkpoints, and
-- counters that fall at last.
UPDATE pgperf.device_history SET discard_ios = (read_ios - 1000000) / 67 * 2003, discard_merges = (read_ios - 1000000) / 67 * 2011, discard_sectors = (read_ios - 1000000) / 67 * 2017,
    discard_ticks = (read_ios - 1000000) / 67 * 2027, flush_ios = (read_ios - 1000000) / 67 * 2029, flush_ticks = (read_ios - 1000000) / 67 * 2039,
    io_ticks = (io_ticks - 1000000) * CASE device WHEN 'sdb' THEN 2 ELSE 1 END;
UPDATE pgperf.statement_history SET exec_time_squares = (calls - 1000000) / 211 * 600011 WHERE queryid = 12;
UPDATE pgperf.wait_history SET looks = 2;
UPDATE pgperf.wal_history SET checkpoint_began_at = taken_at - interval '7 s';
UPDATE pgperf.wal_history SET wal_fpi_bytes = (wal_records - 1000000) / 421 * 3000017 WHERE sample_id IN (3030, 3040);
UPDATE pgperf.wal_history SET wal_fpi = wal_fpi + 1000000 WHERE sample_id = 3060;
UPDATE pgperf.buffer_counter_history SET blks_hit = 0, blks_read = 0, buffers_checkpoint = 0, buffers_clean = 0, maxwritten_clean = 0, buffers_backend = 0, buffers_alloc = 0,
    evictions = 0 WHERE sample_id = 3060;
UPDATE pgperf.relation_history SET before_sample_id = sample_id - 10 WHERE relation_oid <> 0;
