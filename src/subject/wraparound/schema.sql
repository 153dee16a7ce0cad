CREATE TABLE pgperf.wraparound_history (
    node_id                  uuid NOT NULL,
    sample_id                bigint NOT NULL,
    taken_at                 timestamptz NOT NULL,
    run_id                   bigint,
    database_name            text NOT NULL,
    schema_name              text,
    relation_name            text,
    next_xid                 xid8 NOT NULL,
    frozen_xid_age           bigint,
    next_multixid            bigint NOT NULL,
    multixact_age            bigint,
    horizon_holder           text,
    horizon_age              bigint,
    horizon_since            timestamptz,
    freeze_max_age           bigint,
    failsafe_age             bigint,
    multixact_freeze_max_age bigint,
    multixact_failsafe_age   bigint,
    multixact_members        bigint
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('wraparound_history', 'wraparound');
COMMENT ON TABLE pgperf.wraparound_history IS 'Distance of each database, and of the oldest relations of this one, from transaction id wraparound. Interval samples of a run hold this database, and the oldest one if that is another; other samples hold all databases and, of this one, the ten oldest relations of all and the ten oldest of the user''s tables (without the server''s own and pgperf''s), by transaction id and by multixact';
COMMENT ON COLUMN pgperf.wraparound_history.relation_name IS 'Name of the relation; NULL: the database as a whole';
COMMENT ON COLUMN pgperf.wraparound_history.next_xid IS 'The next transaction id, with its epoch';
COMMENT ON COLUMN pgperf.wraparound_history.frozen_xid_age IS 'Transactions since datfrozenxid or relfrozenxid; the server stops assigning ids near 2.1 billion. NULL: a relation whose access method keeps none';
COMMENT ON COLUMN pgperf.wraparound_history.next_multixid IS 'The next multixact id: 32 bits, it wraps';
COMMENT ON COLUMN pgperf.wraparound_history.multixact_age IS 'Multixacts since datminmxid or relminmxid; NULL: a relation whose access method keeps none';
COMMENT ON COLUMN pgperf.wraparound_history.horizon_holder IS 'The obstacle that keeps vacuum in that database from removing newer dead rows: a backend, a prepared transaction, a replication slot (a logical one: in catalogs only, which counts for datfrozenxid) or a standby''s feedback; NULL: nothing older than the sample itself. Details in pgperf.horizon_history';
COMMENT ON COLUMN pgperf.wraparound_history.horizon_age IS 'Transactions since the one that horizon_holder still needs';
COMMENT ON COLUMN pgperf.wraparound_history.horizon_since IS 'When its transaction began or was prepared, or (from PostgreSQL 17 on) its slot became inactive';
COMMENT ON COLUMN pgperf.wraparound_history.freeze_max_age IS 'The age at which autovacuum freezes in any case; a table''s own setting may be lower. This column and the following are NULL in the rows of relations';
COMMENT ON COLUMN pgperf.wraparound_history.failsafe_age IS 'The age at which vacuum does nothing but freeze: vacuum_failsafe_age, but not below 1.05 times freeze_max_age';
COMMENT ON COLUMN pgperf.wraparound_history.multixact_freeze_max_age IS 'The same as freeze_max_age for multixacts; the server lowers it when their members take up much room';
COMMENT ON COLUMN pgperf.wraparound_history.multixact_failsafe_age IS 'The same as failsafe_age for multixacts';
COMMENT ON COLUMN pgperf.wraparound_history.multixact_members IS 'Stored members of multixacts, all databases together, counted by their files (52,352 each): up to two files too many. Up to PostgreSQL 18 there is room for 4.3 billion. NULL in a run''s interval samples';

CREATE TABLE pgperf.horizon_history (
    node_id       uuid NOT NULL,
    sample_id     bigint NOT NULL,
    taken_at      timestamptz NOT NULL,
    run_id        bigint,
    holder_kind   text NOT NULL CHECK (holder_kind IN ('backend', 'standby feedback', 'prepared transaction', 'replication slot')),
    database_name text,
    pid           integer,
    name          text,
    role_name     text,
    state         text,
    since         timestamptz,
    age           bigint NOT NULL,
    catalogs_only boolean NOT NULL
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('horizon_history', 'wraparound');
COMMENT ON TABLE pgperf.horizon_history IS 'The obstacles that hold back vacuum''s horizon, the twenty oldest of each sample (not in a run''s interval samples)';
COMMENT ON COLUMN pgperf.horizon_history.database_name IS 'Database that it holds back; NULL: all databases';
COMMENT ON COLUMN pgperf.horizon_history.pid IS 'Process id, for pg_terminate_backend; for a slot, the process that uses it';
COMMENT ON COLUMN pgperf.horizon_history.name IS 'application_name, the prepared transaction''s gid, or the slot''s name';
COMMENT ON COLUMN pgperf.horizon_history.since IS 'When its transaction began or was prepared, or (from PostgreSQL 17 on) its slot became inactive';
COMMENT ON COLUMN pgperf.horizon_history.age IS 'Transactions since the one that it still needs';
COMMENT ON COLUMN pgperf.horizon_history.catalogs_only IS 'Whether it holds back vacuum of catalogs only (or further than of other tables)';
GRANT SELECT ON pgperf.wraparound_history, pgperf.horizon_history TO pg_monitor;

CREATE FUNCTION pgperf_internal.require_stretch(history interval) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF history > '0'::interval THEN
        RETURN;
    END IF;
    RAISE EXCEPTION 'history must be greater than zero'
        USING ERRCODE = 'invalid_parameter_value',
              HINT = 'It is an interval such as ''1 day'' or ''1 week''.';
END
$$;
COMMENT ON FUNCTION pgperf_internal.require_stretch(interval) IS 'Fails unless the argument of pgperf.wraparound_forecast is greater than zero';
REVOKE ALL ON FUNCTION pgperf_internal.require_stretch(interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.require_stretch(interval) TO pg_monitor;

-- The samples of the window are cut into 24 parts, each of which gives a rate, so that many samples close together do not
-- make the result look more certain than it is. At least four rates are needed, and ten minutes (samples a minute apart may cover a moment less), or
-- half of a shorter window: a forecast of months from a moment's rate would be fiction. Ids are never reset, so restarts and crashes do not matter here.
-- 1.96 + 2.372/f + ... is Student's t for f degrees of freedom. An id counts for half the circle of 2^32;
-- the margins of 40 and 3 million before that are SetTransactionIdLimit's and SetMultiXactIdLimit's since 14.
CREATE FUNCTION pgperf.wraparound_forecast(
    history interval DEFAULT '1 day', node_id uuid DEFAULT NULL,
    OUT database_name text, OUT id_kind text, OUT limit_name text, OUT limit_age bigint, OUT age bigint, OUT ids_left bigint,
    OUT per_s float8, OUT per_s_low float8, OUT per_s_high float8, OUT intervals integer,
    OUT time_left interval, OUT time_left_low interval, OUT time_left_high interval, OUT covered interval, OUT reason text)
RETURNS SETOF record LANGUAGE sql STABLE ROWS 32
BEGIN ATOMIC
    SELECT pgperf_internal.require_stretch($1);
    WITH node AS MATERIALIZED (
        SELECT COALESCE(wraparound_forecast.node_id, (SELECT pgperf.local_node())) AS node_id),
    newest AS MATERIALIZED (
        SELECT h.taken_at, h.next_xid::text::bigint AS xid, h.next_multixid AS multixid
        FROM pgperf.wraparound_history h JOIN node USING (node_id) WHERE h.relation_name IS NULL
        ORDER BY h.sample_id DESC LIMIT 1),
    looked_at AS MATERIALIZED (
        SELECT h.*, h.next_xid::text::bigint AS xid
        FROM newest n, pgperf.wraparound_history h JOIN node USING (node_id)
        WHERE h.taken_at > n.taken_at - wraparound_forecast.history AND h.taken_at <= n.taken_at),
    stretch AS MATERIALIZED (
        SELECT min(h.taken_at) AS starts_at, NULLIF(n.taken_at - min(h.taken_at), '0') AS covered,
               LEAST('10 minutes', wraparound_forecast.history / 2) AS needed
        FROM looked_at h, newest n WHERE h.relation_name IS NULL GROUP BY n.taken_at),
    parts AS (
        SELECT DISTINCT ON (part) p.taken_at, p.xid, p.next_multixid AS multixid
        FROM (SELECT h.*, pg_catalog.floor(24 * EXTRACT(epoch FROM n.taken_at - h.taken_at)
                                           / EXTRACT(epoch FROM s.covered)) AS part
              FROM looked_at h, newest n, stretch s WHERE h.relation_name IS NULL) p
        ORDER BY part, p.taken_at),
    steps AS (
        SELECT EXTRACT(epoch FROM p.taken_at - pg_catalog.lag(p.taken_at) OVER w)::float8 AS seconds,
               p.xid - pg_catalog.lag(p.xid) OVER w AS xids,
               (p.multixid - pg_catalog.lag(p.multixid) OVER w + 4294967296) % 4294967296 AS multixids
        FROM (SELECT * FROM parts UNION SELECT n.taken_at, n.xid, n.multixid FROM newest n) p
        WINDOW w AS (ORDER BY p.taken_at)),
    used AS (
        SELECT k.id_kind, s.seconds, k.ids::float8 AS ids
        FROM steps s, LATERAL (VALUES ('xid', s.xids), ('multixact', s.multixids)) k(id_kind, ids)
        WHERE s.seconds > 0 AND k.ids BETWEEN 0 AND 2147483647),
    counted AS (
        SELECT k.id_kind, (SELECT count(*) FROM used u WHERE u.id_kind = k.id_kind) AS intervals
        FROM (VALUES ('xid'), ('multixact')) k(id_kind)),
    rates AS (
        SELECT r.id_kind, r.count, r.ids / r.seconds AS rate,
               (1.96 + 2.372 / (r.count - 1) + 2.823 / (r.count - 1) ^ 2 + 2.556 / (r.count - 1) ^ 3)
                   * pg_catalog.sqrt(r.count / (r.count - 1) * (
                       SELECT sum((u.ids - r.ids / r.seconds * u.seconds) ^ 2) FROM used u WHERE u.id_kind = r.id_kind))
                   / r.seconds AS margin
        FROM (SELECT u.id_kind, count(*)::float8 AS count, sum(u.ids) AS ids, sum(u.seconds) AS seconds
              FROM used u, stretch s WHERE s.covered > 0.9 * s.needed GROUP BY u.id_kind HAVING count(*) >= 4) r),
    databases AS (
        SELECT DISTINCT ON (h.database_name) h.*, n.xid - h.xid AS xids_since,
               (n.multixid - h.next_multixid + 4294967296) % 4294967296 AS multixids_since
        FROM looked_at h, newest n
        WHERE h.relation_name IS NULL
          -- What the newest complete sample no longer has was dropped.
          AND h.sample_id >= COALESCE((SELECT max(c.sample_id) FROM looked_at c WHERE c.relation_name IS NOT NULL), 0)
        ORDER BY h.database_name, h.sample_id DESC),
    limits AS (
        SELECT d.database_name, l.*
        FROM databases d,
             LATERAL (VALUES
                 ('xid', d.frozen_xid_age + d.xids_since, 'autovacuum', d.freeze_max_age),
                 ('xid', d.frozen_xid_age + d.xids_since, 'failsafe', d.failsafe_age),
                 ('xid', d.frozen_xid_age + d.xids_since, 'warning', 2147483647 - 40000000),
                 ('xid', d.frozen_xid_age + d.xids_since, 'stop', 2147483647 - 3000000),
                 ('multixact', d.multixact_age + d.multixids_since, 'autovacuum', d.multixact_freeze_max_age),
                 ('multixact', d.multixact_age + d.multixids_since, 'failsafe', d.multixact_failsafe_age),
                 ('multixact', d.multixact_age + d.multixids_since, 'warning', 2147483647 - 40000000),
                 ('multixact', d.multixact_age + d.multixids_since, 'stop', 2147483647 - 3000000))
                 l(id_kind, age, limit_name, limit_age)),
    forecasts AS (
        SELECT l.database_name, l.id_kind, l.limit_name, l.limit_age, l.age, CASE WHEN l.age IS NOT NULL THEN GREATEST(l.limit_age - l.age, 0) END AS ids_left,
               r.rate, CASE WHEN r.rate > r.margin THEN r.rate - r.margin WHEN r.rate IS NOT NULL THEN 0 END AS low, r.rate + r.margin AS high, r.count
        FROM limits l LEFT JOIN rates r USING (id_kind)),
    -- Why there is no rate, and from when on there will be one.
    missing AS (
        SELECT c.id_kind, c.intervals, s.covered,
               CASE WHEN EXISTS (SELECT FROM pgperf.wraparound_history h JOIN node USING (node_id), newest n
                                 WHERE h.relation_name IS NULL AND h.taken_at <= n.taken_at - wraparound_forecast.history)
                    THEN 'ask for a longer history'
                    ELSE pg_catalog.format('if samples go on, there will be an answer from %s on', pg_catalog.to_char(
                        GREATEST(pg_catalog.now(), s.starts_at + s.needed,
                                 s.starts_at + 4 * s.covered / NULLIF(c.intervals, 0)), 'YYYY-MM-DD HH24:MI:SS TZ')) END AS hint,
               pg_catalog.format('too little history: %s of %s minutes, %s of 4 intervals',
                   pg_catalog.round(COALESCE(EXTRACT(epoch FROM s.covered) / 60, 0), 1),
                   pg_catalog.round(EXTRACT(epoch FROM s.needed) / 60, 1), c.intervals) AS reason
        FROM counted c, stretch s)
    SELECT f.database_name, f.id_kind, f.limit_name, f.limit_age, f.age, f.ids_left, f.rate, f.low, f.high, f.count::integer,
           -- Beyond 30,000 years an interval overflows: that is never.
           CASE WHEN f.ids_left < 1e12 * f.rate OR f.ids_left = 0 AND f.rate IS NOT NULL
                THEN pg_catalog.justify_hours(pg_catalog.make_interval(secs => COALESCE(f.ids_left / NULLIF(f.rate, 0), 0))) END,
           CASE WHEN f.ids_left < 1e12 * f.high OR f.ids_left = 0 AND f.rate IS NOT NULL
                THEN pg_catalog.justify_hours(pg_catalog.make_interval(secs => COALESCE(f.ids_left / NULLIF(f.high, 0), 0))) END,
           CASE WHEN f.ids_left < 1e12 * f.low OR f.ids_left = 0 AND f.rate IS NOT NULL
                THEN pg_catalog.justify_hours(pg_catalog.make_interval(secs => COALESCE(f.ids_left / NULLIF(f.low, 0), 0))) END,
           m.covered,
           CASE WHEN f.rate IS NULL THEN m.reason || '; ' || m.hint
                WHEN f.ids_left IS NULL THEN 'the newest sample does not have this limit'
                WHEN f.ids_left > 0 AND f.rate = 0 THEN 'no ids were used in that time'
                WHEN f.ids_left >= 1e12 * f.rate AND f.ids_left > 0 THEN 'not within 30,000 years at that rate' END
    FROM forecasts f JOIN missing m USING (id_kind)
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
           'no samples of collector wraparound: SELECT pgperf.start_sampler(); after ten minutes there will be an answer'
    WHERE NOT EXISTS (SELECT FROM newest)
    ORDER BY 1, 2 DESC, 4;
END;
COMMENT ON FUNCTION pgperf.wraparound_forecast(interval, uuid) IS 'When each database reaches the limits of transaction ids and multixacts if nothing is frozen meanwhile and ids are used as fast as over the given stretch of history: autovacuum (it freezes in any case), failsafe (vacuum does nothing but freeze), warning (the server warns), stop (it assigns no more ids). per_s_low to per_s_high is the 95 % interval of the rate, from the differences between the rates of up to 24 parts of the covered time; a load that changes more slowly than that (by the week) needs a longer history. time_left_low goes with the high rate. time_left is NULL for the reason in reason: too little history (less than ten minutes or four intervals, and when it will be enough), or never at that rate. covered is the time between the first and the last sample used';
REVOKE EXECUTE ON FUNCTION pgperf.wraparound_forecast(interval, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.wraparound_forecast(interval, uuid) TO pg_monitor;

CREATE FUNCTION pgperf.snapshot_wraparound()
RETURNS bigint LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'snapshot_wraparound_wrapper';
COMMENT ON FUNCTION pgperf.snapshot_wraparound() IS 'Records transaction id ages and the obstacles to freezing in pgperf.wraparound_history and pgperf.horizon_history; returns the sample_id';
REVOKE EXECUTE ON FUNCTION pgperf.snapshot_wraparound() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.snapshot_wraparound() TO pg_monitor;
