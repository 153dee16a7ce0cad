//! A rule's statement as the extension makes it, from the files of the checkout: so that a test can change it.

use crate::common::document;

/// The files of a rule, and its severity.
pub struct Rule {
    pub name: String,
    severity: String,
    /// As in SQL; None: it has none.
    threshold: Option<String>,
    /// Below src/history/findings; the source comes first, if it has one, then what the rule shares with the collector of plans.
    pub files: Vec<String>,
}

/// Results that rules share.
const SHARED: [&str; 7] = [
    "outcomes",
    "waits",
    "sessions",
    "chains",
    "relations",
    "statements",
    "covered",
];

/// All rules.
pub fn rules() -> Vec<Rule> {
    let subjects = ["objects", "server"]
        .map(|part| document(&format!("src/history/findings/subjects/{part}.rs")))
        .concat();
    let mut rules = Vec::new();
    for subject in subjects.split("\npub static ").skip(1) {
        let (source, subject) = subject.split_once("rules: &[").expect("rules");
        let source = included(source);
        for rule in subject.split("Rule {").skip(1) {
            let quoted = |name: &str| {
                let (_, rest) = rule.split_once(name).expect("a field");
                let end = rest.find([',', '\n']).expect("its end");
                rest[..end].trim_matches('"').to_owned()
            };
            rules.push(Rule {
                name: quoted("name: "),
                severity: quoted("severity: ").to_lowercase(),
                threshold: rule.split_once("threshold: Some(at(").map(|(_, rest)| {
                    let end = rest.find(',').expect("its end");
                    rest[..end].replace('_', "")
                }),
                files: files_of(source.clone(), included(rule).expect("its statement")),
            });
        }
    }
    rules
}

fn files_of(source: Option<String>, sql: String) -> Vec<String> {
    let candidates = text_of(&sql).contains("{index candidates}");
    let candidates = candidates.then(|| INDEX_CANDIDATES.to_owned());
    source.into_iter().chain(candidates).chain([sql]).collect()
}

fn included(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("include_str!(\"../")?;
    Some(rest.split('"').next()?.to_owned())
}

/// What a rule shares with the collector of plans, below src/history/findings.
const INDEX_CANDIDATES: &str = "../../subject/plans/index_candidates.sql";

pub fn text_of(file: &str) -> String {
    document(&format!("src/history/findings/{file}"))
}

impl Rule {
    /// A statement that reads its findings as [`super::judge::Found`], made of the texts of its files.
    /// Of the window's samples, every one counts; `window` are the arguments: node, beginning, end.
    pub fn statement(&self, texts: &[String], window: &[String; 3], samples: &str) -> String {
        let (sql, source) = texts.split_last().expect("a rule's file");
        let candidates = source.get(1).map_or("", |candidates| candidates.as_str());
        let sql = sql.replace("{index candidates}", candidates);
        let mut shared = String::new();
        for name in SHARED {
            if texts
                .iter()
                .any(|text| text.contains(&format!("{{{name}}}")))
            {
                let text = document(&format!("src/show/span/shared/{name}.sql"));
                let text = text.replace("{samples}", &samples_of(name));
                shared.push_str(&format!("pgperf_{name} AS MATERIALIZED (\n{text}\n),\n"));
            }
        }
        let source = source
            .first()
            .map(|source| format!("{source},\n"))
            .unwrap_or_default();
        let severities = "'{note,warning,critical}'::text[]";
        let found = format!(
            "(SELECT '{}' AS rule, s.severity, round(100 * (array_position({severities}, s.severity) - 1) + LEAST(99, GREATEST(0, COALESCE(r.impact::float8, 0)))) AS weight,
                r.object_kind, r.schema_name, r.object_name, r.at, r.since, r.until, r.evidence, r.figures, r.fix_sql
              FROM (\n{sql}\n) r(severity, impact, object_kind, schema_name, object_name, at, since, until, evidence, figures, fix_sql),
              LATERAL (SELECT ({severities})[GREATEST(array_position({severities}, r.severity), array_position({severities}, '{}'))] AS severity) s)",
            self.name, self.severity
        );
        let statement = super::judge::as_found(&found).replacen(
            "WITH w AS",
            &format!("WITH {shared}{source}w AS"),
            1,
        );
        let mut statement = parts(&statement);
        for name in SHARED {
            statement = statement.replace(&format!("{{{name}}}"), &format!("pgperf_{name}"));
        }
        for rule in rules() {
            if let Some(threshold) = &rule.threshold {
                statement = statement.replace(&format!("{{threshold {}}}", rule.name), threshold);
            }
        }
        let [node, from, to] = window;
        (statement.replace("$1", &format!("'{node}'")))
            .replace("$2", &format!("'{from}'"))
            .replace("$3", &format!("'{to}'"))
            .replace("$4", &format!("'{samples}'::jsonb"))
            .replace("$5", "true")
    }
}

/// Those of the collector of what is shared.
fn samples_of(shared: &str) -> String {
    let collector = match shared {
        "sessions" => "sessions",
        _ => "tables",
    };
    format!(
        "jsonb_to_recordset($4 -> '{collector}') \
         AS p(sample_id int8, taken_at timestamptz, before_id int8, at_s float8, since_s float8, samples int8)"
    )
}

/// As in src/show/span: a window that is no run's, its stretches and sixtieths, falling counters.
fn parts(sql: &str) -> String {
    let part = |parts: i64, first: i64, last: i64, begins: &str| {
        let offset = format!(
            "make_interval(secs => n.no * date_part('epoch', $3::timestamptz - $2::timestamptz) / {parts})"
        );
        format!(
            "(width_bucket(h.taken_at, (SELECT array_agg($2::timestamptz + {} ORDER BY n.no) FROM generate_series({first}, {last}) n(no))) - {})",
            begins.replace("{offset}", &offset),
            1 - first
        )
    };
    let sixtieth = part(60, -60, 59, "'1 microsecond'::interval + {offset}");
    let stretch = part(180, 0, 180, "GREATEST('1 microsecond'::interval, {offset})");
    let fell = |a: &str, b: &str| {
        format!(
            "{b}.calls < {a}.calls OR {b}.total_exec_time < {a}.total_exec_time OR {b}.wal_bytes < {a}.wal_bytes"
        )
    };
    sql.replace("{sixtieth}", &sixtieth)
        .replace("{stretch}", &stretch)
        .replace("{points}", "180")
        .replace("{of_run}", "")
        .replace("{is_run}", "false")
        .replace("{fell f l}", &fell("f", "l"))
        .replace("{fell h l}", &format!("({})", fell("h", "l")))
}
