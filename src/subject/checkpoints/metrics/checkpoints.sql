SELECT h.num_timed AS checkpoints_timed,
       h.num_requested AS checkpoints_requested,
       h.num_done AS checkpoints_done,
       h.restartpoints_done AS restartpoints_done,
       h.write_time / 1000 AS checkpoint_write_seconds,
       h.sync_time / 1000 AS checkpoint_sync_seconds,
       h.buffers_written * current_setting('block_size')::bigint AS checkpoint_written_bytes,
       h.buffers_clean * current_setting('block_size')::bigint AS background_writer_written_bytes,
       h.maxwritten_clean AS background_writer_stops,
       h.buffers_backend * current_setting('block_size')::bigint AS backends_written_bytes,
       h.buffers_alloc AS buffers_allocated,
       h.in_progress::integer AS checkpoint_in_progress,
       extract(epoch FROM h.taken_at - h.checkpoint_time)::float8 AS checkpoint_age_seconds
  FROM pgperf.checkpoint_history h
 WHERE h.node_id = $1::uuid AND {part h}
 ORDER BY h.sample_id DESC
 LIMIT 1
