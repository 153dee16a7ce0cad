-- The counters of a device are known where samples were taken: what lies in a step of the stretch between two of them is its part of the time.
CREATE VIEW pgperf.load_devices AS
SELECT s.node_id, s.run_id, s.step_no, s.step, s.started_at, s.seconds, d.holds, d.device, d.level,
       sum(o.share * d.read_ios) / sum(o.seconds) AS r_s, sum(o.share * d.read_sectors) / (2 * sum(o.seconds)) AS rkb_s,
       sum(o.share * d.read_ticks) / NULLIF(sum(o.share * d.read_ios), 0) AS r_await,
       sum(o.share * d.read_sectors) / NULLIF(2 * sum(o.share * d.read_ios), 0) AS rareq_sz,
       sum(o.share * d.write_ios) / sum(o.seconds) AS w_s, sum(o.share * d.write_sectors) / (2 * sum(o.seconds)) AS wkb_s,
       sum(o.share * d.write_ticks) / NULLIF(sum(o.share * d.write_ios), 0) AS w_await,
       sum(o.share * d.write_sectors) / NULLIF(2 * sum(o.share * d.write_ios), 0) AS wareq_sz,
       sum(o.share * d.flush_ios) / sum(o.seconds) AS f_s, sum(o.share * d.flush_ticks) / NULLIF(sum(o.share * d.flush_ios), 0) AS f_await,
       sum(o.share * d.time_in_queue) / (1000 * sum(o.seconds)) AS aqu_sz,
       LEAST(100, sum(o.share * d.io_ticks) / (10 * sum(o.seconds))) AS util
FROM (SELECT t.node_id, t.run_id, t.command_no AS step_no, t.statement AS step, t.started_at, t.calls * t.latency_avg_ms / 1000 AS seconds
      FROM pgperf.run_statements t WHERE t.started_at IS NOT NULL AND t.calls > 0) s
JOIN pgperf.device_deltas d ON d.node_id = s.node_id AND d.run_id = s.run_id
CROSS JOIN LATERAL (
    SELECT EXTRACT(epoch FROM LEAST(d.taken_at, s.started_at + s.seconds * interval '1 s')
                              - GREATEST(d.taken_at - d.seconds * interval '1 s', s.started_at))::float8 AS seconds) i
CROSS JOIN LATERAL (SELECT i.seconds, i.seconds / d.seconds AS share) o
WHERE o.seconds > 0 AND d.read_ios IS NOT NULL AND d.write_ios IS NOT NULL
GROUP BY s.node_id, s.run_id, s.step_no, s.step, s.started_at, s.seconds, d.holds, d.device, d.level;
COMMENT ON VIEW pgperf.load_devices IS 'Activity of the block devices under the server''s files in each step of a load, under the names of iostat -x. Between two samples it is spread evenly: the figures of a step that is shorter than a sample interval are estimates';
COMMENT ON COLUMN pgperf.load_devices.step_no IS 'Place of the step in the load, from 0';
COMMENT ON COLUMN pgperf.load_devices.step IS 'Name of the step';
COMMENT ON COLUMN pgperf.load_devices.started_at IS 'When the step began';
COMMENT ON COLUMN pgperf.load_devices.seconds IS 'How long it took';
COMMENT ON COLUMN pgperf.load_devices.holds IS 'Contents of the device, or of a device of which it is a part: data, wal, tablespaces';
COMMENT ON COLUMN pgperf.load_devices.device IS 'Its name in the kernel';
COMMENT ON COLUMN pgperf.load_devices.level IS '0: it holds the files itself; 1 and more: it lies beneath';
COMMENT ON COLUMN pgperf.load_devices.r_s IS 'Reads per second';
COMMENT ON COLUMN pgperf.load_devices.rkb_s IS 'Kilobytes (1024) read per second';
COMMENT ON COLUMN pgperf.load_devices.r_await IS 'Average time of a read in milliseconds, waiting included';
COMMENT ON COLUMN pgperf.load_devices.rareq_sz IS 'Average size of a read in kilobytes (1024)';
COMMENT ON COLUMN pgperf.load_devices.w_s IS 'Writes per second';
COMMENT ON COLUMN pgperf.load_devices.wkb_s IS 'Kilobytes (1024) written per second';
COMMENT ON COLUMN pgperf.load_devices.w_await IS 'Average time of a write in milliseconds, waiting included';
COMMENT ON COLUMN pgperf.load_devices.wareq_sz IS 'Average size of a write in kilobytes (1024)';
COMMENT ON COLUMN pgperf.load_devices.f_s IS 'Flushes per second; NULL: this kernel counts none';
COMMENT ON COLUMN pgperf.load_devices.f_await IS 'Average time of a flush in milliseconds, waiting included';
COMMENT ON COLUMN pgperf.load_devices.aqu_sz IS 'Average number of requests in flight or waiting';
COMMENT ON COLUMN pgperf.load_devices.util IS 'Share of the time during which the device had requests in flight, in percent';
GRANT SELECT ON pgperf.load_devices TO pg_monitor;
