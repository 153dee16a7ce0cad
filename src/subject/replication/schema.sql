CREATE TABLE pgperf.replication_history (
    node_id             uuid NOT NULL,
    sample_id           bigint NOT NULL,
    taken_at            timestamptz NOT NULL,
    run_id              bigint,
    kind                text NOT NULL CHECK (kind IN ('standby', 'slot', 'subscription', 'replay')),
    name                text,
    database_name       text,
    client              text,
    active              boolean,
    state               text,
    sync_state          text,
    sent_lag_bytes      bigint,
    write_lag_bytes     bigint,
    flush_lag_bytes     bigint,
    replay_lag_bytes    bigint,
    write_lag_ms        float8,
    flush_lag_ms        float8,
    replay_lag_ms       float8,
    silent_ms           float8,
    slot_type           text,
    plugin              text,
    wal_status          text,
    retained_bytes      bigint,
    safe_wal_size       bigint,
    xmin_age            bigint,
    catalog_xmin_age    bigint,
    inactive_since      timestamptz,
    conflicting         boolean,
    invalidation_reason text,
    failover            boolean,
    synced              boolean,
    spill_txns          bigint,
    spill_count         bigint,
    spill_bytes         bigint,
    stream_txns         bigint,
    stream_count        bigint,
    stream_bytes        bigint,
    total_txns          bigint,
    total_bytes         bigint,
    apply_error_count   bigint,
    sync_error_count    bigint,
    confl_insert_exists bigint,
    confl_update_origin_differs bigint,
    confl_update_exists bigint,
    confl_update_missing bigint,
    confl_delete_origin_differs bigint,
    confl_delete_missing bigint,
    confl_multiple_unique_conflicts bigint,
    stats_reset         timestamptz,
    instance            integer
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('replication_history', 'replication');
COMMENT ON TABLE pgperf.replication_history IS 'Standbys, replication slots and this database''s subscriptions, under the names of the server''s views; of a target that is a standby a row of kind replay: what it has received and not replayed, and how old the last transaction is that it has replayed (0: it has replayed all). Columns that the server''s version or the kind lacks are NULL';
COMMENT ON COLUMN pgperf.replication_history.name IS 'application_name of a standby, or the name of the slot or subscription';
COMMENT ON COLUMN pgperf.replication_history.sent_lag_bytes IS 'WAL not sent yet, in bytes up to the current position; write_, flush_ and replay_lag_bytes likewise. Slot: flush_lag_bytes is WAL not confirmed by its consumer; subscription: received but not reported as flushed';
COMMENT ON COLUMN pgperf.replication_history.write_lag_ms IS 'Standby: milliseconds until recent WAL was written, as the server measures it; NULL: nothing to wait for. Subscription: milliseconds between sending and receipt of the last message';
COMMENT ON COLUMN pgperf.replication_history.silent_ms IS 'Subscription: milliseconds since the last message from the publisher';
COMMENT ON COLUMN pgperf.replication_history.instance IS 'Standby: its number, from 1, among those with the same name and client, in the order in which they connected';
COMMENT ON COLUMN pgperf.replication_history.retained_bytes IS 'Bytes of WAL that the slot keeps from removal';
GRANT SELECT ON pgperf.replication_history TO pg_monitor;
-- A sample holds all slots, and their names do not change; those of subscriptions may, and several standbys may have one.
SELECT pgperf_internal.create_delta_view('replication_history', '{kind,name,client,instance}',
    '{sent_lag_bytes,write_lag_bytes,flush_lag_bytes,replay_lag_bytes,write_lag_ms,flush_lag_ms,replay_lag_ms,silent_ms,retained_bytes,safe_wal_size,xmin_age,catalog_xmin_age}',
    began => 'h.kind = ''slot'' AND s.epoch = cs.epoch');
