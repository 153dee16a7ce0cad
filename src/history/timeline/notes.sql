-- What users note about a server's times: releases, incidents. The sampler writes nothing here, and maintain() removes nothing.
CREATE TABLE pgperf.notes (
    node_id   uuid NOT NULL,
    at        timestamptz NOT NULL,
    note      text NOT NULL,
    role_name text NOT NULL,
    PRIMARY KEY (node_id, at, note)
);
COMMENT ON TABLE pgperf.notes IS 'What users noted with pgperf.note(): marks on the timeline of reports. DELETE removes one';
COMMENT ON COLUMN pgperf.notes.node_id IS 'The node that it is about';
COMMENT ON COLUMN pgperf.notes.at IS 'The time that it is about';
COMMENT ON COLUMN pgperf.notes.note IS 'The text';
COMMENT ON COLUMN pgperf.notes.role_name IS 'The role that noted it';
SELECT pg_catalog.pg_extension_config_dump('pgperf.notes', '');
GRANT SELECT ON pgperf.notes TO pg_monitor;

CREATE FUNCTION pgperf.note(note text, "at" timestamptz DEFAULT NULL) RETURNS timestamptz
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'note_wrapper';
COMMENT ON FUNCTION pgperf.note(text, timestamptz) IS
    'Notes something about this server, such as ''release 42'', for the timeline of reports: at this time (default: now), which it returns';
REVOKE EXECUTE ON FUNCTION pgperf.note(text, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.note(text, timestamptz) TO pg_monitor;
