//! The queries whose answers must not depend on their plans.

use super::options::{Decimals, TpchOptions};
use super::{data_set, queries};
use crate::error::Result;
use crate::pg::sql::quote::qualified;
use crate::workload::answers::Answer;
use crate::workload::drawn;
use crate::workload::params::Params;

/// By how much sums of double precision may differ when they are added up in another order, as a share.
const TOLERANCE: f64 = 1e-9;

/// The queries with the parameters of the published answers. Without their LIMIT: of rows that are alike in what they are ordered
/// by, a plan may return either.
pub(super) fn answers(params: &Params) -> Result<Vec<Answer>> {
    let own = TpchOptions::of(params);
    let tables = tables(params);
    let tolerance = match own.decimals {
        Decimals::Numeric => None,
        Decimals::Float => Some(TOLERANCE),
    };
    let scripts = queries::scripts(true).into_iter();
    scripts
        .map(|script| {
            let statement = drawn::statements(&script.name, &script.text, params.scale)?.concat();
            Ok(Answer {
                name: script.name,
                with: tables.clone(),
                query: without_limit(&statement).to_owned(),
                tolerance,
            })
        })
        .collect()
}

/// The names of the tables as queries use them, which the planner replaces by the tables themselves.
fn tables(params: &Params) -> String {
    let tables = data_set(false).names().into_iter();
    let tables = tables.map(|name| {
        let table = qualified(&params.schema, &name);
        format!("{name} AS NOT MATERIALIZED (SELECT * FROM {table})")
    });
    tables.collect::<Vec<_>>().join(", ")
}

fn without_limit(query: &str) -> &str {
    match query.rsplit_once("LIMIT ") {
        Some((rest, count)) if count.trim().bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => query,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::find;
    use crate::workload::given::Given;
    use crate::workload::scale::Scale;

    #[test]
    fn each_query_has_its_parameters_and_no_limit() {
        let Ok(workload) = find("tpch-like") else {
            panic!("no workload");
        };
        let none = Given::new();
        let params = Params::of_run(workload.family, "s", Scale::from(1), &none, &none);
        let answers = answers(&params).unwrap();
        assert_eq!(answers.len(), queries::QUERIES);
        for answer in answers {
            let Answer { name, query, .. } = answer;
            assert!(!query.contains("LIMIT"), "{name}: {query}");
            assert!(
                !query.contains(" :") && !query.contains(';'),
                "{name}: {query}"
            );
            assert_eq!(answer.tolerance, None);
            assert!(answer.with.starts_with("region AS NOT MATERIALIZED"));
        }
    }
}
