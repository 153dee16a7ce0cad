CREATE TABLE pgperf.tablespace_history (
    node_id           uuid NOT NULL,
    sample_id         bigint NOT NULL,
    taken_at          timestamptz NOT NULL,
    run_id            bigint,
    kind              text NOT NULL CHECK (kind IN ('tablespace', 'WAL')),
    name              text NOT NULL,
    location          text,
    size_bytes        bigint,
    file_system       text,
    file_system_bytes bigint,
    free_bytes        bigint
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('tablespace_history', 'tablespaces');
COMMENT ON TABLE pgperf.tablespace_history IS 'Tablespaces and the WAL''s folder, pg_wal: their sizes, and the room on the file systems that hold them';
COMMENT ON COLUMN pgperf.tablespace_history.kind IS 'tablespace, or WAL for the folder pg_wal';
COMMENT ON COLUMN pgperf.tablespace_history.name IS 'Name of the tablespace, or pg_wal';
COMMENT ON COLUMN pgperf.tablespace_history.location IS 'Folder of the tablespace; NULL: in the data directory';
COMMENT ON COLUMN pgperf.tablespace_history.size_bytes IS 'Bytes in its files, of all databases; NULL: they could not be read';
COMMENT ON COLUMN pgperf.tablespace_history.file_system IS 'Number of the device of its file system: the same for all that share one';
COMMENT ON COLUMN pgperf.tablespace_history.file_system_bytes IS 'Size of its file system';
COMMENT ON COLUMN pgperf.tablespace_history.free_bytes IS 'Room on its file system for the server, which is not root';
GRANT SELECT ON pgperf.tablespace_history TO pg_monitor;
