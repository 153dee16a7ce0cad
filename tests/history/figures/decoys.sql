-- The same rows with other figures: of an older sample of the node, of another node's sample of the same number and time (of the same objects, and of
-- others), and of its newer one. A figure that is read from any of these differs from all others.
DO $$
DECLARE
    history text;
    names text;
    shifted text;
BEGIN
    FOR history IN SELECT t.table_name FROM pgperf_internal.history_tables t WHERE t.table_name <> 'samples' LOOP
        SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum),
               string_agg(CASE
                   WHEN a.attname = ANY ('{queryid,userid,dbid,relation_oid,usage_count,level,instance,run_id,times,pid}'::text[]) THEN quote_ident(a.attname)
                   WHEN a.attname = ANY ('{node_id,sample_id,taken_at}'::text[]) THEN 'd.' || a.attname
                   WHEN a.attname = ANY ('{name,device,relation_name,wait_event,role_name,context,database_name}'::text[]) THEN format('h.%I || d.other', a.attname)
                   WHEN a.attname = 'shared_buffers_bytes' THEN 'h.shared_buffers_bytes + length(d.other)'
                   WHEN a.atttypid = ANY ('{int8,int4,float8}'::regtype[]) THEN format('h.%I + d.more', a.attname)
                   -- Distances between positions differ, too.
                   WHEN a.atttypid = 'pg_lsn'::regtype THEN format('h.%I + d.more * %s', a.attname, a.attnum)
                   WHEN a.atttypid = 'bool'::regtype AND a.attname <> 'toplevel' THEN format('NOT h.%I', a.attname)
                   WHEN a.atttypid = 'xid8'::regtype THEN format('(h.%I::text::bigint + d.more)::text::xid8', a.attname)
                   WHEN a.atttypid = 'timestamptz'::regtype THEN format('h.%I - d.more * interval ''1 min''', a.attname)
                   ELSE 'h.' || quote_ident(a.attname) END, ', ' ORDER BY a.attnum)
          INTO names, shifted
          FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', history)::regclass AND a.attnum > 0 AND NOT a.attisdropped;
        EXECUTE format('INSERT INTO pgperf.%I (%s) SELECT %s FROM pgperf.%I h, (VALUES
            (''{node}''::uuid, 2001, now() - interval ''15 min'', 300007, ''''), (''{other}''::uuid, 2002, now() - interval ''10 min'', 500009, ''''),
            (''{other}''::uuid, 2002, now() - interval ''10 min'', 600011, '' of others''), (''{other}''::uuid, 2004, now() - interval ''2 min'', 700001, ''''))
            d(node_id, sample_id, taken_at, more, other)
            WHERE h.node_id = ''{node}'' AND h.sample_id = 2002', history, names, shifted, history);
    END LOOP;
END
$$;
-- A run does not measure the size at every interval.
UPDATE pgperf.database_history SET size_bytes = 1277 WHERE node_id = '{node}' AND sample_id = 2001 AND database_name = 'app';
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, size_bytes) SELECT '{node}', 2000, now() - interval '30 min', 'app', 1279;
-- What the newest sample has no more, or not yet.
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, frozen_xid_age, next_multixid, multixact_age)
SELECT '{node}', 2001, now() - interval '15 min', 'dropped', '1', 1289, 1, 1291;
DELETE FROM pgperf.replication_history WHERE node_id = '{node}' AND sample_id = 2001 AND name IN ('kept', 'lame');
