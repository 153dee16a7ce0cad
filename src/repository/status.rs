//! `pgperf.repository_status`: how the sources of a repository are.

use super::copy::Gap;
use super::source::publications;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::sql::called::Called;
use crate::pg::sql::quote::quote_literal;
use crate::pg::sql::rows;
use crate::pg::sql::spi;
use crate::target::control::Control;
use pgrx::pg_sys;
use pgrx::prelude::*;
use pgrx::spi::quote_identifier;
use serde::{Deserialize, Serialize};

#[pg_extern(sql = false)]
fn repository_status(ask: bool, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    let sources: Vec<Known> = role::as_owner(|| spi::select(include_str!("status.sql"), &[]))?;
    let rows: Vec<Row> = sources.into_iter().map(|source| source.row(ask)).collect();
    Ok(rows::give(fcinfo, rows)?)
}

/// A source, as far as this server knows.
#[derive(Deserialize)]
struct Known {
    node_name: Option<String>,
    node_id: String,
    server: String,
    publication: String,
    subscription: Option<String>,
    slot_name: String,
    exists: bool,
    enabled: bool,
    connected: bool,
    /// How many are subscribed. A later version has more.
    tables: i64,
    last_heard_at: Option<String>,
    apply_errors: Option<i64>,
    gaps: Vec<Gap>,
}

/// What a source says of the slot.
#[derive(Debug, Default, Deserialize)]
struct Asked {
    node_id: Option<String>,
    tables: i64,
    has_slot: bool,
    active: bool,
    slot_status: Option<String>,
    behind_bytes: Option<i64>,
    behind_s: Option<f64>,
    slot_bytes: Option<i64>,
    slot_room_bytes: Option<i64>,
}

#[derive(Serialize)]
struct Row {
    node_name: Option<String>,
    node_id: String,
    server: String,
    subscription: Option<String>,
    status: String,
    last_heard_at: Option<String>,
    behind_bytes: Option<i64>,
    behind_s: Option<f64>,
    slot_bytes: Option<i64>,
    slot_status: Option<String>,
    slot_room_bytes: Option<i64>,
    apply_errors: Option<i64>,
    gaps: Option<String>,
    remedy: Option<String>,
}

const ASKED: &str = "SELECT l.node_id, s.slot_name IS NOT NULL AS has_slot, COALESCE(s.active, false) AS active, s.wal_status AS slot_status, \
        (pg_current_wal_lsn() - s.confirmed_flush_lsn)::int8 AS behind_bytes, \
        EXTRACT(epoch FROM r.replay_lag)::float8 AS behind_s, \
        (pg_current_wal_lsn() - s.restart_lsn)::int8 AS slot_bytes, s.safe_wal_size AS slot_room_bytes, \
        (SELECT count(*) FROM pg_publication_tables t WHERE t.pubname IN ($2, $3)) AS tables \
     FROM pgperf.local_node() l (node_id) \
     LEFT JOIN pg_replication_slots s ON s.slot_name = $1 \
     LEFT JOIN pg_stat_replication r ON r.pid = s.active_pid";

impl Known {
    fn row(self, ask: bool) -> Row {
        let asked = match ask && self.subscription.is_some() {
            true => Some(self.ask()),
            false => None,
        };
        let (status, remedy) = match &asked {
            None => self.state_here(self.connected),
            Some(Err(error)) => {
                let detail = error.detail().map(|detail| format!(": {}", detail.trim()));
                let reason = format!("cannot be asked: {error}{}", detail.unwrap_or_default());
                Some((reason, None))
            }
            Some(Ok(asked)) => (self.state_there(asked)).or_else(|| self.state_here(asked.active)),
        }
        .unwrap_or_else(|| ("ok".to_owned(), None));
        let asked = asked.and_then(Result::ok).unwrap_or_default();
        let gap = |gap: &Gap| format!("{} to {}: {}", gap.from, gap.to, gap.reason);
        let gaps: Vec<String> = self.gaps.iter().map(gap).collect();
        Row {
            status,
            remedy,
            gaps: (!gaps.is_empty()).then(|| gaps.join("; ")),
            behind_bytes: asked.behind_bytes,
            behind_s: asked.behind_s,
            slot_bytes: asked.slot_bytes,
            slot_status: asked.slot_status,
            slot_room_bytes: asked.slot_room_bytes,
            node_name: self.node_name,
            node_id: self.node_id,
            server: self.server,
            subscription: self.subscription,
            last_heard_at: self.last_heard_at,
            apply_errors: self.apply_errors,
        }
    }

    fn ask(&self) -> Result<Asked> {
        let mut control = Control::open(&self.server)?;
        let [runs, samples] = publications(&self.publication);
        let mut rows = control.select_with(ASKED, &[&self.slot_name, &runs, &samples])?;
        Ok(rows.pop().unwrap_or_default())
    }

    /// What is wrong by what this server knows, and its remedy.
    fn state_here(&self, connected: bool) -> Option<(String, Option<String>)> {
        let Some(subscription) = &self.subscription else {
            return Some(("not subscribed".to_owned(), Some(self.again())));
        };
        if !self.exists {
            let remedy = format!("{} {}", self.leave(), self.again());
            return Some(("its subscription was dropped".to_owned(), Some(remedy)));
        }
        if !self.enabled {
            let remedy = format!(
                "ALTER SUBSCRIPTION {} ENABLE;",
                quote_identifier(subscription)
            );
            return Some(("disabled".to_owned(), Some(remedy)));
        }
        let remedy = "The server's log has the reason, here or there.".to_owned();
        (!connected).then(|| ("not connected".to_owned(), Some(remedy)))
    }

    /// What is wrong by what the source says. It comes first: it is the reason for what is seen here.
    fn state_there(&self, asked: &Asked) -> Option<(String, Option<String>)> {
        let again = || Some(format!("{} {}", self.leave(), self.again()));
        if !asked.has_slot || asked.slot_status.as_deref() == Some("lost") {
            let what = match asked.has_slot {
                true => "its slot has lost WAL that the subscription needs",
                false => "its slot is gone",
            };
            return Some((what.to_owned(), again()));
        }
        if asked.node_id.as_ref() != Some(&self.node_id) {
            return Some(("the server has become another node".to_owned(), again()));
        }
        let subscription = self.subscription.as_ref().filter(|_| self.exists)?;
        (asked.tables > self.tables).then(|| {
            let remedy = format!(
                "ALTER SUBSCRIPTION {} REFRESH PUBLICATION;",
                quote_identifier(subscription)
            );
            (
                "it publishes more tables than are subscribed".to_owned(),
                Some(remedy),
            )
        })
    }

    fn leave(&self) -> String {
        format!(
            "SELECT pgperf.unsubscribe_history({});",
            quote_literal(&self.server)
        )
    }

    fn again(&self) -> String {
        format!(
            "CALL pgperf.subscribe_history({});",
            quote_literal(&self.server)
        )
    }
}
