//! The report of one sweep: its points by number of clients, the peak and the law of each combination of what else varies.

use super::call;
use super::facts::{Facts, Law, Peak, Point, Sweep};
use super::points::{self, By, LATENCY, Named, THROUGHPUT};
use super::servers;
use crate::experiment::{race, values};
use crate::show::blocks::{Block, Listing, Report, Topic, figure, name};
use crate::show::number::{decimals, duration, integer, number};
use crate::show::page::card::card;
use crate::show::text::{count, plural};
use maud::{Markup, html};

/// The scalability law needs so many numbers of clients.
const LAW_NEEDS: usize = 3;

pub fn report(facts: &Facts) -> Report {
    let sweep = &facts.sweep;
    let combinations = || facts.combinations();
    let curves = || combinations().filter_map(|points| curve(facts, points));
    let mut topics: Vec<Topic> = (facts.race.iter())
        .map(|race| race::report::topic(race, sweep.elapsed_s))
        .collect();
    let cpus = facts.conditions.cpus();
    if facts.is_by_values() {
        topics.extend(values::report::topics(facts));
    } else {
        // One point is no curve.
        if facts.points.len() > 1 {
            let rates = THROUGHPUT.of(curves(), cpus);
            topics.push(Topic::new("throughput", "Throughput", vec![rates]));
            let without_laws = curves().map(|(name, points, _)| (name, points, None));
            let latencies = LATENCY.of(without_laws, cpus);
            topics.push(Topic::new("latency", "Latency", vec![latencies]));
        }
        if facts.peaks.len() > 1 {
            topics.push(Topic::new("peaks", "Peaks", vec![peaks(facts)]));
        }
        let combinations = combinations().zip(0..);
        topics.extend(combinations.map(|(points, place)| combination(facts, points, place)));
        topics.extend(values::report::statements(facts));
    }
    topics.extend(servers::topics(&facts.versions));
    topics.extend(facts.conditions.topic(&[]));
    let call = Block::Code(call::of(&facts.origin));
    topics.push(Topic::new("call", "Call", vec![call]));
    Report {
        name: match &sweep.label {
            Some(label) => format!("{label} \u{2013} pgperf sweep {}", sweep.sweep_id),
            None => format!("pgperf sweep {}", sweep.sweep_id),
        },
        title: title(sweep),
        summary: std::iter::once(how(sweep))
            .chain(facts.conditions.line())
            .chain(sweep.error.clone())
            .collect(),
        header: header(facts),
        topics,
    }
}

fn curve<'a>(facts: &'a Facts, points: &'a [Point]) -> Option<Named<'a>> {
    let combination = points.first()?.combination.as_str();
    Some((combination, points.iter().collect(), facts.law(combination)))
}

/// Its name and progress.
fn title(sweep: &Sweep) -> String {
    let label = sweep.label.as_deref().map(|label| format!(" \"{label}\""));
    let failed = (sweep.failed > 0).then(|| format!("{} failed", sweep.failed));
    let left = sweep.eta_s.map(|left| format!("{} left", duration(left)));
    let parts = [
        Some(sweep.status.clone()),
        Some(format!(
            "{} of {} runs",
            sweep.finished,
            sweep.until.runs(sweep.runs)
        )),
        failed,
        Some(duration(sweep.elapsed_s)),
        left,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let label = label.unwrap_or_default();
    format!("sweep {}{label}: {}", sweep.sweep_id, parts.join(", "))
}

/// How it is made.
fn how(sweep: &Sweep) -> String {
    let order = match sweep.run_order.as_str() {
        "random" => format!("in random order (seed {})", sweep.random_seed),
        _ => "in the given order".to_owned(),
    };
    let before = [
        (sweep.init == "change").then_some("tables loaded anew where they differ"),
        (sweep.init == "each").then_some("tables loaded anew before each"),
        sweep.checkpoint.then_some("a checkpoint before each"),
    ];
    let before = before.into_iter().flatten().map(str::to_owned);
    let made = format!("{} {order}", sweep.until.repetitions(sweep.repetitions));
    let parts: Vec<String> = std::iter::once(made).chain(before).collect();
    parts.join(", ")
}

fn header(facts: &Facts) -> Markup {
    let sweep = &facts.sweep;
    let peaks = facts.peaks.iter().filter(|_| !facts.is_by_values());
    let best = peaks.max_by(|a, b| a.tps.total_cmp(&b.tps));
    html! {
        p class="kind" { "pgperf sweep" }
        h1 {
            @if let Some(label) = &sweep.label { (label) } @else { "Sweep " (sweep.sweep_id) }
            span class={ "status " (sweep.status) } { (sweep.status) }
        }
        p class="what" { (how(sweep)) }
        @if let Some(conditions) = facts.conditions.line() { p class="where" { (conditions) } }
        @if let Some(error) = &sweep.error { p class="warning" { (error) } }
        ul class="cards" {
            @if facts.is_by_values() { (values::report::cards(facts)) }
            @if let Some(peak) = best {
                (card("Peak", &number(peak.tps), "tps", html! {
                    span class="more" { "with " (integer(peak.clients)) " " (plural(peak.clients, "client")) @if !peak.combination.is_empty() { ", " (peak.combination) } }
                }))
            }
            (card("Runs", &integer(sweep.finished), &format!("of {}", sweep.until.runs(sweep.runs)), html! {
                span class="more" { @if sweep.failed > 0 { (integer(sweep.failed)) " failed" } @else { "none failed" } }
            }))
            (card("Time", &duration(sweep.elapsed_s), "", html! {
                span class="more" { @if let Some(left) = sweep.eta_s { (duration(left)) " left" } }
            }))
        }
    }
}

/// The peaks of several combinations beside each other.
fn peaks(facts: &Facts) -> Block {
    let of_law = |head: &'static str, value: fn(&Law) -> Option<f64>| {
        figure(head, move |peak: &Peak| {
            facts.law(&peak.combination).and_then(value).map(number)
        })
    };
    let listing = Listing::of(
        &facts.peaks,
        vec![
            name("combination", |peak: &Peak| peak.combination.clone()),
            figure("peak tps", |peak: &Peak| Some(number(peak.tps))),
            figure("clients", |peak: &Peak| Some(integer(peak.clients))),
            of_law("contention", |law| law.sigma),
            of_law("coherency", |law| law.kappa),
            of_law("R\u{b2}", |law| law.r_squared),
            of_law("peak by the law, clients", |law| law.peak_clients),
            of_law("tps", |law| law.peak_tps),
        ],
    );
    Block::Page(html! { (Block::Table(listing)) })
}

/// The points of a combination, and what is to say about them.
fn combination(facts: &Facts, points: &[Point], place: usize) -> Topic {
    let of_first = |text: fn(&Point) -> &str| points.first().map_or("", text);
    let combination = of_first(|point| &point.combination);
    let workload = of_first(|point| &point.workload);
    let tps = |point: &Point| point.tps.unwrap_or(0.0);
    let rates = facts.points.iter().map(tps);
    let highest = rates.fold(f64::MIN_POSITIVE, f64::max);
    let bars = points.iter().map(|point| tps(point) / highest);
    let all: Vec<&Point> = points.iter().collect();
    let listing = points::table(&all, &facts.metrics, &By::Clients);
    let listing = listing.with_bars(bars.collect());
    let peak = facts.peak(combination).into_iter();
    let peak = peak.flat_map(|peak| about_peak(peak, points.len()));
    let law = facts.law(combination).filter(|_| points.len() >= LAW_NEEDS);
    let more = peak.chain(law.map(about_law));
    let blocks = points::blocks(facts, &all, &By::Clients, listing, more);
    let title = heading(workload, combination);
    Topic::new(format!("points-{place}"), title, blocks)
}

/// The values that vary, and the workload.
pub fn heading(workload: &str, combination: &str) -> String {
    match combination {
        "" => format!("workload: {workload}"),
        varied if varied.contains(&format!("workload={workload}")) => varied.to_owned(),
        combination => format!("{combination} (workload: {workload})"),
    }
}

/// `points`: how many numbers of clients there are, including the peak's.
pub fn about_peak(peak: &Peak, points: usize) -> Vec<String> {
    let (tps, clients) = (number(peak.tps), count(peak.clients, "client"));
    let texts = |clients: &[i64]| clients.iter().map(i64::to_string).collect::<Vec<_>>();
    let as_good = peak.as_good_clients.is_some();
    judged(
        format!("peak: {tps} tps at {clients}"),
        "number",
        as_good.then(|| texts(&peak.others())),
        &texts(peak.undecided_clients.as_deref().unwrap_or_default()),
        &texts(peak.untested_clients.as_deref().unwrap_or_default()),
        points,
        peak.margin_percent,
    )
}

/// What is the best, and what is known of the others. `thing`: what they are. `as_good`: the others that are; None: one run of the best
/// is too few. `all`: how many there are, including the best.
pub fn judged(
    best: String,
    thing: &str,
    as_good: Option<Vec<String>>,
    undecided: &[String],
    untested: &[String],
    all: usize,
    margin: f64,
) -> Vec<String> {
    let alone = untested.len() + 1 >= all;
    let of_others = match &as_good {
        None => "; one run is too few to say how certain that is".to_owned(),
        Some(others) if !others.is_empty() => {
            format!("; as good within {margin} %: {}", others.join(", "))
        }
        Some(_) if alone => String::new(),
        Some(_) if !undecided.is_empty() => format!("; none is as good within {margin} % for sure"),
        Some(_) if untested.is_empty() => format!("; every other {thing} is worse"),
        Some(_) => "; every other one tested is worse".to_owned(),
    };
    let mut lines = vec![format!("{best}{of_others}")];
    let lists = [
        ("undecided, neither as good nor worse for sure", undecided),
        ("untested, fewer than two runs", untested),
    ];
    let lists = lists
        .into_iter()
        .filter(|(_, others)| as_good.is_some() && !others.is_empty());
    lines.extend(lists.map(|(what, others)| format!("{what}: {}", others.join(", "))));
    lines
}

impl Peak {
    /// The other numbers of clients that are as good.
    pub fn others(&self) -> Vec<i64> {
        let all = self.as_good_clients.iter().flatten().copied();
        all.filter(|clients| *clients != self.clients).collect()
    }
}

/// The scalability law, or why there is none.
pub fn about_law(law: &Law) -> String {
    let (Some(lambda), Some(sigma), Some(kappa)) = (law.lambda, law.sigma, law.kappa) else {
        let reason = law.reason.as_deref().unwrap_or("there is no fit");
        return format!("scalability law: {reason}");
    };
    let error =
        |error: Option<f64>| error.map_or_else(String::new, |error| format!(" ± {error:.2e}"));
    let end = match (law.peak_clients, law.peak_tps, law.limit_tps) {
        (Some(clients), Some(tps), _) => {
            format!("peak: {} tps at {clients:.1} clients", number(tps))
        }
        (_, _, Some(limit)) => format!("no peak: tps approaches {}", number(limit)),
        _ => "no peak: it grows with the clients".to_owned(),
    };
    let coherency = match kappa > 0.0 {
        true => format!("{kappa:.2e}"),
        false => "0".to_owned(),
    };
    format!(
        "scalability law: {} tps a client, contention {sigma:.4}{}, coherency {coherency}{}, R² {}; {end}",
        number(lambda),
        error(law.sigma_error),
        error(law.kappa_error),
        decimals(law.r_squared, 4)
    )
}
