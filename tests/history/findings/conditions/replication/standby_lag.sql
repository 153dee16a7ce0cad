-- standby_lag of standby {n}
-- conditions: replication/standby_lag.sql 11
-- bytes: 1073741824
-- ms: NULL
-- kind: standby
-- client: '10.0.0.1'
-- instance: NULL
-- during: m BETWEEN 1 AND 3
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, client, instance, replay_lag_bytes, replay_lag_ms, state)
SELECT node_id, sample_id, taken_at, '{kind}', 'standby {n}', {client}, {instance}, {bytes}, {ms}, 'streaming' FROM tick WHERE {during};

-- rows
-- at least 1 GB | 10m 1h 1d | => warning, weight=111 kind=standby & since=1 until=3: at 10.0.0.1: up to 1024 MB behind, in 3 samples | bytes = 1073741823 => silent
-- or a minute | 10m 1h 1d | bytes = 1; ms = 60000 => warning, 60.0 s behind | bytes = 1; ms = 59999 => silent
-- in three samples | | during = m BETWEEN 1 AND 2 => silent | during = m IN (7, 20, 60) => warning, since=7 until=60
-- in the window | 10m 1h 1d | during = m BETWEEN 58 AND 60 => warning | during = m BETWEEN 0 AND 2 => silent | during = m < 1 => silent
-- of one standby | | client = '10.0.0.'||m => silent
-- receivers of one name | | instance = m => silent | instance = CASE WHEN m > 1 THEN 1 END => warning | instance = CASE WHEN m > 1 THEN 2 END => silent
-- no slot | | kind = slot => silent
-- critical from 10 GB on | | bytes = 10737418240 => critical, 10 GB behind & weight=299 | bytes = 10737418239 => warning, 10 GB behind
-- the highest counts | | bytes = CASE m WHEN 2 THEN 10737418240 ELSE 1073741824 END => critical, at=2 since=1 until=3
