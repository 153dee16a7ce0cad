//! The errors of clients and leader.

use crate::report::stored_run::ClientError;
use crate::show::blocks::{Listing, Topic, count, name};
use crate::show::text::one_line;

/// None: there were none.
pub fn topic(errors: &[ClientError]) -> Option<Topic> {
    let whose = |error: &ClientError| match error.client_id {
        None => "leader".to_owned(),
        Some(client) if error.clients == 1 => format!("client {client}"),
        Some(_) => format!("{} clients", error.clients),
    };
    let columns = vec![
        name("message", |it: &ClientError| one_line(&it.message, 400)),
        name("SQLSTATE", |it: &ClientError| it.sqlstate.clone()),
        name("whose", whose),
        name("script", |it: &ClientError| {
            it.script.clone().unwrap_or_default()
        }),
        count("command", |it: &ClientError| it.command_no),
        count("times", |it: &ClientError| Some(it.occurrences)),
    ];
    Topic::of_rows("errors", "Errors", Listing::of(errors, columns), [])
}
