-- All samples of the window.
counted AS (
    SELECT o.epoch, o.of_run, o.samples, o.first_id, o.first_at, o.last_at, o.cpu_ms, o.wal_bytes
    FROM {outcomes} o WHERE o.collector IS NULL AND o.stretch >= 0)
