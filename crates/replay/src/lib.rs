//! The replay of a capture, without a server: its sessions run their statements again through an [`engine::Transport`], each when it may.
//!
//! | module | what it does |
//! |---|---|
//! | `options` | what a caller may choose: speed, order, sessions |
//! | `plan` | a capture as work: transactions, and which client plays which session |
//! | `transactions` | the steps of a session as transactions |
//! | `texts` | statements' texts, and how they are shown: without constants |
//! | `stage` | what the clients share: which commits are done, who waits for them, and what was counted |
//! | `commits` | the order of commits, and who waits for it |
//! | `player` | a client: session after session, transaction after transaction |
//! | `divergence` | how a statement may end otherwise than in the capture |
//! | `score` | what was counted, by statement |
//!
//! All clients of a replay share a thread, so that what they share needs no lock.

mod commits;
mod divergence;
mod options;
mod plan;
mod player;
mod score;
mod stage;
mod texts;
mod transactions;

#[cfg(test)]
mod tests;

pub use options::{BadOption, Options, Order, Speed};
pub use plan::{Plan, Session};
pub use player::{Company, Connected, Player};
pub use score::{OfStatement, Position, Score, Totals};
pub use stage::Stage;
pub use transactions::Transaction;
