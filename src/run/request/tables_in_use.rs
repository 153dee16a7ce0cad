//! The check that no run or other load uses the tables that a load replaces.

use super::spec::{Spec, Work};
use crate::catalog::node;
use crate::error::{Result, failure};
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::Deserialize;

/// Refuses to load a family's tables in a schema, here or of a target, while a run of this database works on them.
pub fn refuse_tables_in_use(server: Option<&str>, family: &str, schema: &str) -> Result<()> {
    #[derive(Deserialize)]
    struct Live {
        run_id: i64,
        spec: Spec,
    }
    let node_id = node::local_node()?;
    let live: Vec<Live> = role::as_owner(|| {
        spi::select(
            "SELECT run_id, spec FROM pgperf.runs \
              WHERE node_id = $1::pg_catalog.uuid AND origin_node_id IS NULL \
                AND status NOT IN ('finished', 'stopped', 'failed', 'interrupted') ORDER BY run_id",
            &[node_id.into()],
        )
    })?;
    for Live { run_id, spec } in live {
        if spec.targets.include(server) && works_on(&spec, family, schema)? {
            return Err(failure(
                PgSqlErrorCode::ERRCODE_OBJECT_IN_USE,
                format!("the tables in schema \"{schema}\" cannot be loaded: run {run_id} works on them"),
            )
            .hinting(format!(
                "Wait for it, CALL pgperf.wait_run({run_id}), or stop it: SELECT pgperf.stop_run({run_id})"
            )));
        }
    }
    Ok(())
}

fn works_on(spec: &Spec, family: &str, schema: &str) -> Result<bool> {
    if let Work::Load(load) = &spec.work {
        return Ok(load.options.schema == schema && load.family()?.name() == family);
    }
    let mut data = spec.data.iter();
    Ok(data.any(|data| data.family == family && data.schema == schema))
}
