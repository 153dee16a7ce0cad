//! Comparison of two sets of runs: whether they differ, by how much, and how certain that is.
//!
//! [`names`] resolves the caller's names; [`compared_run`] reads the stored data about a run and, with one run on each side,
//! about its [`peers`]; [`figures`] makes the figures to compare, with [`series`] for the noise within a single run,
//! [`meaning`] for units and directions, and [`step`] for their resolution; [`sides`] pairs runs and says what cannot be
//! compared, [`programs`] whether they are by different programs; [`conditions`] lists different circumstances; [`judge`]
//! tests one figure and [`build`] all of them; [`devices`] are matched by what they hold; [`verdicts`] decides, with a correction for their number. [`parts`] has the
//! transaction types and servers, [`statements`] finds the common statements of both sides, [`totals`] sums up relations. The result is a
//! [`Comparison`]: [`functions`] return it as rows, or as the text, comment or page of its [`report`], or of [`versions`], the
//! table of a version comparison; [`sections`] chooses what is shown, [`differences`] cuts long texts. [`gate`] turns a comparison into an error, [`expect`] does so for a single run, and [`junit`] writes both down
//! for CI.

mod baseline;
mod build;
mod compared_run;
mod conditions;
mod devices;
mod differences;
pub mod expect;
mod figures;
mod functions;
mod gate;
mod judge;
mod junit;
mod meaning;
mod names;
mod parts;
mod peers;
mod programs;
mod report;
mod row;
mod sections;
mod series;
mod sides;
mod statements;
mod steady;
mod step;
#[cfg(test)]
mod tests;
mod totals;
mod verdicts;
mod versions;

pub use compared_run::Run as Side;
pub use row::{Comparison, Verdict};
pub use versions::topics as version_topics;

use crate::catalog::runs::ExistingRun;
use crate::error::{Error, Result, invalid};
use crate::guc;
use crate::pg::catalog::role::as_owner;
use crate::pg::error::say;
use pgrx::PgLogLevel;
use row::PairBy;

/// Says what the reader has to know before all else, where rows or checks have no place for it.
fn warn(comparison: &Comparison) {
    if let Some(caution) = &comparison.caution {
        say(PgLogLevel::NOTICE, caution.clone());
    }
}

/// Compares the runs that the caller named; see [`names::resolve`].
///
/// # Errors
/// A run does not exist or the caller may not see it; the runs cannot be paired.
pub fn of_named(
    baseline: &[Option<String>],
    candidate: &[Option<String>],
    pair_by: Option<&str>,
) -> Result<Comparison> {
    let pair_by = match pair_by {
        None => None,
        Some(name) => Some(PairBy::named(name).ok_or_else(|| {
            invalid(format!(
                "pair_by must be node, label or repetition, not \"{name}\""
            ))
        })?),
    };
    let has_newest = baseline.iter().chain(candidate).any(Option::is_none);
    let (baseline, candidate) = (
        names::resolve("baseline", baseline)?,
        names::resolve("candidate", candidate)?,
    );
    if has_newest {
        names::check_apart(&baseline, &candidate)?;
    }
    of_runs(&baseline, &candidate, pair_by)
}

/// Compares runs that the caller may see.
///
/// # Errors
/// They cannot be paired.
pub fn of_runs(
    baseline: &[ExistingRun],
    candidate: &[ExistingRun],
    pair_by: Option<PairBy>,
) -> Result<Comparison> {
    let load = |runs: &[ExistingRun]| {
        runs.iter()
            .map(compared_run::load)
            .collect::<Result<Vec<_>>>()
    };
    let (baseline, candidate) = as_owner(|| match (baseline, candidate) {
        ([one], [other]) => {
            let [one, other] = compared_run::load_singles(one, other)?;
            Ok::<_, Error>((vec![one], vec![other]))
        }
        (baseline, candidate) => Ok((load(baseline)?, load(candidate)?)),
    })?;
    let terms = build::Terms {
        pair_by,
        across_programs: guc::compare_programs(),
    };
    build::compare(baseline, candidate, terms).map_err(|message| {
        invalid(message).hinting("pair_by => 'repetition' takes the runs in the order given.")
    })
}
