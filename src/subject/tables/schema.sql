CREATE TABLE pgperf.relation_history (
    node_id                uuid NOT NULL,
    sample_id              bigint NOT NULL,
    taken_at               timestamptz NOT NULL,
    run_id                 bigint,
    relation_oid           oid NOT NULL,
    before_sample_id       bigint,
    schema_name            text,
    relation_name          text,
    relation_kind          text,
    table_name             text,
    relations              bigint,
    left_out               bigint,
    size_bytes             bigint,
    relpages               bigint,
    reltuples              float8,
    n_live_tup             bigint,
    n_dead_tup             bigint,
    n_mod_since_analyze    bigint,
    n_ins_since_vacuum     bigint,
    last_seq_scan          timestamptz,
    last_idx_scan          timestamptz,
    last_vacuum            timestamptz,
    last_autovacuum        timestamptz,
    last_analyze           timestamptz,
    last_autoanalyze       timestamptz,
    seq_scan               bigint,
    seq_tup_read           bigint,
    idx_scan               bigint,
    idx_tup_read           bigint,
    idx_tup_fetch          bigint,
    n_tup_ins              bigint,
    n_tup_upd              bigint,
    n_tup_del              bigint,
    n_tup_hot_upd          bigint,
    n_tup_newpage_upd      bigint,
    vacuum_count           bigint,
    autovacuum_count       bigint,
    analyze_count          bigint,
    autoanalyze_count      bigint,
    total_vacuum_time      float8,
    total_autovacuum_time  float8,
    total_analyze_time     float8,
    total_autoanalyze_time float8,
    blks_read              bigint,
    blks_hit               bigint,
    last_oid               oid,
    relations_mark         bigint,
    remaining_mark         bigint,
    stats_reset            timestamptz,
    frozen_xid             xid8,
    postponed_since        timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('relation_history', 'tables', object => '{relation_oid}', indexes => '{"(node_id, relation_oid, sample_id)", USING brin (taken_at)}');
COMMENT ON TABLE pgperf.relation_history IS 'Tables, TOAST tables, materialized views and indexes, under the names of pg_stat_all_tables and pg_stat_all_indexes: those whose counters have changed since their previous row, and each at least once a day. The sampler postpones the row of one of pgperf''s own relations, and of a catalog that was only read and did less than a 50th of what all did, for up to thirty samples. Columns that the server''s version lacks are NULL';
COMMENT ON COLUMN pgperf.relation_history.relation_oid IS 'Oid of the relation; 0: all relations of the database together';
COMMENT ON COLUMN pgperf.relation_history.table_name IS 'The table to which an index or TOAST table belongs, or the distributed table of which a table is a shard';
COMMENT ON COLUMN pgperf.relation_history.relations IS 'For all together: number of relations';
COMMENT ON COLUMN pgperf.relation_history.before_sample_id IS 'The sample of the row with which this one was compared; NULL: the first';
COMMENT ON COLUMN pgperf.relation_history.left_out IS 'For all together: number of relations that had changed but got no row; a sample stores the 2000 that changed most';
COMMENT ON COLUMN pgperf.relation_history.size_bytes IS 'Size of the main fork; no lock is taken for it';
COMMENT ON COLUMN pgperf.relation_history.relpages IS 'Pages as of the last VACUUM, ANALYZE or CREATE INDEX';
COMMENT ON COLUMN pgperf.relation_history.idx_scan IS 'Index scans; for a table, over all its indexes';
COMMENT ON COLUMN pgperf.relation_history.total_vacuum_time IS 'Milliseconds that manual vacuums took; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_history.blks_read IS 'Blocks of the relation itself, without its indexes and TOAST table, read into shared_buffers';
COMMENT ON COLUMN pgperf.relation_history.last_oid IS 'For all together: the highest oid; a relation with a higher one came later';
COMMENT ON COLUMN pgperf.relation_history.relations_mark IS 'For all together: a fingerprint of the set of relations';
COMMENT ON COLUMN pgperf.relation_history.remaining_mark IS 'For all together: the same for the relations up to last_oid of the previous sample; equal to its relations_mark if none was dropped since';
COMMENT ON COLUMN pgperf.relation_history.frozen_xid IS 'relfrozenxid of a table with its epoch: all older transaction ids are frozen in it';
COMMENT ON COLUMN pgperf.relation_history.postponed_since IS 'For all together: rows were postponed, of relations whose previous row is not older than this; NULL: none was';
GRANT SELECT ON pgperf.relation_history TO pg_monitor;
-- An index is no proof: an index built by REINDEX CONCURRENTLY takes over the counters of the old one. Where a table was reset alone, the others
-- count on; before PostgreSQL 19 it is not known which one it was: those with a count or a time that is as before.
SELECT pgperf_internal.create_delta_view('relation_history', '{relation_oid}',
    '{schema_name,relation_name,relation_kind,table_name,relations,left_out,size_bytes,relpages,reltuples,n_live_tup,n_dead_tup,n_mod_since_analyze,n_ins_since_vacuum}',
    sparse => true,
    lived_on => 's.epoch = ps.epoch AND (h.relation_oid <> 0 OR h.remaining_mark = p.relations_mark)
                 AND (s.counting ->> ''reset'' IS NOT DISTINCT FROM ps.counting ->> ''reset'' OR h.relation_oid <> 0 AND COALESCE(
                      NULLIF(p.seq_scan, 0) = h.seq_scan OR NULLIF(p.idx_scan, 0) = h.idx_scan OR NULLIF(p.n_tup_ins, 0) = h.n_tup_ins
                      OR NULLIF(p.n_tup_upd, 0) = h.n_tup_upd OR NULLIF(p.n_tup_del, 0) = h.n_tup_del OR NULLIF(p.blks_read, 0) = h.blks_read
                      OR p.last_vacuum = h.last_vacuum OR p.last_autovacuum = h.last_autovacuum OR p.last_analyze = h.last_analyze
                      OR p.last_autoanalyze = h.last_autoanalyze OR p.stats_reset = h.stats_reset, false))',
    began => 'h.relation_oid > c.last_oid AND h.relation_kind <> ''index'' AND s.epoch = cs.epoch
              AND s.counting ->> ''reset'' IS NOT DISTINCT FROM cs.counting ->> ''reset''');

CREATE VIEW pgperf.relation_rates AS
SELECT d.*,
       100 * d.n_tup_hot_upd / NULLIF(d.n_tup_upd, 0)::float8 AS hot_percent,
       100 * d.n_dead_tup / NULLIF(d.n_live_tup + d.n_dead_tup, 0)::float8 AS dead_percent,
       100 * d.blks_hit / NULLIF(d.blks_hit + d.blks_read, 0)::float8 AS hit_percent
FROM pgperf.relation_deltas d;
COMMENT ON VIEW pgperf.relation_rates IS 'pgperf.relation_deltas with the share of heap-only updates and of buffer hits since the previous sample, and the current share of dead rows';
GRANT SELECT ON pgperf.relation_rates TO pg_monitor;
