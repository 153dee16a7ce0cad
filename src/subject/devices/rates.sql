-- The kernel counts sectors of 512 bytes, whatever the device's own are.
SELECT CASE h.level WHEN 0 THEN h.holds ELSE pg_catalog.format('beneath %s', h.holds) END || pg_catalog.format(' (%s)', h.device) AS object,
       h.device, h.holds, h.level, p.since_s AS at_s, p.at_s - p.since_s AS seconds,
       (h.read_sectors - b.read_sectors) * 512 / p.seconds AS read, (h.write_sectors - b.write_sectors) * 512 / p.seconds AS written,
       (h.read_ios - b.read_ios) / p.seconds AS reads, (h.write_ios - b.write_ios) / p.seconds AS writes,
       LEAST(100, (h.io_ticks - b.io_ticks) / (10 * p.seconds)) AS busy_percent,
       (h.read_ticks - b.read_ticks)::pg_catalog.float8 / NULLIF(h.read_ios - b.read_ios, 0) AS read_ms,
       (h.write_ticks - b.write_ticks)::pg_catalog.float8 / NULLIF(h.write_ios - b.write_ios, 0) AS write_ms
FROM {few_samples}
JOIN pgperf.device_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.device_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
     AND b.device = h.device AND b.boot_id = h.boot_id
-- The devices beneath count the same bytes again: runs alone show them.
WHERE p.seconds > 0 AND (h.level = 0 OR {is_run}) AND h.read_sectors >= b.read_sectors AND h.write_sectors >= b.write_sectors
ORDER BY h.level, h.device, p.sample_id
