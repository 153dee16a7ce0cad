//! Made-up captures.

use ::capture::record::{End, Ending, Outcome, Parameter, Start, Statement, Work};
use ::capture::segment::Rest;
use ::capture::{Capture, Protocol, Session, Step, Unrecorded, Value};
use std::collections::HashMap;

/// What a session did next.
#[derive(Clone)]
pub enum Row {
    Statement {
        text: &'static str,
        step: Statement,
        after: u64,
    },
    /// The end of a transaction with its place.
    Commit(Option<u64>),
    Abort,
    Closed(i64),
}

/// A statement; it begins with the one before, and takes no time.
pub fn text(text: &'static str) -> Row {
    let work = match text.split(' ').next() {
        Some("BEGIN") => Work::Begins,
        Some("COMMIT" | "ROLLBACK") => Work::Ends,
        Some("SELECT") => Work::Reads,
        Some("INSERT" | "UPDATE") => Work::Changes,
        _ => Work::Utility,
    };
    let step = Statement {
        hash: 0,
        protocol: Protocol::Simple,
        work,
        started: 0,
        visible: None,
        parameters: Vec::new(),
        outcome: Outcome::default(),
    };
    Row::Statement {
        text,
        step,
        after: 0,
    }
}

impl Row {
    fn with(mut self, change: impl FnOnce(&mut Statement)) -> Row {
        if let Row::Statement { step, .. } = &mut self {
            change(step);
        }
        self
    }

    pub fn after(mut self, place: u64) -> Row {
        if let Row::Statement { after, .. } = &mut self {
            *after = place;
        }
        self
    }

    /// When it began, and how long it took, µs.
    pub fn at(self, started: i64, took: i64) -> Row {
        self.with(|it| (it.started, it.outcome.took) = (started, took))
    }

    pub fn rows(self, rows: u64) -> Row {
        self.with(|it| it.outcome.rows = rows)
    }

    pub fn error(self, sqlstate: &[u8; 5]) -> Row {
        self.with(|it| it.outcome.sqlstate = Some(*sqlstate))
    }

    pub fn unrecorded(self, why: Unrecorded) -> Row {
        self.with(|it| it.outcome.unrecorded = Some(why))
    }

    pub fn protocol(self, protocol: Protocol) -> Row {
        self.with(|it| it.protocol = protocol)
    }

    pub fn values(self, values: &[(u32, Value)]) -> Row {
        let values = values.iter().cloned();
        let parameters = values.map(|(type_oid, value)| Parameter { type_oid, value });
        self.with(|it| it.parameters = parameters.collect())
    }
}

/// A session, with its texts.
pub fn session(rows: &[Row]) -> (Session, HashMap<u64, Vec<u8>>) {
    let mut captured = capture(&[(0, rows.to_vec())]);
    (captured.sessions.remove(0), captured.texts)
}

/// A capture of sessions that began at these moments.
pub fn capture(sessions: &[(i64, Vec<Row>)]) -> Capture {
    let mut texts: Vec<&str> = Vec::new();
    let mut commits = 0;
    let mut made = Vec::new();
    for (at, rows) in sessions {
        let mut steps = Vec::new();
        let mut last = 0;
        for row in rows.iter().cloned() {
            steps.push(match row {
                Row::Statement {
                    text,
                    mut step,
                    after,
                } => {
                    let known = texts.iter().position(|it| *it == text);
                    step.hash = known.unwrap_or_else(|| {
                        texts.push(text);
                        texts.len() - 1
                    }) as u64;
                    step.started = step.started.max(last);
                    last = step.started + step.outcome.took;
                    Step::Statement {
                        statement: step,
                        after,
                    }
                }
                Row::Commit(commit) => {
                    commits = commits.max(commit.unwrap_or(0));
                    end(last, Ending::Committed, commit)
                }
                Row::Abort => end(last, Ending::Aborted, None),
                Row::Closed(at) => Step::Closed { at },
            });
        }
        let start = Start {
            pid: 1,
            at: *at,
            role: "app".to_owned(),
            application: String::new(),
            settings: Vec::new(),
        };
        made.push(Session { start, steps });
    }
    let texts = (0..).zip(texts);
    Capture {
        sessions: made,
        texts: texts.map(|(hash, text)| (hash, text.into())).collect(),
        dropped: 0,
        commits,
        rest: Rest::Complete,
    }
}

fn end(at: i64, ending: Ending, commit: Option<u64>) -> Step {
    Step::End {
        end: End {
            at,
            ending,
            xid: None,
            lsn: 0,
            isolation: 1,
            read_only: false,
        },
        commit,
    }
}
