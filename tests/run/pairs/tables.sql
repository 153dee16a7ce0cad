-- What the runs leave behind, each row with what its session had.
CREATE TABLE done (
    run int, script int, client int, part int, value bigint, extra int,
    pid int DEFAULT pg_backend_pid(), setting text DEFAULT current_setting('pairs.setting', true),
    memory text DEFAULT current_setting('work_mem'), side text DEFAULT current_setting('pairs.side', true),
    name text DEFAULT current_setting('application_name'), at timestamptz DEFAULT clock_timestamp());
CREATE TABLE beside (
    run int, setting text DEFAULT current_setting('pairs.setting', true), name text DEFAULT current_setting('application_name'),
    at timestamptz DEFAULT clock_timestamp());
CREATE TABLE marks (run int, mark text, at timestamptz DEFAULT clock_timestamp());
-- Counts an attempt, whatever becomes of it. A conflict may go away with the next attempt, an error never.
CREATE FUNCTION attempt(run int, script int, part int, conflicts int, errors int, value bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    n bigint := nextval(format('tried_%s_%s_%s', run, script, part % 2)::regclass);
BEGIN
    PERFORM pg_sleep(0.01);
    IF conflicts > 0 AND n % conflicts = 0 THEN
        RAISE 'a conflict' USING ERRCODE = '40001';
    END IF;
    IF errors > 0 AND value % errors = 0 THEN
        RAISE 'an error' USING ERRCODE = '22012';
    END IF;
    RETURN 'ten bytes.';
END
$$;
-- What pgbench draws with the seed.
CREATE TABLE drawn (no bigint GENERATED ALWAYS AS IDENTITY, client int, value bigint);
