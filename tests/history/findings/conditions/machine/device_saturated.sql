-- device_saturated of disk {n}
-- conditions: machine/device_saturated.sql 7
-- about: counters
-- busy: 0.9 * {ms}
-- wait: 20
-- queue: 2
-- requests: 1000
-- busy_from: -60
-- boot: '00000000-0000-0000-0000-000000000001'
-- holds: data
-- during: m >= -60
-- Of each sixtieth, half of the requests being reads.
INSERT INTO pgperf.device_history (node_id, sample_id, taken_at, boot_id, device, holds, level, read_ios, read_ticks, write_ios, write_ticks, io_ticks, time_in_queue)
SELECT node_id, sample_id, taken_at, {boot}, 'disk {n}', '{holds}', 0, b * {requests} / 2, b * {requests} * {wait} / 4, b * {requests} / 2, b * {requests} * {wait} * 3 / 4, b * ({busy}), b * {queue} * {ms}
FROM tick, LATERAL (SELECT GREATEST(0, m - {busy_from}) AS b) x WHERE {during};

-- rows
-- 90 % busy | 10m 1h 1d | => warning, weight=190 kind=device & until=60: holds data: busy for 90 % of the time & , 20.0 ms a request, 2.0 requests in the queue | busy = 0.9 * {ms} - 1 => silent
-- 20 ms a request | 10m 1h 1d | wait = 19.99 => silent | wait = 20.04 => warning, 20.0 ms
-- two in the queue | 10m 1h 1d | queue = 1.99 => silent
-- critical from 100 ms on | | wait = 100 => critical | wait = 99.9 => warning
-- for a quarter of an hour | 1h | busy_from = 45 => warning, since=45 | busy_from = 46 => silent
-- samples of twelve minutes of it | 1h | during = m >= 48 => warning, since=48 | during = m >= 49 => silent
-- or of most of a short window | 10m | during = m >= 12 => warning, since=12 | during = m >= 13 => silent
-- a sixtieth of a long one | 1d | busy_from = 59 => warning, since=59 | busy_from = 60 => silent
-- within one start of the machine | | boot = ('00000000-0000-0000-0000-0000000000'||(40+m%60))::uuid; during = m > 0 => silent
-- requests at all | | requests = 0 => silent
-- a step begins at most an hour before | 1h | during = m IN (-59, 1) => warning, since=-59 | during = m IN (-60, 1) => silent
