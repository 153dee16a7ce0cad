use crate::described::{all, compare};
use crate::{Format, ReadError, read};

#[test]
fn every_figure_of_the_columns_of_all_versions() {
    for name in ["1.4", "1.8", "1.10", "1.12"] {
        compare(&format!("statements-{name}"), Format::PgStatStatements);
    }
}

#[test]
fn rows_of_one_statement_are_pooled() {
    let text = "userid,queryid,query,calls,total_exec_time,mean_exec_time,stddev_exec_time,max_exec_time,rows\n\
        10,7,SELECT 1,2,4,2,0,2,2\n\
        11,7,SELECT 1,2,12,6,0,6,\n\
        12,,<insufficient privilege>,1,100,100,0,100,1\n";
    let reading = read(text, None, &mut || {}).unwrap();
    let run = &reading.runs[0];
    let expected = [
        "c: in 0, text \"<insufficient privilege>\", calls 1, avg 100.0, stddev 0.0, max 100.0, rows 1",
        "c: in 0, text \"SELECT 1\", calls 4, avg 4.0, stddev 2.0, max 6.0",
    ];
    let all = all(run);
    let statements: Vec<&str> = all.lines().filter(|line| line.starts_with("c: ")).collect();
    assert_eq!(statements, expected);
}

#[test]
fn a_row_without_its_figures_is_told() {
    let text = "query,calls,total_time\n\"SELECT\n1\",1,2\nSELECT 2,x,2\n";
    let reading = read(text, None, &mut || {}).unwrap();
    assert_eq!(reading.unread.first, Some((4, "SELECT 2,x,2".to_owned())));
    assert_eq!(reading.runs[0].statements[0].text, "SELECT\n1");
    let nothing = Err(ReadError::Nothing(Format::PgStatStatements));
    assert_eq!(read("query,calls\n", None, &mut || {}), nothing);
}
