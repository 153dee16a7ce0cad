-- The library defines the rules; changes by the user are rows here.
CREATE FUNCTION pgperf_internal.finding_rule_definitions(
    OUT rule text, OUT severity text, OUT threshold float8, OUT unit text, OUT title text)
RETURNS SETOF record LANGUAGE c STABLE STRICT ROWS 50 AS 'MODULE_PATHNAME', 'finding_rule_definitions_wrapper';
COMMENT ON FUNCTION pgperf_internal.finding_rule_definitions() IS 'The rules of pgperf.findings with their defaults; read pgperf.finding_rules';

CREATE TABLE pgperf_internal.finding_rule_settings (
    rule        text NOT NULL,
    object      text NOT NULL DEFAULT '%',
    enabled     boolean NOT NULL DEFAULT true,
    threshold   float8 CHECK (threshold > 0 AND threshold <= 1e12),
    muted_until timestamptz,
    note        text,
    PRIMARY KEY (rule, object)
);
COMMENT ON TABLE pgperf_internal.finding_rule_settings IS 'Changes to the rules'' defaults; written through pgperf.finding_rules';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.finding_rule_settings', '');

CREATE VIEW pgperf.finding_rules AS
SELECT d.rule, o.object, COALESCE(s.enabled, true) AS enabled,
       CASE WHEN o.object = '%' THEN COALESCE(s.threshold, d.threshold) END AS threshold,
       CASE WHEN o.object = '%' THEN d.unit END AS unit, s.muted_until, s.note, d.severity::pgperf.severity AS severity, d.title
FROM pgperf_internal.finding_rule_definitions() WITH ORDINALITY d
CROSS JOIN LATERAL (SELECT '%' AS object UNION SELECT x.object FROM pgperf_internal.finding_rule_settings x WHERE x.rule = d.rule) o
LEFT JOIN pgperf_internal.finding_rule_settings s ON s.rule = d.rule AND s.object = o.object
ORDER BY d.ordinality, o.object <> '%', o.object;
COMMENT ON VIEW pgperf.finding_rules IS 'Every rule of pgperf.findings(): UPDATE pgperf.finding_rules SET enabled = false, threshold = ..., or muted_until = ... WHERE rule = ... changes one; INSERT adds a row for objects of one name; DELETE restores the default';
COMMENT ON COLUMN pgperf.finding_rules.object IS 'A pattern as for LIKE: the objects that the row is for, by schema and name; %: all of them';
COMMENT ON COLUMN pgperf.finding_rules.enabled IS 'Whether the rule speaks of these objects';
COMMENT ON COLUMN pgperf.finding_rules.threshold IS 'Where the rule begins to speak; NULL: it has no single number, or the row is for some objects only';
COMMENT ON COLUMN pgperf.finding_rules.unit IS 'The unit of the threshold';
COMMENT ON COLUMN pgperf.finding_rules.muted_until IS 'Until then the rule does not speak of these objects';
COMMENT ON COLUMN pgperf.finding_rules.note IS 'Why, for other readers';

CREATE FUNCTION pgperf_internal.finding_rules_change() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    defined record;
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM pgperf_internal.finding_rule_settings s WHERE s.rule = OLD.rule AND s.object = OLD.object;
        RETURN OLD;
    END IF;
    SELECT d.rule, d.threshold INTO defined FROM pgperf_internal.finding_rule_definitions() d WHERE d.rule = NEW.rule;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'unknown rule: "%"', NEW.rule USING ERRCODE = 'invalid_parameter_value', HINT = 'pgperf.finding_rules lists all of them.';
    END IF;
    NEW.object := COALESCE(NEW.object, '%');
    NEW.enabled := COALESCE(NEW.enabled, true);
    IF TG_OP = 'UPDATE' AND (NEW.rule, NEW.object, NEW.unit, NEW.severity, NEW.title) IS DISTINCT FROM (OLD.rule, OLD.object, OLD.unit, OLD.severity, OLD.title) THEN
        RAISE EXCEPTION 'only "enabled", "threshold", "muted_until" and "note" of pgperf.finding_rules can be changed'
            USING ERRCODE = 'feature_not_supported', HINT = 'DELETE the row and INSERT another one for other objects.';
    END IF;
    IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM pgperf_internal.finding_rule_settings s WHERE s.rule = NEW.rule AND s.object = NEW.object) THEN
        RAISE EXCEPTION 'rule "%" has a row for objects "%" already', NEW.rule, NEW.object USING ERRCODE = 'unique_violation', HINT = 'UPDATE that one.';
    END IF;
    IF NEW.object ~ '(^|[^\\])(\\\\)*\\$' THEN
        RAISE EXCEPTION 'the pattern "%" ends with an escape character', NEW.object
            USING ERRCODE = 'invalid_escape_sequence', HINT = 'A backslash itself is written twice.';
    END IF;
    IF NEW.threshold IS NOT NULL AND NEW.object <> '%' THEN
        RAISE EXCEPTION 'a threshold is that of all objects' USING ERRCODE = 'invalid_parameter_value', HINT = 'Set it in the row of the rule whose "object" is %.';
    END IF;
    IF NEW.threshold IS NOT NULL AND defined.threshold IS NULL THEN
        RAISE EXCEPTION 'rule "%" has no threshold', NEW.rule USING ERRCODE = 'invalid_parameter_value', HINT = 'It can be switched off, or muted.';
    END IF;
    IF NEW.threshold <= 0 OR NEW.threshold > 1e12 OR NEW.threshold = 'NaN' THEN
        RAISE EXCEPTION 'the threshold of rule "%" must be greater than zero, and at most 1e12', NEW.rule USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO pgperf_internal.finding_rule_settings AS s (rule, object, enabled, threshold, muted_until, note)
    VALUES (NEW.rule, NEW.object, NEW.enabled, NULLIF(NEW.threshold, defined.threshold), NEW.muted_until, NEW.note)
    ON CONFLICT (rule, object) DO UPDATE SET (enabled, threshold, muted_until, note) = (EXCLUDED.enabled, EXCLUDED.threshold, EXCLUDED.muted_until, EXCLUDED.note);
    RETURN NEW;
END
$$;
COMMENT ON FUNCTION pgperf_internal.finding_rules_change() IS 'What INSERT, UPDATE and DELETE on pgperf.finding_rules do';
REVOKE ALL ON FUNCTION pgperf_internal.finding_rules_change() FROM PUBLIC;
CREATE TRIGGER finding_rules_change INSTEAD OF INSERT OR UPDATE OR DELETE ON pgperf.finding_rules
    FOR EACH ROW EXECUTE FUNCTION pgperf_internal.finding_rules_change();
GRANT SELECT ON pgperf.finding_rules, pgperf_internal.finding_rule_settings TO pg_monitor;
COMMENT ON COLUMN pgperf.finding_rules.rule IS 'The rule, as pgperf.findings() names it';
COMMENT ON COLUMN pgperf.finding_rules.severity IS 'Severity of its findings, unless one is more urgent';
COMMENT ON COLUMN pgperf.finding_rules.title IS 'Its findings in a few words';
COMMENT ON COLUMN pgperf_internal.finding_rule_settings.rule IS 'The rule';
COMMENT ON COLUMN pgperf_internal.finding_rule_settings.object IS 'A pattern as for LIKE: the objects that the row is for';
COMMENT ON COLUMN pgperf_internal.finding_rule_settings.enabled IS 'Whether the rule speaks of these objects';
COMMENT ON COLUMN pgperf_internal.finding_rule_settings.threshold IS 'Where it begins to speak; NULL: at its default';
COMMENT ON COLUMN pgperf_internal.finding_rule_settings.muted_until IS 'Until then it does not speak of these objects';
COMMENT ON COLUMN pgperf_internal.finding_rule_settings.note IS 'Why';
