//! What `shared_buffers` held at each point of a sweep, by usage count: the rows of `pgperf.sweep_buffers`, added up.

use crate::error::Result;
use crate::pg::sql::spi;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Usage counts: 0 to 5.
pub const COUNTS: usize = 6;
/// So many relations are shown.
const MOST: usize = 6;

/// What it held at the end of the last run of a point.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Held {
    pub point_no: i64,
    pub run_id: i64,
    /// The size of `shared_buffers`.
    pub bytes: f64,
    /// Bytes without a page.
    pub unused_bytes: f64,
    /// Bytes of pages with a usage count of 0 to 5.
    pub by_usage_count: [f64; COUNTS],
    /// The relations of which it held most.
    pub relations: Vec<HeldOfRelation>,
}

/// What it held of a relation.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HeldOfRelation {
    pub relation: String,
    pub by_usage_count: [f64; COUNTS],
}

/// A row of `pgperf.sweep_buffers`, without the parts of names that are not needed.
#[derive(Debug, Deserialize)]
pub struct BufferUsage {
    pub point_no: i64,
    pub run_id: i64,
    /// None: not one that is told apart.
    pub relation: Option<String>,
    /// None: no page.
    pub usage_count: Option<usize>,
    pub bytes: f64,
}

const ROWS: &str = "SELECT b.point_no, b.run_id, \
        CASE WHEN b.relation_name IS NOT NULL THEN pg_catalog.concat_ws('.', NULLIF(b.schema_name, 'public'), b.relation_name) END AS relation, \
        b.usage_count, b.bytes \
   FROM pgperf.sweep_buffers b WHERE b.node_id = $1::pg_catalog.uuid AND b.sweep_id = $2 \
  ORDER BY b.point_no, b.schema_name, b.relation_name, b.usage_count";

/// Those of a sweep, by point. Runs as the extension's owner.
pub fn load(node_id: &str, sweep_id: i64) -> Result<Vec<Held>> {
    let rows: Vec<BufferUsage> = spi::select(ROWS, &[node_id.into(), sweep_id.into()])?;
    Ok(held(&rows))
}

/// `rows`: by point.
pub fn held(rows: &[BufferUsage]) -> Vec<Held> {
    let points = rows.chunk_by(|a, b| a.point_no == b.point_no);
    let mut held: Vec<Held> = points.filter_map(of_point).collect();
    keep_largest(&mut held);
    held
}

fn of_point(rows: &[BufferUsage]) -> Option<Held> {
    let first = rows.first()?;
    let mut held = Held {
        point_no: first.point_no,
        run_id: first.run_id,
        bytes: 0.0,
        unused_bytes: 0.0,
        by_usage_count: [0.0; COUNTS],
        relations: Vec::new(),
    };
    for row in rows {
        held.bytes += row.bytes;
        let Some(count) = row.usage_count else {
            held.unused_bytes += row.bytes;
            continue;
        };
        add(&mut held.by_usage_count, count, row.bytes);
        let Some(relation) = &row.relation else {
            continue;
        };
        // Rows come by relation.
        match held
            .relations
            .last_mut()
            .filter(|it| it.relation == *relation)
        {
            Some(known) => add(&mut known.by_usage_count, count, row.bytes),
            None => {
                let mut new = HeldOfRelation {
                    relation: relation.clone(),
                    by_usage_count: [0.0; COUNTS],
                };
                add(&mut new.by_usage_count, count, row.bytes);
                held.relations.push(new);
            }
        }
    }
    Some(held)
}

fn add(counts: &mut [f64; COUNTS], count: usize, bytes: f64) {
    if let Some(sum) = counts.get_mut(count.min(COUNTS - 1)) {
        *sum += bytes;
    }
}

/// Leaves the same relations at all points: those that have the largest share anywhere, in that order.
fn keep_largest(held: &mut [Held]) {
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    for point in held.iter() {
        for it in &point.relations {
            let share = it.bytes() / point.bytes.max(1.0);
            match shares.get_mut(&it.relation) {
                Some(most) => *most = most.max(share),
                None => {
                    shares.insert(it.relation.clone(), share);
                }
            }
        }
    }
    let mut shares: Vec<(String, f64)> = shares.into_iter().collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    shares.truncate(MOST);
    for point in held.iter_mut() {
        let found = |(name, _): &(String, f64)| {
            let known = point.relations.iter().find(|it| it.relation == *name);
            known.cloned().unwrap_or_else(|| HeldOfRelation {
                relation: name.clone(),
                by_usage_count: [0.0; COUNTS],
            })
        };
        point.relations = shares.iter().map(found).collect();
    }
}

impl HeldOfRelation {
    pub fn bytes(&self) -> f64 {
        self.by_usage_count.iter().sum()
    }

    /// The mean usage count; None: it has no page.
    pub fn mean_count(&self) -> Option<f64> {
        let bytes = self.bytes();
        let weighted = (0..)
            .zip(self.by_usage_count)
            .map(|(count, bytes)| f64::from(count) * bytes);
        (bytes > 0.0).then(|| weighted.sum::<f64>() / bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(
        point_no: i64,
        relation: Option<&str>,
        usage_count: Option<usize>,
        bytes: f64,
    ) -> BufferUsage {
        BufferUsage {
            point_no,
            run_id: 10 * point_no,
            relation: relation.map(str::to_owned),
            usage_count,
            bytes,
        }
    }

    #[test]
    fn usage_counts_add_up_to_shared_buffers() {
        let rows = [
            row(1, Some("accounts"), Some(0), 10.0),
            row(1, Some("accounts"), Some(5), 30.0),
            row(1, Some("accounts_pkey"), Some(5), 20.0),
            row(1, None, Some(1), 15.0),
            row(1, None, None, 25.0),
            row(2, Some("accounts_pkey"), Some(4), 100.0),
        ];
        let held = held(&rows);
        let [first, second] = held.as_slice() else {
            panic!("two points");
        };
        assert_eq!(
            (first.bytes, first.unused_bytes, first.run_id),
            (100.0, 25.0, 10)
        );
        assert_eq!(first.by_usage_count, [10.0, 15.0, 0.0, 0.0, 0.0, 50.0]);
        // By their largest share, at all points alike.
        let names = |held: &Held| {
            held.relations
                .iter()
                .map(|it| it.relation.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(first), ["accounts_pkey", "accounts"]);
        assert_eq!(names(first), names(second));
        assert_eq!(first.relations[1].mean_count(), Some(3.75));
        assert_eq!(second.relations[1].mean_count(), None);
    }
}
