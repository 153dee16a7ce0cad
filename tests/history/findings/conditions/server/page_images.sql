-- page_images of full_page_writes
-- conditions: server/page_images.sql 12
-- images: 1073741824
-- records: 1000
-- sampled: 100
-- at: m = 30
-- checkpoints: m % 4 = 0 AND m > 0
-- time: taken_at
INSERT INTO pgperf.checkpoint_history (node_id, sample_id, taken_at, in_progress, redo_lsn, checkpoint_lsn, checkpoint_time, num_timed, num_requested)
SELECT node_id, sample_id, taken_at, false, '0/0', '0/0', {time}, 0, 0 FROM tick WHERE {checkpoints};
INSERT INTO pgperf.wal_rmgr_history (node_id, sample_id, taken_at, start_lsn, end_lsn, resource_manager, record_type, records, record_bytes, fpi_bytes, sampled_percent)
SELECT node_id, sample_id, taken_at, '0/0', '0/1', 'Heap', 'INSERT', 1, {records}, {images}, {sampled} FROM tick WHERE {at};

-- rows
-- 1 GB | 10m 1h | => note, weight=99 kind=server & at=30 since=0 until=30: 1024 MB of 1024 MB of WAL were full-page images, 100 % | images = 1073741823 => silent
-- half of the WAL | | records = 1073741824 => note, 50 % | records = 1073741825 => silent
-- of all records | | at = m IN (30, 40); images = CASE m WHEN 30 THEN 1073741824 ELSE 0 END; records = 536870912 => note, at=40 & , 50 % | at = m IN (30, 40); images = CASE m WHEN 30 THEN 1073741824 ELSE 0 END; records = 536870913 => silent
-- with the WAL that was not read | | images = 536870912; sampled = 50 => note, 1024 MB of
-- checkpoints less than 5 minutes apart | 1h | checkpoints = m BETWEEN 1 AND 14 => note, every 277 s | checkpoints = m BETWEEN 1 AND 13 => silent
-- two of them at least, one after another | 4m | checkpoints = m BETWEEN 1 AND 3 => note, every 120 s & "checkpoints": 2 | checkpoints = m BETWEEN 1 AND 2 => silent
-- on average | 10m | checkpoints = m BETWEEN 1 AND 4 => note, every 200 s | checkpoints = m BETWEEN 1 AND 3 => silent
-- checkpoints, not samples | | time = '2026-01-01' => silent
-- in the window | 10m 1h | at = m = 0 => silent | at = m = 1 => note | at = m = 60 => note
-- checkpoints in the window | 1h | checkpoints = m BETWEEN 0 AND 13 => silent | checkpoints = m BETWEEN -13 AND 0 => silent
