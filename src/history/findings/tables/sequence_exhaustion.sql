-- A sequence, or the type of its column, has at most a tenth of its values left, or will have used them up within 30 days at the rate of the
-- window (of a day at least, as far as samples reach). Critical with one of a hundred left, or within a week.
SELECT CASE WHEN s.used_percent >= 99 OR s.left_s <= 604800 THEN 'critical' END, LEAST(99, s.used_percent),
       'sequence', s.schema_name, s.sequence_name, s.taken_at, s.first_at, s.taken_at,
       format('%s %% of the values up to %s are used%s%s', floor(s.used_percent), s.limit_value,
              format(' by column %s of %s (%s)', s.column_name, s.table_name, s.column_type),
              CASE WHEN s.left_s <= 315360000 THEN '; at the present rate none is left at ' || to_char(s.taken_at + make_interval(secs => s.left_s), 'YYYY-MM-DD HH24:MI') END),
       jsonb_build_object('used_percent', s.used_percent, 'last_value', s.last_value, 'limit_value', s.limit_value, 'table', s.table_name, 'column', s.column_name,
                          'column_type', s.column_type, 'left_s', s.left_s),
       -- A larger type of the column rewrites its table: that is to be planned.
       CASE WHEN (s.column_type = 'bigint' OR s.column_type IS NULL) AND abs(s.limit_value) < 9223372036854775807
            THEN format('ALTER SEQUENCE %I.%I AS bigint %s', s.schema_name, s.sequence_name, CASE WHEN s.increment > 0 THEN 'NO MAXVALUE' ELSE 'NO MINVALUE' END) END
FROM (SELECT l.*, f.taken_at AS first_at,
             (l.limit_value::float8 - l.last_value) / l.increment
                 / NULLIF(GREATEST(0, (l.last_value::float8 - f.last_value) / l.increment / NULLIF(EXTRACT(epoch FROM l.taken_at - f.taken_at), 0)::float8), 0) AS left_s
      FROM (SELECT DISTINCT ON (h.sequence_oid) h.* FROM pgperf.sequence_history h
            WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz ORDER BY h.sequence_oid, h.sample_id DESC) l
      CROSS JOIN LATERAL (
          SELECT h.taken_at, h.last_value FROM pgperf.sequence_history h
          WHERE h.node_id = $1::uuid AND h.taken_at > LEAST($2::timestamptz, $3::timestamptz - interval '1 day') AND h.taken_at <= $3::timestamptz
            AND h.sequence_oid = l.sequence_oid
          ORDER BY h.sample_id LIMIT 1) f) s
WHERE s.used_percent >= {threshold sequence_exhaustion} OR s.left_s <= 2592000
