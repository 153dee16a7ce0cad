//! Workloads that users store, with data sets of their own.

mod checks_and_metrics;
mod loading;
mod rights;

use crate::common::runs::Runs;
use postgres::Client;

fn data_sets(session: &mut Client) -> String {
    session.value(
        "SELECT string_agg(concat_ws(' ', schema_name, data_set, scale, relation_names, options), '; ' ORDER BY schema_name, data_set) \
           FROM pgperf.data_sets",
    )
}

/// A workload whose parts say which worker has filled them; `before`: a statement before each part's rows.
fn create_mine(session: &mut Client, before: &str) {
    session.value(&format!(
        "SELECT pgperf.create_workload('mine', replace => true, options => '{{\"rows\": 100, \"note\": \"it''s\"}}', \
           setup_sql => $$CREATE TABLE one (id int, part int, pid int, note text); CREATE TABLE two (n numeric); \
                          CREATE VIEW both_of AS SELECT * FROM one, two; CREATE SEQUENCE s; \
                          INSERT INTO two VALUES (:scale)$$, \
           load_sql => $${before}; \
                         INSERT INTO one SELECT i, :part, pg_backend_pid(), :'note' \
                         FROM generate_series(:part, :rows * :scale, :parts) AS i$$, \
           script => $$\\set id random(1, :rows * :scale)\nUPDATE one SET note = '' WHERE id = :id;$$, \
           check_sql => $$SELECT 'rows', count(*) = :rows * :scale, count(*) || ' rows' FROM one; $$, \
           metrics_sql => $$SELECT 'changed_percent', 100.0 * count(*) FILTER (WHERE note = '') / count(*), '%', 'higher' FROM one \
                            UNION ALL SELECT 'per_transaction.all', :transactions / (:transactions * :scale * 1.0), '', NULL \
                            UNION ALL SELECT 'took', :seconds, 's', 'lower'$$)"
    ));
}
