//! The statements that make an older extension as the fresh one, from a database with each. What follows from no difference, such as
//! rows, is not among them: `fresh_and_updated.rs` reports what is missing.

use std::collections::{BTreeSet, HashMap};

use postgres::Client;

/// Begins what somebody has to write.
pub const BY_HAND: &str = "-- BY HAND";

/// A statement of the install script, as the catalog has it.
struct Made {
    object: String,
    aspect: String,
    sql: String,
    removal: String,
}

fn made(session: &mut Client) -> Vec<Made> {
    // All names with their schema.
    session
        .batch_execute("SET search_path = pg_catalog")
        .expect("SET");
    let rows = session
        .query(include_str!("statements.sql"), &[])
        .expect("the statements");
    session.batch_execute("RESET search_path").expect("RESET");
    rows.iter()
        .map(|row| Made {
            object: row.get(2),
            aspect: row.get(3),
            sql: row.get(4),
            removal: row.get(5),
        })
        .collect()
}

/// The columns of each view, and what depends on it.
fn views(session: &mut Client) -> HashMap<String, (Vec<String>, Vec<String>)> {
    let sql = "SELECT c.oid::regclass::text, \
           (SELECT array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ORDER BY a.attnum) \
            FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0), \
           ARRAY(SELECT DISTINCT v.oid::regclass::text FROM pg_depend d JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid \
                 JOIN pg_class v ON v.oid = w.ev_class WHERE d.refobjid = c.oid AND v.oid <> c.oid) \
         FROM pg_class c WHERE c.relnamespace::regnamespace::text IN ('pgperf', 'pgperf_internal') AND c.relkind = 'v'";
    let rows = session.query(sql, &[]).expect("the views");
    let view = |row: &postgres::Row| (row.get(0), (row.get(1), row.get(2)));
    rows.iter().map(view).collect()
}

/// The views that have to go, since they cannot be replaced, each after those that depend on it.
fn doomed(fresh: &mut Client, updated: &mut Client) -> Vec<String> {
    let (new, old) = (views(fresh), views(updated));
    let mut doomed = Vec::new();
    for (name, (columns, _)) in &old {
        let is_replaceable = new
            .get(name)
            .is_some_and(|(now, _)| now.starts_with(columns));
        if !is_replaceable {
            doom(name, &old, &mut doomed);
        }
    }
    doomed
}

fn doom(name: &str, views: &HashMap<String, (Vec<String>, Vec<String>)>, doomed: &mut Vec<String>) {
    if doomed.iter().any(|one| one == name) {
        return;
    }
    for dependent in views.get(name).map_or(&[][..], |(_, of)| of) {
        doom(dependent, views, doomed);
    }
    doomed.push(name.to_owned());
}

/// What each function returns, with its columns.
fn results(session: &mut Client) -> HashMap<String, String> {
    let sql = "SELECT p.oid::regprocedure::text, concat_ws(' ', pg_get_function_result(p.oid), p.proallargtypes::text, p.proargmodes::text, p.proargnames::text) FROM pg_proc p \
         WHERE p.pronamespace::regnamespace::text IN ('pgperf', 'pgperf_internal') AND p.prokind = 'f'";
    let rows = session.query(sql, &[]).expect("the functions");
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// The functions that have to go, since what they return has changed.
fn outdated(fresh: &mut Client, updated: &mut Client) -> Vec<String> {
    let (new, old) = (results(fresh), results(updated));
    let mut outdated: Vec<String> = (old.into_iter())
        .filter(|(name, result)| new.get(name).is_some_and(|now| now != result))
        .map(|(name, _)| name)
        .collect();
    outdated.sort();
    outdated
}

/// The statements that make the updated extension as the fresh one. Those that begin with [`BY_HAND`] cannot be derived.
pub fn draft(fresh: &mut Client, updated: &mut Client) -> String {
    let doomed = doomed(fresh, updated);
    let outdated = outdated(fresh, updated);
    let wanted = made(fresh);
    let mut there = made(updated);
    there.retain(|one| !doomed.contains(&one.object) && !outdated.contains(&one.object));
    let key = |one: &Made| (one.object.clone(), one.aspect.clone());
    let known: HashMap<_, _> = there.iter().map(|one| (key(one), one)).collect();
    let keys: BTreeSet<_> = wanted.iter().map(key).collect();
    // What comes and goes with its table.
    let whole = |one: &Made, among: &dyn Fn(&(String, String)) -> bool| {
        let is_part = one.aspect.starts_with("column ") || one.aspect.starts_with("constraint ");
        is_part && !among(&(one.object.clone(), "TABLE".to_owned()))
    };
    let mut statements: Vec<String> = doomed
        .iter()
        .map(|view| format!("DROP VIEW {view}"))
        .chain(outdated.iter().map(|name| format!("DROP FUNCTION {name}")))
        .collect();
    let of_nothing = |one: &&Made| {
        let gone = |kind: &str| {
            let object = (one.object.clone(), kind.to_owned());
            known.contains_key(&object) && !keys.contains(&object)
        };
        one.aspect.starts_with("comment of ")
            && [
                "TABLE",
                "VIEW",
                "SEQUENCE",
                "FUNCTION",
                "PROCEDURE",
                "AGGREGATE",
                "TYPE",
            ]
            .into_iter()
            .any(gone)
    };
    let left_over = there
        .iter()
        .rev()
        .filter(|one| !keys.contains(&key(one)) && !one.removal.is_empty())
        .filter(|one| !whole(one, &|object| keys.contains(object)) && !of_nothing(one));
    statements.extend(left_over.map(|one| one.removal.clone()));
    for one in &wanted {
        let same = known.get(&key(one)).is_some_and(|old| old.sql == one.sql);
        if same || one.sql.is_empty() || whole(one, &|object| known.contains_key(object)) {
            continue;
        }
        let is_there = known.contains_key(&key(one));
        match one.aspect.split(' ').next() {
            // By its columns and constraints.
            Some("TABLE") if is_there => {}
            Some("column" | "constraint" | "SEQUENCE" | "TYPE" | "INDEX" | "trigger")
                if is_there =>
            {
                let sql = one.sql.replace('\n', "\n-- ");
                statements.push(format!("{BY_HAND}, it is different: {sql}"));
            }
            _ if is_there => statements.push(one.sql.clone()),
            // What is new must not be there.
            _ => statements.push(one.sql.replacen("CREATE OR REPLACE ", "CREATE ", 1)),
        }
    }
    statements
        .iter()
        .map(|statement| format!("{statement};\n"))
        .collect()
}
