//! What docs/figures.sql prints of a server without pgperf, before and after a run: sizes and counters, of which the differences belong to
//! the run whose results stand between them, whichever program printed these.
//!
//! * [`moment`]: a server at a moment, and what has changed since another one; [`statements`]: the same of its statements.

mod moment;
mod statements;

pub use moment::{Changes, Moment};

use crate::facts::Run;
use crate::{Format, ReadError, Reader};

const BEGINNING: &str = "pgperf figures ";
/// Programs whose results can stand between two lines of figures.
const PROGRAMS: [Format; 3] = [Format::Pgbench, Format::Sysbench, Format::Hammerdb];

/// Whether it is such a line.
pub(crate) fn claims(line: &str) -> bool {
    line.starts_with(BEGINNING)
}

/// Lines of figures with the output of a program between them.
#[derive(Default)]
pub(crate) struct Output {
    first: Option<Moment>,
    last: Option<Moment>,
    /// Reads what is not a line of figures; None: no line has told yet which program printed it.
    program: Option<Box<dyn Reader>>,
    /// Lines before that one.
    pending: Vec<String>,
}

impl Output {
    fn figures(&mut self, line: &str) -> bool {
        let figures = Moment::read(line);
        let is_known = figures.is_some();
        match &self.first {
            None => self.first = figures,
            Some(_) => self.last = figures.or(self.last.take()),
        }
        is_known
    }
}

impl Reader for Output {
    fn line(&mut self, line: &str) -> bool {
        if let Some(figures) = line.strip_prefix(BEGINNING) {
            return self.figures(figures);
        }
        if let Some(program) = &mut self.program {
            return program.line(line);
        }
        let program = PROGRAMS
            .into_iter()
            .find(|program| program.claims(line.trim()));
        let Some(mut reader) = program.and_then(Format::reader) else {
            self.pending.push(line.to_owned());
            return true;
        };
        let mut are_known = true;
        for line in self.pending.drain(..) {
            are_known &= reader.line(&line);
        }
        are_known &= reader.line(line);
        self.program = Some(reader);
        are_known
    }

    fn finish(self: Box<Self>) -> Result<(Vec<Run>, Vec<String>), ReadError> {
        let Output {
            first,
            last,
            program,
            pending,
        } = *self;
        let (first, last) = first.zip(last).ok_or(ReadError::FiguresOnce)?;
        let (runs, mut notes) = match program {
            Some(program) => program.finish()?,
            None if pending.iter().all(|line| line.trim().is_empty()) => Default::default(),
            None => {
                let note = "no known program printed what stands beside the server's figures";
                (Vec::new(), vec![note.to_owned()])
            }
        };
        let mut run = match <[Run; 1]>::try_from(runs) {
            Ok([run]) => run,
            Err(runs) if runs.is_empty() => alone(&first, &last),
            Err(runs) => return Err(ReadError::FiguresOfWhich(runs.len())),
        };
        let Changes { server, went_on } = last.since(&first);
        if !went_on {
            notes.push(
                "the server's counters began again between its figures: only sizes and WAL are known"
                    .to_owned(),
            );
        }
        run.server_version
            .get_or_insert(last.server_version.clone());
        if run.statements.is_empty() {
            run.statements.clone_from(&server.statements);
        }
        run.server = Some(server);
        Ok((vec![run], notes))
    }
}

/// A run of which nothing is known but the server's figures.
fn alone(first: &Moment, last: &Moment) -> Run {
    let mut run = Run::new(Format::Psql);
    run.complete = true;
    run.started_s = Some(first.taken_at);
    run.totals.seconds = Some((last.taken_at - first.taken_at).max(0.0));
    run
}

#[cfg(test)]
mod tests;
