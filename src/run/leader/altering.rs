//! A change of the rate while the clients work: a session writes the new rate into the segment, and the leader announces it
//! to the clients and stores it.

use super::Leader;
use crate::pg::process::clock;
use crate::pg::sql::spi;
use crate::pg::sql::text::Json;
use crate::run::request::rate::as_argument;
use crate::run::shared::Phase;
use engine::Rate;
use serde_json::Value;

impl Leader {
    /// Takes the rate that somebody has asked for. Only clients that work follow another rate.
    pub(super) fn alter_rate(&mut self) {
        let Some(asked) = self.shared.asked_rate() else {
            return;
        };
        let phase = self.shared.phase();
        let works = matches!(phase, Phase::WarmingUp | Phase::Running)
            && self.end.is_none()
            && self.clients.some_work();
        if !works {
            self.shared.refuse_rate();
            return;
        }
        let now = clock::now();
        let at_s = match phase {
            Phase::Running => {
                let here = now.saturating_sub(self.shared.began_at()) as f64 / 1e9;
                // In milliseconds, for a readable call.
                ((self.spec.elapsed_s + here) * 1e3).round() / 1e3
            }
            _ => self.spec.elapsed_s,
        };
        self.shared.alter_rate(asked, now);
        self.clients.wake();
        self.stored.spec.rate = Rate::altered(self.stored.spec.rate.as_ref(), at_s, asked);
        self.rate_unstored = true;
        self.store_rate();
    }

    /// Stores the rate as it was altered, also in the call that repeats the run.
    pub(super) fn store_rate(&mut self) {
        if !self.rate_unstored {
            return;
        }
        self.rate_unstored = !self.stored.try_store(|run| {
            let rate = run.spec.rate.as_ref();
            spi::execute(
                "UPDATE pgperf_internal.stored_runs \
                    SET spec = pg_catalog.jsonb_set(pg_catalog.jsonb_set(spec, '{rate}', $3), '{call,rate}', $4) \
                  WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
                &[
                    run.node_id.as_str().into(),
                    run.run_id.into(),
                    Json(serde_json::to_value(rate)?).into(),
                    Json(rate.map_or(Value::Null, as_argument)).into(),
                ],
            )?;
            Ok(())
        });
    }
}
