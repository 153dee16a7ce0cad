//! A database that keeps the history of other servers, its sources: each publishes it (`publish.sql`), and is subscribed here by a foreign
//! server of pgperf_target.
//!
//! A subscription begins with the rows that are missing here, as the source had them when its replication slot began ([`copy`]), so that
//! nothing comes twice and nothing is left out, also when a source is subscribed anew.

mod copy;
mod source;
mod status;
mod subscribe;
