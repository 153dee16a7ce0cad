//! What varies: tables, partitions, query modes.

use super::{start_sweep, wait_for, wait_for_a_run};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, wait_until};

#[test]
fn tables_are_loaded_where_the_grid_varies_them() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let sweep = start_sweep(
        &mut session,
        "scales => '{1,2}', fillfactors => '{90}', clients => '{1,2}', repetitions => 2, run_order => 'given', \
         transactions_per_client => 20, collectors => '{}', checkpoint => true, init_options => '{\"jobs\": 1}'",
    );
    wait_for(&mut session, sweep, "finished");
    // In the given order each scale is loaded once.
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(concat_ws('/', p.combination, p.clients, r.repetition, u.scale, r.load_run_id IS NOT NULL), ' ' \
                ORDER BY r.position) \
             FROM pgperf.sweep_runs r JOIN pgperf.sweep_points p USING (node_id, sweep_id, point_no) \
             JOIN pgperf.runs u ON u.run_id = r.run_id WHERE r.sweep_id = {sweep}"
        )),
        "scale=1/1/1/1/t scale=1/1/2/1/f scale=1/2/1/1/f scale=1/2/2/1/f \
         scale=2/1/1/2/t scale=2/1/2/2/f scale=2/2/1/2/f scale=2/2/2/2/f"
    );
    assert_eq!(
        session.value("SELECT reloptions FROM pg_class WHERE relname = 'pgbench_accounts'"),
        "{fillfactor=90}"
    );
    assert!(cluster.log().matches("checkpoint complete").count() >= 8);
    // With 'each' every run begins with the same tables.
    let sweep = start_sweep(
        &mut session,
        "scales => '{1}', init => 'each', clients => '{1}', repetitions => 2, transactions_per_client => 20, collectors => '{}'",
    );
    wait_for(&mut session, sweep, "finished");
    assert_eq!(session.number("SELECT count(*) FROM pgbench_history"), 20);
    assert_eq!(
        session.number(&format!(
            "SELECT count(load_run_id) FROM pgperf_internal.sweep_attempts WHERE sweep_id = {sweep}"
        )),
        2
    );
    let of_sweep = format!(
        "SELECT count(*) FROM pgperf_internal.stored_runs WHERE label LIKE 'sweep {sweep}:%'"
    );
    assert_eq!(session.number(&of_sweep), 4);
    session.value(&format!(
        "SELECT pgperf.delete_sweep({sweep}, runs => true)"
    ));
    assert_eq!(session.number(&of_sweep), 0);
}

#[test]
fn partitions_and_query_modes_span_a_grid() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let sweep = start_sweep(
        &mut session,
        "'select-only', scales => '{1}', partitions => '{0,2}', query_modes => '{simple,prepared}', clients => '{1}', \
         repetitions => 1, run_order => 'given', duration => '1 s', sample_interval => '0.2 s', collectors => '{}'",
    );
    wait_for_a_run(&mut session, sweep);
    // Four runs of a second, until one has shown its real length.
    wait_until("the time that is left", PATIENCE, || {
        session.value(&format!(
            "SELECT eta_s > 0 AND (eta_s <= 4 OR finished > 0) FROM pgperf.sweeps \
             WHERE sweep_id = {sweep} AND status = 'running'"
        )) == "t"
    });
    // Then as many of that length as are left, less what the present one has done.
    let by_hand = format!(
        "SELECT abs(s.eta_s - ((4 - s.finished) * a.mean_s - a.done_s)) < 0.2 FROM pgperf.sweeps s, \
            (SELECT avg(EXTRACT(epoch FROM ended_at - started_at)) FILTER (WHERE outcome = 'finished') AS mean_s, \
                    EXTRACT(epoch FROM clock_timestamp() - max(started_at) FILTER (WHERE outcome IS NULL)) AS done_s \
               FROM pgperf_internal.sweep_attempts WHERE sweep_id = {sweep}) a \
          WHERE s.sweep_id = {sweep} AND s.status = 'running' AND s.finished > 0 AND a.done_s > 0.4"
    );
    let mut is_as_by_hand = String::new();
    wait_until("a later run", PATIENCE, || {
        is_as_by_hand = session.value(&by_hand);
        !is_as_by_hand.is_empty()
    });
    assert_eq!(is_as_by_hand, "t");
    wait_for(&mut session, sweep, "finished");
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(concat_ws('/', p.partitions, p.query_mode, u.query_mode, p.n, l.kind, l.spec #>> '{{call,partitions}}'), ' ' \
                ORDER BY r.position) \
             FROM pgperf.sweep_runs r JOIN pgperf.sweep_points p USING (node_id, sweep_id, point_no) \
             JOIN pgperf.runs u ON u.run_id = r.run_id LEFT JOIN pgperf.runs l ON l.run_id = r.load_run_id \
             WHERE r.sweep_id = {sweep}"
        )),
        "0/simple/simple/1/load 0/prepared/prepared/1 2/simple/simple/1/load/2 2/prepared/prepared/1"
    );
    assert_eq!(
        session.number(
            "SELECT count(*) FROM pg_inherits WHERE inhparent = 'pgbench_accounts'::regclass"
        ),
        2
    );
    assert_eq!(
        session.value(&format!(
            "SELECT eta_s IS NULL FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )),
        "t"
    );
}
