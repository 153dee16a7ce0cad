WITH newest AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at
      FROM pgperf.device_history h
     WHERE h.node_id = $1::uuid AND {part h}
     ORDER BY h.sample_id DESC
     LIMIT 1)
-- The kernel counts sectors of 512 bytes and milliseconds.
SELECT h.device, h.holds,
       h.in_flight AS device_in_flight,
       h.read_ios AS device_reads,
       h.read_sectors * 512 AS device_read_bytes,
       h.read_ticks / 1000::float8 AS device_read_seconds,
       h.write_ios AS device_writes,
       h.write_sectors * 512 AS device_write_bytes,
       h.write_ticks / 1000::float8 AS device_write_seconds,
       h.flush_ios AS device_flushes,
       h.flush_ticks / 1000::float8 AS device_flush_seconds,
       h.io_ticks / 1000::float8 AS device_busy_seconds,
       h.time_in_queue / 1000::float8 AS device_queue_seconds,
       GREATEST(count(*) OVER () - 50, 0) AS left_out
  FROM newest n JOIN pgperf.device_history h USING (sample_id, taken_at)
 WHERE h.node_id = $1::uuid AND {part h}
 ORDER BY h.level, h.device
 LIMIT 50
