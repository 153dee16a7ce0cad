-- At least 100 MB an hour in both directions: what is only swapped out is not missed.
SELECT NULL, 60, 'host', NULL, 'memory', max(s.taken_at), min(s.since), max(s.taken_at),
       format('%s were swapped in, %s out', pg_size_pretty(sum(s.swapped_in) * 4096), pg_size_pretty(sum(s.swapped_out) * 4096)),
       jsonb_build_object('swapped_in_pages', sum(s.swapped_in), 'swapped_out_pages', sum(s.swapped_out)), NULL
FROM steps s WHERE s.swapped_in >= 0 AND s.swapped_out >= 0
HAVING LEAST(sum(s.swapped_in), sum(s.swapped_out)) * 4096 >= {threshold swapping} * GREATEST(1, EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz) / 3600)
