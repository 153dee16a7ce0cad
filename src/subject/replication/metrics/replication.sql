-- A slot that has lost its WAL keeps none: its other figures vanish.
WITH newest AS MATERIALIZED (
    SELECT s.sample_id, s.taken_at
      FROM pgperf.samples s
     WHERE s.node_id = $1::uuid AND {part s} AND s.outcomes -> 'replication' ->> 'status' = 'ok'
     ORDER BY s.sample_id DESC
     LIMIT 1),
ranked AS (
    SELECT k.kind AS of_kind, h.*, count(h.kind) OVER (PARTITION BY k.kind) AS objects, count(h.kind) OVER () AS of_all,
           CASE WHEN h.kind IS NULL THEN 0
                ELSE row_number() OVER (ORDER BY h.kind IS NULL, h.retained_bytes DESC NULLS LAST, h.replay_lag_bytes DESC NULLS LAST,
                                        h.name, h.client, h.instance) END AS place,
           row_number() OVER (PARTITION BY k.kind) AS place_in_kind
      FROM newest n
     CROSS JOIN (VALUES ('standby'), ('slot'), ('subscription')) k(kind)
      LEFT JOIN pgperf.replication_history h
             ON h.node_id = $1::uuid AND {part h} AND h.sample_id = n.sample_id AND h.taken_at = n.taken_at AND h.kind = k.kind)
SELECT h.of_kind AS kind, h.objects AS replication_objects,
       o.name, o.client, NULLIF(o.instance, 1)::text AS instance, o.database_name AS database,
       CASE o.kind WHEN 'slot' THEN o.wal_status WHEN 'standby' THEN o.state
                   WHEN 'subscription' THEN CASE WHEN o.active THEN 'applying' ELSE 'stopped' END END AS status,
       CASE WHEN COALESCE(o.wal_status, o.state) IS NOT NULL OR o.kind = 'subscription' THEN 1 END AS replication_status,
       o.active::integer AS replication_active,
       o.sent_lag_bytes AS replication_sent_lag_bytes,
       o.flush_lag_bytes AS replication_flush_lag_bytes,
       o.replay_lag_bytes AS replication_replay_lag_bytes,
       o.flush_lag_ms / 1000 AS replication_flush_lag_seconds,
       o.replay_lag_ms / 1000 AS replication_replay_lag_seconds,
       o.retained_bytes AS replication_retained_bytes,
       o.safe_wal_size AS replication_safe_wal_bytes,
       o.xmin_age AS replication_xmin_age,
       o.spill_bytes AS replication_spill_bytes,
       o.apply_error_count AS replication_apply_errors,
       GREATEST(h.of_all - 100, 0) AS left_out
  FROM ranked h
  LEFT JOIN LATERAL (SELECT h.* WHERE h.place BETWEEN 1 AND 100) o ON true
 WHERE h.place <= 100 OR h.place_in_kind = 1
 ORDER BY h.place
