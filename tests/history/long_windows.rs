//! A window of a month, over a catalog of 20,000 tables: its page stays small. How long it takes is printed, not judged.

use crate::common::Cluster;
use crate::common::runs::Runs;
use std::time::Instant;

const MONTH: &str = include_str!("month.sql");

#[test]
fn the_page_of_a_month_is_small() {
    for tables in [200, 20_000] {
        let cluster = Cluster::with_pgperf(&["shared_buffers = 256MB", "max_wal_size = 8GB"]);
        let mut session = cluster.connect();
        let month = MONTH.replace("{tables}", &tables.to_string());
        session.batch_execute(&month).expect("a month of history");
        session.batch_execute("VACUUM ANALYZE").expect("statistics");
        let call = "SELECT pgperf.history_html(now() - interval '30 days', now())";
        session.value(call);
        let began = Instant::now();
        let page = session.value(call);
        let took = began.elapsed();
        println!("{tables} tables: {} bytes in {took:?}", page.len());
        assert!(page.len() < 2_000_000, "{} bytes", page.len());
        let sections = session.number(
            "SELECT count(*) FILTER (WHERE s ->> 'why' IS NULL) \
             FROM jsonb_array_elements(pgperf.history_json(now() - interval '30 days', now()) -> 'sections') s",
        );
        assert!(sections >= 13, "{sections} sections have data");
    }
}
