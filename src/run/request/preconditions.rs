//! The checks before a run starts, besides those that every worker and every workload need: the limits, and the tables
//! to vacuum. Nothing has been stored yet.

use super::limits::Limits;
use super::spec::Vacuum;
use crate::error::{Result, failure, hinted, sqlstate_code};
use crate::guc;
use crate::pg::catalog::role;
use crate::pg::process::clock;
use crate::run::leader::guard::{self, Guard};
use crate::run::resume::state::Carried;
use crate::workload::given::Given;
use crate::workload::place::Place;
use crate::workload::tables::{ForeignTable, Tables, schemas_of};
use crate::workload::{self, Named};

/// The statements that the family of the run's workload runs on its tables before a run. If the run has no data set,
/// the tables are those of the default workload. Only tables that pgperf created are truncated.
pub fn vacuum_sql(
    place: &mut dyn Place,
    vacuum: Vacuum,
    workload: Option<&Named>,
    schema: Option<&str>,
    given: &Given,
) -> Result<Vec<String>> {
    if vacuum == Vacuum::None {
        return Ok(Vec::new());
    }
    let default = Named::BuiltIn(workload::default());
    let workload = workload.unwrap_or(&default);
    let family = workload.family();
    let found = Tables::of(place, workload, schema, given)?;
    let tables = family.tables(found.params());
    let mut schemas = schemas_of(place, workload, &tables, schema, given)?;
    schemas.dedup();
    let [schema] = schemas.as_slice() else {
        return Err(hinted(
            format!(
                "the tables of workload \"{}\" are in several schemas",
                workload.name()
            ),
            "Say which to vacuum: schema => '...'.",
        ));
    };
    match place.foreign_table(&tables, schema, family.name())? {
        Some(ForeignTable { relation, data_set }) => Err(hinted(
            match data_set {
                None => format!("cannot vacuum \"{relation}\": pgperf did not create it"),
                Some(data_set) => format!(
                    "cannot vacuum \"{relation}\": it belongs to the data set \"{data_set}\""
                ),
            },
            "The vacuum of a run truncates tables, so it takes only tables that pgperf.init created. \
             For others use before_sql => 'VACUUM ...'.",
        )),
        None => Ok(family.vacuum(found.params(), vacuum == Vacuum::All)),
    }
}

/// Checks whether a run may begin at all: it would be stopped if a limit were exceeded already.
pub fn check_limits(limits: &Limits, duration_s: Option<f64>) -> Result<()> {
    let now = clock::now();
    let mut guard = Guard::new(limits, &Carried::default());
    role::as_owner(|| guard.ask(now))?;
    let longest = guc::max_run_time().map(|limit| limit.as_secs());
    let too_long = longest.filter(|&limit| duration_s.is_some_and(|s| s > limit as f64));
    match guard.look(now, 0).or_else(|| too_long.map(guard::too_long)) {
        Some(reason) => {
            Err(failure(sqlstate_code(reason.sqlstate), reason.message).hinting(reason.hint))
        }
        None => Ok(()),
    }
}
