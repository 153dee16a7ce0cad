//! The tables and indexes that a run changed.

use crate::report::model::Relation;
use crate::show::blocks::{Block, Listing, count, name, percent, size};

/// So many are shown.
const LARGEST: usize = 40;

/// Their sizes before and after, and what was done with their rows.
pub fn sizes(relations: &[Relation]) -> Vec<Block> {
    let growth = |it: &Relation| Some(it.end_size_bytes? - it.start_size_bytes?);
    let hot = |relation: &Relation| {
        let updates = relation.n_tup_upd.filter(|updates| *updates > 0)?;
        Some(100.0 * relation.n_tup_hot_upd? as f64 / updates as f64)
    };
    let columns = vec![
        name("relation", qualified),
        name("kind", |relation: &Relation| relation.relation_kind.clone()),
        size("size", |relation: &Relation| relation.end_size_bytes),
        size("growth", growth),
        percent("bloat before", |it: &Relation| it.start_bloat_percent),
        percent("bloat after", |it: &Relation| it.end_bloat_percent),
        count("inserted", |relation: &Relation| relation.n_tup_ins),
        count("updated", |relation: &Relation| relation.n_tup_upd),
        percent("HOT", hot),
        count("deleted", |relation: &Relation| relation.n_tup_del),
        count("dead rows", |relation: &Relation| relation.end_dead_tuples),
        count("autovacuums", |it: &Relation| it.autovacuum_count),
    ];
    let notes = relations.iter().filter_map(|relation| {
        let note = relation.note.as_ref()?;
        Some(format!("{}: {note}", qualified(relation)))
    });
    let all = relations.len();
    let more = (all > LARGEST).then(|| format!("The {LARGEST} largest of {all}."));
    let table = Block::Table(Listing::of(relations.iter().take(LARGEST), columns));
    let remarks = notes.chain(more).map(Block::Remark);
    std::iter::once(table).chain(remarks).collect()
}

/// A relation's name, with its schema unless that is `public`.
fn qualified(relation: &Relation) -> String {
    match relation.schema_name.as_str() {
        "public" => relation.relation_name.clone(),
        schema => format!("{schema}.{}", relation.relation_name),
    }
}
