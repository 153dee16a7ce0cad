-- The figures of both sides of a run with turns, from planted intervals: each turn has two, which are not equally long.
SET client_min_messages = warning;
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1, label => 'planted turns', collectors => '{}',
    alternate => '{"work_mem": ["4MB", "8MB"]}', alternate_every => '1 s', settle => '0') > 0 AS started;
CALL pgperf.wait_run();

-- 10 slow transactions in 0.2 s, then 90 quick ones in the rest of the turn. Of each block: the rest, and the latencies of sides A and B,
-- in multiples of 19 ms, the mean of a turn whose quick ones take 10 ms. Half of a second is enough of a turn, less is not; and what
-- has no side does not count.
CREATE TEMP TABLE planted AS
SELECT b.block * 4 + t.turn AS turn_no, t.side, CASE t.side WHEN 'A' THEN b.a ELSE b.b END AS times, b.rest
FROM (VALUES (0, 0.6, 1, 2), (1, 0.6, 3, 4), (2, 0.3, 5, 6), (3, 0.299, 100, 100)) b (block, rest, a, b),
     (VALUES (0, 'A'), (1, 'B'), (2, 'B'), (3, 'A')) t (turn, side);
DELETE FROM pgperf.run_intervals i USING pgperf.runs r WHERE r.run_id = i.run_id AND r.label = 'planted turns';
INSERT INTO pgperf.run_intervals (node_id, run_id, interval_no, started_at, seconds, transactions, tps, latency_avg_ms, wal_bytes, turn_no, side)
SELECT r.node_id, r.run_id, row_number() OVER (ORDER BY p.turn_no, x.part) - 1, r.started_at, x.seconds, x.transactions,
       x.transactions / x.seconds, x.latency_ms, x.wal_bytes, p.turn_no, CASE WHEN x.part > 0 THEN p.side END
FROM pgperf.runs r, planted p,
     LATERAL (VALUES (0, 0.05, 1, 1e6, 1000000), (1, 0.2, 10, 100.0 * p.times, 1000 * p.times), (2, p.rest, 90, 10.0 * p.times, 900 * p.times))
         x (part, seconds, transactions, latency_ms, wal_bytes)
WHERE r.label = 'planted turns';

-- tps: 100 transactions in 0.8 s, 0.8 s and 0.5 s. Latency and WAL: 19 times (1 + 3 + 5) / 3 and (2 + 4 + 6) / 3; the change is the
-- cube root of 2 * 4/3 * 6/5.
SELECT metric, pgperf.round(a, 3) AS a, pgperf.round(b, 3) AS b, pgperf.round(change_percent, 3) AS change_percent, blocks
FROM pgperf.alternation('planted turns') WHERE blocks > 0 ORDER BY metric;
SELECT pgperf.round(100 * (power(3.2, 1.0 / 3) - 1)::float8, 3) AS change_percent;
SELECT pgperf.delete_run(run_id) AS deleted FROM pgperf.runs WHERE label = 'planted turns';
