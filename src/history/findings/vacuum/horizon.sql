-- The obstacles to vacuum, each from the first sample that saw it to the last one. A transaction is known by its beginning. A slot
-- or a standby is one obstacle as long as what it needs grows as old as the ids that are used: one that moves on is none. Transactions
-- younger than the rules' five minutes are left out at once: a busy server has many.
seen AS MATERIALIZED (
    SELECT h.holder_kind, h.database_name, h.pid, h.name, h.role_name, h.state, h.since, h.age, h.catalogs_only, h.taken_at, h.sample_id,
           x.next_xid
    FROM pgperf.horizon_history h
    JOIN (SELECT w.sample_id, max(w.next_xid::text::bigint) AS next_xid FROM pgperf.wraparound_history w
          WHERE w.node_id = $1::uuid AND w.taken_at > $2::timestamptz AND w.taken_at <= $3::timestamptz AND w.relation_name IS NULL
          GROUP BY w.sample_id) x USING (sample_id)
    WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz
      AND (h.since IS NULL OR h.taken_at - h.since >= LEAST({threshold idle_in_transaction}, {threshold horizon_held}) * interval '1 minute')),
holders AS MATERIALIZED (
    SELECT s.holder_kind, s.database_name, s.pid, s.name, s.role_name, s.catalogs_only,
           (array_agg(s.state ORDER BY s.sample_id DESC))[1] AS state,
           COALESCE(s.since, min(s.taken_at)) AS since, max(s.taken_at) AS last_at, max(s.age) AS age,
           max(s.taken_at) = (SELECT max(w.taken_at) FROM pgperf.wraparound_history w
                             WHERE w.node_id = $1::uuid AND w.taken_at > $2::timestamptz AND w.taken_at <= $3::timestamptz) AS goes_on,
           -- Another process may have got its number since, or it may be in another transaction.
           format('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = %s AND xact_start = %L', s.pid, s.since) AS end_sql
    FROM seen s
    GROUP BY s.holder_kind, s.database_name, s.pid, s.name, s.role_name, s.catalogs_only, s.since
    HAVING s.holder_kind IN ('backend', 'prepared transaction')
        OR max(s.age) - min(s.age) >= 0.9 * (max(s.next_xid) - min(s.next_xid)))
