-- The same samples of other nodes, at the same times, with other figures: larger and smaller ones under the same numbers, and later and earlier numbers.
DO $$
DECLARE
    history text;
    names text;
    others text;
BEGIN
    FOR history IN SELECT t.table_name FROM pgperf_internal.history_tables t LOOP
        SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum),
               string_agg(CASE
                   WHEN a.attname = 'node_id' THEN 'o.node_id'
                   WHEN a.attname = 'taken_at' THEN 'h.taken_at + o.later * interval ''1 s'''
                   WHEN a.attname = 'sample_id' THEN 'h.sample_id + o.later'
                   WHEN a.attname = ANY ('{before_sample_id,epoch,queryid,userid,dbid,relation_oid,last_oid,usage_count,level,instance,run_id,
                                           shared_buffers_bytes,times,pid,databases_mark,left_out,min_exec_time,max_exec_time,since,next_xid,next_multixid}'::text[]) THEN quote_ident(a.attname)
                   WHEN a.atttypid = ANY ('{int8,int4,float8}'::regtype[]) THEN format('(h.%I * o.factor)::%s', a.attname, a.atttypid::regtype)
                   WHEN a.atttypid = 'pg_lsn'::regtype THEN format('h.%I + h.sample_id * o.factor * 10007', a.attname)
                   ELSE quote_ident(a.attname) END, ', ' ORDER BY a.attnum)
          INTO names, others
          FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', history)::regclass AND a.attnum > 0 AND NOT a.attisdropped;
        EXECUTE format('INSERT INTO pgperf.%I (%s) SELECT %s FROM pgperf.%I h,
            (VALUES (''{other}''::uuid, 13::numeric, 0), (''00000000-0000-4000-8000-00000000f001'', 0.1, 0), (''00000000-0000-4000-8000-00000000f002'', 7, 3), (''00000000-0000-4000-8000-00000000f003'', 3, -3))
            o(node_id, factor, later)
            WHERE h.node_id = ''{node}''', history, names, others, history);
    END LOOP;
END
$$;
