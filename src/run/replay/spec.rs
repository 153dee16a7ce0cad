//! What is stored of a replay, in the specification of its run.

use replay::{Options, Plan};
use serde::{Deserialize, Serialize};

/// A replay.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReplaySpec {
    /// The name of the capture.
    pub capture: String,
    pub options: Options,
    /// The statements that are told apart, without constants.
    pub statements: Vec<String>,
    pub size: Size,
}

/// What is to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    pub sessions: u64,
    pub transactions: u64,
    pub statements: u64,
    /// Statements that cannot be run again, by reason.
    pub copy_from: u64,
    pub copy_to: u64,
    pub secret: u64,
    pub unreadable: u64,
    pub unfinished: u64,
    /// Transactions that the capture itself does not have.
    pub dropped: u64,
}

impl Size {
    pub fn of(plan: &Plan) -> Size {
        let [copy_from, copy_to, secret, unreadable, unfinished] = plan.left_out;
        Size {
            sessions: plan.sessions.len() as u64,
            transactions: plan.transactions(),
            statements: plan.statements(),
            copy_from,
            copy_to,
            secret,
            unreadable,
            unfinished,
            dropped: plan.dropped,
        }
    }

    /// Statements that are left out.
    pub fn left_out(&self) -> u64 {
        self.copy_from + self.copy_to + self.secret + self.unreadable + self.unfinished
    }
}
