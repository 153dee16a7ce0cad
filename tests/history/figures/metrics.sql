-- Rows of one sample, number 2002 of ten minutes ago: another value in every column. metrics.txt has what pgperf.metrics() must make of them. Around
-- it lie samples that it must not show: older ones, a newer one of which some collectors failed, those of another node (decoys.sql), and what is not
-- of all sessions. {node}: whose rows these are.
CREATE TEMP TABLE newest ON COMMIT DROP AS
SELECT '{node}'::uuid AS node_id, 2002::bigint AS sample_id, now() - interval '10 min' AS taken_at;

UPDATE pgperf.nodes SET name = 'server one', database_name = 'app', host = 'host-a' WHERE node_id = '{node}';

-- Of four collectors: one whose newest sample failed, one that the sampler does not take, one that was skipped, one that is fine.
UPDATE pgperf.collectors SET enabled = name IN ('wal', 'replication', 'tablespaces', 'settings');
UPDATE pgperf.collectors SET sample_interval = '7 s' WHERE name = 'wal';
UPDATE pgperf.collectors SET sample_interval = '1 min 11 s' WHERE name = 'replication';
UPDATE pgperf.collectors SET sample_interval = NULL WHERE name = 'tablespaces';
UPDATE pgperf.collectors SET sample_interval = '1 hour' WHERE name = 'settings';
INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, complete, outcomes)
SELECT '{node}', s.sample_id, now() - s.age, 1, 1, 1, 1, 1, true, s.outcomes::jsonb
FROM (VALUES
    (2000, interval '30 min', '{"wal": {"status": "ok", "rows": 5, "elapsed_ms": 11}, "tablespaces": {"status": "ok", "rows": 7, "elapsed_ms": 13}}'),
    (2001, interval '15 min', '{"wal": {"status": "ok", "rows": 17, "elapsed_ms": 19}, "replication": {"status": "ok", "rows": 23, "elapsed_ms": 29}}'),
    (2002, interval '10 min', '{"replication": {"status": "ok", "rows": 31, "elapsed_ms": 37}, "tablespaces": {"status": "ok", "rows": 41, "elapsed_ms": 43}, "settings": {"status": "skipped"}}'),
    (2003, interval '6 min', '{"wal": {"status": "failed", "rows": 47, "elapsed_ms": 53}, "database": {"status": "ok"}}')) s(sample_id, age, outcomes);
INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, complete, outcomes)
SELECT '{other}', s.sample_id, now() - s.age, 1, 1, 1, 1, 1, true,
       '{"wal": {"status": "ok", "rows": 1, "elapsed_ms": 1}, "replication": {"status": "ok", "rows": 1, "elapsed_ms": 1}, "tablespaces": {"status": "failed"}, "settings": {"status": "ok"}}'
FROM (VALUES (2002, interval '10 min'), (2004, interval '2 min')) s(sample_id, age);

INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, numbackends, xact_commit, xact_rollback, blks_read, blks_hit,
    tup_returned, tup_fetched, tup_inserted, tup_updated, tup_deleted, temp_files, temp_bytes, deadlocks, checksum_failures, blk_read_time, blk_write_time,
    session_time, active_time, idle_in_transaction_time, sessions, sessions_abandoned, sessions_fatal, sessions_killed, parallel_workers_to_launch,
    parallel_workers_launched, conflicts, confl_tablespace, confl_lock, confl_snapshot, confl_bufferpin, confl_deadlock)
SELECT n.*, 'app', 11, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 1009, 2003, 3001, 4001, 5003, 167, 173, 179, 181, 182,
       183, 191, 192, 193, 194, 195, 196 FROM newest n
UNION ALL
SELECT n.*, NULL, 12, 211, 223, 227, 229, 113, 127, 131, 137, 139, 149, 233, 239, 163, 1009, 2003, 3001, 4001, 5003, 167, 173, 179, 181, 182,
       183, 191, 192, 193, 194, 195, 196 FROM newest n;

INSERT INTO pgperf.session_history (node_id, sample_id, taken_at, database_name, role_name, application_name, backend_type, state, looks, seen, most)
SELECT n.*, s.* FROM newest n, (VALUES ('app', 'clerk', 'desk', 'client backend', 'active', 10, 23, 5), ('app', 'clerk', 'desk', 'parallel worker', 'active', 10, 100, 50),
    ('app', 'clerk', 'desk', 'client backend', 'idle in transaction', 10, 3, 1)) s;
INSERT INTO pgperf.connection_history (node_id, sample_id, taken_at, database_name, role_name, application_name, looks, seen, most)
SELECT n.*, c.* FROM newest n, (VALUES ('app', 'clerk', 'desk', 10, 47, 6), ('app', 'boss', 'web', 10, 20, 2)) c;
INSERT INTO pgperf.blocking_history (node_id, sample_id, taken_at, head_pid, pid, depth, victims, looks, seen)
SELECT n.*, b.* FROM newest n, (VALUES (71, 71, 0, 3, 10, 10), (80, 80, 0, 2, 10, 10), (71, 72, 1, 2, 10, 10)) b;
INSERT INTO pgperf.sequence_history (node_id, sample_id, taken_at, sequence_oid, last_value, limit_value, increment, used_percent, schema_name, sequence_name)
SELECT n.*, 600, 94, 200, 1, 47, 'shop', 'numbers' FROM newest n;
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT n.*, w.* FROM newest n, (VALUES
    ('activity', 'client backend', 'active', 'IO', 'DataFileRead', 10, 23), ('activity', 'client backend', 'active', NULL, NULL, 10, 7),
    ('activity', 'checkpointer', NULL, 'Timeout', 'CheckpointWriteDelay', 10, 10),
    ('run clients', 'client backend', 'active', 'IO', 'DataFileRead', 1, 1000)) w;

INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, role_name, database_name, statements, left_out,
    dealloc, plans, total_plan_time, calls, total_exec_time, rows, shared_blks_hit, shared_blks_read, shared_blks_dirtied, shared_blks_written,
    temp_blks_read, temp_blks_written, wal_records, wal_bytes, exec_user_time, exec_system_time, exec_reads, exec_writes)
SELECT n.*, s.* FROM newest n, (VALUES
    (0, 0, 0, true, NULL, NULL, 41, 42, 43, 44, 7001, 401, 6007, 409, 410, 411, 412, 413, 414, 415, 416, 419, 8501, 8503, 8509, 8513),
    (71, 10, 5, true, 'anna', 'app', NULL, NULL, NULL, 420, 9001, 421, 8009, 431, 433, 439, 443, 444, 3, 4, 445, 449, NULL, NULL, NULL, NULL),
    -- Those of dropped roles and databases have their numbers; another role may have got the name of one.
    (72, 11, 6, false, NULL, NULL, NULL, NULL, NULL, 450, 9007, 457, 8011, 461, 463, 467, 479, 480, 5, 6, 485, 487, NULL, NULL, NULL, NULL),
    (73, 21, 5, true, 'carl', 'app', NULL, NULL, NULL, 1, 10, 3, 100, 7, 13, 19, 29, 1, 1, 2, 1, 37, NULL, NULL, NULL, NULL),
    (73, 22, 5, true, 'carl', 'app', NULL, NULL, NULL, 1, 20, 5, 200, 11, 17, 23, 31, 1, 3, 4, 1, 41, NULL, NULL, NULL, NULL))
    s(queryid, userid, dbid, toplevel, role_name, database_name);
-- Called within the hour before the newest sample, and called before. The role and the database have been renamed since.
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, role_name, database_name, calls, total_exec_time)
SELECT n.node_id, 1990, n.taken_at - s.age, s.queryid, 10, 5, true, 'miss anna', 'old app', 499, 503
FROM newest n, (VALUES (74, interval '59 min'), (75, interval '61 min')) s(queryid, age);

INSERT INTO pgperf.slru_history (node_id, sample_id, taken_at, name, blks_zeroed, blks_hit, blks_read, blks_written, blks_exists, flushes, truncates)
SELECT n.*, s.* FROM newest n, (VALUES ('Subtrans', 501, 503, 509, 521, 522, 523, 524), ('Xact', 456, 457, 461, 463, 464, 467, 468)) s;

INSERT INTO pgperf.lock_history (node_id, sample_id, taken_at, lock_type, waits, wait_time, fastpath_exceeded)
SELECT n.*, s.* FROM newest n, (VALUES ('relation', 1087, 1091, 1093), ('tuple', 1097, 1103, 0)) s;

-- Until PostgreSQL 17 with the size of an operation, from 18 on with bytes.
INSERT INTO pgperf.io_history (node_id, sample_id, taken_at, backend_type, object, context, op_bytes, reads, read_bytes, read_time, writes, write_bytes,
    write_time, writebacks, writeback_time, extends, extend_bytes, extend_time, hits, evictions, reuses, fsyncs, fsync_time)
SELECT n.*, s.* FROM newest n, (VALUES
    ('client backend', 'relation', 'normal', 4096, 541, NULL::bigint, 1013, 547, NULL::bigint, 1019, 548, 1020, 557, NULL::bigint, 1021, 563, 569, 571, 577, 1031),
    ('checkpointer', 'wal', 'init', NULL, 587, 593, 1033, 599, 601, 1039, 602, 1040, 607, 613, 1049, 617, 619, 631, 641, 1051)) s;

INSERT INTO pgperf.host_history (node_id, sample_id, taken_at, cpus, load_1, load_5, load_15, processes_running, processes_blocked, memory_total_bytes,
    memory_free_bytes, memory_available_bytes, memory_cached_bytes, memory_dirty_bytes, memory_writeback_bytes, huge_pages_total, huge_pages_free,
    swap_total_bytes, swap_free_bytes, server_processes, server_private_bytes, cpu_user_ms, cpu_nice_ms, cpu_system_ms, cpu_idle_ms, cpu_iowait_ms,
    cpu_irq_ms, cpu_softirq_ms, cpu_steal_ms, context_switches, forks, swap_in_pages, swap_out_pages, major_faults, oom_kills)
SELECT n.*, 17, 1.25, 1.5, 1.75, 19, 23, 643, 647, 653, 659, 661, 662, 663, 664, 673, 677, 29, 683, 10007, 10009, 10037, 10039, 10061, 10067, 10069,
       10079, 691, 692, 693, 694, 701, 709 FROM newest n;
INSERT INTO pgperf.device_history (node_id, sample_id, taken_at, device, holds, level, in_flight, read_ios, read_merges, read_sectors, read_ticks,
    write_ios, write_merges, write_sectors, write_ticks, io_ticks, time_in_queue, discard_ios, discard_merges, discard_sectors, discard_ticks, flush_ios, flush_ticks)
SELECT n.*, s.* FROM newest n, (VALUES
    ('sda', 'data', 0, 2, 719, 720, 727, 11003, 733, 734, 739, 12007, 13001, 14009, 740, 741, 742, 743, 744, 15013),
    ('sdb', 'wal', 1, 3, 751, 752, 757, 11027, 761, 762, 769, 12011, 13003, 14011, 770, 771, 772, 773, 774, 15017)) s;

-- Of this server those relations are left out that are there no more.
CREATE TABLE public.alpha (id integer);
CREATE INDEX alpha_idx ON public.alpha (id);
CREATE TABLE public.beta (id integer);
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, table_name, size_bytes,
    relpages, reltuples, n_live_tup, n_dead_tup, n_mod_since_analyze, n_ins_since_vacuum, seq_scan, seq_tup_read, idx_scan, idx_tup_read, idx_tup_fetch,
    n_tup_ins, n_tup_upd, n_tup_del, n_tup_hot_upd, n_tup_newpage_upd, vacuum_count, autovacuum_count, analyze_count, autoanalyze_count, blks_read, blks_hit)
SELECT n.*, 'alpha'::regclass, 'public', 'alpha', 'table', NULL, 786433, 782, 783, 787, 797, 798, 799, 809, 811, 821, 822, 823, 827, 829, 839, 853, 854,
       857, 859, 860, 861, 863, 877 FROM newest n
UNION ALL
SELECT n.*, 'beta'::regclass, 'public', 'beta', 'table', NULL, 1319, 1320, 1323, 1321, 1327, 1328, 1329, 1361, 1367, 1373, 1374, 1375, 1381, 1399, 1409, 1423, 1424,
       1427, 1429, 1430, 1431, 1433, 1439 FROM newest n
UNION ALL
SELECT n.*, 999999, 'public', 'gone', 'table', NULL, 1277, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM newest n
UNION ALL
SELECT n.*, 'alpha_idx'::regclass, 'public', 'alpha_idx', 'index', 'alpha', 883, 884, 885, 886, 887, 888, 889, NULL, NULL, 907, 908, NULL, 0, 0, 0, 0, 0,
       0, 0, 0, 0, 911, 919 FROM newest n;
UPDATE pgperf.relation_history SET last_vacuum = now() - interval '3001 s', last_autovacuum = now() - interval '2003 s', last_analyze = now() - interval '1 s'
 WHERE relation_name = 'alpha';
UPDATE pgperf.relation_history SET last_vacuum = now() - interval '4001 s', last_autovacuum = now() - interval '5003 s' WHERE relation_name = 'beta';

INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, method, size_bytes, pages_read, live_tuples,
    live_bytes, live_percent, dead_tuples, dead_bytes, dead_percent, free_bytes, free_percent, bloat_bytes, bloat_percent, leaf_density_percent,
    leaf_fragmentation_percent, deleted_pages, error_margin_percent, changes)
SELECT n.*, s.* FROM newest n, (VALUES
    ('public', 'alpha', 'table', 'exact', 1, 2, 3, 4, 5.5, 6, 7, 8.5, 9, 10.5, 929, 37, 11.5, 12.5, 13, 2.75, 14),
    -- Nothing is known of its bloat.
    ('public', 'beta', 'table', 'exact', 1, 2, 3, 4, 5.5, 6, 7, 8.5, 9, 10.5, NULL, 47, 11.5, 12.5, 13, 2.25, 14),
    ('public', 'alpha_idx', 'index', 'exact', 15, 16, 17, 18, 19.5, 20, 21, 22.5, 23, 24.5, 937, 41, 25.5, 26.5, 27, 1.5, 28),
    ('public', 'gone', 'table', 'exact', 1, 2, 3, 4, 5.5, 6, 7, 8.5, 9, 10.5, 1283, 43, 11.5, 12.5, 13, 3.5, 14)) s;

INSERT INTO pgperf.buffer_usage_history (node_id, sample_id, taken_at, database_name, schema_name, relation_name, relation_kind, fork, usage_count, buffers, dirty, pinned)
SELECT n.*, s.* FROM newest n, (VALUES
    ('app', 'public', 'alpha', 'table', 'main', 1, 7, 2, 1), ('app', 'public', 'beta', 'table', 'main', 1, 11, 3, 4), ('app', 'public', 'alpha', 'table', 'fsm', 5, 13, 5, 6),
    -- Of other databases the names are not known.
    ('second', NULL, NULL, NULL, 'main', 2, 17, 7, 8), (NULL, NULL, NULL, NULL, NULL, NULL, 19, 0, 0)) s;
INSERT INTO pgperf.hit_curve_history (node_id, sample_id, taken_at, run_id, shared_buffers_bytes, times, hit_percent, low, high)
SELECT n.*, s.* FROM newest n, (VALUES (NULL::bigint, 134217728, 1, 71, NULL, NULL), (NULL, 268435456, 2, 83, 79, 89)) s
UNION ALL
-- Of a run's clients alone.
SELECT n.node_id, 2003, now() - interval '6 min', 1, 134217728, 1, 43, NULL, NULL FROM newest n;

INSERT INTO pgperf.wal_history (node_id, sample_id, taken_at, insert_lsn, flush_lsn, wal_records, wal_fpi, wal_bytes, wal_fpi_bytes, wal_buffers_full,
    wal_write, wal_sync, wal_write_time_ms, wal_sync_time_ms, next_xid, xact_commit, redo_lsn, checkpoint_began_at)
SELECT n.*, '1/1000', '1/FFF', 941, 947, 953, 954, 967, 971, 977, 16007, 17011, '983', 984, '1/C18', n.taken_at FROM newest n;
INSERT INTO pgperf.archiver_history (node_id, sample_id, taken_at, archive_mode, archived_count, failed_count, ready_files, oldest_ready_s, current_lsn, behind_bytes)
SELECT n.*, 'on', 991, 997, 1013, 1019.5, '1/0', 1021 FROM newest n;
INSERT INTO pgperf.tablespace_history (node_id, sample_id, taken_at, kind, name, location, size_bytes, file_system, file_system_bytes, free_bytes)
SELECT n.*, s.* FROM newest n, (VALUES
    ('WAL', 'pg_wal', NULL, 1031, 'fs1', 1033, 1039), ('tablespace', 'pg_default', NULL, 1049, 'fs2', 1051, 1061)) s;
INSERT INTO pgperf.checkpoint_history (node_id, sample_id, taken_at, in_progress, redo_lsn, checkpoint_lsn, checkpoint_time, num_timed, num_requested,
    num_done, restartpoints_timed, restartpoints_req, restartpoints_done, write_time, sync_time, buffers_written, slru_written, buffers_clean,
    maxwritten_clean, buffers_backend, buffers_backend_fsync, buffers_alloc)
SELECT n.*, true, '1/0', '1/1', n.taken_at - interval '937 s', 1063, 1069, 1087, 1088, 1089, 1091, 18013, 19001, 1093, 1094, 1097, 1103, 1109, 1110, 1117 FROM newest n;

-- The newest complete sample has a row of a relation. Later, an interval of a run sampled its own database alone.
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, schema_name, relation_name, next_xid, frozen_xid_age, next_multixid,
    multixact_age, horizon_age, freeze_max_age, failsafe_age, multixact_freeze_max_age, multixact_failsafe_age)
SELECT n.*, s.* FROM newest n, (VALUES
    ('app', NULL, NULL, '1'::xid8, 1, 1, 1, 1, 1, 1, 1, 1),
    ('second', NULL, NULL, '2', 1500000001, 3, 400000009, 4, 200000033, 1600000009, 400000019, 1600000033),
    ('app', 'public', 'alpha', '2', 1700000009, 3, 1800000011, 4, NULL, NULL, NULL, NULL)) s
UNION ALL
SELECT n.node_id, 2003, now() - interval '6 min', 'app', NULL, NULL, '5', 1000000007, 6, 700000001, 7, 200000039, 1600000087, 400000043, 1600000097 FROM newest n;
INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, pid, name, since, age, catalogs_only)
SELECT n.*, s.kind, s.pid, s.name, n.taken_at - s.held, s.age, false FROM newest n, (VALUES
    ('backend', 1, 'one', interval '967 s', 1123), ('backend', 2, 'two', interval '1001 s', 1109), ('replication slot', NULL, 'slot', NULL, 1129)) s(kind, pid, name, held, age)
UNION ALL
SELECT n.node_id, 2003, now() - interval '6 min', 'backend', 3, 'three', now() - interval '2 days', 5003, false FROM newest n;

INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, database_name, client, active, state, sent_lag_bytes, write_lag_bytes,
    flush_lag_bytes, replay_lag_bytes, write_lag_ms, flush_lag_ms, replay_lag_ms, silent_ms, wal_status, retained_bytes, safe_wal_size, xmin_age,
    catalog_xmin_age, spill_txns, spill_count, spill_bytes, stream_bytes, total_bytes, apply_error_count, sync_error_count, instance)
SELECT n.*, s.* FROM newest n, (VALUES
    ('standby', 'west', NULL, '10.0.0.1', true, 'streaming', 1151, 1152, 1153, 1163, 20010, 20011, 21001, 22000, NULL, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint,
        NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, 1),
    ('standby', 'west', NULL, '10.0.0.1', true, 'catchup', 1171, 1172, 1181, 1187, 20020, 20021, 21011, 22001, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2),
    ('slot', 'kept', NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'extended', 1193, 1201, 1213, 1214, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1),
    ('slot', 'decoded', 'app', NULL, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'reserved', 1217, 1223, 1229, 1230, 1231, 1232, 1237, 1238, 1239, NULL, NULL, 1),
    -- It has kept no WAL yet.
    ('slot', 'fresh', NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1),
    ('subscription', 'feed', 'app', NULL, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1249, 1250, 1),
    ('subscription', 'lame', 'app', NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1259, 1260, 1)) s
UNION ALL
-- Left by the sample that failed.
SELECT n.node_id, 2003, now() - interval '6 min', 'standby', 'east', NULL, NULL, true, 'streaming', 1, 1, 1, 1, 1, 1, 1, 1, NULL, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 FROM newest n;
