CREATE TABLE pgperf.host_history (
    node_id                uuid NOT NULL,
    sample_id              bigint NOT NULL,
    taken_at               timestamptz NOT NULL,
    run_id                 bigint,
    boot_id                uuid,
    cpus                   bigint,
    load_1                 float8,
    load_5                 float8,
    load_15                float8,
    processes_running      bigint,
    processes_blocked      bigint,
    memory_total_bytes     bigint,
    memory_free_bytes      bigint,
    memory_available_bytes bigint,
    memory_cached_bytes    bigint,
    memory_dirty_bytes     bigint,
    memory_writeback_bytes bigint,
    huge_pages_total       bigint,
    huge_pages_free        bigint,
    swap_total_bytes       bigint,
    swap_free_bytes        bigint,
    server_processes       bigint,
    server_private_bytes   bigint,
    cpu_user_ms            bigint,
    cpu_nice_ms            bigint,
    cpu_system_ms          bigint,
    cpu_idle_ms            bigint,
    cpu_iowait_ms          bigint,
    cpu_irq_ms             bigint,
    cpu_softirq_ms         bigint,
    cpu_steal_ms           bigint,
    context_switches       bigint,
    forks                  bigint,
    swap_in_pages          bigint,
    swap_out_pages         bigint,
    major_faults           bigint,
    oom_kills              bigint
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('host_history', 'host');
COMMENT ON TABLE pgperf.host_history IS 'The machine (in a container: its host), from /proc: gauges, and counters since the machine was started';
COMMENT ON COLUMN pgperf.host_history.boot_id IS 'A new value: the machine was restarted, and its counters began again';
COMMENT ON COLUMN pgperf.host_history.memory_cached_bytes IS 'Cached and Buffers: the page cache, including shared memory';
COMMENT ON COLUMN pgperf.host_history.server_private_bytes IS 'Private memory of the server''s processes (server_processes): resident, neither shared nor backed by files. Not in a run''s interval samples';
COMMENT ON COLUMN pgperf.host_history.cpu_user_ms IS 'Milliseconds of all CPUs in programs, guests included';
GRANT SELECT ON pgperf.host_history TO pg_monitor;
SELECT pgperf_internal.create_delta_view('host_history', '{}',
    '{cpus,load_1,load_5,load_15,processes_running,processes_blocked,memory_total_bytes,memory_free_bytes,memory_available_bytes,memory_cached_bytes,memory_dirty_bytes,memory_writeback_bytes,huge_pages_total,huge_pages_free,swap_total_bytes,swap_free_bytes,server_processes,server_private_bytes}',
    lived_on => 'h.boot_id = p.boot_id');

CREATE VIEW pgperf.host_rates AS
SELECT d.*,
       100 * (d.cpu_user_ms + d.cpu_nice_ms) / t.total AS cpu_user_percent,
       100 * (d.cpu_system_ms + d.cpu_irq_ms + d.cpu_softirq_ms) / t.total AS cpu_system_percent,
       100 * d.cpu_idle_ms / t.total AS cpu_idle_percent,
       100 * d.cpu_iowait_ms / t.total AS cpu_iowait_percent,
       100 * d.cpu_steal_ms / t.total AS cpu_steal_percent
FROM pgperf.host_deltas d
CROSS JOIN LATERAL (
    SELECT NULLIF(d.cpu_user_ms + d.cpu_nice_ms + d.cpu_system_ms + d.cpu_idle_ms + COALESCE(d.cpu_iowait_ms, 0)
                  + COALESCE(d.cpu_irq_ms, 0) + COALESCE(d.cpu_softirq_ms, 0) + COALESCE(d.cpu_steal_ms, 0), 0)::float8 AS total) t;
COMMENT ON VIEW pgperf.host_rates IS 'pgperf.host_deltas with the shares of the CPUs'' time since the previous sample';
GRANT SELECT ON pgperf.host_rates TO pg_monitor;

CREATE TABLE pgperf.device_history (
    node_id         uuid NOT NULL,
    sample_id       bigint NOT NULL,
    taken_at        timestamptz NOT NULL,
    run_id          bigint,
    boot_id         uuid,
    device          text NOT NULL,
    holds           text NOT NULL,
    level           integer NOT NULL,
    in_flight       bigint,
    read_ios        bigint,
    read_merges     bigint,
    read_sectors    bigint,
    read_ticks      bigint,
    write_ios       bigint,
    write_merges    bigint,
    write_sectors   bigint,
    write_ticks     bigint,
    io_ticks        bigint,
    time_in_queue   bigint,
    discard_ios     bigint,
    discard_merges  bigint,
    discard_sectors bigint,
    discard_ticks   bigint,
    flush_ios       bigint,
    flush_ticks     bigint
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('device_history', 'host');
COMMENT ON TABLE pgperf.device_history IS 'The block devices under the server''s files, with the kernel''s cumulative counters under the names of its documentation; iostat''s figures: pgperf.device_rates';
COMMENT ON COLUMN pgperf.device_history.holds IS 'Contents of the device, or of a device of which it is a part: data, wal, tablespaces';
COMMENT ON COLUMN pgperf.device_history.level IS '0: it holds the files itself; 1 and more: it lies beneath (the disk of a partition, a member of a device-mapper or md device)';
COMMENT ON COLUMN pgperf.device_history.read_sectors IS 'Sectors of 512 bytes read';
COMMENT ON COLUMN pgperf.device_history.read_ticks IS 'Milliseconds that all reads together waited';
GRANT SELECT ON pgperf.device_history TO pg_monitor;
SELECT pgperf_internal.create_delta_view('device_history', '{device}', '{holds,level,in_flight}', lived_on => 'h.boot_id = p.boot_id');

CREATE VIEW pgperf.device_rates AS
SELECT d.node_id, d.sample_id, d.taken_at, d.run_id, d.seconds, d.device, d.holds, d.level,
       d.read_ios_per_s AS r_s, d.read_sectors_per_s / 2 AS rkb_s, d.read_merges_per_s AS rrqm_s,
       100 * d.read_merges / NULLIF(d.read_merges + d.read_ios, 0)::float8 AS rrqm,
       d.read_ticks / NULLIF(d.read_ios, 0)::float8 AS r_await, d.read_sectors / 2.0 / NULLIF(d.read_ios, 0)::float8 AS rareq_sz,
       d.write_ios_per_s AS w_s, d.write_sectors_per_s / 2 AS wkb_s, d.write_merges_per_s AS wrqm_s,
       100 * d.write_merges / NULLIF(d.write_merges + d.write_ios, 0)::float8 AS wrqm,
       d.write_ticks / NULLIF(d.write_ios, 0)::float8 AS w_await, d.write_sectors / 2.0 / NULLIF(d.write_ios, 0)::float8 AS wareq_sz,
       d.discard_ios_per_s AS d_s, d.discard_sectors_per_s / 2 AS dkb_s, d.discard_merges_per_s AS drqm_s,
       100 * d.discard_merges / NULLIF(d.discard_merges + d.discard_ios, 0)::float8 AS drqm,
       d.discard_ticks / NULLIF(d.discard_ios, 0)::float8 AS d_await, d.discard_sectors / 2.0 / NULLIF(d.discard_ios, 0)::float8 AS dareq_sz,
       d.flush_ios_per_s AS f_s, d.flush_ticks / NULLIF(d.flush_ios, 0)::float8 AS f_await,
       d.time_in_queue_per_s / 1000 AS aqu_sz, CASE WHEN d.io_ticks_per_s IS NOT NULL THEN LEAST(100, d.io_ticks_per_s / 10) END AS util
FROM pgperf.device_deltas d;
COMMENT ON VIEW pgperf.device_rates IS 'Activity of the block devices under the server''s files since the previous sample, under the names of iostat -x: r_s, rkb_s, ... aqu_sz, util. NULL: the divisor is 0';
GRANT SELECT ON pgperf.device_rates TO pg_monitor;
