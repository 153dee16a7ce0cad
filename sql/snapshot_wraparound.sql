-- The ages of every database and of this one's oldest relations.
SELECT pgperf.snapshot_wraparound() AS first \gset
SELECT count(*) FILTER (WHERE relation_name IS NULL) = (SELECT count(*) FROM pg_database) AS every_database,
       count(relation_name) BETWEEN 1 AND 2 AS oldest_relations,
       bool_and(database_name = current_database()) FILTER (WHERE relation_name IS NOT NULL) AS of_this_database,
       bool_and(frozen_xid_age >= 0 AND multixact_age >= 0 AND next_multixid > 0) AS sane,
       count(DISTINCT next_xid) AS next_xids
FROM pgperf.wraparound_history WHERE sample_id = :first;
-- A database is as old as its datfrozenxid says, its oldest relation not older.
SELECT abs(w.frozen_xid_age - age(d.datfrozenxid)) < 1000 AS right_age,
       w.frozen_xid_age >= (SELECT max(r.frozen_xid_age) FROM pgperf.wraparound_history r
                            WHERE r.sample_id = :first AND r.relation_name IS NOT NULL) AS not_younger
FROM pgperf.wraparound_history w JOIN pg_database d ON d.datname = w.database_name
WHERE sample_id = :first AND relation_name IS NULL AND database_name = current_database();
SELECT pg_current_xact_id() AS used \gset
SELECT pgperf.snapshot_wraparound() AS second \gset
SELECT bool_and(next_xid > :'used'::xid8) AS counts_up FROM pgperf.wraparound_history WHERE sample_id = :second;
