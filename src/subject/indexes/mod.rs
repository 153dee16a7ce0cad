//! Indexes with their columns and their use.

use super::tables;
use crate::pg::catalog::index;
use crate::pg::sql::text::Text;
use crate::show::section::{Kind, Section, Source, Table, column, key};
use pgrx::prelude::*;

/// `pgperf_internal.index_column`.
#[pg_extern(sql = false)]
fn index_column(index_oid: pg_sys::Oid, number: i32) -> Option<Text> {
    index::column(index_oid, number).map(Text)
}

/// See the module.
pub const SECTION: Section = Section {
    name: "indexes",
    title: "Indexes",
    reading: "An index that no window scans only costs: room, WAL, and time of each write; standbys have counters of their own, so look there, too.",
    call: "SELECT * FROM pgperf.relation_rates WHERE node_id = pgperf.local_node() AND relation_kind = 'index' ORDER BY sample_id DESC",
    sources: &[Source::Collector(&tables::COLLECTOR)],
    tables: &[Table {
        name: "use",
        title: "Indexes",
        collector: "tables",
        sql: include_str!("use.sql"),
        each: "list",
        keys: &[
            key("relation", "table"),
            key("index", "index"),
            key("columns", "columns"),
        ],
        columns: &[
            column("size_bytes", "size", Kind::Bytes),
            column("scans", "scans", Kind::Count),
            column("scans_ever", "scans ever", Kind::Count),
            column("entries", "entries read", Kind::Count).wide(),
            column("constraint", "constraint", Kind::Text).wide(),
            column("covered_by", "covered by", Kind::Text).wide(),
        ],
        limit: 75,
        note: "Columns are those of the present catalog; those of a table that another session has locked are not read.",
        ..Table::EMPTY
    }],
    charts: &[],
    nothing: "no index of a user's table has a row in the history",
    ..Section::EMPTY
};
