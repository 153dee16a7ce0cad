//! Gaps of the history are those of the interval that was in force: one that was changed, or stretched by the budget, makes none.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

/// Samples of the last ten minutes: each stretch has its seconds before now, from and to, and its cadence in seconds.
fn sampled(session: &mut Client, stretches: &[(i64, i64, i64)], interval: &str) {
    session.value("TRUNCATE pgperf.samples");
    session.value("SELECT count(*) FROM pgperf_internal.make_partitions(1)");
    session.value("UPDATE pgperf.collectors SET sample_interval = NULL");
    session.value(&format!(
        "UPDATE pgperf.collectors SET sample_interval = {interval} WHERE name = 'waits'"
    ));
    for (from, to, cadence) in stretches {
        session.value(&format!(
            "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, cadence, elapsed_ms, rows, pages, wal_bytes, outcomes) \
             SELECT pgperf.local_node(), 100000 - s, clock_timestamp() - make_interval(secs => s), 1, make_interval(secs => {cadence}), 1, 1, 1, 1, \
                    '{{\"waits\": {{\"status\": \"ok\"}}}}' FROM generate_series({from}, {to}, -{cadence}) s"
        ));
    }
}

/// The report's pauses, the findings, and the gaps of the view: their reasons and seconds.
fn gaps(session: &mut Client) -> [String; 3] {
    let pauses = "SELECT coalesce(string_agg(concat_ws(' ', r ->> 'collectors', round((r ->> 'seconds')::numeric, -1), r ->> 'reason'), ', '), '') \
         FROM pgperf.history_json(now() - interval '9 minutes', clock_timestamp()) d, jsonb_array_elements(d -> 'sections') s, \
              jsonb_array_elements(s -> 'tables') t, jsonb_array_elements(t -> 'rows') r WHERE t ->> 'name' = 'pauses'";
    let findings = "SELECT coalesce(string_agg(round((figures ->> 'seconds')::numeric, -1)::text, ', '), '') \
         FROM pgperf.findings(now() - interval '9 minutes', clock_timestamp()) WHERE rule = 'gap'";
    let view = "SELECT coalesce(string_agg(round(seconds::numeric, -1) || ' ' || reason, ', ' ORDER BY last_at), '') FROM pgperf.sampler_gaps \
         WHERE last_at > now() - interval '9 minutes' AND seconds > 15";
    [pauses, findings, view].map(|sql| session.value(sql))
}

#[test]
fn an_interval_that_changed_makes_no_gap() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    for (stretches, interval) in [
        // As it was throughout.
        (&[(600, 2, 2)][..], "'2 s'"),
        // Longer, and shorter.
        (&[(600, 300, 2), (296, 0, 4)], "'4 s'"),
        (&[(600, 300, 60), (296, 0, 4)], "'4 s'"),
        // Much longer, with and without a sample since.
        (&[(600, 300, 2), (200, 20, 100)], "'100 s'"),
        (&[(600, 300, 2)], "'1 hour'"),
        // Stretched by the budget.
        (&[(600, 300, 2), (256, 0, 64)], "'2 s'"),
        // Switched off.
        (&[(600, 300, 2)], "NULL"),
    ] {
        sampled(&mut session, stretches, interval);
        assert_eq!(gaps(&mut session), ["", "", ""], "{stretches:?}");
    }
}

#[test]
fn a_sampler_that_was_gone_makes_one() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    sampled(&mut session, &[(600, 400, 2), (200, 0, 2)], "'2 s'");
    assert_eq!(
        gaps(&mut session),
        ["waits 200 no sampler ran", "200", "200 no sampler ran"]
    );
    // With a longer interval afterwards, longer than the shorter one alone would allow.
    sampled(&mut session, &[(600, 400, 2), (200, 0, 4)], "'4 s'");
    assert_eq!(
        gaps(&mut session),
        ["waits 200 no sampler ran", "200", "200 no sampler ran"]
    );
    // It has not come back.
    sampled(&mut session, &[(600, 300, 2)], "'2 s'");
    let [pauses, findings, view] = gaps(&mut session);
    assert!(
        pauses.starts_with("waits 30") || pauses.starts_with("waits 31"),
        "{pauses}"
    );
    assert!(pauses.ends_with("until the end of the window"), "{pauses}");
    assert!(
        findings.starts_with("30") || findings.starts_with("31"),
        "{findings}"
    );
    assert!(view.contains("no sampler ran"), "{view}");
}

#[test]
fn samples_that_are_kept_by_the_hour_or_day_make_none() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    const HOUR: i64 = 3600;
    let retained = "SELECT concat_ws(' ', extract(epoch FROM min(retention))::int / 86400, extract(epoch FROM min(hourly_retention))::int / 86400) \
                    FROM pgperf.collectors";
    assert_eq!(
        session.value(retained),
        "7 90",
        "the windows below lie on both sides"
    );
    // Hours and days before now: those of each sample, which the sampler took every minute.
    for (samples, window, expected) in [
        ((200 * HOUR, 190 * HOUR, HOUR), (205, 191), ""),
        // Of the last days every sample is kept.
        (
            (20 * HOUR, 10 * HOUR, HOUR),
            (25, 11),
            "3600, 3600, 3600, 3600, 3600, 3600, 3600, 3600, 3600",
        ),
        (
            (100 * 24 * HOUR, 95 * 24 * HOUR, 24 * HOUR),
            (2450, 2290),
            "",
        ),
        // Longer than that.
        ((200 * HOUR, 190 * HOUR, 5 * HOUR), (205, 191), "18000"),
        (
            (110 * 24 * HOUR, 95 * 24 * HOUR, 72 * HOUR),
            (2700, 2290),
            "259200, 259200, 259200, 259200",
        ),
    ] {
        let (from, to, step) = samples;
        session.value("TRUNCATE pgperf.samples");
        session.value(&format!(
            "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, cadence, elapsed_ms, rows, pages, wal_bytes, outcomes) \
             SELECT pgperf.local_node(), 10000000 - s, now() - make_interval(secs => s), 1, '1 min', 1, 1, 1, 1, '{{\"waits\": {{\"status\": \"ok\"}}}}' \
             FROM generate_series({from}, {to}, -{step}) s"
        ));
        let (begin, end) = window;
        let pauses = session.value(&format!(
            "SELECT coalesce(string_agg((r ->> 'seconds')::numeric::int::text, ', '), '') \
             FROM pgperf.history_json(now() - interval '{begin} hours', now() - interval '{end} hours') d, jsonb_array_elements(d -> 'sections') s, \
                  jsonb_array_elements(s -> 'tables') t, jsonb_array_elements(t -> 'rows') r \
             WHERE t ->> 'name' = 'pauses' AND r ->> 'next_at' IS NOT NULL"
        ));
        assert_eq!(pauses, expected, "{samples:?}");
    }
}
