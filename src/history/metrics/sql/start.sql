-- The moments between which metrics are read. Days are constants in the statements: of partitions outside of them the planner opens none. And whether
-- a run is alive, since the view of live runs takes longer to plan than to say that there is none.
SELECT c.today, c.today + interval '24 hours' AS tomorrow, date_trunc('hour', clock_timestamp()) AS hour,
       a.day_ago, date_trunc('day', a.day_ago, 'UTC') AS from_day_ago, a.longer_ago, date_trunc('day', a.longer_ago, 'UTC') AS from_longer_ago,
       EXISTS (SELECT FROM pgperf.runs r
                WHERE r.node_id = $1::uuid AND r.status IN ('waiting', 'preparing', 'warming up', 'running', 'draining')) AS has_live_runs
FROM (SELECT date_trunc('day', clock_timestamp(), 'UTC') AS today) c,
     (SELECT now() - interval '24 hours' AS day_ago, now() - interval '25 hours' AS longer_ago) a
