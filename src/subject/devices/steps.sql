-- Whether a checkpoint was in progress is known of each moment, so that neighbouring samples are compared: of at most a day.
WITH steps AS (
    SELECT h.device, h.holds, h.level, c.in_progress, EXTRACT(epoch FROM h.taken_at - pg_catalog.lag(h.taken_at) OVER w)::pg_catalog.float8 AS seconds,
           h.read_ios - pg_catalog.lag(h.read_ios) OVER w AS reads, h.read_sectors - pg_catalog.lag(h.read_sectors) OVER w AS read_sectors,
           h.read_ticks - pg_catalog.lag(h.read_ticks) OVER w AS read_ticks,
           h.write_ios - pg_catalog.lag(h.write_ios) OVER w AS writes, h.write_sectors - pg_catalog.lag(h.write_sectors) OVER w AS write_sectors,
           h.write_ticks - pg_catalog.lag(h.write_ticks) OVER w AS write_ticks,
           h.flush_ios - pg_catalog.lag(h.flush_ios) OVER w AS flushes, h.flush_ticks - pg_catalog.lag(h.flush_ticks) OVER w AS flush_ticks,
           h.io_ticks - pg_catalog.lag(h.io_ticks) OVER w AS io_ticks, h.time_in_queue - pg_catalog.lag(h.time_in_queue) OVER w AS queue
    FROM pgperf.device_history h
    LEFT JOIN pgperf.checkpoint_history c ON c.node_id = h.node_id AND c.sample_id = h.sample_id AND c.taken_at = h.taken_at
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at <= $3::pg_catalog.timestamptz{of_run}
      AND h.taken_at > GREATEST($2::pg_catalog.timestamptz, $3::pg_catalog.timestamptz - '1 day'::pg_catalog.interval)
    WINDOW w AS (PARTITION BY h.device, h.boot_id ORDER BY h.sample_id)),
-- What iostat -x shows, with the kernel's sectors of 512 bytes as bytes.
phases AS (
    SELECT s.device, s.level, pg_catalog.max(s.holds) AS holds, s.in_progress,
           CASE s.in_progress WHEN true THEN 'during checkpoints' WHEN false THEN 'between checkpoints' ELSE '' END AS phase,
           pg_catalog.sum(s.reads) / pg_catalog.sum(s.seconds) AS reads_per_s,
           pg_catalog.sum(s.read_sectors) * 512 / pg_catalog.sum(s.seconds) AS read_bytes_per_s,
           pg_catalog.sum(s.read_ticks)::pg_catalog.float8 / NULLIF(pg_catalog.sum(s.reads), 0)::pg_catalog.float8 AS read_wait_ms,
           pg_catalog.sum(s.read_sectors)::pg_catalog.float8 * 512 / NULLIF(pg_catalog.sum(s.reads), 0)::pg_catalog.float8 AS read_size_bytes,
           pg_catalog.sum(s.writes) / pg_catalog.sum(s.seconds) AS writes_per_s,
           pg_catalog.sum(s.write_sectors) * 512 / pg_catalog.sum(s.seconds) AS write_bytes_per_s,
           pg_catalog.sum(s.write_ticks)::pg_catalog.float8 / NULLIF(pg_catalog.sum(s.writes), 0)::pg_catalog.float8 AS write_wait_ms,
           pg_catalog.sum(s.write_sectors)::pg_catalog.float8 * 512 / NULLIF(pg_catalog.sum(s.writes), 0)::pg_catalog.float8 AS write_size_bytes,
           pg_catalog.sum(s.flushes) / pg_catalog.sum(s.seconds) AS flushes_per_s,
           pg_catalog.sum(s.flush_ticks)::pg_catalog.float8 / NULLIF(pg_catalog.sum(s.flushes), 0)::pg_catalog.float8 AS flush_wait_ms,
           pg_catalog.sum(s.queue) / (1000 * pg_catalog.sum(s.seconds)) AS queue,
           LEAST(100, pg_catalog.sum(s.io_ticks) / (10 * pg_catalog.sum(s.seconds))) AS busy_percent,
           pg_catalog.sum(s.seconds) AS seconds
    FROM steps s
    WHERE s.seconds > 0 AND s.reads >= 0 AND s.writes >= 0
    GROUP BY s.device, s.level, s.in_progress)
