use crate::described::compare;
use crate::{Format, read};

#[test]
fn every_figure_of_published_and_own_outputs() {
    for name in ["0.4", "0.5", "1.0", "1.0-rate", "1.0-mysql", "1.1"] {
        compare(&format!("sysbench-{name}"), Format::Sysbench);
    }
}

/// Percona's sysbench-tpcc prints its own lines.
#[test]
fn errors_per_second_may_stand_without_a_colon() {
    let text = "sysbench 1.0.20\nNumber of threads: 4\n\
        [ 1s ] thds: 4 tps: 43.00 qps: 1397.00 (r/w/o: 645.00/662.00/90.00) lat (ms,95%): 26.11 err/s 4.00 reconn/s: 0.00\n\
        [ 2s ] thds: 4 tps: 44.00 qps: 1397.00 (r/w/o: 645.00/662.00/90.00) lat (ms,95%): 26.11 err/s: 5.00 reconn/s: 0.00\n";
    let reading = read(text, None, &mut || {}).unwrap();
    let intervals = reading.runs[0].intervals.iter();
    let counts: Vec<_> = intervals
        .map(|interval| (interval.transactions, interval.outcomes.failed))
        .collect();
    assert_eq!(counts, [(43, Some(4)), (44, Some(5))]);
}
