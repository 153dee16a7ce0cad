-- The moments between which metrics are read, as values: of partitions outside of them the planner opens none. And whether a run is
-- alive, since the view of live runs takes longer to plan than to say that there is none.
SELECT date_trunc('day', clock_timestamp(), 'UTC') AS today,
       date_trunc('day', clock_timestamp(), 'UTC') + interval '24 hours' AS tomorrow,
       now() - interval '24 hours' AS day_ago,
       now() - interval '25 hours' AS longer_ago,
       EXISTS (SELECT FROM pgperf.runs r
                WHERE r.node_id = $1::uuid AND r.status IN ('waiting', 'preparing', 'warming up', 'running', 'draining')) AS has_live_runs
