//! One report in its three forms.

use super::*;
use crate::show::text::WIDTH;
use maud::html;

fn report(name_width: usize, figures: usize) -> Report {
    let rows = [
        ("a".repeat(name_width), Some(1.5)),
        ("b_b".to_owned(), None),
    ];
    let mut columns = vec![name("", |row: &(String, Option<f64>)| row.0.clone())];
    columns.extend((0..figures).map(|place| {
        figure(&format!("figure {place}"), |row: &(String, Option<f64>)| {
            row.1.map(|value| value.to_string())
        })
    }));
    columns.push(figure("unheard", |_| None));
    let table = Listing::of(&rows, columns);
    Report {
        name: "a page".to_owned(),
        title: "title <1>".to_owned(),
        summary: vec!["what one has to know".to_owned()],
        header: html! { h1 { "title" } },
        topics: vec![
            Topic::new("chart", "Chart", vec![Block::Page(html! { b { "drawn" } })]),
            Topic::new(
                "one",
                "One",
                vec![
                    Block::Table(table),
                    Block::Remark("first".to_owned()),
                    Block::Remark("second".to_owned()),
                    Block::Code("SELECT '```';".to_owned()),
                ],
            ),
        ],
    }
}

#[test]
fn a_report_is_text_a_comment_and_a_page() {
    let report = report(1, 1);
    assert_eq!(
        report.lines(),
        [
            "title <1>",
            "what one has to know",
            "",
            "One",
            "       figure 0",
            "  a         1.5",
            "  b_b         -",
            "  first",
            "  second",
            "SELECT '```';",
        ]
    );
    assert_eq!(
        report.comment(),
        "### pgperf: title &lt;1&gt;\n\nwhat one has to know\n\n**One**\n\n|  | figure 0 |\n|---|--:|\n| a | 1.5 |\n| b\\_b | - |\n\n\
         * first\n* second\n\n````sql\nSELECT '```';\n````\n"
    );
    let page = report.page().replace('\n', " ");
    assert!(
        page.contains("<b>drawn</b>") && page.contains("SELECT '```';"),
        "{page}"
    );
    assert!(
        page.contains("<td class=\"number\">1.5</td>") && !page.contains("unheard"),
        "{page}"
    );
}

#[test]
fn a_name_that_leaves_no_room_has_a_line_of_its_own() {
    let lines = report(70, 2).lines();
    assert_eq!(lines[4].trim_start(), "figure 0  figure 1");
    assert_eq!(lines[5], format!("  {}", "a".repeat(70)));
    assert_eq!(lines[6].trim_start(), "1.5       1.5");
    // One that leaves room stands before its figures.
    assert!(lines[7].starts_with("  b_b   "), "{lines:?}");
    assert_eq!(lines[7].len(), lines[6].len());
    // Even so too wide: a sentence.
    let lines = report(3, 20).lines();
    assert_eq!(lines[4], "  aaa");
    assert!(
        lines[5].starts_with("    figure 0 1.5, figure 1 1.5"),
        "{lines:?}"
    );
    assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
}

#[test]
fn rows_stand_below_what_they_are_about() {
    let rows = [
        ("all", None),
        ("size", Some("t")),
        ("bloat", Some("t")),
        ("size", Some("u <1>")),
    ];
    let columns = vec![
        name("metric", |row: &(&str, Option<&str>)| row.0.to_owned()),
        column("", |_: &(&str, Option<&str>)| Cell::Change {
            percent: Some(5.0),
            ends: None,
            reach: 10.0,
            color: 1,
        }),
        figure("change", |_: &(&str, Option<&str>)| Some("+5".to_owned())),
        figure("further", |_: &(&str, Option<&str>)| Some("7".to_owned())).of_pages(),
        column("verdict", |_: &(&str, Option<&str>)| {
            Cell::Verdict("worse".to_owned())
        }),
    ];
    let table = Listing::of(&rows, columns);
    let table = table.grouped(rows.iter().map(|row| row.1.map(str::to_owned)));
    let blocks = vec![Block::Folded("3 more".to_owned(), table.first(1))];
    let report = Report {
        topics: vec![Topic::new("x", "X", blocks).folded()],
        ..report(1, 1)
    };
    let comment = report.comment();
    assert!(
        comment.contains("<details><summary>X</summary>\n\n* 3 more\n\n</details>\n"),
        "{comment}"
    );
    let page = report.page().replace("<!--\n-->", "").replace("\n>", ">");
    let page = page.replace('\n', " ");
    for part in [
        "<summary>3 more</summary>",
        "<tr class=\"object\"><th scope=\"rowgroup\" colspan=\"5\">u &lt;1&gt;</th></tr>",
        "<span>+10 %</span>",
        "<td class=\"verdict worse\">worse</td>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let Some(Block::Folded(_, table)) = report.topics.into_iter().flat_map(|it| it.blocks).next()
    else {
        panic!("no table");
    };
    let comment = table.comment();
    assert_eq!(comment[2], "|  | all | +5 | worse |");
    assert_eq!(comment[5], "| `u <1>` | size | +5 | worse |");
    assert_eq!(
        Topic::new("x", "X", vec![Block::Table(table)]).lines(),
        [
            "X",
            "  metric  change  verdict",
            "  all         +5  worse",
            "  t",
            "    size      +5  worse",
            "  u <1>",
            "    size      +5  worse",
            "  ... and 1 more",
        ]
    );
}

#[test]
fn columns_without_a_name_go_on_below() {
    let rows = [(1, 1000), (20, 2000)];
    let columns = (0..12).map(|place| {
        figure(&format!("column {place}"), move |row: &(i64, i64)| {
            Some(if place == 0 { row.0 } else { row.1 }.to_string())
        })
    });
    let listing = Listing::of(&rows, columns.collect()).with_bars(vec![0.01, 1.0]);
    let topic = Topic::new("", "", vec![Block::Table(listing)]);
    let report = Report {
        topics: vec![topic],
        ..report(1, 1)
    };
    let lines = report.lines();
    assert!(lines[4].ends_with("column 5"), "{lines:?}");
    assert!(lines[5].ends_with("1000  ▏"), "{lines:?}");
    assert!(lines[6].ends_with(&"█".repeat(18)), "{lines:?}");
    assert_eq!(lines[7], "");
    assert!(lines[8].starts_with("  column 0  column 6"), "{lines:?}");
    assert!(lines[10].starts_with("        20      2000"), "{lines:?}");
    assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
}

#[test]
fn what_a_text_has_no_room_for_is_on_the_page_alone() {
    let rows = [("SELECT 1, ".repeat(20), 1234)];
    let columns = vec![
        code("command", |row: &(String, i64)| row.0.clone()),
        count("calls", |row: &(String, i64)| Some(row.1)),
        size("read", |row: &(String, i64)| Some(row.1)).of_pages(),
        change(|_: &(String, i64)| None, 5.0),
    ];
    let table = Block::Table(Listing::of(&rows, columns));
    let report = Report {
        topics: vec![Topic::new("t", "Commands", vec![table]).folded()],
        ..report(1, 1)
    };
    let lines = report.lines();
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(words(&lines[4]), ["command", "calls"]);
    assert!(
        lines[5].starts_with("  SELECT 1, SELECT 1") && lines[5].ends_with("...  1,234"),
        "{lines:?}"
    );
    assert_eq!((lines.len(), lines[5].chars().count()), (6, WIDTH));
    let comment = report.comment();
    let head =
        "<details><summary>Commands</summary>\n\n| command | calls |\n|---|--:|\n| `SELECT 1, ";
    assert!(comment.contains(head), "{comment}");
    assert!(
        comment.ends_with("...` | 1,234 |\n\n</details>\n"),
        "{comment}"
    );
    let page = report.page().replace('\n', " ");
    assert!(
        page.contains("1.21 kB") && !page.contains("class=\"change\""),
        "{page}"
    );
    assert_eq!(page.matches("SELECT 1,").count(), 20, "{page}");
}
