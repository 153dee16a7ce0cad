-- SLRU caches: the server's counters, and their differences.
SET client_min_messages = warning;
SELECT min(sample_id) AS first FROM pgperf.snapshot('{slru}') \gset
SELECT array_agg(h.name ORDER BY h.name) = (SELECT array_agg(s.name ORDER BY s.name) FROM pg_stat_slru s) AS all_of_them,
       bool_and(num_nulls(h.blks_zeroed, h.blks_hit, h.blks_read, h.blks_written, h.blks_exists, h.flushes, h.truncates) = 0) AS counted
FROM pgperf.slru_history h WHERE h.sample_id = :first;

-- Notifications fill pages of their own cache.
SELECT count(pg_notify('pgperf_regression', rpad(n::text, 7000, 'x'))) AS sent FROM generate_series(1, 30) n;
SELECT pg_stat_force_next_flush();
SELECT min(sample_id) AS second FROM pgperf.snapshot('{slru}') \gset
SELECT blks_zeroed >= 20 AS began, blks_hit >= 0 AS hit, seconds > 0 AS some_time, blks_zeroed_per_s > 0 AS per_second
FROM pgperf.slru_deltas WHERE sample_id = :second AND lower(name) = 'notify';

-- After a reset of one cache it has no difference; the others are not affected.
SELECT pg_stat_reset_slru(name) FROM pg_stat_slru WHERE lower(name) = 'notify';
SELECT count(pg_notify('pgperf_regression', rpad(n::text, 7000, 'y'))) AS sent FROM generate_series(1, 90) n;
SELECT pg_stat_force_next_flush();
SELECT min(sample_id) AS third FROM pgperf.snapshot('{slru}') \gset
SELECT lower(name) = 'notify' AS was_reset, bool_and(blks_zeroed IS NULL) AS unknown, bool_or(blks_zeroed IS NULL) AS any_unknown
FROM pgperf.slru_deltas WHERE sample_id = :third GROUP BY 1 ORDER BY 1;
