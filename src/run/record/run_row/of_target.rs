//! The facts of a run on another server: that one tells them, over a connection of its own as the run's role. Samples of this server say nothing
//! of the run. Of several servers it is the first one.

use super::StoredRun;
use crate::error::{Error, Result};
use crate::facts::environment::fact::Fact;
use crate::facts::nodes::Usage;
use crate::facts::target::{changes, identity, observer};
use crate::facts::{self, store_rows};
use crate::pg::sql::spi;
use crate::run::request::spec::Work;
use crate::target;
use crate::target::control::Control;
use pgrx::pg_sys::Oid;

/// Seconds within which a target is reached at the end of a run that did not get to its end.
const EARLY_CONNECT_S: &str = "3";

impl StoredRun {
    /// What tells the servers of a run on several apart.
    pub(super) fn identify_servers(&mut self, role: Oid) {
        if !self.spec.targets.are_several() {
            return;
        }
        for target in self.spec.targets.all().to_vec() {
            let identity = self.ask(&target.server, role, None, identity::read);
            self.identities.push(identity.unwrap_or_default());
        }
    }

    /// What the target is before the load, with its figures then.
    pub(super) fn begin_facts_of(&mut self, server: &str, role: Oid) {
        if self.carried.segments > 0 {
            return;
        }
        let given = self.spec.settings.clone();
        let began = self.ask(server, role, None, |control| {
            observer::begin(control, &given)
        });
        let Some(began) = began else {
            return;
        };
        self.store_once_free(|run| {
            facts::settings::store(&run.node_id, run.run_id, &began.settings)
        });
        let environment: Vec<&Fact> = began.environment.iter().collect();
        self.store_once_free(|run| {
            store_rows("pgperf.run_environment", &run.node_id, run.run_id, environment.clone())?;
            spi::execute(
                "UPDATE pgperf_internal.stored_runs SET server_version = $3 WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
                &[run.node_id.as_str().into(), run.run_id.into(), began.moment.server_version().into()],
            )?;
            Ok(())
        });
        self.beginning.moment = Some(began.moment);
    }

    /// What has changed in the target since.
    pub(super) fn end_facts_of(&mut self, server: &str, role: Oid, is_early: bool) {
        let Some(began) = std::mem::take(&mut self.beginning).moment else {
            return;
        };
        // Whoever waits for a load wants to go on; nobody else is in its tables.
        let by_all = !matches!(self.spec.work, Work::Load(_));
        // Whoever stops a run does not wait long for a target that hangs.
        let within = is_early.then_some(EARLY_CONNECT_S);
        let changes = self.ask(server, role, within, |control| {
            observer::end(control, &began, by_all)
        });
        let Some(changes) = changes else {
            return;
        };
        let server = changes.server;
        self.store_once_free(|run| {
            let metrics = changes::metrics(&server);
            facts::metrics::store(&run.node_id, run.run_id, metrics)
        });
        for some in changes::relations(&server).chunks(facts::relations::AT_ONCE) {
            self.store_once_free(|run| {
                store_rows(
                    "pgperf.run_relations",
                    &run.node_id,
                    run.run_id,
                    some.to_vec(),
                )
            });
        }
        // Those of one server are not those of the run.
        if !self.spec.targets.are_several() {
            let count = |blocks: Option<u64>| blocks.and_then(|blocks| i64::try_from(blocks).ok());
            let usage = Usage {
                shared_blks_hit: count(server.shared_blks_hit),
                shared_blks_read: count(server.shared_blks_read),
                ..Usage::default()
            };
            self.store_once_free(|run| run.store_usage(&usage));
        }
    }

    /// What all sessions of the servers have used: over a connection, or on another node, nobody knows what a statement has.
    pub(super) fn store_usage(&self, usage: &Usage) -> Result<()> {
        spi::execute(
            "UPDATE pgperf_internal.run_totals SET shared_blks_hit = $3, shared_blks_read = $4, \
                wal_bytes = $5, wal_records = $6, wal_fpi = $7 \
             WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
            &[
                self.node_id.as_str().into(),
                self.run_id.into(),
                usage.shared_blks_hit.into(),
                usage.shared_blks_read.into(),
                usage.wal_bytes.into(),
                usage.wal_records.into(),
                usage.wal_fpi.into(),
            ],
        )?;
        Ok(())
    }

    /// Asks the target, in no transaction. A target that does not answer costs the run these facts alone, and its row says so.
    fn ask<T>(
        &mut self,
        server: &str,
        role: Oid,
        within: Option<&str>,
        ask: impl FnOnce(&mut Control) -> Result<T>,
    ) -> Option<T> {
        let mut info = None;
        self.store_once_free(|_| {
            info = Some(target::connection_of(role, server)?);
            Ok(())
        });
        let mut info = info?;
        if let Some(within) = within {
            info.set("connect_timeout", within);
        }
        let answer = Control::connect(server, &info).and_then(|mut control| ask(&mut control));
        answer.inspect_err(|error| self.lose_facts(error)).ok()
    }

    fn lose_facts(&mut self, error: &Error) {
        let detail = error.detail().map(|detail| format!(": {detail}"));
        let reason = format!("{error}{}", detail.unwrap_or_default());
        self.log_loss(&reason);
        self.losses.rows(&reason);
    }
}
