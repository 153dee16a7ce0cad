-- Each breakdown begins where the one before it ended, whoever has taken that sample: all those after the first sample.
SELECT e.resource_manager,
       100 * pg_catalog.sum(e.record_bytes + e.fpi_bytes) / NULLIF(pg_catalog.sum(pg_catalog.sum(e.record_bytes + e.fpi_bytes)) OVER (), 0) AS percent,
       pg_catalog.sum(e.records) AS records, pg_catalog.sum(e.record_bytes) AS record_bytes, pg_catalog.sum(e.fpi_bytes) AS image_bytes
FROM (SELECT h.resource_manager, h.records * 100 / h.sampled_percent AS records,
             h.record_bytes * 100 / h.sampled_percent AS record_bytes, h.fpi_bytes * 100 / h.sampled_percent AS fpi_bytes
      FROM pgperf.wal_rmgr_history h
      WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz
        AND h.sampled_percent > 0 AND (h.sample_id <= (SELECT pg_catalog.min(p.sample_id) FROM {samples})) IS NOT TRUE) e
GROUP BY e.resource_manager
HAVING pg_catalog.sum(e.record_bytes + e.fpi_bytes) > 0
ORDER BY pg_catalog.sum(e.record_bytes + e.fpi_bytes) DESC, e.resource_manager
