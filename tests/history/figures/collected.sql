-- What the server itself says of each column of a history, by hand: rows as JSON under the history's names. The head of each: the history, its collector and what identifies
-- a row; `until` and `from`: majors of the server; `not here`: columns that other tests judge, or that are marks of pgperf; `none before`: columns of newer servers.

-- database_history of database by database_name
-- not here: databases_mark, stats_reset
-- none before 18: parallel_workers_to_launch, parallel_workers_launched
-- none before 16: confl_active_logicalslot
SELECT to_jsonb(d) || to_jsonb(c) || jsonb_build_object('database_name', d.datname, 'size_bytes', pg_database_size(d.datid), 'conflicts', d.conflicts,
           'confl_active_logicalslot', to_jsonb(c) -> 'confl_active_logicalslot')
FROM pg_stat_database d JOIN pg_stat_database_conflicts c USING (datid) WHERE d.datname = current_database()
UNION ALL
SELECT jsonb_object_agg(t.key, t.total) || '{"database_name": null}'
FROM (SELECT e.key, sum(e.value::text::numeric) AS total
      FROM pg_stat_database d LEFT JOIN pg_stat_database_conflicts c USING (datid), jsonb_each(to_jsonb(d) || COALESCE(to_jsonb(c), '{}')) e
      WHERE jsonb_typeof(e.value) = 'number' AND e.key <> 'datid' GROUP BY e.key) t

-- checkpoint_history of checkpoints by in_progress until 16
-- none before 17: restartpoints_timed, restartpoints_req, restartpoints_done
-- none before 18: num_done, slru_written
SELECT to_jsonb(b) || jsonb_build_object('in_progress', false, 'redo_lsn', c.redo_lsn, 'checkpoint_lsn', c.checkpoint_lsn, 'checkpoint_time', c.checkpoint_time,
           'num_timed', b.checkpoints_timed, 'num_requested', b.checkpoints_req, 'write_time', b.checkpoint_write_time, 'sync_time', b.checkpoint_sync_time,
           'buffers_written', b.buffers_checkpoint)
FROM pg_stat_bgwriter b, pg_control_checkpoint() c

-- checkpoint_history of checkpoints by in_progress from 17
-- not here: stats_reset
-- none before 18: num_done, slru_written
-- none after 16: buffers_backend, buffers_backend_fsync
SELECT to_jsonb(b) || to_jsonb(p) || jsonb_build_object('in_progress', false, 'redo_lsn', c.redo_lsn, 'checkpoint_lsn', c.checkpoint_lsn, 'checkpoint_time', c.checkpoint_time)
FROM pg_stat_bgwriter b, pg_stat_checkpointer p, pg_control_checkpoint() c

-- wal_history of wal by node_id
-- not here: rmgr_start_lsn, rmgr_end_lsn, rmgr_sampled_percent, rmgr_lost_percent
-- none before 19: wal_fpi_bytes
-- not here: wal_write, wal_sync, wal_write_time_ms, wal_sync_time_ms from 18
SELECT to_jsonb(w) || jsonb_build_object('node_id', pgperf.local_node(), 'insert_lsn', pg_current_wal_insert_lsn(), 'flush_lsn', pg_current_wal_flush_lsn(),
           'wal_write_time_ms', to_jsonb(w) -> 'wal_write_time', 'wal_sync_time_ms', to_jsonb(w) -> 'wal_sync_time', 'next_xid', pg_snapshot_xmax(pg_current_snapshot()),
           'xact_commit', d.xact_commit, 'redo_lsn', c.redo_lsn, 'checkpoint_began_at', c.checkpoint_time)
FROM pg_stat_wal w, pg_control_checkpoint() c, pg_stat_database d WHERE d.datname = current_database()

-- slru_history of slru by name
SELECT to_jsonb(s) FROM pg_stat_slru s

-- lock_history of locks by lock_type from 19
SELECT to_jsonb(l) || jsonb_build_object('lock_type', l.locktype) FROM pg_stat_lock l

-- autovacuum_history of autovacuum by relation_oid from 19
SELECT to_jsonb(s) || jsonb_build_object('relation_oid', s.relid, 'schema_name', s.schemaname, 'relation_name', s.relname) FROM pg_stat_autovacuum_scores s
WHERE (s.score >= 0.5 OR s.do_vacuum OR s.do_analyze) AND s.schemaname !~ '^(pgperf|pg_toast)'

-- archiver_history of archiver by node_id
-- not here: ready_files, oldest_ready_s, behind_bytes
SELECT to_jsonb(a) || jsonb_build_object('node_id', pgperf.local_node(), 'archive_mode', current_setting('archive_mode'), 'current_lsn', pg_current_wal_lsn())
FROM pg_stat_archiver a

-- io_history of io by backend_type, object, context from 16
-- none before 18: read_bytes, write_bytes, extend_bytes
-- none after 17: op_bytes
SELECT to_jsonb(i) FROM pg_stat_io i

-- statement_history of statements by queryid, userid, dbid, toplevel
-- not here: before_sample_id, left_out, max_left_out_time, postponed_since, stats_reset, exec_user_time, exec_system_time, exec_reads, exec_writes
-- none before 17: stats_since, minmax_stats_since, local_blk_read_time, local_blk_write_time, jit_deform_count, jit_deform_time
-- none before 18: wal_buffers_full, parallel_workers_to_launch, parallel_workers_launched
-- none before 19: generic_plan_calls, custom_plan_calls
SELECT to_jsonb(s) || jsonb_build_object('role_name', s.userid::regrole, 'database_name', d.datname,
           'shared_blk_read_time', COALESCE(to_jsonb(s) -> 'shared_blk_read_time', to_jsonb(s) -> 'blk_read_time'),
           'shared_blk_write_time', COALESCE(to_jsonb(s) -> 'shared_blk_write_time', to_jsonb(s) -> 'blk_write_time'),
           'exec_time_squares', s.calls * (s.mean_exec_time ^ 2 + s.stddev_exec_time ^ 2), 'plan_time_squares', s.plans * (s.mean_plan_time ^ 2 + s.stddev_plan_time ^ 2))
FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE s.query ~ '^(SELECT sum\(length|UPDATE known)'
UNION ALL
SELECT jsonb_build_object('queryid', 0, 'userid', 0::oid, 'dbid', 0::oid, 'toplevel', true, 'statements', count(*), 'dealloc', (SELECT i.dealloc FROM pg_stat_statements_info i),
           'plans', sum(s.plans), 'total_plan_time', sum(s.total_plan_time), 'calls', sum(s.calls), 'total_exec_time', sum(s.total_exec_time), 'rows', sum(s.rows),
           'shared_blks_hit', sum(s.shared_blks_hit), 'shared_blks_read', sum(s.shared_blks_read), 'shared_blks_dirtied', sum(s.shared_blks_dirtied),
           'shared_blks_written', sum(s.shared_blks_written), 'temp_blks_read', sum(s.temp_blks_read), 'temp_blks_written', sum(s.temp_blks_written),
           'wal_records', sum(s.wal_records), 'wal_fpi', sum(s.wal_fpi), 'wal_bytes', sum(s.wal_bytes))
FROM pg_stat_statements s

-- relation_history of tables by relation_oid
-- not here: before_sample_id, relations, left_out, last_oid, relations_mark, remaining_mark, postponed_since
-- none before 16: last_seq_scan, last_idx_scan, n_tup_newpage_upd
-- none before 18: total_vacuum_time, total_autovacuum_time, total_analyze_time, total_autoanalyze_time
-- none before 19: stats_reset
SELECT to_jsonb(t) || jsonb_build_object('relation_oid', t.relid, 'schema_name', t.schemaname, 'relation_name', t.relname, 'relation_kind', 'table', 'table_name', NULL,
           'size_bytes', pg_relation_size(t.relid), 'relpages', c.relpages, 'reltuples', c.reltuples, 'blks_read', i.heap_blks_read, 'blks_hit', i.heap_blks_hit,
           -- No cluster of a test has seen four billion transactions.
           'frozen_xid', c.relfrozenxid,
           'idx_tup_read', NULL, 'last_idx_scan', NULL)
FROM pg_stat_user_tables t JOIN pg_statio_user_tables i USING (relid) JOIN pg_class c ON c.oid = t.relid WHERE t.relname = 'known'
UNION ALL
-- Of an index the server counts nothing else.
SELECT to_jsonb(x) || jsonb_build_object('relation_oid', x.indexrelid, 'schema_name', x.schemaname, 'relation_name', x.indexrelname, 'relation_kind', 'index', 'table_name', x.relname,
           'size_bytes', pg_relation_size(x.indexrelid), 'relpages', c.relpages, 'reltuples', c.reltuples, 'blks_read', i.idx_blks_read, 'blks_hit', i.idx_blks_hit,
           'seq_scan', NULL, 'seq_tup_read', NULL, 'n_live_tup', 0, 'n_dead_tup', 0, 'n_mod_since_analyze', 0, 'n_ins_since_vacuum', 0, 'last_vacuum', NULL, 'last_autovacuum', NULL,
           'last_analyze', NULL, 'last_autoanalyze', NULL, 'n_tup_ins', 0, 'n_tup_upd', 0, 'n_tup_del', 0, 'n_tup_hot_upd', 0, 'n_tup_newpage_upd', CASE WHEN {major} >= 16 THEN 0 END,
           'vacuum_count', 0, 'autovacuum_count', 0, 'analyze_count', 0, 'autoanalyze_count', 0)
       || CASE WHEN {major} >= 18 THEN '{"total_vacuum_time": 0, "total_autovacuum_time": 0, "total_analyze_time": 0, "total_autoanalyze_time": 0}'::jsonb ELSE '{}' END
FROM pg_stat_user_indexes x JOIN pg_statio_user_indexes i USING (indexrelid) JOIN pg_class c ON c.oid = x.indexrelid WHERE x.relname = 'known'

-- wraparound_history of wraparound by database_name, relation_name
-- not here: horizon_holder, horizon_age, horizon_since, multixact_members
SELECT jsonb_build_object('database_name', d.datname, 'schema_name', NULL, 'relation_name', NULL, 'next_xid', pg_snapshot_xmax(pg_current_snapshot()), 'frozen_xid_age', age(d.datfrozenxid),
           'next_multixid', mxid_age('1') + 1, 'multixact_age', mxid_age(d.datminmxid), 'freeze_max_age', 200000, 'failsafe_age', 1600000000, 'multixact_freeze_max_age', 300000,
           'multixact_failsafe_age', 1.05 * 300000)
FROM pg_database d
UNION ALL
SELECT jsonb_build_object('database_name', current_database(), 'schema_name', 'public', 'relation_name', c.relname, 'next_xid', pg_snapshot_xmax(pg_current_snapshot()),
           'frozen_xid_age', age(c.relfrozenxid), 'next_multixid', mxid_age('1') + 1, 'multixact_age', mxid_age(c.relminmxid))
FROM pg_class c WHERE c.relname = 'known'

-- replication_history of replication by kind, name
-- not here: client, state, sync_state, sent_lag_bytes, write_lag_bytes, replay_lag_bytes, write_lag_ms, flush_lag_ms, replay_lag_ms, silent_ms, apply_error_count, sync_error_count, instance
-- not here: confl_insert_exists, confl_update_origin_differs, confl_update_exists, confl_update_missing, confl_delete_origin_differs, confl_delete_missing, confl_multiple_unique_conflicts
-- none before 16: conflicting
-- none before 17: inactive_since, invalidation_reason, failover, synced
SELECT COALESCE(to_jsonb(t), '{}') || to_jsonb(s) || jsonb_build_object('kind', 'slot', 'name', s.slot_name, 'database_name', s.database,
           'retained_bytes', pg_current_wal_lsn() - s.restart_lsn, 'flush_lag_bytes', pg_current_wal_lsn() - s.confirmed_flush_lsn,
           'xmin_age', age(s.xmin), 'catalog_xmin_age', age(s.catalog_xmin))
FROM pg_replication_slots s LEFT JOIN pg_stat_replication_slots t USING (slot_name)

-- host_history of host by boot_id
SELECT {host}

-- tablespace_history of tablespaces by kind, name
SELECT {tablespaces}
