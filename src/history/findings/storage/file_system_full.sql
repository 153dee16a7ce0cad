-- Its room would be used up within a week, by the rates of the window and of the last day, whichever is lower: what is only now and then
-- fast does not count. No forecast reaches further than seven times the time that it is made from, at least half an hour. Critical if the
-- room lasts no longer than that time, or than a day; or if less than 5 % are free, and less than 10 GB.
SELECT CASE WHEN r.nearly_full OR r.left_s <= LEAST(86400, r.span_s) THEN 'critical' END, LEAST(99, 100 - 100.0 * r.free / r.total),
       'file system', NULL, r.holds, r.taken_at, r.since, r.taken_at,
       format('%s of %s are free (%s %%)%s', pg_size_pretty(r.free), pg_size_pretty(r.total), round(100.0 * r.free / r.total, 1),
              CASE WHEN r.left_s <= r.reach_s THEN format('; since %s it lost %s, and at this rate is full at %s',
                       to_char(r.since, 'YYYY-MM-DD HH24:MI'), pg_size_pretty(r.lost), to_char(r.taken_at + make_interval(secs => r.left_s), 'YYYY-MM-DD HH24:MI')) ELSE '' END),
       jsonb_build_object('free_bytes', r.free, 'total_bytes', r.total, 'lost_bytes', r.lost, 'since', r.since,
                          'full_at', CASE WHEN r.left_s <= r.reach_s THEN r.taken_at + make_interval(secs => r.left_s) END),
       NULL
FROM (SELECT l.*, l.free < LEAST(0.05 * l.total, 10737418240) AS nearly_full, f.since, f.lost, f.span_s, LEAST(604800, 7 * f.span_s) AS reach_s,
             l.free / NULLIF(f.rate, 0) AS left_s
      FROM (SELECT DISTINCT ON (o.file_system) o.* FROM room o WHERE o.taken_at > $2::timestamptz ORDER BY o.file_system, o.sample_id DESC) l
      LEFT JOIN LATERAL (
          SELECT min(b.taken_at) AS since, max(s.seconds) AS span_s, (array_agg(b.free - l.free ORDER BY b.taken_at))[1] AS lost,
                 GREATEST(0, min((b.free - l.free) / s.seconds)) AS rate
          FROM (VALUES ($2::timestamptz), ($3::timestamptz - interval '1 day')) v(starts)
          CROSS JOIN LATERAL (SELECT x.* FROM room x WHERE x.file_system = l.file_system AND x.taken_at > v.starts ORDER BY x.sample_id LIMIT 1) b
          CROSS JOIN LATERAL (SELECT EXTRACT(epoch FROM l.taken_at - b.taken_at)::float8 AS seconds) s
          WHERE s.seconds >= 1800) f ON true) r
WHERE r.nearly_full OR r.left_s <= r.reach_s
