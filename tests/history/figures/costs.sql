-- A window of 50 minutes with samples of two collectors, and two more that had trouble: what samples cost, where they are missing, and enough of them for a
-- forecast with a band. i numbers the samples: 0 lies before the window, 7 after it, 5 and 6 close together.
CREATE TEMP TABLE cost AS
SELECT '{node}'::uuid AS node_id, 4000 + t.i AS sample_id, '{from}'::timestamptz + t.at_s * interval '1 s' AS taken_at, t.i::bigint, t.ids::bigint
FROM (VALUES (0, -300, 0), (1, 10, 1900), (2, 400, 4000), (3, 1000, 7500), (4, 1600, 10900), (5, 2300, 14990), (6, 2305, 15000), (7, 3100, 99000)) t(i, at_s, ids);
-- The collectors' present intervals: a pause is late only by these.
UPDATE pgperf.collectors SET sample_interval = CASE WHEN name IN ('wal', 'wraparound') THEN interval '4 min' END;
INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, cadence, elapsed_ms, cpu_ms, rows, pages, wal_bytes, complete, outcomes)
SELECT c.node_id, c.sample_id, c.taken_at, 1, interval '4 min', c.i * 101, c.i * 53, c.i * 7, c.i * 11, c.i * 13, true,
       jsonb_build_object('wal', jsonb_build_object('status', 'ok', 'rows', c.i * 3, 'elapsed_ms', c.i * 17),
                          'wraparound', jsonb_build_object('status', 'ok', 'rows', c.i * 5, 'elapsed_ms', c.i * 19))
       || CASE WHEN c.i IN (0, 2, 4, 7) THEN jsonb_build_object('tables', jsonb_build_object('status', 'failed', 'reason', 'no room', 'rows', 1, 'elapsed_ms', c.i * 23)) ELSE '{}' END
       || CASE WHEN c.i IN (4, 5) THEN jsonb_build_object('wal', jsonb_build_object('status', 'ok', 'rows', c.i * 3, 'elapsed_ms', c.i * 17, 'reason', 'too many; seldom', 'stretched', 'seldom')) ELSE '{}' END
       || CASE WHEN c.i IN (1, 6) THEN jsonb_build_object('io', jsonb_build_object('status', 'skipped', 'reason', 'too old')) ELSE '{}' END
FROM cost c;
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, frozen_xid_age, next_multixid, multixact_age, freeze_max_age, failsafe_age,
    multixact_freeze_max_age, multixact_failsafe_age)
SELECT node_id, sample_id, taken_at, 'app', (1000000 + ids)::text::xid8, 50000000 + i, 1000000 + 3 * ids, 70000000 + i, 40000000, 1600000000, 400000000, 1700000000 FROM cost;
