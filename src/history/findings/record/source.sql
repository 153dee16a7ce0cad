-- The samples of the window, and the last one before it.
taken AS MATERIALIZED (
    SELECT s.sample_id, s.taken_at, s.epoch, s.cadence, s.cpu_ms, s.wal_bytes, s.run_id,
           lag(s.taken_at) OVER w AS since, lag(s.epoch) OVER w AS previous_epoch
    FROM pgperf.samples s
    WHERE s.node_id = $1::uuid AND s.taken_at <= $3::timestamptz
      AND s.taken_at >= COALESCE((SELECT max(b.taken_at) FROM pgperf.samples b
                                  WHERE b.node_id = $1::uuid AND b.taken_at <= $2::timestamptz AND b.taken_at > $2::timestamptz - interval '1 day'), $2::timestamptz)
    WINDOW w AS (ORDER BY s.sample_id))
