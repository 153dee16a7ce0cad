//! Drawing, labels and tables of made-up series.

use super::*;

fn chart(shape: Shape, values: &[Option<f64>]) -> TimeChart {
    let points = (0..values.len())
        .map(|second| Point {
            at_s: second as f64,
            seconds: 1.0,
        })
        .collect();
    let series = vec![Series {
        name: "<tps>".to_owned(),
        color: 1,
        shape,
        values: values.to_vec(),
    }];
    TimeChart::new("Throughput", Unit::Count("tps"), points, series)
}

#[test]
fn a_line_has_gaps_where_there_is_no_value() {
    let page = chart(Shape::Line, &[Some(0.0), Some(100.0), None, Some(50.0)])
        .render()
        .into_string();
    assert!(
        page.contains("d=\"M125 200L375 0M750 100L1000 100\""),
        "{page}"
    );
    assert_eq!(page.matches("class=\"p\"").count(), 4);
    assert!(page.contains("&lt;tps&gt;: 100 tps") && !page.contains("<tps>"));
    assert!(page.contains("<td>-</td>"));
    assert!(page.contains("mean 50 tps, from 0 tps to 100 tps"));
}

#[test]
fn areas_lie_on_top_of_each_other() {
    let mut stacked = chart(Shape::Stacked, &[Some(50.0); 4]);
    stacked.series.push(Series {
        name: "more".to_owned(),
        color: 2,
        shape: Shape::Stacked,
        values: vec![Some(50.0); 4],
    });
    let page = stacked.render().into_string();
    let area = "M125 0L375 0L625 0L875 0L875 100L625 100L375 100L125 100Z";
    assert!(page.contains(area), "{page}");
}

#[test]
fn without_values_there_is_no_chart() {
    assert!(
        chart(Shape::Line, &[None, None])
            .render()
            .into_string()
            .is_empty()
    );
    assert!(chart(Shape::Line, &[]).render().into_string().is_empty());
}

#[test]
fn spans_and_marks_are_told_where_they_are() {
    let mut marked = chart(Shape::Line, &[Some(1.0), Some(2.0), Some(3.0)]);
    // The clock is uneven: it overlaps its neighbours by a microsecond.
    let span = Span {
        from_s: 0.999_999,
        to_s: 2.000_001,
    };
    marked.bands = vec![Bands::new("checkpoint", vec![span])];
    let mark = |at_s, kind, text: &str| Mark {
        at_s,
        kind,
        text: text.to_owned(),
    };
    marked.marks = vec![
        mark(0.5, MarkKind::Autovacuum, "autovacuum of \"a<b\""),
        mark(2.0, MarkKind::Autovacuum, "autovacuum of c"),
        mark(3.0, MarkKind::Autoanalyze, "autoanalyze of c"),
    ];
    let page = marked.render().into_string();
    assert_eq!(page.matches("checkpoint").count(), 4, "{page}");
    assert_eq!(page.matches("<td>yes</td>").count(), 1, "{page}");
    assert!(page.contains("autovacuum of &quot;a&lt;b&quot; at 0.5 s"));
    for told in [
        "Marked: 1 checkpoint, 2 autovacuums, 1 autoanalyze\"",
        "key mark c2\"></i>autovacuum</li>",
        "key rhomb c8\"></i>autoanalyze</li>",
        "<td>autovacuum of &quot;a&lt;b&quot;</td>",
        "<td>autovacuum of c; autoanalyze of c</td>",
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
}

#[test]
fn a_column_without_anything_is_left_out() {
    let mut quiet = chart(Shape::Line, &[Some(1.0), Some(2.0), Some(3.0)]);
    quiet.bands = vec![Bands::new("checkpoint", Vec::new())];
    let page = quiet.render().into_string();
    assert_eq!(
        page.matches("<th").count() - page.matches("<thead").count(),
        2,
        "{page}"
    );
    assert!(page.contains(". No checkpoint\""), "{page}");
}
