-- What each relation counted in the window, with the values of its last row.
totals AS (
    SELECT r.relation_oid, r.relation_kind, r.schema_name, r.relation_name, r.table_name, r.last_at, r.since, r.size_bytes, r.reltuples,
           r.n_live_tup, r.n_dead_tup, r.deleted_ever, r.seq_scans::int8 AS seq_scans, r.seq_rows::int8 AS seq_rows, r.idx_scans::int8 AS idx_scans,
           r.inserted::int8 AS inserted, r.updated::int8 AS updated, r.deleted::int8 AS deleted, r.hot::int8 AS hot,
           r.vacuums::int8 AS vacuums_by_hand, r.growth::int8 AS growth
    FROM {relations} r)
