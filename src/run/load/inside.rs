//! Tables of this server: a session like any other client's.

use super::destination::{DataSet, Destination, Filling};
use super::setup::Seen;
use super::{crew, fill, settings};
use crate::catalog::distributed;
use crate::pg::catalog::role;
use crate::pg::error::{SqlError, raise};
use crate::pg::session::Session;
use crate::pg::sql::text::Json;
use crate::pg::sql::{spi, xact};
use crate::run::shared::Shared;
use crate::workload::{self, Effect, Family, Fill, Params, Relation, Step};
use serde::Deserialize;

/// A session of this server.
pub struct Inside(pub Session);

impl Destination for Inside {
    fn between_statements(&mut self) {
        self.0.idle_checks();
    }

    fn execute(&mut self, sql: &str) -> Result<u64, SqlError> {
        Ok(self.0.execute_simple(sql)?.processed)
    }

    fn in_transaction_block(&self) -> bool {
        self.0.in_transaction_block()
    }

    fn roll_back(&mut self) {
        self.0.roll_back();
    }

    /// In a transaction without a snapshot: a cancellation ends the wait, and not the process.
    fn end_task(&mut self, shared: &Shared) -> Result<(), SqlError> {
        self.0
            .perform("waiting for the other workers", || crew::end_task(shared))
    }

    fn share_processors(&mut self, sessions: u64) -> Result<(), SqlError> {
        self.0.perform("sharing the processors", || {
            settings::share_processors(sessions).unwrap_or_else(|error| raise(error));
            Ok(())
        })
    }

    fn relations(&mut self, schema: &str) -> Result<Vec<Seen>, SqlError> {
        #[derive(Deserialize)]
        struct Row {
            #[serde(flatten)]
            seen: Seen,
            /// The transaction that wrote its row of the catalog.
            xid: u32,
        }
        self.0.perform("looking at the relations", || {
            let rows = xact::with_latest_snapshot(|| spi::select(RELATIONS, &[schema.into()]));
            let rows: Vec<Row> = rows.unwrap_or_else(|error| raise(error));
            let seen = rows.into_iter().map(|Row { seen, xid }| Seen {
                is_of_this_transaction: xact::is_current(xid),
                ..seen
            });
            Ok(seen.collect())
        })
    }

    fn replaced(
        &mut self,
        family: &dyn Family,
        params: &Params,
    ) -> Result<Vec<Relation>, SqlError> {
        xact::transaction(|| {
            let registered = workload::find_registered(family, &params.schema);
            let registered = registered.unwrap_or_else(|error| raise(error));
            workload::replaced(registered.as_ref(), family, params)
        })
    }

    fn register(&mut self, effect: Effect, set: &DataSet) -> Result<(), SqlError> {
        if effect == Effect::Keeps {
            return Ok(());
        }
        match self.in_transaction_block() {
            true => self.0.perform("registering the tables", || {
                xact::with_latest_snapshot(|| register(effect, set))
            }),
            false => xact::transaction(|| register(effect, set))?,
        }
    }

    fn fill(&mut self, filling: &Filling, _step: &Step, fill: &Fill) -> Result<bool, SqlError> {
        let Filling {
            shared,
            slot,
            fills,
            ..
        } = filling;
        if self.is_distributed(&fills.params.schema, &fill.table)? {
            return Ok(false);
        }
        fill::fill(shared, *slot, &mut self.0, fills, fill)
    }

    fn help(&mut self, filling: &Filling, number: u64) -> Result<(), SqlError> {
        let Filling {
            shared,
            slot,
            fills,
            ..
        } = filling;
        fill::help(shared, *slot, &mut self.0, fills, number)
    }

    fn refuse_rules(&mut self, schema: &str, table: &str) -> Result<(), SqlError> {
        fill::refuse_rules(&mut self.0, schema, table)
    }
}

impl Inside {
    /// Whether Citus has the rows of a table elsewhere: pages here would be those of its shell.
    fn is_distributed(&mut self, schema: &str, table: &str) -> Result<bool, SqlError> {
        self.0.perform("looking for the table's rows", || {
            let tables = [table.to_owned()];
            let found = xact::with_latest_snapshot(|| distributed::first_of(&tables, schema));
            Ok(found.unwrap_or_else(|error| raise(error)).is_some())
        })
    }
}

/// Remembers which tables are pgperf's own. They are known by oid, so that a table of the same name that somebody creates
/// later is not taken for one of them. Called at the end of each step that creates, fills or drops tables; until they are
/// filled, their scale is 0.
fn register(effect: Effect, set: &DataSet) -> Result<(), SqlError> {
    let sql = match effect {
        Effect::Drops => FORGET,
        Effect::Creates => REMEMBER,
        Effect::Fills => REFILLED,
        Effect::Keeps => return Ok(()),
    };
    role::as_owner(|| {
        spi::execute(
            sql,
            &[
                crate::catalog::node::local_node()?.into(),
                set.params.schema.as_str().into(),
                set.name.as_str().into(),
                set.params.scale.rounded().into(),
                set.relations.clone().into(),
                set.run_id.into(),
                Json(set.params.options.clone().into()).into(),
                set.params.scale.fraction().into(),
            ],
        )
    })
    .unwrap_or_else(|error| raise(error));
    Ok(())
}

/// Each statement takes node, schema, data set, scale, names of the relations, run, options, and the scale if it has a fraction: the
/// column has integers, so the options hold it.
const FORGET: &str = "DELETE FROM pgperf.data_sets \
     WHERE node_id = $1::pg_catalog.uuid AND schema_name = $2 AND data_set = $3";
const REMEMBER: &str = "INSERT INTO pgperf.data_sets \
        (node_id, schema_name, data_set, scale, relations, run_id, options, relation_names) \
     SELECT $1::pg_catalog.uuid, $2, $3, 0, pg_catalog.array_agg(c.oid), $6, $7, \
            pg_catalog.array_agg(c.relname::pg_catalog.text ORDER BY c.oid) FILTER (WHERE c.relkind IN ('r', 'p', 'm')) \
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
      WHERE n.nspname = $2 AND c.relname = ANY ($5) \
     ON CONFLICT (node_id, schema_name, data_set) DO UPDATE \
        SET scale = EXCLUDED.scale, relations = EXCLUDED.relations, run_id = EXCLUDED.run_id, \
            created_at = EXCLUDED.created_at, options = EXCLUDED.options, relation_names = EXCLUDED.relation_names";
const REFILLED: &str = "UPDATE pgperf.data_sets \
        SET scale = $4, run_id = $6, \
            options = (options - 'scale') || CASE WHEN $8 IS NULL THEN '{}' ELSE pg_catalog.jsonb_build_object('scale', $8) END \
     WHERE node_id = $1::pg_catalog.uuid AND schema_name = $2 AND data_set = $3";

/// The relations of schema $1: see [`Destination::relations`].
const RELATIONS: &str = "SELECT c.oid::pg_catalog.int8 AS oid, c.relname::pg_catalog.text AS name, \
        c.relkind::pg_catalog.text AS kind, c.xmin::pg_catalog.text::pg_catalog.int8 AS xid \
   FROM pg_catalog.pg_class c \
   JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
  WHERE n.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name \
    AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,v,m,f,S}'::pg_catalog.\"char\"[]) AND NOT c.relispartition \
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d \
                     WHERE c.relkind OPERATOR(pg_catalog.=) 'S'::pg_catalog.\"char\" \
                       AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass \
                       AND d.objid OPERATOR(pg_catalog.=) c.oid \
                       AND d.refclassid OPERATOR(pg_catalog.=) d.classid \
                       AND d.deptype OPERATOR(pg_catalog.=) ANY ('{a,i}'::pg_catalog.\"char\"[])) \
  ORDER BY c.oid";
