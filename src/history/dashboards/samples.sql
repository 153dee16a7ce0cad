(SELECT c.sample_id, c.taken_at, c.before_id, c.before_at, c.at_s, GREATEST(c.before_s, 0) AS since_s,
        NULLIF(GREATEST(c.at_s - c.before_s, 0), 0) AS seconds, c.samples
   FROM (SELECT t.*, pg_catalog.lag(t.sample_id) OVER w AS before_id, pg_catalog.lag(t.taken_at) OVER w AS before_at,
                pg_catalog.lag(t.at_s) OVER w AS before_s
           FROM (SELECT DISTINCT ON (s.epoch, s.stretch) s.sample_id, s.taken_at, s.epoch, s.at_s,
                        CASE WHEN s.at_s > 0 THEN pg_catalog.count(*) OVER (PARTITION BY s.epoch, s.stretch) ELSE 0 END AS samples
                   FROM (SELECT x.sample_id, x.taken_at, x.epoch, EXTRACT(epoch FROM x.taken_at - r.starts)::pg_catalog.float8 AS at_s,
                                GREATEST(-1, pg_catalog.floor({points} * EXTRACT(epoch FROM x.taken_at - r.starts)
                                                              / EXTRACT(epoch FROM r.ends - r.starts))) AS stretch
                           FROM (SELECT $2::pg_catalog.timestamptz AS starts, $3::pg_catalog.timestamptz AS ends) r
                           JOIN pgperf.samples x ON x.node_id = $1::pg_catalog.uuid AND x.taken_at <= r.ends AND x.taken_at > r.starts
                                - LEAST('1 day'::pg_catalog.interval, GREATEST('15 min'::pg_catalog.interval, r.ends - r.starts))
                          WHERE x.complete
                            AND x.outcomes OPERATOR(pg_catalog.->) '{collector}' OPERATOR(pg_catalog.->>) 'status' = 'ok') s
                  ORDER BY s.epoch, s.stretch, s.sample_id DESC) t
         WINDOW w AS (PARTITION BY t.epoch ORDER BY t.sample_id)) c) p
