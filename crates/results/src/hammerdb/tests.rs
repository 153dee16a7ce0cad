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

/// The lines that 6.0 prints before its result.
#[test]
fn the_version_of_the_server_is_known_since_6_0() {
    let text = |version: &str| {
        format!(
            "HammerDB CLI v6.0\nVuser 1:RUNNING\nVuser 1:DBVersion:{version}\n\
             Vuser 1:PostgreSQL TPROC-C: stored procedures requested, but functions found. Auto-switching pg_storedprocs to false.\n\
             Vuser 1:Beginning rampup time of 2 minutes\nVuser 1:Checkpoint and Vacuum\nVuser 1:Checkpoint and Vacuum Complete\n\
             Vuser 1:TEST RESULT : System achieved 10 NOPM from 20 PostgreSQL TPM\n"
        )
    };
    for (version, known) in [
        ("15.20", Some("15.20")),
        ("18.1 (Debian 18.1-1)", Some("18.1")),
        ("NULL", None),
    ] {
        let reading = read(&text(version), None, &mut || {}).unwrap();
        assert_eq!(reading.unread.lines, 0, "{version}");
        assert_eq!(reading.runs.len(), 1);
        assert_eq!(reading.runs[0].server_version.as_deref(), known);
        assert_eq!(reading.runs[0].program_version.as_deref(), Some("6.0"));
    }
}
