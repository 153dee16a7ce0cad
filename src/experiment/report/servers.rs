//! A sweep over servers with one point each: every server beside the first, as a comparison of versions shows them.

use crate::catalog::runs::ExistingRun;
use crate::compare::{self, Comparison};
use crate::error::Result;
use crate::experiment::sweeps::ExistingSweep;
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::spi;
use crate::show::blocks::Topic;
use serde::Deserialize;

/// A server beside the first of its sweep.
#[derive(Debug, Clone)]
pub struct Versions {
    first: String,
    server: String,
    comparison: Comparison,
}

#[derive(Deserialize)]
struct Point {
    server: Option<String>,
    runs: Vec<ExistingRun>,
}

/// In the order of the grid.
const POINTS: &str = "SELECT p.arguments ->> 'server' AS server, \
        (SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('node_id', r.node_id, 'run_id', r.run_id, 'role', r.role) \
                                              ORDER BY r.run_id), '[]') \
           FROM pgperf_internal.stored_runs r WHERE r.node_id = p.node_id AND r.run_id = ANY (f.run_ids)) AS runs \
   FROM pgperf_internal.stored_sweep_points p \
   JOIN pgperf.sweep_points f ON f.node_id = p.node_id AND f.sweep_id = p.sweep_id AND f.point_no = p.point_no \
  WHERE p.node_id = $1::pg_catalog.uuid AND p.sweep_id = $2 ORDER BY p.point_no";

/// Those of a sweep that the caller may see; none if it is not over servers alone.
///
/// # Errors
/// Those of the comparison.
pub fn load(sweep: &ExistingSweep) -> Result<Vec<Versions>> {
    let key = [sweep.node_id.as_str().into(), sweep.sweep_id.into()];
    let points: Vec<Point> = as_owner(|| spi::select(POINTS, &key))?;
    let servers: Option<Vec<&str>> = points.iter().map(|it| it.server.as_deref()).collect();
    let (Some(servers), Some(first)) = (servers, points.first()) else {
        return Ok(Vec::new());
    };
    let all_differ = (servers.iter().enumerate()).all(|(at, it)| !servers[..at].contains(it));
    if !all_differ {
        return Ok(Vec::new());
    }
    let mut versions = Vec::new();
    for (server, point) in servers.iter().zip(&points).skip(1) {
        if !first.runs.is_empty() && !point.runs.is_empty() {
            versions.push(Versions {
                first: servers[0].to_owned(),
                server: (*server).to_owned(),
                comparison: compare::of_runs(&first.runs, &point.runs, None)?,
            });
        }
    }
    Ok(versions)
}

/// The tables of each.
pub fn topics(versions: &[Versions]) -> Vec<Topic> {
    let of_each = versions.iter().map(|versions| {
        let tables = compare::version_topics(&versions.comparison, None).unwrap_or_default();
        tables.into_iter().map(|table| {
            let id = format!("{}-{}", versions.server, table.id);
            let title = format!(
                "{} beside {}: {}",
                versions.server, versions.first, table.title
            );
            Topic::new(&id, &title, table.blocks)
        })
    });
    of_each.flatten().collect()
}
