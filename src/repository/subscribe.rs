//! `pgperf.subscribe_history` and `pgperf.unsubscribe_history`.

use super::copy::{self, Gap};
use super::source::{Source, publications, slot_name};
use crate::catalog::node;
use crate::error::{Error, Result, failure, invalid, read_only, sqlstate_code};
use crate::pg::catalog::role;
use crate::pg::process::latch;
use crate::pg::server;
use crate::pg::session::setting;
use crate::pg::sql::quote::{quote_ident, quote_literal};
use crate::pg::sql::subxact::subtransaction;
use crate::pg::sql::text::{Json, Text};
use crate::pg::sql::{spi, xact};
use crate::target::control::Control;
use crate::target::origin::Origin;
use crate::target::{connection, connection_text};
use pgrx::datum::Interval;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::{
    ERRCODE_ACTIVE_SQL_TRANSACTION, ERRCODE_INSUFFICIENT_PRIVILEGE, ERRCODE_OBJECT_IN_USE,
};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;
use std::time::{Duration, Instant};

/// Bytes of a name, at most.
const LONGEST_NAME: usize = 63;
/// Nothing tells of a statement.
const UNSEEN: [(&str, &str); 3] = [
    ("pg_stat_statements.track", "none"),
    ("client_min_messages", "error"),
    ("log_min_messages", "fatal"),
];
/// How long the source may take to notice that its subscriber has gone.
const RELEASE_PATIENCE: Duration = Duration::from_secs(10);

/// `pgperf_internal.check_source`.
#[pg_extern(sql = false)]
fn check_source(
    server: Option<Text>,
    publication: Option<Text>,
) -> std::result::Result<i32, ErrorReport> {
    let call = Call::new(server.as_deref(), publication.as_deref())?;
    let (_, source) = call.ask()?;
    source.check_here(call.server)?;
    Ok(source.first_day()?)
}

/// `pgperf_internal.begin_subscription`.
#[pg_extern(sql = false)]
fn begin_subscription(
    server: Option<Text>,
    publication: Option<Text>,
    run_retention: Option<Interval>,
) -> std::result::Result<Text, ErrorReport> {
    let call = Call::new(server.as_deref(), publication.as_deref())?;
    Ok(call.subscribe(run_retention)?.into())
}

/// `pgperf.unsubscribe_history`.
#[pg_extern(sql = false)]
fn unsubscribe_history(
    server: Option<Text>,
    keep_slot: Option<bool>,
) -> std::result::Result<bool, ErrorReport> {
    let server = name("server", server.as_deref())?;
    Ok(unsubscribe(server, keep_slot.unwrap_or(false))?)
}

/// The source that a call names.
struct Call<'a> {
    server: &'a str,
    publication: &'a str,
}

fn name<'a>(argument: &str, value: Option<&'a str>) -> Result<&'a str> {
    let value = value.filter(|value| !value.is_empty());
    value.ok_or_else(|| invalid(format!("{argument} must not be null or empty")))
}

/// Until the transaction ends. A slot that is left from a failed call is dropped, and must not be that of another one under way.
fn one_at_a_time() -> Result<()> {
    role::as_owner(|| {
        spi::execute_once("LOCK TABLE pgperf_internal.sources IN SHARE ROW EXCLUSIVE MODE")
    })?;
    Ok(())
}

/// Before 16 nobody else creates subscriptions, and what comes is stored with the rights of the tables' owner.
fn check_rights() -> Result<()> {
    if server::in_recovery() {
        return Err(read_only("a standby cannot subscribe").hinting("Call it on the primary."));
    }
    match server::is_superuser(server::current_role()) {
        true => Ok(()),
        false => Err(failure(
            ERRCODE_INSUFFICIENT_PRIVILEGE,
            "only superusers can subscribe to a history",
        )),
    }
}

impl<'a> Call<'a> {
    fn new(server: Option<&'a str>, publication: Option<&'a str>) -> Result<Call<'a>> {
        check_rights()?;
        Ok(Call {
            server: name("server", server)?,
            publication: name("publication", publication)?,
        })
    }

    fn ask(&self) -> Result<(Control, Source)> {
        let mut control = Control::open(self.server)?;
        let source = Source::read(&mut control, self.server, self.publication)?;
        Ok((control, source))
    }

    /// Nothing is written before the slot is there: it would wait for a transaction of this very server.
    fn subscribe(&self, run_retention: Option<Interval>) -> Result<String> {
        one_at_a_time()?;
        let info = connection(self.server)?;
        let (mut control, source) = self.ask()?;
        source.check_here(self.server)?;
        let repository = node::known()?.ok_or(Error::NotInstalled)?;
        let slot = slot_name(&repository, &source);
        drop_slot(&mut control, &slot)?;
        let mut origin = Origin::begin(self.server, &info)?;

        let names = publications(self.publication);
        let node = source.node()?;
        let subscription = subscription_name(self.server);
        let again = is_known(node)?;
        let gaps = copy::copy(&mut origin, &source, &names, again)?;
        self.store(node, &subscription, &slot, run_retention, &gaps)?;
        origin.keep_slot(&slot)?;
        let create = format!(
            "CREATE SUBSCRIPTION {} CONNECTION {} PUBLICATION {}, {} \
             WITH (create_slot = false, slot_name = {}, copy_data = false)",
            quote_ident(&subscription),
            quote_literal(&connection_text(&info)?),
            quote_ident(&names[0]),
            quote_ident(&names[1]),
            quote_literal(&slot)
        );
        // The statement has a password in it, which errors of it would show, its messages and the statistics of statements.
        let created = setting::with_all(&UNSEEN, || subtransaction(|| spi::execute_once(&create)))
            .unwrap_or_else(|error| Err(failure(sqlstate_code(&error.sqlstate), error.message)));
        if let Err(error) = created {
            // What there is to say is said by the first error.
            let _ = drop_slot(&mut control, &slot);
            return Err(error);
        }
        Ok(subscription)
    }

    fn store(
        &self,
        node: &str,
        subscription: &str,
        slot: &str,
        run_retention: Option<Interval>,
        gaps: &[Gap],
    ) -> Result<()> {
        role::as_owner(|| {
            spi::execute(
                "INSERT INTO pgperf_internal.sources AS s (node_id, server, publication, subscription, slot_name, run_retention, gaps) \
                 VALUES ($1::pg_catalog.uuid, $2, $3, $4, $5, $6, $7) \
                 ON CONFLICT (node_id) DO UPDATE SET (server, publication, subscription, slot_name, run_retention, subscribed_at, gaps) \
                   = (EXCLUDED.server, EXCLUDED.publication, EXCLUDED.subscription, EXCLUDED.slot_name, EXCLUDED.run_retention, \
                      EXCLUDED.subscribed_at, s.gaps || EXCLUDED.gaps)",
                &[
                    node.into(),
                    self.server.into(),
                    self.publication.into(),
                    subscription.into(),
                    slot.into(),
                    run_retention.into(),
                    Json(serde_json::to_value(gaps)?).into(),
                ],
            )
        })?;
        Ok(())
    }
}

/// After the foreign server, cut to the length of a name.
fn subscription_name(server: &str) -> String {
    let mut name = format!("pgperf_{server}");
    while name.len() > LONGEST_NAME {
        name.pop();
    }
    name
}

/// Whether the node was subscribed before.
fn is_known(node: &str) -> Result<bool> {
    spi::holds(
        "EXISTS (SELECT FROM pgperf_internal.sources s WHERE s.node_id = $1::pg_catalog.uuid)",
        &[node.into()],
    )
}

#[derive(Deserialize)]
struct Slot {
    active: bool,
}

/// Drops a slot of this repository that is left, once nobody uses it.
fn drop_slot(control: &mut Control, slot: &str) -> Result<()> {
    let until = Instant::now() + RELEASE_PATIENCE;
    loop {
        let found: Vec<Slot> = control.select_with(
            "SELECT s.active, CASE WHEN NOT s.active THEN pg_drop_replication_slot(s.slot_name) END AS dropped \
               FROM pg_replication_slots s WHERE s.slot_name = $1",
            &[slot],
        )?;
        match found.first() {
            Some(Slot { active: true }) if Instant::now() < until => {
                latch::wait(Duration::from_millis(100));
            }
            Some(Slot { active: true }) => {
                return Err(failure(
                    ERRCODE_OBJECT_IN_USE,
                    format!("replication slot \"{slot}\" of the source is in use"),
                )
                .hinting("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots there ends its use, if it is not another repository's."));
            }
            _ => return Ok(()),
        }
    }
}

#[derive(Deserialize)]
struct Subscribed {
    subscription: String,
    slot_name: String,
    exists: bool,
}

/// What has come stays.
fn unsubscribe(server: &str, keep_slot: bool) -> Result<bool> {
    check_rights()?;
    if !keep_slot && xact::in_block() {
        return Err(failure(
            ERRCODE_ACTIVE_SQL_TRANSACTION,
            "unsubscribe_history cannot run inside a transaction block",
        )
        .detailed("The slot of the source would be gone even if the transaction were rolled back.")
        .hinting("keep_slot => true leaves the slot there."));
    }
    one_at_a_time()?;
    let found: Option<Subscribed> = spi::select_one(
        "SELECT s.subscription, s.slot_name, \
            EXISTS (SELECT FROM pg_catalog.pg_subscription p WHERE p.subname = s.subscription \
                AND p.subdbid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())) AS exists \
           FROM pgperf_internal.sources s WHERE s.server = $1 AND s.subscription IS NOT NULL",
        &[server.into()],
    )?;
    let Some(found) = found else {
        return Ok(false);
    };
    // First of all: a source that cannot be reached would keep its WAL for ever.
    let control = match keep_slot {
        true => None,
        false => Some(Control::open(server).map_err(|error| {
            error
                .hinting("keep_slot => true leaves the slot there, if the source is gone for good.")
        })?),
    };
    if found.exists {
        let subscription = quote_ident(&found.subscription);
        spi::execute_once(&format!("ALTER SUBSCRIPTION {subscription} DISABLE"))?;
        spi::execute_once(&format!(
            "ALTER SUBSCRIPTION {subscription} SET (slot_name = NONE)"
        ))?;
        spi::execute_once(&format!("DROP SUBSCRIPTION {subscription}"))?;
    }
    role::as_owner(|| {
        spi::execute(
            "UPDATE pgperf_internal.sources SET subscription = NULL WHERE server = $1",
            &[server.into()],
        )
    })?;
    if let Some(mut control) = control {
        drop_slot(&mut control, &found.slot_name)?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::subscription_name;

    #[test]
    fn a_long_name_is_cut_between_characters() {
        assert_eq!(subscription_name("db1"), "pgperf_db1");
        let cut = subscription_name(&"ü".repeat(30));
        assert_eq!(cut, format!("pgperf_{}", "ü".repeat(28)));
    }
}
