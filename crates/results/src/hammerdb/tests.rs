use crate::described::compare;
use crate::{Format, ReadError, read};

#[test]
fn every_figure_of_published_outputs() {
    for name in [
        "3-tproc-c",
        "4-tproc-c",
        "3-etprof",
        "4-profile",
        "4-counter",
        "6-profile",
        "4-tproc-h",
    ] {
        compare(&format!("hammerdb-{name}"), Format::Hammerdb);
    }
}

#[test]
fn errors_of_virtual_users_are_told() {
    let text = "Error in Virtual User 1: no\n\
        Vuser 1:TEST RESULT : System achieved 10 NOPM from 20 SQL Server TPM\nVuser 1:FINISHED FAILED\n";
    let reading = read(text, None, &mut || {}).unwrap();
    assert_eq!(reading.unread.lines, 2);
    let figures: Vec<f64> = reading.runs[0].figures.iter().map(|f| f.value).collect();
    assert_eq!(figures, [10.0, 20.0]);
}

#[test]
fn users_without_a_result_are_an_error() {
    let text = "Vuser 1:RUNNING\nVuser 1:Beginning rampup time of 2 minutes\n";
    let nothing = Err(ReadError::Nothing(Format::Hammerdb));
    assert_eq!(read(text, None, &mut || {}), nothing);
}
