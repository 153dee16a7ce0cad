-- At least 90 % busy for 15 minutes or a sixtieth of a long window, with two requests in its queue and 20 ms per request: a device
-- that serves many requests at once may be busy and fast. Critical from 100 ms on.
SELECT CASE WHEN max(q.await) >= 100 THEN 'critical' END, LEAST(99, avg(q.util)), 'device', NULL, q.device, max(q.until), min(q.since), max(q.until),
       format('holds %s: busy for %s %% of the time from %s to %s, %s ms a request, %s requests in the queue', max(q.holds), round(avg(q.util)::numeric),
              to_char(min(q.since), 'YYYY-MM-DD HH24:MI'), to_char(max(q.until), 'HH24:MI'), round(max(q.await)::numeric, 1), round(max(q.queue)::numeric, 1)),
       jsonb_build_object('util_percent', round(avg(q.util)::numeric, 1), 'await_ms', round(max(q.await)::numeric, 1), 'queue', round(max(q.queue)::numeric, 1)), NULL
FROM (SELECT d.device, max(d.holds) AS holds, min(d.since) AS since, max(d.taken_at) AS until,
             100 * sum(d.io_ticks) / (1000 * EXTRACT(epoch FROM max(d.taken_at) - min(d.since))) AS util,
             sum(d.wait_ticks) / NULLIF(sum(d.ios), 0)::float8 AS await, sum(d.in_queue) / (1000 * EXTRACT(epoch FROM max(d.taken_at) - min(d.since))) AS queue
      FROM device_steps d
      GROUP BY d.device, floor(EXTRACT(epoch FROM $3::timestamptz - d.taken_at) / 900)
      HAVING max(d.taken_at) - min(d.since) >= LEAST(interval '12 minutes', 0.8 * ($3::timestamptz - $2::timestamptz))) q
WHERE q.util >= {threshold device_saturated} AND q.await >= 20 AND q.queue >= 2
GROUP BY q.device
