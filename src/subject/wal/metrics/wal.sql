SELECT (h.insert_lsn - '0/0')::bigint AS wal_position_bytes,
       h.wal_records AS wal_records,
       h.wal_fpi AS wal_page_images,
       h.wal_bytes AS wal_bytes,
       h.wal_buffers_full AS wal_buffers_full,
       h.wal_write AS wal_writes,
       h.wal_sync AS wal_syncs,
       h.wal_write_time_ms / 1000 AS wal_write_seconds,
       h.wal_sync_time_ms / 1000 AS wal_sync_seconds,
       h.next_xid::text::bigint AS transaction_ids,
       (h.insert_lsn - h.redo_lsn)::bigint AS wal_since_checkpoint_bytes
  FROM pgperf.wal_history h
 WHERE h.node_id = $1::uuid AND {part h}
 ORDER BY h.sample_id DESC
 LIMIT 1
