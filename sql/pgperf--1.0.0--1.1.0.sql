-- What 1.1 has that 1.0 had not. `tools/integration --test upgrade` tells what is missing here; docs/upgrading.md how to write it.

-- As in the install script: nothing that somebody has planted in another schema is found while the objects are made.
SET LOCAL search_path TO pg_catalog, pg_temp;

COMMENT ON SEQUENCE pgperf.run_id_seq IS 'Numbers the runs and loads of this database';
COMMENT ON SEQUENCE pgperf.sweep_id_seq IS 'Numbers the sweeps of this database';
