\set SHOW_CONTEXT never
-- The ages of every database and of this one's oldest relations.
CREATE TABLE not_so_old (id int);
SELECT pgperf.snapshot_wraparound() AS first \gset
SELECT count(*) FILTER (WHERE relation_name IS NULL) = (SELECT count(*) FROM pg_database) AS every_database,
       count(relation_name) BETWEEN 10 AND 40 AS oldest_relations,
       bool_and(database_name = current_database()) FILTER (WHERE relation_name IS NOT NULL) AS of_this_database,
       bool_and(frozen_xid_age >= 0 AND multixact_age >= 0 AND next_multixid > 0) AS sane,
       count(DISTINCT next_xid) AS next_xids, min(multixact_members) >= 0 AS members
FROM pgperf.wraparound_history WHERE sample_id = :first;
SELECT freeze_max_age = current_setting('autovacuum_freeze_max_age')::bigint AS freeze,
       failsafe_age >= 1.05 * freeze_max_age AS failsafe, multixact_failsafe_age > multixact_freeze_max_age AS multixact
FROM pgperf.wraparound_history WHERE sample_id = :first AND relation_name IS NULL AND database_name = current_database();
-- A database is as old as its datfrozenxid says; its oldest relation is not older.
SELECT abs(w.frozen_xid_age - age(d.datfrozenxid)) < 1000 AS right_age,
       w.frozen_xid_age >= (SELECT max(r.frozen_xid_age) FROM pgperf.wraparound_history r
                            WHERE r.sample_id = :first AND r.relation_name IS NOT NULL) AS not_younger
FROM pgperf.wraparound_history w JOIN pg_database d ON d.datname = w.database_name
WHERE sample_id = :first AND relation_name IS NULL AND database_name = current_database();
-- Catalogs are older than all relations of users; the oldest of both kinds are stored.
SELECT count(*) FILTER (WHERE schema_name = 'pg_catalog') >= 10 AS catalogs,
       count(*) FILTER (WHERE schema_name = 'public' AND relation_name = 'not_so_old') AS users_own,
       count(*) FILTER (WHERE schema_name IN ('pgperf', 'pgperf_internal')) AS pgperfs_own
FROM pgperf.wraparound_history WHERE sample_id = :first AND relation_name IS NOT NULL;
DROP TABLE not_so_old;
SELECT pg_current_xact_id() AS used \gset
SELECT pgperf.snapshot_wraparound() AS second \gset
SELECT bool_and(next_xid > :'used'::xid8) AS counts_up FROM pgperf.wraparound_history WHERE sample_id = :second;

-- If there is too little history, no forecast is made up.
BEGIN;
DELETE FROM pgperf.wraparound_history WHERE sample_id < :second;
SELECT count(*) = 8 * (SELECT count(*) FROM pg_database) AS every_limit, count(per_s) AS rates, count(per_s_low) AS low,
       count(time_left) AS times, bool_and(ids_left > 0) AS ids_left,
       bool_and(reason ~ '^too little history: 0.0 of 10.0 minutes, 0 of 4 intervals; if samples go on, there will be an answer from 20.* on$') AS why
FROM pgperf.wraparound_forecast();
ROLLBACK;
SELECT id_kind, limit_name, limit_age FROM pgperf.wraparound_forecast()
WHERE database_name = current_database() AND limit_name IN ('warning', 'stop') ORDER BY 1 DESC, 3;

-- Made-up histories: 1,000 ids per second for a day, with a sample each hour; a multixact id that wraps; a vacuum and a
-- missing sample in between.
BEGIN;
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, frozen_xid_age, next_multixid,
    multixact_age, freeze_max_age, failsafe_age, multixact_freeze_max_age, multixact_failsafe_age)
SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, 1000 + h, '2026-01-01'::timestamptz + h * interval '1 h', 'db',
       (10000000000 + CASE n WHEN 1 THEN 3600000 * h WHEN 2 THEN 3600000 * h + (h % 2) * 1000000 ELSE 0 END)::text::xid8,
       CASE WHEN h < 12 THEN 150000000 ELSE 50000000 END + 3600000 * (h % 12), (4294967295 + 3600 * (h - 10)) % 4294967296,
       3600 * h, 200000000, 1600000000, 400000000, 1600000000
FROM generate_series(1, 3) n, generate_series(0, 24) h WHERE h <> 7;
-- At an even rate the margin is close to zero, and the time exact.
SELECT id_kind, limit_name, age, ids_left, round(per_s::numeric, 3) AS per_s, round((per_s_high - per_s_low)::numeric, 3) AS width, intervals,
       date_trunc('minute', time_left) AS time_left
FROM pgperf.wraparound_forecast(node_id => '00000000-0000-0000-0000-000000000001');
-- At an uneven rate the margin includes the truth. If no ids are used, the limit is never reached.
SELECT limit_name, per_s_low < 1000 AND per_s_high > 1000 AS holds, per_s_low > 0 AS above_zero, time_left_low < time_left AND time_left < time_left_high AS ordered
FROM pgperf.wraparound_forecast(node_id => '00000000-0000-0000-0000-000000000002') WHERE id_kind = 'xid';
SELECT limit_name, per_s, time_left, reason FROM pgperf.wraparound_forecast(node_id => '00000000-0000-0000-0000-000000000003')
WHERE id_kind = 'xid';
-- One burst in a day of silence: the rate may as well be 0, and then the limit is never reached.
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, frozen_xid_age, next_multixid,
    multixact_age, freeze_max_age, failsafe_age, multixact_freeze_max_age, multixact_failsafe_age)
SELECT '00000000-0000-0000-0000-000000000004', 1000 + h, '2026-01-01'::timestamptz + h * interval '1 h', 'db',
       (10000000000 + h / 24 * 1000000)::text::xid8, 1000000, 1, 1, 200000000, 1600000000, 400000000, 1600000000
FROM generate_series(0, 24) h;
SELECT per_s > 0 AS some, per_s_low, per_s_high > per_s AS above, time_left_low < time_left AS ordered, time_left_high
FROM pgperf.wraparound_forecast(node_id => '00000000-0000-0000-0000-000000000004') WHERE id_kind = 'xid' AND limit_name = 'stop';
-- A limit that has passed, and a history that is too short.
UPDATE pgperf.wraparound_history SET frozen_xid_age = 1700000000 WHERE node_id = '00000000-0000-0000-0000-000000000001';
SELECT limit_name, ids_left = 0 AS past, time_left = '0' AS now
FROM pgperf.wraparound_forecast(node_id => '00000000-0000-0000-0000-000000000001') WHERE id_kind = 'xid';
SELECT count(*), count(per_s), count(time_left), min(reason) AS reason FROM pgperf.wraparound_forecast('2 h', '00000000-0000-0000-0000-000000000001');
SELECT database_name, limit_name, time_left, reason FROM pgperf.wraparound_forecast(node_id => '00000000-0000-0000-0000-000000000009');

-- Samples a minute apart: two or three intervals are too few for an answer, as are four very short ones; ten minutes are enough.
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, frozen_xid_age, next_multixid,
    multixact_age, freeze_max_age, failsafe_age, multixact_freeze_max_age, multixact_failsafe_age)
SELECT ('00000000-0000-0000-0000-0000000000' || n)::uuid, 1000 + s, '2026-01-01'::timestamptz + s * step * interval '1 s', 'db',
       (10000000000 + 100 * s * step)::text::xid8, 1000000 + 100 * s * step, 5, 0, 200000000, 1600000000, 400000000, 1600000000
FROM (VALUES (12, 300, 2), (13, 300, 3), (14, 300, 4), (24, 1, 4), (60, 60, 10)) h(n, step, steps), generate_series(0, steps) s;
SELECT n, per_s, intervals, covered, time_left IS NOT NULL AS known, regexp_replace(reason, '20.*', '…') AS reason
FROM unnest('{12,13,14,24,60}'::int[]) n,
     pgperf.wraparound_forecast(node_id => ('00000000-0000-0000-0000-0000000000' || n)::uuid) f
WHERE id_kind = 'xid' AND limit_name = 'autovacuum' ORDER BY n;

-- The newest sample was taken in a run and does not have all databases. The others have grown older since, even if the
-- multixact ids wrapped in between. A database that is missing from the newest complete sample was dropped.
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, relation_name, next_xid, frozen_xid_age,
    next_multixid, multixact_age, freeze_max_age, failsafe_age, multixact_freeze_max_age, multixact_failsafe_age)
SELECT '00000000-0000-0000-0000-000000000007', s, '2026-01-01'::timestamptz + s * interval '1 min', d.name, d.relation,
       (5000 + 100 * s)::text::xid8, 1000 + 100 * s, (4294967290 + 4 * s) % 4294967296, 50 + 4 * s, 200000000, 1600000000, 400000000, 1600000000
FROM generate_series(0, 3) s,
     (VALUES ('here', NULL, 3), ('here', 'table', 1), ('other', NULL, 1), ('gone', NULL, 0)) d(name, relation, until)
WHERE s <= d.until;
SELECT database_name, id_kind, age FROM pgperf.wraparound_forecast(node_id => '00000000-0000-0000-0000-000000000007')
WHERE limit_name = 'stop';
ROLLBACK;
-- A stretch of history that is none.
SELECT count(*) FROM pgperf.wraparound_forecast(NULL);
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM pgperf.wraparound_forecast('0');
SELECT count(*) FROM pgperf.wraparound_forecast('-1 hour');
