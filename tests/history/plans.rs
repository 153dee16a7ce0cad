//! Plans of statements: when they are read, with whose rights, and what the history alone tells of one that changed.

use crate::common::runs::{NO_BUDGET, PATIENCE, Runs};
use crate::common::{Cluster, wait_for, wait_until};
use postgres::{Client, SimpleQueryMessage};

/// A sample of the statements and of the plans that are due.
fn snapshot(session: &mut Client) {
    let failed = session.value(
        "SELECT coalesce(string_agg(collector || ': ' || reason, ', '), 'none') FROM pgperf.snapshot('{statements,plans}') WHERE status <> 'ok'",
    );
    assert_eq!(failed, "none");
}

/// The rows of a statement, oldest first: why it was planned, the first node that reads something, or why there is none.
fn rows(session: &mut Client, like: &str) -> String {
    session.value(&format!(
        "SELECT coalesce(string_agg(concat_ws(' ', h.cause, btrim(substring(p.plan FROM '[^\\n]* on [^\\n]*')), h.reason), ', ' ORDER BY h.sample_id, h.queryid), 'none') \
         FROM pgperf.plan_history h JOIN pgperf.statement_texts t USING (node_id, queryid, dbid) LEFT JOIN pgperf.plan_texts p USING (node_id, plan_hash) \
         WHERE t.query LIKE '{like}'"
    ))
}

const SHOP: &str = "CREATE SCHEMA shop;
    CREATE TABLE shop.items (id int PRIMARY KEY, kind int, price int) WITH (autovacuum_enabled = false);
    INSERT INTO shop.items SELECT n, n % 1000, n FROM generate_series(1, 100000) n;
    CREATE INDEX items_kind_idx ON shop.items (kind);
    ANALYZE shop.items;";
const BY_KIND: &str = "SELECT sum(price) FROM shop.items WHERE%";

/// So many calls of the statement, with a constant of its own each.
fn calls(session: &mut Client, count: usize) {
    for n in 0..count {
        let sql = format!("SELECT sum(price) FROM shop.items WHERE kind = {n} AND price > 4711");
        session.simple_query(&sql).expect("a call");
    }
}

/// Calls, milliseconds and blocks of the statement so far.
fn counted(session: &mut Client) -> [f64; 3] {
    let row = session
        .query_one(
            "SELECT sum(calls)::float8, sum(total_exec_time), sum(shared_blks_hit + shared_blks_read)::float8 \
             FROM pg_stat_statements WHERE query LIKE 'SELECT sum(price) FROM shop.items WHERE%'",
            &[],
        )
        .expect("counters");
    [row.get(0), row.get(1), row.get(2)]
}

/// The server's own word for the plan with any values: its nodes with what they read and their conditions.
fn generic_plan(session: &mut Client) -> Vec<String> {
    session
        .batch_execute(
            "SET plan_cache_mode = force_generic_plan; DEALLOCATE ALL;
             PREPARE by_kind(int, int) AS SELECT sum(price) FROM shop.items WHERE kind = $1 AND price > $2",
        )
        .expect("a statement");
    let rows = session
        .simple_query("EXPLAIN (VERBOSE, COSTS off) EXECUTE by_kind(1, 2)")
        .expect("a plan");
    let line = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(|line| line.trim().replace("->  ", "")),
        _ => None,
    };
    let lines = rows.iter().filter_map(line);
    let other = ["Output: ", "Query Identifier: "];
    let is_of_plan = |line: &String| !other.iter().any(|other| line.starts_with(other));
    lines.filter(is_of_plan).collect()
}

/// A plan of the history in the same words.
fn words(plan: &str) -> Vec<String> {
    let line = |line: &str| {
        line.trim()
            .replace("Bitmap Index Scan using", "Bitmap Index Scan on")
    };
    plan.lines().map(line).collect()
}

/// What the history tells of a statement whose plan `change` changes: the figures are those of pg_stat_statements, read by hand.
fn expect_told(change: &str, plans: [&str; 2], is_mended: bool) {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.batch_execute(SHOP).expect("tables");
    let mut judged = Vec::new();
    let mut planned = Vec::new();
    for sample in 0..16 {
        if sample == 8 {
            planned.push(generic_plan(&mut session));
            session.batch_execute(change).expect("a change");
            planned.push(generic_plan(&mut session));
        }
        calls(&mut session, 150);
        snapshot(&mut session);
        if [0, 7, 15].contains(&sample) {
            judged.push(counted(&mut session));
        }
    }
    let [old, new] = plans.map(|plan| format!("{plan} on shop.items"));
    // On a busy machine the time may leave its spread before.
    let found = rows(&mut session, BY_KIND);
    let mut found: Vec<&str> = found.split(", ").collect();
    assert_eq!(found[0], format!("top {old}"));
    found[1..]
        .iter()
        .for_each(|row| assert!(row.starts_with("changed "), "{row}"));
    found.dedup_by_key(|row| row.split_once(' ').map(|(_, plan)| plan.to_owned()));
    assert_eq!(
        found.last(),
        Some(&format!("changed {new}").as_str()),
        "{found:?}"
    );
    assert_eq!(found.len(), 2, "{found:?}");
    // From the eighth sample on: as long before it as after it, or longer.
    session
        .batch_execute(
            "CREATE TEMP TABLE s AS SELECT row_number() OVER (ORDER BY sample_id) AS no, taken_at FROM pgperf.samples WHERE outcomes ? 'plans';
             CREATE TEMP VIEW w AS SELECT (SELECT taken_at FROM s WHERE no = 8) AS middle, (SELECT taken_at FROM s WHERE no = 9) AS after, clock_timestamp() AS now",
        )
        .expect("the times of samples");
    let finding = session
        .query_one(
            "SELECT f.evidence, f.figures ->> 'plan_before', f.figures ->> 'plan', (f.figures ->> 'times')::float8, (f.figures ->> 'blocks_times')::float8, \
                    (f.figures ->> 'began_after')::timestamptz = w.middle AND (f.figures ->> 'began_at')::timestamptz = w.after, f.fix_sql \
             FROM w, pgperf.findings(w.middle, w.now) f WHERE f.rule = 'slower_statement'",
            &[],
        )
        .expect("one finding");
    let text = |place: usize| -> String { finding.get(place) };
    assert!(
        text(0).contains(", with another plan: SELECT sum(price)"),
        "{}",
        text(0)
    );
    assert_eq!(
        [words(&text(1)), words(&text(2))],
        [planned[0].clone(), planned[1].clone()]
    );
    let of = |from: usize, counter: usize| {
        let difference = |counter: usize| judged[from + 1][counter] - judged[from][counter];
        difference(counter) / difference(0)
    };
    let near = |place: usize, counter: usize| {
        let (told, is): (f64, f64) = (finding.get(place), of(1, counter) / of(0, counter));
        assert!((told - is).abs() <= 0.01 * is + 0.01, "{told} {is}");
    };
    near(3, 1);
    near(4, 2);
    assert!(finding.get::<_, bool>(5), "{}", text(0));
    assert_eq!(text(6), "ANALYZE shop.items;");
    session.batch_execute(&text(6)).expect("what is proposed");
    let mended = generic_plan(&mut session) == planned[0];
    assert_eq!(mended, is_mended);

    // Side by side, in the report of the window and in its comparison with the one before.
    let report = session
        .value("SELECT string_agg(l, E'\\n') FROM w, pgperf.history_report(w.middle, w.now) l");
    let nodes = |text: &str| plans.iter().all(|plan| text.contains(&format!("{plan} ")));
    let (_, changed) = report
        .split_once("Plans that changed:")
        .expect("a table of changes");
    assert!(
        changed.contains("plan before") && nodes(changed),
        "{report}"
    );
    let comparison = session.value(
        "SELECT string_agg(l, E'\\n') FROM w, pgperf.history_compare(w.middle - (w.now - w.middle), w.middle, w.middle, w.now) l",
    );
    let (_, other) = comparison
        .split_once("Another plan: SELECT sum(price)")
        .expect("another plan");
    assert!(nodes(other), "{comparison}");
    let seen = session.value(
        "SELECT count(*) || ' ' || bool_and(first_seen_at <= last_seen_at AND plan LIKE '%Aggregate%' AND query LIKE 'SELECT sum(price)%') FROM pgperf.statement_plans \
         WHERE query LIKE 'SELECT sum(price)%'",
    );
    assert_eq!(seen, "2 true");
}

#[test]
fn a_dropped_index_is_told_with_both_plans_the_onset_and_the_factors() {
    let plans = ["Bitmap Heap Scan", "Seq Scan"];
    expect_told("DROP INDEX shop.items_kind_idx", plans, false);
}

#[test]
fn spoilt_statistics_are_told_with_both_plans_the_onset_and_the_factors() {
    // As if all rows had one value.
    let spoil = "UPDATE pg_statistic SET stadistinct = 1, stakind1 = 0, stakind2 = 0 WHERE starelid = 'shop.items'::regclass AND staattnum = 2";
    expect_told(spoil, ["Bitmap Heap Scan", "Seq Scan"], true);
}

#[test]
fn constants_of_views_and_indexes_are_in_no_plan() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.batch_execute(SHOP).expect("tables");
    session
        .batch_execute("CREATE VIEW shop.rare AS SELECT * FROM shop.items WHERE price BETWEEN 4242 AND 4343 AND md5(id::text) <> 'a secret'")
        .expect("a view");
    snapshot(&mut session);
    session
        .simple_query("SELECT count(*) FROM shop.rare")
        .expect("a call");
    snapshot(&mut session);
    let plan = session.value(
        "SELECT plan FROM pgperf.statement_plans WHERE query LIKE 'SELECT count(*) FROM shop.rare'",
    );
    assert!(plan.contains(">= ?") && plan.contains("<> ?"), "{plan}");
    assert!(!plan.contains("secret") && !plan.contains("42"), "{plan}");
}

/// What a statement's role may do, planning may do, and no more.
#[test]
fn planning_has_the_rights_of_the_statements_role_and_calls_nobody_elses_code() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE ROLE app LOGIN; CREATE ROLE mallory LOGIN; CREATE SCHEMA app AUTHORIZATION app; GRANT CREATE ON SCHEMA public TO mallory;
             CREATE TABLE seen (who text, how text); GRANT INSERT ON seen TO PUBLIC;
             ALTER ROLE app SET search_path = app, public; ALTER ROLE app SET enable_seqscan = off;",
        )
        .expect("roles");
    let mut app = cluster.connect_as("app");
    // What the planner computes: who it is there, and whether it could become somebody else, or write.
    app.batch_execute(
        "CREATE FUNCTION app.whoami() RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
         BEGIN
             BEGIN INSERT INTO public.seen VALUES (current_user, 'wrote'); EXCEPTION WHEN OTHERS THEN NULL; END;
             BEGIN EXECUTE 'RESET ROLE'; EXECUTE 'SET SESSION AUTHORIZATION DEFAULT'; EXCEPTION WHEN OTHERS THEN NULL; END;
             RETURN current_user; END $$;
         CREATE TABLE app.t (id int PRIMARY KEY, who text); INSERT INTO app.t SELECT n, 'app' FROM generate_series(1, 100) n; ANALYZE app.t;",
    )
    .expect("the application's objects");
    snapshot(&mut session);
    app.simple_query("SELECT count(*) FROM t WHERE who = app.whoami()")
        .expect("a call");
    app.simple_query("SELECT count(*) AS by_id FROM t WHERE id > 0")
        .expect("a call");
    // Planted: the same operator of another role, and a function that a superuser's statement calls.
    let mut mallory = cluster.connect_as("mallory");
    mallory
        .batch_execute(
            "CREATE FUNCTION public.take() RETURNS int LANGUAGE plpgsql AS $$
             BEGIN
                 IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN ALTER ROLE mallory SUPERUSER; END IF;
                 RAISE LOG 'mallory was called by %', current_user; RETURN 1; END $$;
             CREATE FUNCTION public.gain() RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT public.take()';
             CREATE FUNCTION public.eq(text, int) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM public.gain(); RETURN true; END $$;
             CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = int, FUNCTION = public.eq);",
        )
        .expect("planted");
    app.simple_query("SELECT count(*) AS planted FROM t WHERE 'a'::text = 5::int")
        .expect("a call");
    app.batch_execute("CREATE TEMP TABLE passing (a int); SELECT count(*) AS temporary FROM passing; SELECT count(*) AS gone FROM t t1, t t2")
        .expect("a temporary table");
    session
        .simple_query("SELECT count(*) AS superusers FROM pg_class WHERE relpages = public.gain()")
        .expect("a call");
    assert_eq!(
        session.value("SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'"),
        "t"
    );
    session
        .batch_execute("ALTER ROLE mallory NOSUPERUSER; TRUNCATE seen")
        .expect("as before");
    let log_before = cluster.log().matches("mallory was called").count();
    snapshot(&mut session);
    // Twenty are planned at most, ten at once.
    snapshot(&mut session);
    let mut of = |like: &str| rows(&mut session, like);
    assert_eq!(of("%app.whoami()%"), "top Seq Scan on app.t");
    // Its own settings: it reads no table from end to end.
    assert!(of("%by_id%").contains(" using t_pkey on app.t"));
    assert_eq!(
        of("%planted%"),
        "top it calls the function eq of another role"
    );
    assert_eq!(
        of("SELECT count(*) AS superusers%"),
        "top it calls the function gain of another role"
    );
    assert_eq!(
        of("SELECT count(*) AS temporary%"),
        "top relation \"passing\" does not exist"
    );
    let plan =
        session.value("SELECT plan FROM pgperf.statement_plans WHERE query LIKE '%app.whoami()%'");
    assert!(plan.contains("who = ?"), "{plan}");
    assert_eq!(session.value("SELECT count(*) FROM seen"), "0");
    assert_eq!(
        session.value("SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'"),
        "f"
    );
    assert_eq!(
        cluster.log().matches("mallory was called").count(),
        log_before
    );
    assert_eq!(
        session.value("SELECT current_user || ' ' || session_user"),
        "postgres postgres"
    );
    // Nothing of that was counted as the user's.
    assert_eq!(
        session.value("SELECT count(*) FROM pg_stat_statements WHERE query ILIKE 'EXPLAIN%'"),
        "0"
    );
    // What has no plan is not tried again at every sample.
    app.batch_execute("SELECT count(*) AS temporary FROM passing")
        .expect("a temporary table");
    snapshot(&mut session);
    assert_eq!(
        rows(&mut session, "SELECT count(*) AS temporary%"),
        "top relation \"passing\" does not exist"
    );
}

#[test]
fn a_plan_is_read_again_after_a_day_and_ten_minutes_after_a_change() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.batch_execute(SHOP).expect("tables");
    snapshot(&mut session);
    let mut next = |older: &str| {
        session
            .batch_execute(&format!("UPDATE pgperf.plan_history SET {older}"))
            .expect("older rows");
        calls(&mut session, 10);
        snapshot(&mut session);
        session.value(
            "SELECT string_agg(cause, ' ' ORDER BY sample_id) FROM pgperf.plan_history h JOIN pgperf.statement_texts t USING (node_id, queryid, dbid) \
             WHERE t.query LIKE 'SELECT sum(price) FROM shop.items%'",
        )
    };
    // Fewer than six intervals: none of them is beyond a spread.
    assert_eq!(next("cause = 'top'"), "top");
    let hours = |count: u32| format!("taken_at = taken_at - interval '{count} hours'");
    assert_eq!(next(&hours(23)), "top");
    assert_eq!(next(&hours(2)), "top top");
    let changed = "cause = 'changed', taken_at = taken_at - interval '9 minutes'";
    assert_eq!(next(changed), "changed changed");
    assert_eq!(
        next("taken_at = taken_at - interval '2 minutes'"),
        "changed changed again"
    );
    assert_eq!(
        next("taken_at = taken_at - interval '1 hour'"),
        "changed changed again"
    );
}

#[test]
fn what_cannot_be_planned_says_why() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute("CREATE ROLE passing LOGIN; CREATE TABLE t (a int, at timestamptz); GRANT SELECT ON t TO passing; CREATE TABLE gone (a int); CREATE TABLE made AS SELECT 1 AS a")
        .expect("tables");
    snapshot(&mut session);
    let mut passing = cluster.connect_as("passing");
    passing
        .simple_query("SELECT count(*) AS of_passing FROM t")
        .expect("a call");
    drop(passing);
    let long = format!(
        "SELECT count(*) AS long FROM t WHERE a IN ({})",
        vec!["a + a"; 2500].join(", ")
    );
    session
        .batch_execute("DROP OWNED BY passing; DROP ROLE passing; SELECT count(*) AS of_gone FROM gone; DROP TABLE gone")
        .expect("what goes");
    for text in [
        long.as_str(),
        "SELECT count(*) AS recent FROM t WHERE at > now() - interval '1 day'",
        "SELECT a AS into INTO fresh FROM t",
        "INSERT INTO t SELECT 5 AS inserted",
        "VACUUM t",
    ] {
        session.simple_query(text).expect("a call");
    }
    snapshot(&mut session);
    let mut of = |like: &str| rows(&mut session, like);
    assert_eq!(of("%of_passing%"), "top its role was dropped");
    assert_eq!(of("%AS long%"), "top its text was cut off");
    assert_eq!(of("%of_gone%"), "top relation \"gone\" does not exist");
    assert_eq!(of("%AS recent%"), "top syntax error at or near \"$1\"");
    assert_eq!(of("%INTO fresh%"), "top it has no plan");
    assert_eq!(of("%AS inserted%"), "top Insert ModifyTable on public.t");
    assert_eq!(of("VACUUM%"), "none");
    assert_eq!(session.value("SELECT count(*) FROM t"), "1");
}

#[test]
fn planning_that_takes_too_long_is_given_up_and_a_locked_table_waits_for_the_next_sample() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE FUNCTION slow() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(CASE WHEN current_setting('application_name') = 'quick' THEN 0 ELSE 60 END); RETURN 1; END $$;
             CREATE TABLE t (a int); CREATE TABLE u (a int)",
        )
        .expect("tables");
    snapshot(&mut session);
    session
        .batch_execute("SET application_name = 'quick'; SELECT count(*) AS waits FROM t WHERE a = slow(); RESET application_name; SELECT count(*) AS locked FROM u")
        .expect("calls");
    let mut other = cluster.connect();
    other.batch_execute("BEGIN; LOCK TABLE u").expect("a lock");
    snapshot(&mut session);
    assert_eq!(
        rows(&mut session, "SELECT count(*) AS waits%"),
        "top canceling statement due to statement timeout"
    );
    assert_eq!(rows(&mut session, "SELECT count(*) AS locked%"), "none");
    other.batch_execute("COMMIT").expect("no lock");
    session
        .batch_execute("SELECT count(*) AS locked FROM u")
        .expect("a call");
    snapshot(&mut session);
    assert_eq!(
        rows(&mut session, "SELECT count(*) AS locked%"),
        "top Seq Scan on public.u"
    );
    // The session goes on as before, with a statement_timeout of its own, too.
    session
        .batch_execute("SET statement_timeout = '20s'; SELECT pg_sleep(1.2)")
        .expect("no timeout");
    snapshot(&mut session);
}

/// The sampler itself, whose cancel is no statement's.
#[test]
fn the_sampler_reads_plans_at_its_interval_and_outlives_one_that_takes_too_long() {
    let cluster = Cluster::with_pgperf(&[NO_BUDGET]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE FUNCTION slow() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(CASE WHEN current_setting('application_name') = 'quick' THEN 0 ELSE 60 END); RETURN 1; END $$;
             CREATE TABLE t (a int); SET application_name = 'quick'; SELECT count(*) AS waits FROM t WHERE a = slow();
             UPDATE pgperf.collectors SET sample_interval = CASE WHEN name IN ('statements', 'plans') THEN interval '1 s' END;
             SELECT pgperf.start_sampler()",
        )
        .expect("a statement");
    wait_for(
        "a plan that takes too long",
        "top canceling statement due to statement timeout",
        PATIENCE,
        || rows(&mut session, "SELECT count(*) AS waits%"),
    );
    let samples = session.number("SELECT count(*) FROM pgperf.samples");
    wait_until("further samples", PATIENCE, || {
        session.number("SELECT count(*) FROM pgperf.samples") > samples + 2
    });
    assert_eq!(
        session.value(
            "SELECT count(DISTINCT pid) FROM pg_stat_activity WHERE backend_type = 'pgperf sampler'"
        ),
        "1"
    );
}

/// A plan that changed, as the newest two samples would have it.
pub fn planted_change(session: &mut Client) {
    session.value(
        "WITH rows AS (
             INSERT INTO pgperf.plan_history (node_id, sample_id, taken_at, queryid, userid, dbid, cause, plan_hash, calls, mean_exec_time, blocks_per_call, total_cost)
             SELECT s.node_id, s.sample_id, s.taken_at, 4711, 10, 5, 'changed', s.no, 10, 5 * s.no, 7 * s.no, 11 * s.no
             FROM (SELECT node_id, sample_id, taken_at, row_number() OVER (ORDER BY sample_id DESC) AS no FROM pgperf.samples ORDER BY sample_id DESC LIMIT 2) s
             RETURNING node_id, taken_at, plan_hash),
         texts AS (INSERT INTO pgperf.plan_texts SELECT node_id, plan_hash, taken_at, 'Seq Scan on t' || plan_hash FROM rows RETURNING 1)
         SELECT count(*) FROM rows, texts",
    );
}
