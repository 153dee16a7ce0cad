//! `pgperf.capture_report`: what a capture has, without any value.

use super::stored::Stored;
use crate::error::Result;
use crate::pg::encoding;
use crate::pg::sql::called::{self, Called, Lines};
use crate::pg::sql::text::Text;
use crate::show::blocks::{Block, Listing, Report, Topic, code, count, percent, plain, time};
use crate::show::number::{duration, integer};
use ::capture::record::Ending;
use ::capture::segment::Rest;
use ::capture::{Part, Statement, Step, Unrecorded};
use maud::html;
use pgrx::prelude::*;
use script::without_literals;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// Statements that are listed.
const LISTED: usize = 30;

/// `pgperf.capture_report`.
#[pg_extern(sql = false)]
fn capture_report(name: Text) -> Called<Lines> {
    let stored = Stored::named(&name)?;
    let sums = Sums::of(&stored)?;
    Ok(called::lines(sums.report(&stored.name).lines()))
}

/// A statement without its constants, over all sessions.
#[derive(Default)]
struct Kind {
    text: String,
    calls: i64,
    rows: u64,
    took_s: f64,
    errors: i64,
}

/// What a capture adds up to.
#[derive(Default)]
struct Sums {
    kinds: Vec<Kind>,
    sessions: usize,
    /// Transactions by how they ended, and those that wrote.
    committed: i64,
    aborted: i64,
    wrote: i64,
    dropped: u64,
    statements: i64,
    took_s: f64,
    /// Between the first start and the last end.
    seconds: f64,
    unrecorded: BTreeMap<Unrecorded, (i64, f64)>,
    is_cut: bool,
}

impl Sums {
    fn of(stored: &Stored) -> Result<Sums> {
        let mut sums = Sums::default();
        let mut kinds: HashMap<String, Kind> = HashMap::new();
        // Many texts are alike but for their constants.
        let mut texts: HashMap<u64, Rc<str>> = HashMap::new();
        let mut alike: HashSet<Rc<str>> = HashSet::new();
        let mut sessions: HashSet<u64> = HashSet::new();
        let mut times: Option<(i64, i64)> = None;
        let (dropped, rest) = stored.each(|part| match part {
            Part::Text { hash, text } => {
                let text = without_literals(&encoding::decode(&text));
                let shared = match alike.get(text.as_str()) {
                    Some(known) => known.clone(),
                    None => Rc::from(text),
                };
                alike.insert(shared.clone());
                texts.insert(hash, shared);
            }
            Part::Steps {
                session,
                start,
                steps,
            } => {
                sessions.insert(session);
                for step in &steps {
                    let (from, to) = (start.at + step.at(), start.at + step.ended());
                    times = Some(
                        times.map_or((from, to), |(first, last)| (first.min(from), last.max(to))),
                    );
                    sums.add(step, &texts, &mut kinds);
                }
            }
        })?;
        sums.sessions = sessions.len();
        sums.dropped = dropped;
        sums.is_cut = rest == Rest::Cut;
        sums.seconds = times.map_or(0.0, |(from, to)| (to - from) as f64 / 1e6);
        sums.kinds = kinds.into_values().collect();
        sums.kinds.sort_by(|a, b| {
            b.took_s
                .total_cmp(&a.took_s)
                .then_with(|| a.text.cmp(&b.text))
        });
        Ok(sums)
    }

    fn add(
        &mut self,
        step: &Step,
        texts: &HashMap<u64, Rc<str>>,
        kinds: &mut HashMap<String, Kind>,
    ) {
        match step {
            Step::Statement { statement, .. } => self.add_statement(statement, texts, kinds),
            // A procedure that commits is several.
            Step::End { end, .. } => {
                match end.ending {
                    Ending::Committed | Ending::Prepared => self.committed += 1,
                    Ending::Aborted => self.aborted += 1,
                }
                self.wrote += i64::from(end.xid.is_some());
            }
            Step::Closed { .. } => {}
        }
    }

    fn add_statement(
        &mut self,
        statement: &Statement,
        texts: &HashMap<u64, Rc<str>>,
        kinds: &mut HashMap<String, Kind>,
    ) {
        let took_s = statement.outcome.took as f64 / 1e6;
        self.statements += 1;
        self.took_s += took_s;
        if let Some(why) = statement.outcome.unrecorded {
            let (calls, seconds) = self.unrecorded.entry(why).or_default();
            *calls += 1;
            *seconds += took_s;
        }
        let text = match texts.get(&statement.hash) {
            Some(text) if !text.is_empty() => &**text,
            _ => "(not recorded)",
        };
        let kind = match kinds.get_mut(text) {
            Some(kind) => kind,
            None => kinds.entry(text.to_owned()).or_insert_with(|| Kind {
                text: text.to_owned(),
                ..Kind::default()
            }),
        };
        kind.calls += 1;
        kind.rows += statement.outcome.rows;
        kind.took_s += took_s;
        kind.errors += i64::from(statement.outcome.sqlstate.is_some());
    }

    fn report(&self, name: &str) -> Report {
        let title = format!("Capture {name}");
        Report {
            header: html! {},
            name: title.clone(),
            title,
            summary: self.summary(),
            topics: vec![Topic::new("statements", "Statements", self.blocks())],
        }
    }

    fn summary(&self) -> Vec<String> {
        let transactions = self.committed + self.aborted;
        let mut lines = vec![
            format!(
                "{} sessions, {} transactions in {}: {} wrote, {} rolled back",
                integer(self.sessions as i64),
                integer(transactions),
                duration(self.seconds),
                integer(self.wrote),
                integer(self.aborted),
            ),
            format!(
                "{} statements, {} in them",
                integer(self.statements),
                duration(self.took_s)
            ),
        ];
        if self.dropped > 0 {
            lines.push(format!(
                "{} transactions are missing: their sessions left more than the writer could take",
                integer(self.dropped as i64)
            ));
        }
        for (why, (calls, seconds)) in &self.unrecorded {
            let what = match why {
                Unrecorded::CopyFrom => "COPY FROM STDIN, whose rows are not recorded",
                Unrecorded::Secret => "statements that may hold a password, which are not recorded",
            };
            let share = 100.0 * seconds / self.took_s.max(f64::MIN_POSITIVE);
            lines.push(format!(
                "{} {what}: {share:.1} % of the time",
                integer(*calls)
            ));
        }
        if self.is_cut {
            lines.push(
                "The server ended before the capture did: the last second may be missing."
                    .to_owned(),
            );
        }
        lines
    }

    fn blocks(&self) -> Vec<Block> {
        let total = self.took_s.max(f64::MIN_POSITIVE);
        let columns = vec![
            count("calls", |kind: &Kind| Some(kind.calls)),
            time("time", |kind: &Kind| Some(kind.took_s)),
            percent("share", move |kind: &Kind| {
                Some(100.0 * kind.took_s / total)
            }),
            plain("mean ms", |kind: &Kind| {
                Some(1000.0 * kind.took_s / kind.calls as f64)
            }),
            plain("rows/call", |kind: &Kind| {
                Some(kind.rows as f64 / kind.calls as f64)
            }),
            count("errors", |kind: &Kind| {
                Some(kind.errors).filter(|&errors| errors > 0)
            }),
            code("statement", |kind: &Kind| kind.text.clone()),
        ];
        let listed = &self.kinds[..self.kinds.len().min(LISTED)];
        let mut blocks = vec![Block::Table(Listing::of(listed, columns))];
        let others = self.kinds.len() - listed.len();
        if others > 0 {
            blocks.push(Block::Remark(format!(
                "{} more statements took less time.",
                integer(others as i64)
            )));
        }
        blocks
    }
}
