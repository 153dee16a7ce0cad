-- The same samples of another node, at the same times, with other figures.
DO $$
DECLARE
    history text;
    names text;
    others text;
BEGIN
    FOR history IN SELECT t.table_name FROM pgperf_internal.history_tables t LOOP
        SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum),
               string_agg(CASE
                   WHEN a.attname = 'node_id' THEN '''{other}'''
                   WHEN a.attname = ANY ('{sample_id,before_sample_id,taken_at,epoch,queryid,userid,dbid,relation_oid,last_oid,usage_count,level,instance,run_id,
                                           shared_buffers_bytes,times,pid,databases_mark,left_out,min_exec_time,max_exec_time,since,next_xid,next_multixid}'::text[]) THEN quote_ident(a.attname)
                   WHEN a.atttypid = ANY ('{int8,int4,float8}'::regtype[]) THEN format('h.%I * 13', a.attname)
                   WHEN a.atttypid = 'pg_lsn'::regtype THEN format('h.%I + h.sample_id * 1000003', a.attname)
                   ELSE quote_ident(a.attname) END, ', ' ORDER BY a.attnum)
          INTO names, others
          FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', history)::regclass AND a.attnum > 0 AND NOT a.attisdropped;
        EXECUTE format('INSERT INTO pgperf.%I (%s) SELECT %s FROM pgperf.%I h WHERE h.node_id = ''{node}''', history, names, others, history);
    END LOOP;
END
$$;
