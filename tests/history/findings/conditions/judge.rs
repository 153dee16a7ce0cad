//! Plants the rows of a table, and compares what is found.

use super::table::{Row, Side, Subject};
use crate::common::cases;
use crate::common::runs::Runs;
use postgres::{Client, Transaction};

pub struct Judge {
    session: Client,
    wrong: Vec<String>,
}

/// A finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub rule: String,
    pub object: String,
    /// All of it as one text: severity, weight, kind, schema, times as minutes m, evidence, figures and what mends it.
    pub text: String,
}

/// The findings of the window, as [`Found`].
const FINDINGS: &str = "\
    WITH w AS (SELECT min(taken_at) FILTER (WHERE m = 0) AS starts, max(taken_at) FILTER (WHERE m = 60) AS ends FROM tick)
    SELECT f.rule, COALESCE(f.object_name, ''), f.evidence,
           concat(f.severity, ' weight=', f.weight, ' kind=', f.object_kind, ' schema=', f.schema_name, ' at=', {at}, ' since=', {since}, ' until=', {until},
                  ': ', f.evidence, ' ', f.figures, ' fix=', COALESCE(f.fix_sql, 'none'))
    FROM w, {findings} f ORDER BY 1, 2, 4";

/// Copies of all rows, which must change nothing: of another node, or of later times. Their figures differ.
const NOISE: &str = "\
    DO $do$ DECLARE t text; columns text; BEGIN
    FOR t IN SELECT table_name FROM pgperf_internal.history_tables UNION SELECT 'samples' LOOP
        SELECT string_agg(CASE
            WHEN a.attname = 'node_id' THEN '{node}'
            WHEN a.attname = 'sample_id' THEN 'h.sample_id + {ids}'
            WHEN a.attname = 'taken_at' THEN 'h.taken_at + {by}'
            WHEN a.attname = 'relation_oid' OR a.attname = 'run_id' THEN quote_ident(a.attname)
            WHEN a.attname = 'value' THEN '''7'''
            WHEN a.attname = 'pending_restart' THEN 'h.pending_restart'
            WHEN a.atttypid = 'timestamptz'::regtype THEN format('h.%I + interval ''7 min''', a.attname)
            WHEN a.atttypid = 'xid8'::regtype THEN format('(h.%I::text::int8 * 3 + 7)::text::xid8', a.attname)
            WHEN a.atttypid IN ('int8'::regtype, 'float8'::regtype) THEN format('h.%I * 3 + 7', a.attname)
            WHEN a.atttypid = 'pg_lsn'::regtype THEN format('h.%I + 777777777', a.attname)
            WHEN a.atttypid = 'bool'::regtype THEN format('NOT h.%I', a.attname)
            ELSE quote_ident(a.attname) END, ', ' ORDER BY a.attnum)
        INTO columns FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', t)::regclass AND a.attnum > 0 AND NOT a.attisdropped;
        EXECUTE format('INSERT INTO pgperf.%I SELECT %s FROM pgperf.%I h WHERE {which}', t, columns, t);
    END LOOP; END $do$;";

impl Judge {
    pub fn new(mut session: Client) -> Judge {
        // The statements are short: a parallel worker would only have to be started.
        session.value("SET max_parallel_workers_per_gather = 0");
        Judge {
            session,
            wrong: Vec::new(),
        }
    }

    /// What differs from the tables.
    pub fn wrong(self) -> Vec<String> {
        self.wrong
    }

    pub fn compare(&mut self, subject: &Subject) {
        for (window, sides) in plantings(subject) {
            self.compare_sides(subject, window, &sides);
        }
        self.compare_with_noise(subject);
    }

    /// Sides planted at the same time, each as an object.
    fn compare_sides(&mut self, subject: &Subject, window: &str, sides: &[(&Row, &Side)]) {
        let mut transaction = self.session.transaction().unwrap();
        let found = match plant(&mut transaction, subject, window, sides) {
            Ok(()) => findings(&mut transaction),
            Err(error) => Err(error),
        };
        transaction.rollback().unwrap();
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                let about: Vec<&str> = sides.iter().map(|(row, _)| row.about.as_str()).collect();
                self.wrong
                    .push(format!("{}, {about:?} in {window}: {error}", subject.file));
                return;
            }
        };
        self.wrong.extend(mistakes(subject, window, sides, found));
    }

    /// The first side of the first row, with copies of its rows that are not of this window. Of a rule's first table.
    fn compare_with_noise(&mut self, subject: &Subject) {
        if !subject.file.ends_with(&format!("/{}.sql", subject.rule)) {
            return;
        }
        let row = &subject.rows[0];
        let mut transaction = self.session.transaction().unwrap();
        plant(&mut transaction, subject, "1h", &[(row, &row.sides[0])]).unwrap();
        let before = findings(&mut transaction);
        for (what, noise) in noises(subject) {
            let mut savepoint = transaction.transaction().unwrap();
            let after = savepoint
                .batch_execute(&noise)
                .map_err(|error| format!("{error:?}"))
                .and_then(|()| findings(&mut savepoint));
            savepoint.rollback().unwrap();
            if before != after {
                self.wrong.push(format!(
                    "{}: {what} change it: {before:?}, {after:?}",
                    subject.file
                ));
            }
        }
        transaction.rollback().unwrap();
    }
}

/// What they are, and the statements that copy what was planted.
pub fn noises(subject: &Subject) -> Vec<(&'static str, String)> {
    let noise = |what, node, ids, by, which| {
        let values = [
            ("{node}", node),
            ("{ids}", ids),
            ("{by}", by),
            ("{which}", which),
        ];
        (what, filled(NOISE, &values))
    };
    let other = "''00000000-0000-0000-0000-0000000000aa''::uuid";
    let after = "(SELECT max(t.taken_at) - min(t.taken_at) + interval ''1 s'' FROM tick t)";
    let mut noises = vec![noise(
        "another node's newer rows",
        other,
        "1",
        "interval ''0''",
        "true",
    )];
    if !subject.is_about_all {
        noises.push(noise("later rows", "h.node_id", "1000", after, "true"));
    }
    if subject.counts {
        let half = "(SELECT max(t.taken_at) - min(t.taken_at) FROM tick t WHERE t.m IN (0, 1)) / 2";
        let same = noise(
            "a sample more, of nothing new, in each sixtieth",
            "h.node_id",
            "0",
            half,
            "true",
        );
        let changes = [" * 3 + 7", " + 777777777", " + interval ''7 min''"];
        let sql = changes.iter().fold(same.1, |sql, change| {
            sql.replace(&format!("h.%I{change}"), "h.%I")
        });
        noises.push((
            same.0,
            sql.replace("'NOT h.%I'", "'h.%I'")
                .replace("(h.%I::text::int8 * 3 + 7)", "(h.%I)"),
        ));
    }
    noises
}

/// The sides of a table that are planted at the same time, each with its row, and the window.
pub fn plantings(subject: &Subject) -> Vec<(&str, Vec<(&Row, &Side)>)> {
    let mut together: Vec<(&str, Vec<(&Row, &Side)>)> = Vec::new();
    let mut alone = Vec::new();
    for (i, row) in subject.rows.iter().enumerate() {
        let is_alone = row.is_alone || !subject.has_objects();
        // Each side of these takes as long as all of another table's, so a row has its turn in one of its windows.
        let all = row.windows.len();
        let left_out = if is_alone { all - cases(1, all) } else { 0 };
        for window in row.windows.iter().cycle().skip(i).take(all - left_out) {
            let sides = row.sides.iter().map(|side| (row, side));
            if is_alone {
                alone.extend(sides.map(|side| (window.as_str(), vec![side])));
                continue;
            }
            match together.iter_mut().find(|(other, _)| other == window) {
                Some((_, all)) => all.extend(sides),
                None => together.push((window, sides.collect())),
            }
        }
    }
    together.extend(alone);
    together
}

/// What differs from what is written of these sides.
pub fn mistakes(
    subject: &Subject,
    window: &str,
    sides: &[(&Row, &Side)],
    found: Vec<Found>,
) -> Vec<String> {
    let place = |row: &Row| format!("{}: {}, in {window}", subject.file, row.about);
    let mut wrong = Vec::new();
    let mut rest = found;
    for (i, (row, side)) in sides.iter().enumerate() {
        let object = subject.object(i + 1, side);
        let (of_object, others): (Vec<Found>, Vec<Found>) = (rest.into_iter())
            .partition(|found| found.rule == subject.rule && found.object == object);
        rest = others;
        let texts: Vec<&str> = of_object.iter().map(|found| found.text.as_str()).collect();
        let given = &side.values;
        match &side.severity {
            None if texts.is_empty() => {}
            None => wrong.push(format!("{}, {given:?}: not silent: {texts:?}", place(row))),
            Some(severity) => {
                let is_right = |text: &&str| {
                    text.starts_with(&format!("{severity} "))
                        && side.texts.iter().all(|part| text.contains(part))
                };
                if texts.len() != 1 || !texts.iter().all(is_right) {
                    let expected = side.texts.join(" & ");
                    wrong.push(format!(
                        "{}, {given:?}: not {severity}, {expected}: {texts:?}",
                        place(row)
                    ));
                }
            }
        }
    }
    rest.retain(|found| !subject.also.contains(&found.rule));
    for found in rest {
        wrong.push(format!("{}, unexpected: {found:?}", place(sides[0].0)));
    }
    wrong
}

pub fn plant(
    transaction: &mut Transaction,
    subject: &Subject,
    window: &str,
    sides: &[(&Row, &Side)],
) -> Result<(), String> {
    let sql = subject_sql(subject, window, sides);
    transaction
        .batch_execute(&sql)
        .map_err(|error| format!("{error:?} in {sql}"))
}

fn subject_sql(subject: &Subject, window: &str, sides: &[(&Row, &Side)]) -> String {
    let ms = milliseconds(window) / 60;
    let mut sql = ticks(window) + &subject.plant_once(ms, sides[0].1);
    for (i, (_, side)) in sides.iter().enumerate() {
        sql.push_str(&subject.plant(i + 1, ms, side));
    }
    sql
}

/// Samples, sixty in a window of this length and twice as many before it.
fn ticks(window: &str) -> String {
    format!(
        "CREATE TEMP TABLE tick ON COMMIT DROP AS \
         SELECT pgperf.local_node() AS node_id, 1000 + m AS sample_id, date_trunc('hour', now()) + (m - 60) * interval '{window}' / 60 AS taken_at, m \
         FROM generate_series(-120::bigint, 60) m; \
         INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, cadence, elapsed_ms, cpu_ms, rows, pages, wal_bytes, outcomes, complete) \
         SELECT node_id, sample_id, taken_at, 1, interval '{window}' / 60, 1, 1, 1, 1, 0, \
             CASE WHEN m % 5 = 0 THEN '{{\"tables\": {{\"status\": \"ok\"}}, \"settings\": {{\"status\": \"ok\"}}}}' ELSE '{{}}' END::jsonb || '{{\"sessions\": {{\"status\": \"ok\"}}}}', true FROM tick;\n"
    )
}

/// Of '10m', '1h', '2d'.
fn milliseconds(window: &str) -> u64 {
    let (number, unit) = window.split_at(window.len() - 1);
    let unit = match unit {
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => panic!("{window}: minutes, hours or days"),
    };
    number.parse::<u64>().expect("a number") * unit * 1_000
}

fn findings(transaction: &mut Transaction) -> Result<Vec<Found>, String> {
    read(transaction, &as_found("pgperf.findings(w.starts, w.ends)"))
}

/// The statement that reads findings as [`Found`].
pub fn as_found(findings: &str) -> String {
    let minute = |column: &str| {
        format!(
            "round((60 * EXTRACT(epoch FROM f.{column} - w.starts) / EXTRACT(epoch FROM w.ends - w.starts)), 2)::float8"
        )
    };
    let sql = FINDINGS.replace("{findings}", findings);
    ["at", "since", "until"].iter().fold(sql, |sql, column| {
        sql.replace(&format!("{{{column}}}"), &minute(&format!("\"{column}\"")))
    })
}

pub fn read(transaction: &mut Transaction, sql: &str) -> Result<Vec<Found>, String> {
    let rows = transaction
        .query(sql, &[])
        .map_err(|error| format!("{error:?}"))?;
    let mut found = Vec::new();
    for row in rows {
        let evidence: String = row.get(2);
        if evidence.contains("  ")
            || evidence.contains("%%")
            || evidence.contains("could not be judged")
        {
            return Err(format!("no sentence: {evidence}"));
        }
        found.push(Found {
            rule: row.get(0),
            object: row.get(1),
            text: row.get(3),
        });
    }
    Ok(found)
}

fn filled(text: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(name, value)
    })
}
