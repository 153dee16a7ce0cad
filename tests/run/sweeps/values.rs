//! Sweeps over settings with one number of clients: each value beside the one before, as the runs and the server say.

use super::restart_command::{restartable, wait_for};
use super::start_sweep;
use crate::common::Cluster;

/// The values are given in an order that is neither that of their sizes nor that of their texts.
const SIZES: &str = "settings_grid => '{\"shared_buffers\": [\"24MB\", \"8MB\", \"16MB\"]}'";

#[test]
fn each_size_of_shared_buffers_is_compared_with_the_one_before() {
    let cluster = restartable(&["shared_buffers = '16MB'"]);
    cluster.run_sql("CREATE TABLE numbers AS SELECT i, repeat('x', 200) AS filler FROM generate_series(1, 20000) i");
    let sweep = start_sweep(
        &mut cluster.connect(),
        &format!(
            "clients => '{{2}}', repetitions => 3, duration => '0.5 s', collectors => '{{buffers}}', random_seed => 1, \
             script => 'SELECT count(filler) FROM numbers WHERE i < 10000;', {SIZES}"
        ),
    );
    wait_for(&cluster, sweep, "finished");
    the_rows_say_what_the_runs_say(&cluster, sweep);
    the_buffers_add_up(&cluster, sweep);
    all_reports_show_it(&cluster, sweep);
}

fn the_rows_say_what_the_runs_say(cluster: &Cluster, sweep: i64) {
    let rows = format!(
        "SELECT string_agg(concat_ws(' ', value, is_baseline, n, verdict IS NOT NULL), ', ' ORDER BY o) \
         FROM pgperf.sweep_values({sweep}) WITH ORDINALITY v (point_no, workload, clients, value, is_baseline, metric, unit, is_headline, \
            n, mean, ci_low, ci_high, change_percent, ci_low_percent, ci_high_percent, p_value, p_adjusted, verdict, o) \
         WHERE metric = 'tps' AND is_headline"
    );
    assert_eq!(cluster.run_sql(&rows), "8MB f 3 t, 16MB t 3 t, 24MB f 3 t");
    // Means of the runs, by hand.
    let differing = format!(
        "SELECT count(*), count(*) FILTER (WHERE abs(v.mean - r.mean) > 1e-9 * r.mean) FROM pgperf.sweep_values({sweep}) v \
         JOIN (SELECT u.sweep_point, m.metric, avg(m.value) AS mean FROM pgperf.runs u JOIN pgperf.run_summary s USING (node_id, run_id), \
               LATERAL (VALUES ('tps', s.tps), ('latency_p95_ms', s.latency_p95_ms), ('hit_percent', s.hit_percent)) m (metric, value) \
               WHERE u.sweep_id = {sweep} GROUP BY 1, 2) r ON r.sweep_point = v.point_no AND r.metric = v.metric"
    );
    assert_eq!(cluster.run_sql(&differing), "9|0");
    // Changes and their p, as a comparison of the same runs has them.
    let compared = format!(
        "SELECT string_agg(concat_ws(' ', v.value, abs(v.change_percent - c.change_percent) < 1e-6, abs(v.p_value - c.p_value) < 1e-9, \
                v.p_adjusted >= v.p_value), ', ' ORDER BY v.value) \
         FROM pgperf.sweep_values({sweep}) v \
         JOIN pgperf.sweep_points p ON p.sweep_id = {sweep} AND p.point_no = v.point_no, \
         LATERAL (SELECT run_ids FROM pgperf.sweep_points b WHERE b.sweep_id = {sweep} AND b.settings ->> 'shared_buffers' = '16MB') b, \
         LATERAL pgperf.compare(b.run_ids, p.run_ids) c \
         WHERE v.metric = 'tps' AND NOT v.is_baseline AND c.category = 'summary' AND c.metric = 'tps'"
    );
    assert_eq!(cluster.run_sql(&compared), "24MB t t t, 8MB t t t");
    let hinted = cluster.psql(&format!("SELECT * FROM pgperf.sweep_values({sweep}, 100)"));
    assert!(String::from_utf8_lossy(&hinted.stderr).contains("margin_percent must be above 0"));
}

/// The buffers of each value are all of its size, and those of the table are what its pages are.
fn the_buffers_add_up(cluster: &Cluster, sweep: i64) {
    let sums = format!(
        "SELECT string_agg(concat_ws(' ', p.settings ->> 'shared_buffers', b.bytes = pg_size_bytes(p.settings ->> 'shared_buffers'), \
                round(b.percent::numeric, 6), b.run_id = p.run_ids[3]), ', ' ORDER BY p.point_no) \
         FROM pgperf.sweep_points p JOIN (SELECT point_no, run_id, sum(bytes) AS bytes, sum(percent) AS percent \
             FROM pgperf.sweep_buffers WHERE sweep_id = {sweep} GROUP BY 1, 2) b USING (point_no) WHERE p.sweep_id = {sweep}"
    );
    assert_eq!(
        cluster.run_sql(&sums),
        "24MB t 100.000000 t, 8MB t 100.000000 t, 16MB t 100.000000 t"
    );
    let table = format!(
        "SELECT string_agg((b.buffers BETWEEN 0.9 * t.pages AND t.pages + 10)::text, ' ') \
         FROM (SELECT point_no, sum(buffers) AS buffers FROM pgperf.sweep_buffers \
               WHERE sweep_id = {sweep} AND relation_name = 'numbers' GROUP BY 1) b, \
              (SELECT pg_relation_size('numbers') / 8192 AS pages) t"
    );
    assert_eq!(cluster.run_sql(&table), "true true true");
}

fn all_reports_show_it(cluster: &Cluster, sweep: i64) {
    let report = cluster.run_sql(&format!(
        "SELECT string_agg(l, E'\\n') FROM pgperf.sweep_report({sweep}) l"
    ));
    for part in [
        "shared_buffers at 2 clients (workload: script)",
        "change: from 16MB, the value before the sweep",
        "best tps: ",
        "percent of shared_buffers by usage count",
        "numbers",
    ] {
        assert!(report.contains(part), "{part}\n{report}");
    }
    assert!(!report.contains("scalability law"), "{report}");
    let place = |value: &str| report.find(&format!("\n  {value} ")).expect(value);
    assert!(place("8MB") < place("16MB") && place("16MB") < place("24MB"));
    let document = format!(
        "SELECT concat_ws(' ', g ->> 'clients', g #>> '{{axes,0,name}}', g #>> '{{axes,0,values,1,is_current}}', \
                jsonb_array_length(g -> 'buffers'), g #>> '{{figures,0,metric}}') \
         FROM jsonb_array_elements(pgperf.sweep_json({sweep}) #> '{{sweeps,0,values}}') g"
    );
    assert_eq!(cluster.run_sql(&document), "2 shared_buffers true 3 tps");
    let page = cluster.run_sql(&format!(
        "SELECT replace(pgperf.sweep_html({sweep}), E'\\n', ' ')"
    ));
    assert!(page.contains("Throughput by shared_buffers") && page.contains("usage count 5"));
}
