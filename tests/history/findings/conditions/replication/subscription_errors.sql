-- subscription_errors of subscription {n}
-- conditions: replication/subscription_errors.sql 6
-- kind: subscription
-- apply: CASE WHEN m >= 30 THEN 1 ELSE 0 END
-- sync: 0
-- during: true
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, apply_error_count, sync_error_count)
SELECT node_id, sample_id, taken_at, '{kind}', 'subscription {n}', {apply}, {sync} FROM tick WHERE {during};

-- rows
-- any | 10m 1h 1d | => warning, weight=180 kind=subscription & at=30 since=29 until=30 & copied: 1 | apply = 7 => silent
-- while tables are copied | | apply = 0; sync = CASE WHEN m >= 30 THEN 2 ELSE 0 END => warning, copied: 2
-- both | | sync = CASE WHEN m >= 40 THEN 2 ELSE 0 END => warning, copied: 3 & at=40 since=29 until=40
-- in the window | 10m 1h 1d | apply = CASE WHEN m >= 1 THEN 3 ELSE 0 END => warning, since=0 | apply = CASE WHEN m >= 0 THEN 3 ELSE 0 END => silent | apply = CASE WHEN m >= -5 THEN 3 ELSE 0 END => silent
-- compared with the hour before | | during = m IN (-59, 10); apply = m + 60 => warning, since=-59 | during = m IN (-60, 10); apply = m + 60 => silent
-- compared with the hour before | 1d | during = m IN (-2, 10); apply = m + 60 => warning, since=-2 | during = m IN (-3, 10); apply = m + 60 => silent
-- counters that began again | | apply = CASE WHEN m < 20 THEN 9 WHEN m < 40 THEN 0 ELSE 2 END => warning, copied: 2 & at=40 since=39
-- no slot | | kind = slot => silent
