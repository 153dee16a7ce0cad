//! The scripts of a run side by side, such as the types of its transactions.

use crate::report::model::Baseline;
use crate::report::stored_run::Script;
use crate::show::blocks::{Block, Listing, Topic, bar, change, count, figure, name, plain};
use crate::show::delta;
use crate::show::number::{number, percent};
use crate::show::text;
use maud::{Markup, html};
use std::collections::HashMap;

/// None: there is only one, which did what the run did.
pub fn topic(scripts: &[Script], baseline: Option<&Baseline>) -> Option<Topic> {
    let all: i64 = scripts.iter().filter_map(|it| it.transactions).sum();
    let share = |count: i64| format!("{:.1}", percent(count, all));
    let columns = vec![
        name("script", |script: &Script| script.script.clone()),
        count("weight", |script: &Script| script.weight).of_pages(),
        figure("share %", |script: &Script| script.transactions.map(share)),
        count("transactions", |script: &Script| script.transactions).of_pages(),
        plain("tps", |script: &Script| script.tps),
        count("failed", |script: &Script| script.outcomes.failed),
        count("retried", |script: &Script| script.outcomes.retried).of_pages(),
        plain("mean ms", |script: &Script| script.latency_avg_ms),
        plain("std. dev. ms", |script: &Script| script.latency_stddev_ms).of_pages(),
        plain("p50 ms", |script: &Script| script.latency_p50_ms).of_pages(),
        plain("p95 ms", |script: &Script| script.latency_p95_ms),
        plain("p99 ms", |script: &Script| script.latency_p99_ms),
        plain("max ms", |script: &Script| script.latency_max_ms).of_pages(),
    ];
    let latencies = Block::Page(latencies(scripts, baseline));
    let topic = Topic::of_rows(
        "scripts",
        "Scripts",
        Listing::of(scripts, columns),
        [latencies],
    );
    topic.filter(|_| scripts.len() > 1)
}

/// Their mean latencies as bars, beside those of a baseline if there is one.
fn latencies(scripts: &[Script], baseline: Option<&Baseline>) -> Markup {
    let longest = scripts.iter().filter_map(|it| it.latency_avg_ms);
    let longest = longest.fold(f64::MIN_POSITIVE, f64::max);
    let means = baseline.iter().flat_map(|baseline| &baseline.scripts);
    let means: HashMap<&str, f64> = means
        .filter_map(|it| Some((it.script.as_str(), it.latency_avg_ms?)))
        .collect();
    let before = |script: &Script| means.get(script.script.as_str()).copied();
    let change_of = |script: &Script| {
        let (before, now) = before(script).zip(script.latency_avg_ms)?;
        (before > 0.0).then(|| 100.0 * (now / before - 1.0))
    };
    let changes = scripts.iter().filter_map(change_of).map(f64::abs);
    let reach = changes.fold(5.0, f64::max).min(100.0).ceil();
    let columns = vec![
        name("script", |script: &Script| script.script.clone()),
        plain("mean ms", |script: &Script| script.latency_avg_ms),
        bar(|script: &Script| Some(100.0 * script.latency_avg_ms? / longest)),
        plain("baseline ms", before),
        figure("change", |script: &Script| {
            change_of(script).map(delta::percent)
        }),
        change(change_of, reach),
    ];
    html! {
        h3 { "Mean latencies" }
        (Block::Table(Listing::of(scripts, columns)))
        @if let Some(baseline) = baseline {
            p class="note" {
                "Against the baseline " (baseline.name) ", the mean of " (text::count(baseline.runs, "run"))
                ". Dots: the change, from \u{2212}" (number(reach)) " % to +" (number(reach)) " %. pgperf.compare judges it."
            }
        }
    }
}
