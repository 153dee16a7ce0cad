//! pgperf from without: every test starts throw-away clusters of the server of `PG_CONFIG`, which has the extension
//! installed, and speaks to them over connections. `tools/integration` builds this, sees to the server and runs it:
//! `tools/integration run::clients privileges::`.
//!
//! One binary serves all majors: nothing is read when it is built that a server or the place of the checkout decides.

mod common;

mod captures;
mod docs;
mod families;
mod faults;
mod goldens;
mod history;
mod load;
mod long;
mod pgbench;
mod privileges;
mod replay;
mod replication;
mod results;
mod run;
mod server;
mod targets;
mod upgrade;
mod wire;
