-- What a source publishes of its history, and how a repository takes deletions.
--
-- Samples and texts are only added: partitions are dropped and rolled up on each server by its own retention, so their publication has no
-- deletes, and a repository never searches for a row of theirs. The other tables have primary keys and are published with everything,
-- except that a repository keeps the runs that only the source's retention deleted.
CREATE FUNCTION pgperf_internal.published_tables(OUT relation regclass, OUT of_samples boolean) RETURNS SETOF record
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT t.relation, t.kind <> 'run' FROM pgperf.run_tables t
    UNION ALL
    SELECT o.relation, false
    FROM (VALUES ('pgperf.nodes'::regclass), ('pgperf_internal.stored_runs'), ('pgperf_internal.stored_sweeps'),
                 ('pgperf_internal.stored_sweep_points'), ('pgperf_internal.sweep_attempts'), ('pgperf.notes'),
                 ('pgperf_internal.forgotten_runs')) o (relation);
END;
COMMENT ON FUNCTION pgperf_internal.published_tables() IS 'The tables of which a repository has the rows; others are about one installation alone, such as its settings';

-- Rows of other nodes, such as imported runs, are their own source's to publish. Altering a publication locks its tables against other DDL,
-- so it is left alone where nothing has changed.
CREATE FUNCTION pgperf_internal.complete_publications(adding uuid DEFAULT NULL, OUT altered text) RETURNS SETOF text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own uuid[];
    p record;
BEGIN
    IF NOT EXISTS (SELECT FROM pgperf_internal.publications) THEN
        RETURN;
    END IF;
    own := ARRAY(SELECT n.node_id FROM pgperf.nodes n CROSS JOIN pgperf.local_node() l WHERE l IN (n.node_id, n.sampled_by)
                 UNION SELECT adding WHERE adding IS NOT NULL ORDER BY 1);
    FOR p IN SELECT k.publication, k.of_samples, k.nodes, b.oid FROM pgperf_internal.publications k JOIN pg_publication b ON b.pubname = k.publication LOOP
        CONTINUE WHEN p.nodes = own AND NOT EXISTS (
            SELECT t.relation::oid FROM pgperf_internal.published_tables() t WHERE t.of_samples = p.of_samples
            EXCEPT SELECT r.prrelid FROM pg_publication_rel r WHERE r.prpubid = p.oid);
        EXECUTE format('ALTER PUBLICATION %I SET TABLE %s', p.publication,
            (SELECT string_agg(format('%s WHERE (node_id = ANY (%L::uuid[]))', t.relation, own), ', ' ORDER BY t.relation::text)
             FROM pgperf_internal.published_tables() t WHERE t.of_samples = p.of_samples));
        UPDATE pgperf_internal.publications k SET nodes = own WHERE k.publication = p.publication;
        altered := p.publication;
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf_internal.complete_publications(uuid) IS 'Has the publications of pgperf.publish_history publish all tables of a repository, of the local node and its targets; returns those that it altered. adding: a target whose row is about to be stored';

CREATE FUNCTION pgperf_internal.maintain_publications(OUT action text, OUT object text, OUT note text) RETURNS SETOF record
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    FOR object IN SELECT pgperf_internal.complete_publications() LOOP
        action := 'published';
        RETURN NEXT;
    END LOOP;
EXCEPTION WHEN OTHERS THEN
    action := 'left'; object := NULL; note := SQLERRM;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION pgperf_internal.maintain_publications() IS 'Completes the publications of the history; for pgperf.maintain()';

-- A target that is sampled for the first time publishes its own row already, and the rows behind it: a change is published if it was to be when it was
-- written, which is after this.
CREATE FUNCTION pgperf_internal.publish_target() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.sampled_by = pgperf.local_node() THEN
        PERFORM pgperf_internal.complete_publications(NEW.node_id);
    END IF;
    RETURN NEW;
END
$$;
COMMENT ON FUNCTION pgperf_internal.publish_target() IS 'Has the publications of the history publish a new target';
CREATE TRIGGER publish_target BEFORE INSERT ON pgperf.nodes FOR EACH ROW WHEN (NEW.sampled_by IS NOT NULL) EXECUTE FUNCTION pgperf_internal.publish_target();
-- A copy that becomes a node of its own.
CREATE FUNCTION pgperf_internal.publish_node() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pgperf_internal.complete_publications();
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION pgperf_internal.publish_node() IS 'Has the publications of the history publish a new node';
CREATE TRIGGER publish_node AFTER INSERT ON pgperf.nodes FOR EACH STATEMENT EXECUTE FUNCTION pgperf_internal.publish_node();

CREATE FUNCTION pgperf.publish_history(publication text DEFAULT 'pgperf_history') RETURNS text[]
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    samples text := publication || '_samples';
    wanted record;
BEGIN
    IF publication IS NULL OR publication = '' OR octet_length(samples) > 63 THEN
        RAISE EXCEPTION 'publication must be a name of 1 to 55 bytes'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Without an argument it is pgperf_history.';
    END IF;
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'cannot publish the history on a standby'
            USING ERRCODE = 'read_only_sql_transaction', HINT = 'Call it on the primary.';
    END IF;
    PERFORM pgperf.local_node();
    FOR wanted IN SELECT * FROM (VALUES (publication, false, 'insert, update, delete'), (samples, true, 'insert, update')) w (name, of_samples, actions) LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_publication b JOIN pgperf_internal.publications p ON p.publication = b.pubname
                              WHERE b.pubname = wanted.name AND p.of_samples = wanted.of_samples);
        EXECUTE format('CREATE PUBLICATION %I WITH (publish = %L, publish_via_partition_root = true)', wanted.name, wanted.actions);
        INSERT INTO pgperf_internal.publications AS p (publication, of_samples) VALUES (wanted.name, wanted.of_samples)
        ON CONFLICT ON CONSTRAINT publications_pkey DO UPDATE SET (of_samples, nodes) = (EXCLUDED.of_samples, '{}');
    END LOOP;
    PERFORM pgperf_internal.complete_publications();
    RETURN ARRAY[publication, samples];
END
$$;
COMMENT ON FUNCTION pgperf.publish_history(text) IS
    'Publishes the history of this server for a repository (pgperf.subscribe_history there): runs with deletions under this name, samples under the same name and _samples. Completes publications that exist; pgperf.maintain() and updates do the same. Returns both names';

CREATE FUNCTION pgperf.unpublish_history(publication text DEFAULT 'pgperf_history') RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    gone text;
    found boolean := false;
BEGIN
    FOR gone IN DELETE FROM pgperf_internal.publications p WHERE p.publication IN (publication, publication || '_samples') RETURNING p.publication LOOP
        found := true;
        EXECUTE format('DROP PUBLICATION IF EXISTS %I', gone);
    END LOOP;
    RETURN found;
END
$$;
COMMENT ON FUNCTION pgperf.unpublish_history(text) IS
    'Drops what publish_history made; false if there is nothing. Repositories unsubscribe first: their slots stay until they do';

CREATE FUNCTION pgperf_internal.is_forgotten(node_id uuid, run_id bigint) RETURNS boolean LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT EXISTS (SELECT FROM pgperf_internal.forgotten_runs f
                   WHERE f.node_id = is_forgotten.node_id AND f.run_id = is_forgotten.run_id AND NOT f.deleted);
END;
COMMENT ON FUNCTION pgperf_internal.is_forgotten(uuid, bigint) IS 'Whether a source deleted a run because of its retention alone, so that a repository keeps it';

-- On a repository, for what arrives: they fire for the rows of a subscription only.
CREATE FUNCTION pgperf_internal.keep_forgotten() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pgperf_internal.is_forgotten(OLD.node_id, OLD.run_id) THEN
        RETURN NULL;
    END IF;
    RETURN OLD;
END
$$;
COMMENT ON FUNCTION pgperf_internal.keep_forgotten() IS 'Keeps the rows of a run that its source deleted because of its retention';

-- A column that loses its run.
CREATE FUNCTION pgperf_internal.keep_attempted() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.run_id IS NULL AND pgperf_internal.is_forgotten(OLD.node_id, OLD.run_id) THEN
        NEW.run_id := OLD.run_id;
    END IF;
    IF NEW.load_run_id IS NULL AND pgperf_internal.is_forgotten(OLD.node_id, OLD.load_run_id) THEN
        NEW.load_run_id := OLD.load_run_id;
    END IF;
    RETURN NEW;
END
$$;
COMMENT ON FUNCTION pgperf_internal.keep_attempted() IS 'Keeps which runs of a sweep its source deleted because of its retention';

-- Their deletion is not published: the rows would have to be searched one by one.
CREATE FUNCTION pgperf_internal.remove_samples_too() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pgperf_internal.remove_samples(OLD.node_id, OLD.run_id);
    DELETE FROM pgperf_internal.pinned_runs p WHERE p.node_id = OLD.node_id AND p.run_id = OLD.run_id;
    DELETE FROM pgperf.baselines b WHERE b.node_id = OLD.node_id AND b.run_id = OLD.run_id;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION pgperf_internal.remove_samples_too() IS 'Deletes the samples of a run that its source has deleted, and what names it here';

-- Roles of the source are none of this server, even those of the same name.
CREATE FUNCTION pgperf_internal.own_what_comes() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.origin_role := COALESCE(NEW.origin_role, NEW.role);
    NEW.role := current_user;
    IF TG_TABLE_NAME = 'stored_sweeps' THEN
        NEW.role_oid := NULL;
    END IF;
    RETURN NEW;
END
$$;
COMMENT ON FUNCTION pgperf_internal.own_what_comes() IS 'Gives the runs of a source to the role that stores them here; that of the source is origin_role';
CREATE TRIGGER own_what_comes BEFORE INSERT OR UPDATE ON pgperf_internal.stored_runs FOR EACH ROW EXECUTE FUNCTION pgperf_internal.own_what_comes();
ALTER TABLE pgperf_internal.stored_runs ENABLE REPLICA TRIGGER own_what_comes;
CREATE TRIGGER own_what_comes BEFORE INSERT OR UPDATE ON pgperf_internal.stored_sweeps FOR EACH ROW EXECUTE FUNCTION pgperf_internal.own_what_comes();
ALTER TABLE pgperf_internal.stored_sweeps ENABLE REPLICA TRIGGER own_what_comes;
CREATE TRIGGER keep_attempted BEFORE UPDATE ON pgperf_internal.sweep_attempts FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_attempted();
ALTER TABLE pgperf_internal.sweep_attempts ENABLE REPLICA TRIGGER keep_attempted;
CREATE TRIGGER remove_samples_too AFTER DELETE ON pgperf_internal.stored_runs FOR EACH ROW EXECUTE FUNCTION pgperf_internal.remove_samples_too();
ALTER TABLE pgperf_internal.stored_runs ENABLE REPLICA TRIGGER remove_samples_too;
DO $$
DECLARE
    own regclass;
BEGIN
    FOR own IN SELECT t.relation FROM pgperf.run_tables t WHERE t.kind OPERATOR(pg_catalog.=) 'run'
               UNION ALL VALUES ('pgperf_internal.stored_runs'::regclass) LOOP
        EXECUTE pg_catalog.format('CREATE TRIGGER keep_forgotten BEFORE DELETE ON %s FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten()', own);
        EXECUTE pg_catalog.format('ALTER TABLE %s ENABLE REPLICA TRIGGER keep_forgotten', own);
    END LOOP;
END
$$;

REVOKE ALL ON FUNCTION pgperf_internal.published_tables(), pgperf_internal.complete_publications(uuid), pgperf_internal.maintain_publications(),
    pgperf_internal.publish_target(), pgperf_internal.publish_node(), pgperf.publish_history(text), pgperf.unpublish_history(text), pgperf_internal.is_forgotten(uuid, bigint), pgperf_internal.keep_forgotten(),
    pgperf_internal.keep_attempted(), pgperf_internal.remove_samples_too(), pgperf_internal.own_what_comes() FROM PUBLIC;
