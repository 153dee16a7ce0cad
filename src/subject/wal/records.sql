-- Sessions report their counts at most once a second, and may hold them back longer: over ten seconds that is a tenth at most. What is left at
-- the end belongs to the last ten seconds: a run's last sample is taken when all clients have ended and reported.
WITH steps AS (
    SELECT p.since_s, p.at_s, p.seconds, h.wal_records - b.wal_records AS records, h.wal_fpi - b.wal_fpi AS images,
           LEAST(pg_catalog.floor(p.since_s / 10 + 0.05), GREATEST(pg_catalog.floor(pg_catalog.max(p.at_s) OVER () / 10 + 0.05) - 1, 0)) AS part
    FROM {samples}
    JOIN pgperf.wal_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
    JOIN pgperf.wal_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
    WHERE p.seconds > 0 AND h.wal_records >= b.wal_records)
SELECT pg_catalog.min(s.since_s) AS at_s, pg_catalog.max(s.at_s) - pg_catalog.min(s.since_s) AS seconds,
       pg_catalog.sum(s.records)::pg_catalog.float8 / pg_catalog.sum(s.seconds) AS records,
       pg_catalog.sum(s.images)::pg_catalog.float8 / pg_catalog.sum(s.seconds) AS images
FROM steps s
GROUP BY s.part
HAVING pg_catalog.sum(s.seconds) >= 9.5
ORDER BY s.part
