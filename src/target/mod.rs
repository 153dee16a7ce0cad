//! Other servers, as targets of runs: foreign servers of the wrapper `pgperf_target`, by the conventions of postgres_fdw.
//!
//! * [`options`]: the options that a server or a user mapping may have; [`validator`] checks them;
//! * [`servers`]: how a role connects to one; [`control`]: a connection that asks a target about itself; [`standing`]: who the role is
//!   there, and what it may read; [`inquiry`]: questions whose answers nobody waits for; [`conversation`]: a session of a
//!   worker with another pgperf; [`origin`]: the beginning of a subscription.
//!
//! Values of options, passwords among them, are in no error, log or row: they go from the catalog to libpq, and into
//! the catalog's row of a subscription.

pub mod control;
pub mod conversation;
pub mod inquiry;
mod options;
pub mod origin;
mod servers;
pub mod session;
pub mod standing;
mod validator;

pub use servers::{connection, connection_of, connection_text};
