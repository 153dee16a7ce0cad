-- What each relation counted in the window, with the values of its last row.
totals AS (
    SELECT r.relation_oid, r.relation_kind, r.schema_name, r.relation_name, r.table_name, r.last_at, r.since, r.size_bytes, r.reltuples,
           r.n_live_tup, r.n_dead_tup, r.deleted_ever, r.seq_scans::numeric AS seq_scans, r.seq_rows::numeric AS seq_rows, r.idx_scans::numeric AS idx_scans, r.inserted::numeric AS inserted, r.updated::numeric AS updated, r.deleted::numeric AS deleted, r.hot::numeric AS hot
    FROM {relations} r)
