CREATE TABLE pgperf.settings_history (
    node_id         uuid NOT NULL,
    sample_id       bigint NOT NULL,
    taken_at        timestamptz NOT NULL,
    run_id          bigint,
    name            text NOT NULL,
    database_name   text,
    role_name       text,
    value           text,
    unit            text,
    source          text NOT NULL,
    pending_restart boolean NOT NULL
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('settings_history', 'settings', indexes => '{"(node_id, name, sample_id)", USING brin (taken_at)}', width => 'year', rolled_up => false);
COMMENT ON TABLE pgperf.settings_history IS 'Settings that were not at their defaults at the first sample, then each change: the newest row of a setting applies; a setting without a row has always been at its default';
COMMENT ON COLUMN pgperf.settings_history.database_name IS 'Set for a database by ALTER DATABASE or ALTER ROLE ... IN DATABASE; NULL: for all';
COMMENT ON COLUMN pgperf.settings_history.role_name IS 'Set for a role by ALTER ROLE; NULL: for all';
COMMENT ON COLUMN pgperf.settings_history.value IS 'Value of the setting, without passwords in connection strings; NULL: a setting for a database or role was removed';
COMMENT ON COLUMN pgperf.settings_history.source IS 'Source of the value, as in pg_settings';
GRANT SELECT ON pgperf.settings_history TO pg_monitor;
