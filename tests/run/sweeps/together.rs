//! Options of a sweep that meet: each run has the values of its point, comes in its place, and draws what its repetition draws.

use super::{start_sweep, wait_for};
use crate::common::Cluster;
use crate::common::aftermath::Aftermath;
use crate::common::pair::rows;
use crate::common::runs::Runs;

/// The rows name their run by the name of the client's session.
const OPTIONS: &str = "script => E'\\\\set value random(1, 1000000000)\\nINSERT INTO done (value) VALUES (:value);', \
     clients => '{1,2}', settings_grid => '{\"work_mem\": [\"3MB\", \"5MB\"]}', repetitions => 2, run_order => 'given', random_seed => 7, \
     settings => '{\"pairs.setting\": \"given\"}', transactions_per_client => 3, warmup => '0.05 s', checkpoint => true, collectors => '{}'";

#[test]
fn each_run_of_a_grid_has_the_values_of_its_point_and_the_draws_of_its_repetition() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE TABLE done (no bigint GENERATED ALWAYS AS IDENTITY, value bigint, memory text DEFAULT current_setting('work_mem'), \
             setting text DEFAULT current_setting('pairs.setting', true), name text DEFAULT current_setting('application_name'))",
        )
        .expect("a table");
    let requested = if session.number("SHOW server_version_num") < 170_000 {
        "SELECT checkpoints_req FROM pg_stat_bgwriter"
    } else {
        "SELECT num_requested FROM pg_stat_checkpointer"
    };
    let before = session.number(requested);
    let sweep = start_sweep(&mut session, OPTIONS);
    wait_for(&mut session, sweep, "finished");
    let checkpoints = session.number(requested) - before;
    assert!(checkpoints >= 8, "{checkpoints} checkpoints before 8 runs");

    // The last three rows of each client are those of the measured part.
    let measured = "CREATE TEMP VIEW measured AS SELECT r.run_id, r.position, r.repetition, s.client, array_agg(d.value ORDER BY d.no) AS values, \
             string_agg(DISTINCT d.memory || ' ' || d.setting, ', ') AS settings \
         FROM pgperf.sweep_runs r, LATERAL (SELECT DISTINCT name, split_part(name, ' ', 5)::int AS client FROM done \
                 WHERE name LIKE 'pgperf run ' || r.run_id || ' client %') s, \
              LATERAL (SELECT * FROM done WHERE name = s.name ORDER BY no DESC LIMIT 3) d GROUP BY 1, 2, 3, 4";
    session.batch_execute(measured).expect("a view");
    let order = rows(
        &mut session,
        "SELECT repetition, count(*), string_agg(DISTINCT settings, ', ') FROM measured GROUP BY position, repetition ORDER BY position",
    );
    let expected = ["3MB", "5MB"].map(|memory| {
        [(1, 1), (2, 1), (1, 2), (2, 2)]
            .map(|(repetition, clients)| format!("{repetition}|{clients}|{memory} given"))
    });
    assert_eq!(order, expected.concat());
    // Each client draws the same in all points of a repetition, and something else in another one.
    let draws = rows(
        &mut session,
        "SELECT client, count(DISTINCT values), count(DISTINCT (repetition, values)) FROM measured GROUP BY client ORDER BY client",
    );
    assert_eq!(draws, ["0|2|2", "1|2|2"]);
    // So does a smaller sweep with the same seed.
    let drawn = "SELECT string_agg(DISTINCT client || ': ' || values::text, ' ') FROM measured WHERE repetition = 1";
    let of_first = session.value(drawn);
    session.value("DELETE FROM done");
    let again = start_sweep(
        &mut session,
        &OPTIONS
            .replace("{1,2}", "{2}")
            .replace(", \"5MB\"", "")
            .replace("repetitions => 2", "repetitions => 1"),
    );
    wait_for(&mut session, again, "finished");
    assert_eq!(session.value(drawn), of_first);
    session.expect_nothing_left("both sweeps");
}
