CREATE TABLE pgperf.buffer_usage_history (
    node_id       uuid NOT NULL,
    sample_id     bigint NOT NULL,
    taken_at      timestamptz NOT NULL,
    run_id        bigint,
    database_name text,
    schema_name   text,
    relation_name text,
    relation_kind text,
    fork          text,
    usage_count   smallint,
    buffers       bigint NOT NULL,
    dirty         bigint NOT NULL,
    pinned        bigint NOT NULL
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('buffer_usage_history', 'buffers');
COMMENT ON TABLE pgperf.buffer_usage_history IS 'Contents of shared_buffers: buffers by relation, fork and usage count. The buffers of a sample add up to shared_buffers. The sampler tells relations apart in every tenth sample, whose rows alone have names; the others have the sums by usage count';
COMMENT ON COLUMN pgperf.buffer_usage_history.database_name IS 'Database of the relation; NULL: unused buffers, a catalog that all databases share, or a sample that tells no relations apart';
COMMENT ON COLUMN pgperf.buffer_usage_history.relation_name IS 'Name of the relation; NULL: it is in another database, dropped, not committed yet, or has few buffers, or the sample tells none apart. Few: less than a 32,768th of shared_buffers, or not among the 2,000 files with the most; in a sample of the sampler, less than a 4,096th unless it is among the 50 files with the most, or not among the 500';
COMMENT ON COLUMN pgperf.buffer_usage_history.fork IS 'main, fsm (free space map), vm (visibility map) or init; NULL with a usage_count: all of them, in a sample that tells no relations apart; or buffers so busy at that moment that their contents could not be seen without a lock';
COMMENT ON COLUMN pgperf.buffer_usage_history.usage_count IS '0 to 5; NULL: buffers that hold no page';
COMMENT ON COLUMN pgperf.buffer_usage_history.pinned IS 'Buffers in use at that moment';

CREATE TABLE pgperf.buffer_counter_history (
    node_id            uuid NOT NULL,
    sample_id          bigint NOT NULL,
    taken_at           timestamptz NOT NULL,
    run_id             bigint,
    blks_hit           bigint,
    blks_read          bigint,
    buffers_checkpoint bigint,
    buffers_clean      bigint,
    maxwritten_clean   bigint,
    buffers_backend    bigint,
    buffers_alloc      bigint,
    evictions          bigint,
    databases_mark     bigint NOT NULL
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('buffer_counter_history', 'buffers');
COMMENT ON TABLE pgperf.buffer_counter_history IS 'The whole server''s buffer counters, cumulative as the server gave them; pgperf.buffer_counter_deltas subtracts them';
COMMENT ON COLUMN pgperf.buffer_counter_history.blks_hit IS 'Blocks found in shared_buffers, all databases together';
COMMENT ON COLUMN pgperf.buffer_counter_history.blks_read IS 'Blocks read into shared_buffers, all databases together';
COMMENT ON COLUMN pgperf.buffer_counter_history.buffers_checkpoint IS 'Buffers written by checkpoints';
COMMENT ON COLUMN pgperf.buffer_counter_history.buffers_clean IS 'Buffers written by the background writer';
COMMENT ON COLUMN pgperf.buffer_counter_history.maxwritten_clean IS 'How often the background writer stopped because it had written bgwriter_lru_maxpages';
COMMENT ON COLUMN pgperf.buffer_counter_history.buffers_backend IS 'Buffers that other processes had to write themselves, and blocks by which they extended files; from PostgreSQL 17 on, as counted in pg_stat_io';
COMMENT ON COLUMN pgperf.buffer_counter_history.buffers_alloc IS 'Buffers that were given a new page';
COMMENT ON COLUMN pgperf.buffer_counter_history.evictions IS 'Buffers that gave up a page for another one; NULL before PostgreSQL 16';
COMMENT ON COLUMN pgperf.buffer_counter_history.databases_mark IS 'Changes when a database is created, dropped or has its statistics reset: blks_hit and blks_read can be subtracted only between equal marks';

-- A difference below zero becomes NULL: that counter began again.
CREATE VIEW pgperf.buffer_counter_deltas AS
SELECT (d.h).node_id, (d.h).sample_id, (d.h).taken_at, (d.h).run_id, d.seconds,
       CASE WHEN d.same AND d.same_databases THEN NULLIF(GREATEST((d.h).blks_hit - (d.p).blks_hit, -1), -1) END AS blks_hit,
       CASE WHEN d.same AND d.same_databases THEN NULLIF(GREATEST((d.h).blks_read - (d.p).blks_read, -1), -1) END AS blks_read,
       CASE WHEN d.same THEN NULLIF(GREATEST((d.h).buffers_checkpoint - (d.p).buffers_checkpoint, -1), -1) END AS buffers_checkpoint,
       CASE WHEN d.same THEN NULLIF(GREATEST((d.h).buffers_clean - (d.p).buffers_clean, -1), -1) END AS buffers_clean,
       CASE WHEN d.same THEN NULLIF(GREATEST((d.h).maxwritten_clean - (d.p).maxwritten_clean, -1), -1) END AS maxwritten_clean,
       CASE WHEN d.same THEN NULLIF(GREATEST((d.h).buffers_backend - (d.p).buffers_backend, -1), -1) END AS buffers_backend,
       CASE WHEN d.same THEN NULLIF(GREATEST((d.h).buffers_alloc - (d.p).buffers_alloc, -1), -1) END AS buffers_alloc,
       CASE WHEN d.same THEN NULLIF(GREATEST((d.h).evictions - (d.p).evictions, -1), -1) END AS evictions
FROM (SELECT h, pg_catalog.lag(h) OVER w AS p,
             NULLIF(GREATEST(EXTRACT(epoch FROM h.taken_at - pg_catalog.lag(h.taken_at) OVER w)::float8, 0), 0) AS seconds,
             s.epoch = pg_catalog.lag(s.epoch) OVER w AS same,
             h.databases_mark = pg_catalog.lag(h.databases_mark) OVER w AS same_databases
      FROM pgperf.buffer_counter_history h JOIN pgperf.samples s USING (node_id, sample_id, taken_at)
      WINDOW w AS (PARTITION BY h.node_id ORDER BY h.sample_id)) d;
COMMENT ON VIEW pgperf.buffer_counter_deltas IS 'Increase of the counters of pgperf.buffer_counter_history since the node''s previous sample; NULL for the first one and where a counter began again in between';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.seconds IS 'Seconds since the previous sample; NULL: the clock was set back meanwhile';

CREATE FUNCTION pgperf_internal.require_buffers(sample_id bigint, node_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF $1 IS NULL AND $2 IS NULL
       OR EXISTS (SELECT FROM pgperf.buffer_usage_history h
                  WHERE h.node_id = COALESCE($2, (SELECT pgperf.local_node())) AND h.sample_id = COALESCE($1, h.sample_id)) THEN
        RETURN;
    END IF;
    IF NOT EXISTS (SELECT FROM pgperf.nodes n WHERE n.node_id = $2) AND $2 IS NOT NULL THEN
        RAISE EXCEPTION 'there is no node %', $2
            USING ERRCODE = 'invalid_parameter_value', HINT = 'SELECT node_id, name FROM pgperf.nodes lists the nodes.';
    ELSIF $1 IS NOT NULL THEN
        RAISE EXCEPTION 'sample % has no contents of shared_buffers', $1
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'SELECT DISTINCT node_id, sample_id FROM pgperf.buffer_usage_history lists the samples that do.';
    END IF;
END
$$;
COMMENT ON FUNCTION pgperf_internal.require_buffers(bigint, uuid) IS 'Fails unless the arguments of pgperf.working_set name a sample or a node that exists';
REVOKE ALL ON FUNCTION pgperf_internal.require_buffers(bigint, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.require_buffers(bigint, uuid) TO pg_monitor;

CREATE FUNCTION pgperf.working_set(
    sample_id bigint DEFAULT NULL, node_id uuid DEFAULT NULL,
    OUT taken_at timestamptz, OUT scope text, OUT database_name text, OUT schema_name text, OUT relation_name text,
    OUT usage_count smallint, OUT buffers bigint, OUT bytes bigint, OUT percent float8, OUT cache_percent float8,
    OUT low_bytes bigint, OUT high_bytes bigint, OUT reason text)
RETURNS SETOF record LANGUAGE sql STABLE ROWS 100
BEGIN ATOMIC
    SELECT pgperf_internal.require_buffers($1, $2);
    WITH chosen AS MATERIALIZED (
        SELECT h.node_id, h.sample_id FROM pgperf.buffer_usage_history h
        WHERE h.node_id = COALESCE(working_set.node_id, (SELECT pgperf.local_node()))
          AND h.sample_id = COALESCE(working_set.sample_id, h.sample_id)
          AND (working_set.sample_id IS NOT NULL OR h.relation_name IS NOT NULL)
        ORDER BY h.sample_id DESC LIMIT 1),
    held AS MATERIALIZED (
        SELECT h.taken_at, h.database_name, h.schema_name, h.relation_name, h.usage_count, h.buffers,
               h.buffers * pg_catalog.current_setting('block_size')::bigint AS bytes
        FROM pgperf.buffer_usage_history h JOIN chosen USING (node_id, sample_id)),
    whole AS MATERIALIZED (
        SELECT sum(h.buffers) AS buffers, sum(h.bytes)::bigint AS bytes,
               COALESCE(sum(h.bytes) FILTER (WHERE h.usage_count IS NOT NULL), 0)::bigint AS used,
               COALESCE(sum(h.bytes) FILTER (WHERE h.usage_count >= 2), 0)::bigint AS twice,
               COALESCE(sum(h.bytes) FILTER (WHERE h.usage_count >= 3), 0)::bigint AS hot
        FROM held h),
    bracket AS (
        SELECT w.hot AS low, b.*
        FROM whole w,
             LATERAL (SELECT w.used AS high,
                             'Not full: every page found room, but for those of large scans, which pass through a small ring' AS reason
                      WHERE w.used < 0.99 * w.bytes AND w.hot < w.used
                      UNION ALL
                      SELECT w.bytes AS high, 'Not full, and every page that it holds is in frequent use' AS reason
                      WHERE w.used < 0.99 * w.bytes AND w.hot = w.used
                      UNION ALL
                      SELECT w.bytes AS high, 'Full, but more than half of it is not asked for twice while the clock hand goes round' AS reason
                      WHERE w.used >= 0.99 * w.bytes AND w.twice < 0.5 * w.used
                      UNION ALL
                      SELECT NULL AS high, 'Full of pages in frequent use: what does not fit cannot be seen from here, look at reads and evictions' AS reason
                      WHERE w.used >= 0.99 * w.bytes AND w.twice >= 0.5 * w.used) b),
    counted AS (
        SELECT max(h.taken_at) AS taken_at,
               CASE WHEN GROUPING(h.relation_name) = 1 THEN 'server' ELSE 'relation' END AS scope,
               h.database_name, h.schema_name, h.relation_name, h.usage_count,
               sum(h.buffers) AS buffers, sum(h.bytes) AS bytes
        FROM held h WHERE h.usage_count IS NOT NULL
        GROUP BY GROUPING SETS ((h.usage_count), (h.database_name, h.schema_name, h.relation_name, h.usage_count))),
    cumulated AS (
        SELECT c.taken_at, c.scope, c.database_name, c.schema_name, c.relation_name, c.usage_count,
               sum(c.buffers) OVER down AS buffers, sum(c.bytes) OVER down AS bytes, sum(c.buffers) OVER every AS all_buffers
        FROM counted c
        WINDOW every AS (PARTITION BY c.scope, c.database_name, c.schema_name, c.relation_name),
               down AS (PARTITION BY c.scope, c.database_name, c.schema_name, c.relation_name ORDER BY c.usage_count DESC))
    SELECT c.taken_at, c.scope, c.database_name, c.schema_name, c.relation_name, c.usage_count,
           c.buffers::bigint, c.bytes::bigint, (100 * c.buffers / c.all_buffers)::float8, (100 * c.buffers / w.buffers)::float8,
           CASE WHEN c.scope = 'server' THEN b.low END, CASE WHEN c.scope = 'server' THEN b.high END,
           CASE WHEN c.scope = 'server' THEN b.reason END
    FROM cumulated c CROSS JOIN whole w CROSS JOIN bracket b
    ORDER BY c.scope DESC, c.all_buffers DESC, c.database_name, c.schema_name, c.relation_name, c.usage_count DESC;
END;
COMMENT ON FUNCTION pgperf.working_set(bigint, uuid) IS 'How much of shared_buffers is in frequent use, from the usage counts of a sample (default: the newest of this node that tells relations apart): for the server and each relation the buffers whose count is at least usage_count, in buffers, bytes, percent of the object''s own buffers and of the whole cache. low_bytes to high_bytes is a range for a useful shared_buffers, never one number. A usage count rises with each use, to 5 at most, and falls by one whenever the clock hand passes in search of room: low_bytes are the pages with 3 or more, used again and again between two rounds. high_bytes is everything held while unused buffers are left (the clock hand has then hardly moved, and the counts are those since the pages were read), the present size if most pages are not used twice in a round, and NULL (more than now, by an amount that cannot be seen) if the cache is full of pages in frequent use. Usage counts cannot show how often a page above 5 is used, the contents of the operating system''s cache, or the benefit of pages that did not fit. One sample is one moment: compare samples of busy hours';
REVOKE EXECUTE ON FUNCTION pgperf.working_set(bigint, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.working_set(bigint, uuid) TO pg_monitor;
GRANT SELECT ON pgperf.buffer_usage_history, pgperf.buffer_counter_history, pgperf.buffer_counter_deltas TO pg_monitor;

CREATE FUNCTION pgperf.snapshot_buffers()
RETURNS bigint LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'snapshot_buffers_wrapper';
COMMENT ON FUNCTION pgperf.snapshot_buffers() IS 'Records the contents of shared_buffers in pgperf.buffer_usage_history and its counters in pgperf.buffer_counter_history; returns the sample_id';
REVOKE EXECUTE ON FUNCTION pgperf.snapshot_buffers() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.snapshot_buffers() TO pg_monitor;
