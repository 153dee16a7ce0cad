-- What host_history counted in sixtieths of the window, within one start of the machine: of each part the highest counters. Steps of less than five seconds
-- are noise.
parts AS (
    SELECT h.boot_id, GREATEST(-1, {sixtieth}) AS part, max(h.taken_at) AS taken_at, max(h.cpus) AS cpus,
           max(h.cpu_user_ms + h.cpu_nice_ms) AS user_ms, max(h.cpu_system_ms + COALESCE(h.cpu_irq_ms + h.cpu_softirq_ms, 0)) AS system_ms,
           max(h.cpu_idle_ms) AS idle_ms, max(COALESCE(h.cpu_iowait_ms, 0)) AS iowait_ms, max(COALESCE(h.cpu_steal_ms, 0)) AS steal_ms,
           max(h.swap_in_pages) AS swap_in_pages, max(h.swap_out_pages) AS swap_out_pages, max(h.oom_kills) AS oom_kills
    FROM pgperf.host_history h
    WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz - interval '1 hour' AND h.taken_at <= $3::timestamptz
    GROUP BY 1, 2),
steps AS MATERIALIZED (
    SELECT x.*, x.user_ms + x.system_ms + x.idle_ms + x.iowait_ms + x.steal_ms AS total_ms
    FROM (SELECT p.part, p.taken_at, lag(p.taken_at) OVER w AS since, p.cpus, p.user_ms - lag(p.user_ms) OVER w AS user_ms,
                 p.system_ms - lag(p.system_ms) OVER w AS system_ms, p.idle_ms - lag(p.idle_ms) OVER w AS idle_ms,
                 -- The kernel may correct this one downwards.
                 GREATEST(0, p.iowait_ms - lag(p.iowait_ms) OVER w) AS iowait_ms, p.steal_ms - lag(p.steal_ms) OVER w AS steal_ms,
                 p.swap_in_pages - lag(p.swap_in_pages) OVER w AS swapped_in, p.swap_out_pages - lag(p.swap_out_pages) OVER w AS swapped_out,
                 p.oom_kills - lag(p.oom_kills) OVER w AS oom_kills
          FROM parts p WINDOW w AS (PARTITION BY p.boot_id ORDER BY p.part)) x
    WHERE x.part >= 0 AND x.taken_at - x.since >= interval '5 seconds'),
device_parts AS (
    SELECT h.device, h.boot_id, GREATEST(-1, {sixtieth}) AS part, max(h.holds) AS holds, max(h.taken_at) AS taken_at, max(h.io_ticks) AS io_ticks,
           max(h.time_in_queue) AS time_in_queue, max(h.read_ticks + h.write_ticks) AS wait_ticks, max(h.read_ios + h.write_ios) AS ios
    FROM pgperf.device_history h
    WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz - interval '1 hour' AND h.taken_at <= $3::timestamptz
    GROUP BY 1, 2, 3),
device_steps AS (
    SELECT x.* FROM (
        SELECT p.device, p.holds, p.part, p.taken_at, lag(p.taken_at) OVER w AS since, p.io_ticks - lag(p.io_ticks) OVER w AS io_ticks,
               p.time_in_queue - lag(p.time_in_queue) OVER w AS in_queue, p.wait_ticks - lag(p.wait_ticks) OVER w AS wait_ticks, p.ios - lag(p.ios) OVER w AS ios
        FROM device_parts p WINDOW w AS (PARTITION BY p.device, p.boot_id ORDER BY p.part)) x
    WHERE x.part >= 0 AND x.io_ticks >= 0 AND x.ios >= 0)
