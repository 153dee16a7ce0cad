//! The views of differences, whatever their columns are: a counter has a column of its own and one `…_per_s`.

use postgres::Client;

use super::Cluster;
use super::runs::Runs;

/// A view `…_deltas` over the table `…_history`.
#[derive(Clone, Copy, Debug)]
pub struct Deltas {
    pub name: &'static str,
    /// The columns that identify its objects.
    pub object: &'static [&'static str],
}

/// The differences of a view's counters between two samples.
#[derive(Debug, PartialEq, Eq)]
pub struct Differences {
    /// Counters that both samples have, over all objects that both have.
    pub counters: i64,
    /// Those with a difference.
    pub known: i64,
    /// Those whose difference is that of the two samples, and none below zero.
    pub right: i64,
}

impl Deltas {
    /// From sample `before` to sample `after`.
    pub fn between(&self, cluster: &Cluster, before: i64, after: i64) -> Differences {
        let name = self.name;
        let object = |row: &str| {
            let columns = self.object.iter().map(|column| format!("{row}.{column}"));
            format!(
                "jsonb_build_array({})",
                columns.collect::<Vec<_>>().join(", ")
            )
        };
        let (of_d, of_h, of_p) = (object("d"), object("h"), object("p"));
        let line = cluster.run_sql(&format!(
            "WITH compared AS MATERIALIZED ( \
                 SELECT to_jsonb(d) AS d, to_jsonb(h) AS h, to_jsonb(p) AS p \
                 FROM pgperf.{name}_deltas d \
                 JOIN pgperf.{name}_history h ON h.sample_id = d.sample_id AND {of_h} = {of_d} \
                 JOIN pgperf.{name}_history p ON p.sample_id = {before} AND {of_p} = {of_d} \
                 WHERE d.sample_id = {after}), \
             counted AS MATERIALIZED ( \
                 SELECT (d ->> counter)::float8 AS difference, (h ->> counter)::float8 AS now, (p ->> counter)::float8 AS was \
                 FROM (SELECT d, h, p, jsonb_object_keys(d) AS counter FROM compared OFFSET 0) c \
                 WHERE CASE WHEN d ? (counter || '_per_s') THEN (h ->> counter) IS NOT NULL AND (p ->> counter) IS NOT NULL END) \
             SELECT count(*), count(difference), \
                    count(*) FILTER (WHERE difference >= 0 AND abs(difference - (now - was)) <= 1e-9 * greatest(1, abs(now))) \
             FROM counted"
        ));
        let mut numbers = line
            .split('|')
            .map(|number| number.parse().expect("a count"));
        let mut next = || numbers.next().expect("three counts");
        Differences {
            counters: next(),
            known: next(),
            right: next(),
        }
    }
}

/// Expects that no view with a time between samples has one, or a rate, below zero.
pub fn expect_none_below_zero(session: &mut Client) {
    let views = session.value(
        "SELECT string_agg(table_name, ' ') FROM information_schema.columns \
         WHERE table_schema = 'pgperf' AND table_name ~ '_(deltas|rates)$' AND column_name = 'seconds'",
    );
    assert!(views.split(' ').count() >= 10, "{views}");
    for view in views.split(' ') {
        let wrong = session.value(&format!(
            "SELECT string_agg(format('%s: %s', sample_id, key || ' ' || value), ', ') \
             FROM pgperf.{view} v, LATERAL jsonb_each(to_jsonb(v)) j \
             WHERE key ~ '^seconds$|_per_s$' AND (value #>> '{{}}')::float8 < 0"
        ));
        assert_eq!(wrong, "", "{view}");
    }
}
