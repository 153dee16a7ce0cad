//! Statements, as pg_stat_statements counts them.
//!
//! A statement gets a row if it was called since its last row. A sample stores the [`MAX_ROWS`] statements with the most time
//! since then. The sampler postpones the rows of statements that hardly matter ([`postponing`]). Texts are stored once ([`texts`]).
//! A row also has what the kernel counted ([`kernel`]), where pg_stat_kcache is installed. pgperf never resets pg_stat_statements: it belongs to the user.
//!
//! The last rows of statements are looked up in batches, and all columns are read only for statements to be stored: both
//! pg_stat_statements and the history may have many thousands.

mod kernel;
mod of_target;
mod postponing;
mod texts;

use crate::collect::collector::{
    Collector, Cost, InRuns, InVisits, Read, Reading, Scope, extension_schema,
};
use crate::collect::of_target::TargetSource;
use crate::collect::rows::{self, Row};
use crate::collect::sample::parts::{Pace, Parts};
use crate::error::Result;
use crate::pg::sql::spi;
pub use kernel::{KERNEL, probe_sql as kernel_probe_sql};
use pgrx::datum::DatumWithOid;
use postponing::{AMOUNTS, Amounts, Limits};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "statements",
    cost: Cost::Medium,
    sample_interval_s: 60,
    keeps_interval: true,
    in_runs: InRuns::Ends,
    in_visits: InVisits::WhenDue,
    since_major: None,
    needs: Some("pg_stat_statements"),
    watches_clients: false,
    report: None,
    history_tables: &["statement_history"],
    description: "statements that were called, through pg_stat_statements: time, rows, blocks, WAL",
    of_target: Some(TargetSource {
        since_major: None,
        queries: of_target::queries,
        reading: of_target::reading,
    }),
    read: Read::InParts(read),
};

/// Most rows that one sample stores.
const MAX_ROWS: usize = 500;
/// Statements read whole at once.
const READ_WHOLE: usize = 125;

/// The keys and counters of all statements: one value per statement in each list.
#[derive(Default, Deserialize)]
struct Counted {
    /// Time from which a last row is looked for.
    since: Option<String>,
    queryid: Vec<i64>,
    userid: Vec<u32>,
    dbid: Vec<u32>,
    toplevel: Vec<bool>,
    amounts: Vec<Amounts>,
    /// Of all together, when the sample before was taken; None: there is none.
    together: Option<Amounts>,
}

/// The last rows of some statements, one value per statement in each list.
#[derive(Default, Deserialize)]
struct Last {
    place: Vec<usize>,
    sample_id: Vec<i64>,
    amounts: Vec<Amounts>,
    is_old: Vec<bool>,
    /// So old that the row cannot be postponed any longer.
    is_late: Vec<bool>,
}

/// A statement that is to be stored.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Due {
    /// In the lists of [`Counted`].
    place: usize,
    /// The sample of its last row.
    before: Option<i64>,
    /// Milliseconds since that.
    time: f64,
    /// All milliseconds that it has taken, if no row tells of them, or if the last one that does is about to be too old to be found.
    unseen: f64,
    /// Its row can be postponed: it is neither new nor did it begin again, and its last row is young.
    may_wait: bool,
    /// What it did since then matters too little for a row by now.
    is_postponed: bool,
}

fn read(scope: &Scope, parts: &mut dyn Parts) -> Result<Reading> {
    let node = scope.node_id.as_str();
    let (schema, mut together) = parts.part(|| {
        let schema = extension_schema("pg_stat_statements")?;
        let together = rows::select(
            &together_sql(&schema),
            &[postponing::longest_s(scope).into()],
        )?;
        Ok((schema, together))
    })?;
    let counted = parts.part(|| {
        let counted = spi::select_one::<Counted>(&counted_sql(&schema), &[node.into()])?;
        Ok(counted.unwrap_or_default())
    })?;
    let Picked {
        statements: picked,
        left_out,
        left_out_time,
        postponed,
    } = pick(scope, &counted, parts)?;
    let places: Vec<usize> = picked.iter().map(|due| due.place).collect();
    let mut usage = kernel::read(node, &counted, &places, parts)?;
    let mut statements = Vec::new();
    for some in picked.chunks(READ_WHOLE) {
        let places: Vec<usize> = some.iter().map(|due| due.place).collect();
        let whole = || rows::select(&whole_sql(&schema), &arguments(node, &counted, &places));
        let mut read = parts.part(whole)?;
        for row in &mut read {
            let place = row.remove("place").and_then(|place| place.as_u64());
            let due = some.iter().find(|due| Some(due.place as u64) == place);
            let before = due.and_then(|due| due.before);
            row.insert("before_sample_id".to_owned(), before.into());
            if let Some(due) = due {
                usage.add_to(due.place, row);
            }
            rename(row);
        }
        statements.append(&mut read);
    }
    rows::forget_untimed(&mut statements, scope.timing.io, &BLOCK_TIMES);
    let unknown: Vec<i64> = statements
        .iter()
        .filter(|row| row.get("known") == Some(&Value::Bool(false)))
        .filter_map(|row| row.get("queryid")?.as_i64())
        .collect();
    usage.add_together(&mut together);
    for row in &mut together {
        row.insert("left_out".to_owned(), left_out.into());
        row.insert("max_left_out_time".to_owned(), left_out_time.into());
        if !postponed {
            row.remove("postponed_since");
        }
    }
    let mut tables = vec![
        ("statement_history", rows::values(together).into()),
        ("statement_history", rows::values(statements).into()),
    ];
    let mut note = usage.note;
    if !unknown.is_empty() || texts::are_many() {
        let (texts, reason) = parts.part(|| texts::read(&schema, node, unknown))?;
        tables.push(("statement_texts", rows::values(texts).into()));
        note = reason.or(note);
    }
    Ok(Reading { tables, note })
}

/// The statements that get rows in a sample.
struct Picked {
    /// Those with most time first.
    statements: Vec<Due>,
    /// The number of those that are due and get none, and the most time that one of them has taken of which no row tells.
    left_out: usize,
    left_out_time: Option<f64>,
    /// Whether rows were postponed.
    postponed: bool,
}

fn pick(scope: &Scope, counted: &Counted, parts: &mut dyn Parts) -> Result<Picked> {
    let node = scope.node_id.as_str();
    let limits = Limits::of(scope, counted);
    let mut picked = due(node, counted, &limits, parts)?;
    postpone_own(node, counted, &mut picked, parts)?;
    let postponed = picked.iter().any(|due| due.is_postponed);
    picked.retain(|due| !due.is_postponed);
    picked.sort_by(|a, b| b.time.total_cmp(&a.time));
    let unseen = picked.iter().skip(MAX_ROWS).map(|due| due.unseen);
    let left_out_time = unseen.reduce(f64::max);
    let left_out = picked.len().saturating_sub(MAX_ROWS);
    picked.truncate(MAX_ROWS);
    Ok(Picked {
        statements: picked,
        left_out,
        left_out_time,
        postponed,
    })
}

/// The statements that were called since their last row, that have none, or whose last one is old.
fn due(node: &str, counted: &Counted, limits: &Limits, parts: &mut dyn Parts) -> Result<Vec<Due>> {
    let (mut pace, mut due) = (Pace::new(), Vec::new());
    let mut next = 0;
    while next < counted.queryid.len() {
        let end = counted.queryid.len().min(next + pace.size() as usize);
        let places: Vec<usize> = (next..end).collect();
        let last = pace.part(parts, || {
            let mut args = arguments(node, counted, &places);
            args.push(counted.since.as_deref().into());
            args.push(limits.longest_s.into());
            Ok(spi::select_one::<Last>(&last_sql(), &args)?.unwrap_or_default())
        })?;
        due.extend(due_of(counted, limits, &places, &last));
        next = end;
    }
    Ok(due)
}

fn due_of(counted: &Counted, limits: &Limits, places: &[usize], last: &Last) -> Vec<Due> {
    let rows: HashMap<usize, usize> = (last.place.iter().copied()).zip(0..).collect();
    let one = |&place: &usize| {
        let [calls, time, ..] = *counted.amounts.get(place)?;
        let Some(&row) = rows.get(&place) else {
            return Some(Due {
                place,
                before: None,
                time,
                unseen: time,
                may_wait: false,
                is_postponed: false,
            });
        };
        let last_amounts = last.amounts.get(row)?;
        let [last_calls, last_time, ..] = *last_amounts;
        let is_old = *last.is_old.get(row)?;
        let was_called = last_calls != calls || last_time != time;
        if !was_called && !is_old {
            return None;
        }
        // With fewer calls or less time than before it began again, as with as many calls that took another time.
        let went_on = (!was_called || last_calls < calls) && last_time <= time;
        let is_late = is_old || *last.is_late.get(row)?;
        let may_wait = went_on && !is_late && limits.are_known();
        Some(Due {
            place,
            before: last.sample_id.get(row).copied(),
            time: if went_on { time - last_time } else { time },
            unseen: if is_old { time } else { 0.0 },
            may_wait,
            is_postponed: may_wait && limits.are_little(last_amounts, counted.amounts.get(place)?),
        })
    };
    places.iter().filter_map(one).collect()
}

/// Postpones the rows of pgperf's own statements, as the sampler is the one who calls them.
fn postpone_own(
    node: &str,
    counted: &Counted,
    due: &mut [Due],
    parts: &mut dyn Parts,
) -> Result<()> {
    #[derive(Deserialize)]
    struct Own {
        places: Vec<usize>,
    }
    let waiting = due.iter().filter(|due| due.may_wait && !due.is_postponed);
    let places: Vec<usize> = waiting.map(|due| due.place).collect();
    for some in places.chunks(READ_WHOLE) {
        let own =
            parts.part(|| spi::select_one::<Own>(&own_sql(), &arguments(node, counted, some)))?;
        let own: HashSet<usize> = own.into_iter().flat_map(|own| own.places).collect();
        let all = due.iter_mut().filter(|due| own.contains(&due.place));
        all.for_each(|due| due.is_postponed = true);
    }
    Ok(())
}

/// For SQL: the node, then the places and keys of statements.
fn arguments<'a>(node: &'a str, counted: &Counted, places: &[usize]) -> Vec<DatumWithOid<'a>> {
    fn at<T: Copy>(list: &[T], places: &[usize]) -> Vec<Option<T>> {
        let at = |place: &usize| list.get(*place).copied();
        places.iter().map(at).collect()
    }
    let oids = |list: &[u32]| -> Vec<Option<i64>> {
        let wide = |oid: Option<u32>| oid.map(i64::from);
        at(list, places).into_iter().map(wide).collect()
    };
    let numbers: Vec<i64> = places.iter().map(|place| *place as i64).collect();
    vec![
        node.into(),
        numbers.into(),
        at(&counted.queryid, places).into(),
        oids(&counted.userid).into(),
        oids(&counted.dbid).into(),
        at(&counted.toplevel, places).into(),
    ]
}

/// Times that are 0 where track_io_timing is off.
const BLOCK_TIMES: [&str; 6] = [
    "shared_blk_read_time",
    "shared_blk_write_time",
    "local_blk_read_time",
    "local_blk_write_time",
    "temp_blk_read_time",
    "temp_blk_write_time",
];

/// Up to version 1.10 of the extension, the times of shared blocks had names without "shared".
fn rename(row: &mut Row) {
    for (old, new) in [
        ("blk_read_time", "shared_blk_read_time"),
        ("blk_write_time", "shared_blk_write_time"),
    ] {
        if let Some(time) = row.remove(old) {
            row.insert(new.to_owned(), time);
        }
    }
}

/// A [`Counted`] of all statements. $1: the node.
fn counted_sql(schema: &str) -> String {
    let list = |value: &str, column: &str| {
        format!("COALESCE(pg_catalog.array_agg({value}), '{{}}') AS {column}")
    };
    let lists = [
        list("n.queryid", "queryid"),
        list("n.userid::pg_catalog.int8", "userid"),
        list("n.dbid::pg_catalog.int8", "dbid"),
        list("n.toplevel", "toplevel"),
        list(&postponing::array("n"), "amounts"),
    ]
    .join(", ");
    format!(
        "SELECT {lists}, {} FROM {schema}.pg_stat_statements(false) n WHERE n.queryid IS NOT NULL",
        before()
    )
}

/// What the sample before tells a [`Counted`], as columns. $1: the node.
fn before() -> String {
    let of_last = |column: &str| {
        format!(
            "(SELECT {column} FROM pgperf.statement_history z \
              WHERE z.node_id = $1::pg_catalog.uuid AND z.queryid = 0 ORDER BY z.sample_id DESC LIMIT 1)"
        )
    };
    format!(
        "{} AS together, {} AS since",
        of_last(&postponing::array("z")),
        of_last("z.taken_at - '8 days'::pg_catalog.interval")
    )
}

/// The statements of [`arguments`], as `k`.
const KEYS: &str = "ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3), pg_catalog.unnest($4), \
        pg_catalog.unnest($5), pg_catalog.unnest($6)) AS k (place, queryid, userid, dbid, toplevel)";

/// The [`Last`] rows of the statements of [`arguments`]. $7: since when; $8: for how many seconds a row is postponed at most.
fn last_sql() -> String {
    let columns: String = AMOUNTS.map(|column| format!("h.{column}, ")).concat();
    format!(
        "SELECT COALESCE(pg_catalog.array_agg(k.place), '{{}}') AS place, \
                COALESCE(pg_catalog.array_agg(l.sample_id), '{{}}') AS sample_id, \
                COALESCE(pg_catalog.array_agg({}), '{{}}') AS amounts, \
                COALESCE(pg_catalog.array_agg(COALESCE(\
                    l.taken_at < pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => $8), false)), '{{}}') AS is_late, \
                COALESCE(pg_catalog.array_agg(\
                    l.taken_at < pg_catalog.clock_timestamp() - '1 day'::pg_catalog.interval), '{{}}') AS is_old \
         FROM {KEYS} JOIN LATERAL (\
            SELECT {columns}h.taken_at, h.sample_id FROM pgperf.statement_history h \
            WHERE h.node_id = $1::pg_catalog.uuid AND h.queryid = k.queryid AND h.userid = k.userid::pg_catalog.oid \
              AND h.dbid = k.dbid::pg_catalog.oid AND h.toplevel = k.toplevel \
              AND h.taken_at > $7::pg_catalog.timestamptz \
            ORDER BY h.sample_id DESC LIMIT 1) l ON true",
        postponing::array("l"),
    )
}

/// The places of those of [`arguments`] that are pgperf's own by their text.
fn own_sql() -> String {
    format!(
        "SELECT COALESCE(pg_catalog.array_agg(k.place), '{{}}') AS places FROM {KEYS} \
         WHERE EXISTS (SELECT FROM pgperf.statement_texts t WHERE t.node_id = $1::pg_catalog.uuid AND t.queryid = k.queryid \
             AND t.dbid = k.dbid::pg_catalog.oid \
             AND (t.query ~* 'pgperf' OR t.query LIKE 'SELECT pg_catalog.to_jsonb(q) FROM (%'))"
    )
}

/// The statements of [`arguments`] with all columns that the installed version has, and whether the text is `known`.
fn whole_sql(schema: &str) -> String {
    format!(
        "SELECT k.place, n.*, r.rolname AS role_name, d.datname AS database_name, i.stats_reset, \
                n.calls * (n.mean_exec_time * n.mean_exec_time + n.stddev_exec_time * n.stddev_exec_time) \
                    AS exec_time_squares, \
                n.plans * (n.mean_plan_time * n.mean_plan_time + n.stddev_plan_time * n.stddev_plan_time) \
                    AS plan_time_squares, \
                EXISTS (SELECT FROM pgperf.statement_texts t WHERE t.node_id = $1::pg_catalog.uuid \
                          AND t.queryid = n.queryid AND t.dbid = n.dbid) AS known \
         FROM {KEYS} \
         JOIN {schema}.pg_stat_statements(false) n ON n.queryid = k.queryid AND n.userid = k.userid::pg_catalog.oid \
              AND n.dbid = k.dbid::pg_catalog.oid AND n.toplevel = k.toplevel \
         CROSS JOIN {schema}.pg_stat_statements_info i \
         LEFT JOIN pg_catalog.pg_roles r ON r.oid = n.userid \
         LEFT JOIN pg_catalog.pg_database d ON d.oid = n.dbid"
    )
}

/// What is added up for all statements together.
const SUMS: [&str; 14] = [
    "plans",
    "total_plan_time",
    "calls",
    "total_exec_time",
    "rows",
    "shared_blks_hit",
    "shared_blks_read",
    "shared_blks_dirtied",
    "shared_blks_written",
    "temp_blks_read",
    "temp_blks_written",
    "wal_records",
    "wal_fpi",
    "wal_bytes",
];

/// All statements as one row. $1: for how many seconds a row is postponed at most. What nested ones count, those that call them count as well.
fn together_sql(schema: &str) -> String {
    let sum = |column| format!("pg_catalog.sum(n.{column}) FILTER (WHERE n.toplevel) AS {column}");
    let sums = SUMS.map(sum).join(", ");
    format!(
        "SELECT 0 AS queryid, 0 AS userid, 0 AS dbid, true AS toplevel, pg_catalog.count(*) AS statements, {sums}, \
                pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => $1) AS postponed_since, \
                (SELECT i.dealloc FROM {schema}.pg_stat_statements_info i) AS dealloc, \
                (SELECT i.stats_reset FROM {schema}.pg_stat_statements_info i) AS stats_reset \
         FROM {schema}.pg_stat_statements(false) n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_called_is_due_and_what_was_not_only_when_old() {
        let counted = Counted {
            queryid: vec![1; 7],
            amounts: [10.0, 10.0, 10.0, 10.0, 3.0, 10.0, 10.0]
                .map(|calls| [calls, 100.0, 0.0, 0.0, 0.0])
                .into(),
            ..Counted::default()
        };
        // The first has no row; then: not called, called, old, began again, as many calls later, and more calls in less time later.
        let last = Last {
            place: vec![1, 2, 3, 4, 5, 6],
            sample_id: vec![71, 72, 73, 74, 75, 76],
            amounts: [
                (10.0, 100.0),
                (8.0, 80.0),
                (10.0, 100.0),
                (8.0, 80.0),
                (10.0, 70.0),
                (8.0, 900.0),
            ]
            .map(|(calls, time)| [calls, time, 0.0, 0.0, 0.0])
            .into(),
            is_old: vec![false, false, true, false, false, false],
            is_late: vec![false; 6],
        };
        let due = |place, before, time, unseen| Due {
            place,
            before,
            time,
            unseen,
            may_wait: false,
            is_postponed: false,
        };
        assert_eq!(
            due_of(&counted, &Limits::default(), &[0, 1, 2, 3, 4, 5, 6], &last),
            [
                due(0, None, 100.0, 100.0),
                due(2, Some(72), 20.0, 0.0),
                // Its row may be too old to be found when it is called again.
                due(3, Some(73), 0.0, 100.0),
                due(4, Some(74), 100.0, 0.0),
                due(5, Some(75), 100.0, 0.0),
                due(6, Some(76), 100.0, 0.0)
            ]
        );
    }

    #[test]
    fn times_of_blocks_have_their_later_names() {
        let mut row: Row =
            serde_json::from_value(json!({"blk_read_time": 2.5, "calls": 1})).unwrap();
        rename(&mut row);
        assert_eq!(
            Value::Object(row),
            json!({"shared_blk_read_time": 2.5, "calls": 1})
        );
    }
}
