SELECT h.device AS object, p.since_s AS at_s, p.at_s - p.since_s AS seconds,
       (h.read_sectors - b.read_sectors) * 512 / p.seconds AS read, (h.write_sectors - b.write_sectors) * 512 / p.seconds AS written
FROM {samples}
JOIN pgperf.device_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.device_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
     AND b.device = h.device AND b.boot_id = h.boot_id
WHERE p.seconds > 0 AND h.level = 0 AND h.read_sectors >= b.read_sectors AND h.write_sectors >= b.write_sectors
ORDER BY h.device, p.sample_id
