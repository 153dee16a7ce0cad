//! What a client counts: of each statement and each transaction how it ended, and what differs from the capture.

use super::{Company, Course, Player};
use crate::divergence::Divergence;
use crate::plan::Session;
use crate::score::Position;
use crate::transactions::Planned;
use engine::{ClientError, Completion, FailureKind, Sink, SqlError};

impl<S: Company, K: Sink> Player<'_, S, K> {
    /// Compares what a statement did with what it did in the capture, and counts it.
    pub(super) fn compare(
        &mut self,
        session: &Session,
        statement: &Planned,
        result: &Result<Completion, SqlError>,
        took_ns: u64,
        course: &mut Course,
    ) {
        let ended = match result {
            Ok(completion) => Ok(completion.processed),
            Err(error) => Err(error.sqlstate.as_str()),
        };
        let how = statement.expected.compare(ended);
        {
            let shown = self.stage.plan.texts[statement.text].shown;
            let mut score = self.stage.score.borrow_mut();
            let counted = &mut score.statements[shown];
            match result {
                Ok(completion) => {
                    counted.stats.record(took_ns);
                    counted.stats.rows += completion.processed;
                    let now = self.around.now();
                    counted.stats.parts.merge(&completion.laps.parts(now));
                    let captured_ns = statement.took.max(0) as u64 * 1000;
                    counted.captured.record(captured_ns);
                    self.received.0 += completion.rows;
                    self.received.1 += completion.bytes;
                }
                Err(_) if how == Some(Divergence::NotReached) => {}
                Err(_) => counted.stats.failed += 1,
            }
        }
        if let Some(how) = how {
            self.diverged(session, statement, how, course);
        }
        if let (Some(Divergence::ErrorNew | Divergence::ErrorOther), Err(error)) = (how, result) {
            self.failed(statement, error, course);
        }
    }

    pub(super) fn diverged(
        &self,
        session: &Session,
        statement: &Planned,
        how: Divergence,
        course: &mut Course,
    ) {
        course.diverged = true;
        course.error_gone |= how == Divergence::ErrorGone;
        if how == Divergence::NotReached {
            course.failed.get_or_insert(FailureKind::Other);
        }
        self.note(session, statement, how);
    }

    pub(super) fn note(&self, session: &Session, statement: &Planned, how: Divergence) {
        let shown = self.stage.plan.texts[statement.text].shown;
        let position = Position {
            session: session.number as u64,
            statement: statement.number,
        };
        self.stage.score.borrow_mut().statements[shown].diverges(how, position);
    }

    pub(super) fn not_reached(&self, session: &Session, statements: &[Planned]) {
        for statement in statements {
            self.note(session, statement, Divergence::NotReached);
        }
    }

    /// A statement failed otherwise than in the capture. Its message may have values of the capture, and is not told.
    pub(super) fn failed(&mut self, statement: &Planned, error: &SqlError, course: &mut Course) {
        let kind = FailureKind::of(&error.sqlstate);
        course.failed.get_or_insert(kind);
        let told = SqlError::new(
            &error.sqlstate,
            "a statement failed otherwise than in the capture",
        );
        let shown = self.stage.plan.texts[statement.text].shown;
        self.sink.error(&self.error(told, Some(shown)));
    }

    pub(super) fn error(&self, error: SqlError, command: Option<usize>) -> ClientError {
        ClientError::new(error, command, self.around.timestamp())
    }

    /// Counts a transaction that has ended.
    pub(super) fn ended(&mut self, course: &Course) {
        {
            let totals = &mut self.stage.score.borrow_mut().totals;
            totals.late_ns += course.late_ns;
            totals.latest_ns = totals.latest_ns.max(course.late_ns);
            match course.diverged {
                true => totals.diverged += 1,
                false => totals.alike += 1,
            }
        }
        match course.failed {
            Some(kind) => self.sink.failed(kind),
            None => {
                if course.late_ns > 0 {
                    self.sink.lag(course.late_ns);
                }
                self.sink.transaction(course.spent_ns);
            }
        }
        self.sink.received(self.received.0, self.received.1);
    }

    /// Counts a transaction that was given up.
    pub(super) fn ended_diverged(&mut self, kind: FailureKind) {
        self.stage.score.borrow_mut().totals.diverged += 1;
        self.sink.failed(kind);
    }
}
