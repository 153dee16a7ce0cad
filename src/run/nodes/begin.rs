//! `start_run`: of a run on several nodes everything is asked of each before anything is stored.

use super::on_node::{self, Asked, CHECK, Facts, part_of};
use crate::catalog::node;
use crate::error::{Error, Result, failure, hinted, invalid};
use crate::pg::catalog::role;
use crate::pg::server;
use crate::pg::sql::{arguments, spi};
use crate::run::request::nodes::{Node, spread};
use crate::run::request::options::Options;
use crate::run::request::spec::{Spec, StartAt};
use crate::run::request::start::{self, group_id};
use crate::service::preconditions::{check_slots, check_starter};
use crate::target::control::Control;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;

/// When the parts begin, if nothing is said: by then all have to be ready.
const LEAD_S: f64 = 10.0;

/// `pgperf.start_run`.
#[pg_extern(sql = false)]
fn start_run(fcinfo: pg_sys::FunctionCallInfo) -> std::result::Result<i64, ErrorReport> {
    let options = Options::new(arguments::by_name(fcinfo)?)?;
    Ok(match options.nodes.clone() {
        None => start::run(options)?,
        Some(named) => run(&named, options)?,
    })
}

fn run(named: &[Option<String>], options: Options) -> Result<i64> {
    check_starter()?;
    check_others(&options)?;
    let mut checked = start::check(options)?;
    let spec = &mut checked.spec;
    spec.nodes = spread(named, spec.clients, spec.random_seed)?;
    check_all(spec)?;
    spec.start_at
        .get_or_insert_with(|| StartAt::in_seconds(LEAD_S));
    check_slots(spec.workers())?;
    let run_id = checked.start()?;
    let group_id = group_id(&node::local_node()?, run_id);
    let spec = &checked.spec;
    let here = spec.nodes.iter().enumerate().find(|(_, node)| node.is_here);
    if let Some((number, node)) = here {
        let part = on_node::start(part_of(spec, node)?, Asked::of(spec, node), &group_id)?;
        role::as_owner(|| note_run(run_id, number, part))?;
    }
    Ok(run_id)
}

/// # Errors
/// An argument that does not go together with `nodes`.
fn check_others(options: &Options) -> Result<()> {
    const OF_CONNECTIONS: &str = "On each node the clients are sessions within it.";
    const BY_ITSELF: &str = "Each node would decide it by itself.";
    let given = [
        ("server", options.server.is_some(), OF_CONNECTIONS),
        ("servers", options.servers.is_some(), OF_CONNECTIONS),
        ("transport", options.transport != "inside", OF_CONNECTIONS),
        ("resume", options.resume, BY_ITSELF),
        ("until_precise", options.until_precise.is_some(), BY_ITSELF),
        ("alternate", options.alternate.is_some(), BY_ITSELF),
    ];
    match given.iter().find(|(_, is_given, _)| *is_given) {
        Some((name, _, why)) => Err(hinted(format!("{name} and nodes exclude each other"), why)),
        None => Ok(()),
    }
}

/// Asks each node, and notes what only it knows.
///
/// # Errors
/// One cannot have its part, or two are the same server. Each names the node.
fn check_all(spec: &mut Spec) -> Result<()> {
    let mut nodes = std::mem::take(&mut spec.nodes);
    let here = name_here()?;
    let mut known: Vec<(i64, String)> = Vec::new();
    for node in &mut nodes {
        node.is_here = node.node == here;
        let name = node.node.clone();
        let identifier = match node.is_here {
            true => check_here(spec, node),
            false => check_there(spec, node),
        };
        let identifier = identifier.map_err(|error| of_node(&name, &error))?;
        if let Some((_, other)) = known.iter().find(|(known, _)| *known == identifier) {
            return Err(hinted(
                format!("nodes \"{other}\" and \"{name}\" are the same server"),
                "Name it once, with a weight. Copies and standbys of a server count as the same.",
            ));
        }
        known.push((identifier, name));
    }
    spec.nodes = nodes;
    Ok(())
}

fn check_here(spec: &Spec, node: &Node) -> Result<i64> {
    let is_server = "EXISTS (SELECT FROM pg_catalog.pg_foreign_server s WHERE s.srvname = $1)";
    if spi::holds(is_server, &[node.node.as_str().into()])? {
        return Err(
            invalid("it is both the node of this server and a foreign server")
                .hinting("Rename one of them: SELECT pgperf.set_node_name('...')."),
        );
    }
    on_node::check(part_of(spec, node)?, Asked::of(spec, node))?;
    Ok(server::system_identifier())
}

fn check_there(spec: &Spec, node: &mut Node) -> Result<i64> {
    #[derive(Deserialize)]
    struct Answer {
        facts: Facts,
    }
    let mut control = Control::open(&node.node)?;
    check_version(&mut control)?;
    (node.clock_ahead_ms, node.round_trip_ms) = control.clock_ahead_ms()?;
    let path = control.search_path()?;
    let asked = Asked::of(spec, node);
    let values = asked.values(&part_of(spec, node)?)?;
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let answers: Vec<Answer> = control.select_under(&path, CHECK, &values)?;
    let answer = answers.into_iter().next();
    Ok(answer.ok_or(Error::NotInstalled)?.facts.system_identifier)
}

/// # Errors
/// Its pgperf is none, or another one: what it would answer is not known.
fn check_version(control: &mut Control) -> Result<()> {
    #[derive(Deserialize)]
    struct Installed {
        version: String,
    }
    let sql = "SELECT extversion AS version FROM pg_extension WHERE extname = 'pgperf'";
    let found: Vec<Installed> = control.select(sql)?;
    let here: Option<Installed> = spi::select_one(
        "SELECT e.extversion AS version FROM pg_catalog.pg_extension e WHERE e.extname = 'pgperf'",
        &[],
    )?;
    let here = here.ok_or(Error::NotInstalled)?.version;
    let refused = |message: String| {
        let sqlstate = PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
        Err(failure(sqlstate, message))
    };
    match found.first() {
        None => refused("pgperf is not installed in its database".to_owned()),
        Some(there) if there.version != here => refused(format!(
            "it has version {} of pgperf, this server has {here}",
            there.version
        )),
        Some(_) => Ok(()),
    }
}

/// The name of this server's node.
fn name_here() -> Result<String> {
    #[derive(Deserialize)]
    struct Name {
        name: String,
    }
    let node = node::local_node()?;
    let name: Option<Name> = role::as_owner(|| {
        spi::select_one(
            "SELECT n.name FROM pgperf.nodes n WHERE n.node_id = $1::pg_catalog.uuid",
            &[node.into()],
        )
    })?;
    Ok(name.ok_or(Error::NotInstalled)?.name)
}

/// The number of the run that a node has, in the row of the whole.
fn note_run(run_id: i64, number: usize, part: i64) -> Result<()> {
    let node_id = node::local_node()?;
    spi::execute(
        "UPDATE pgperf_internal.stored_runs r \
            SET spec = pg_catalog.jsonb_set(r.spec, ARRAY['nodes', $3], r.spec #> ARRAY['nodes', $3] \
                || pg_catalog.jsonb_build_object('run_there', $4, 'run_id', $4)) \
          WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2",
        &[
            node_id.into(),
            run_id.into(),
            number.to_string().as_str().into(),
            part.into(),
        ],
    )?;
    Ok(())
}

/// An error with the name of its node.
pub fn of_node(name: &str, error: &Error) -> Error {
    let named = failure(error.sqlstate(), format!("node \"{name}\": {error}"));
    let named = match error.detail() {
        Some(detail) => named.detailed(detail),
        None => named,
    };
    match error.hint() {
        Some(hint) => named.hinting(hint),
        None => named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_each_node_would_decide_is_refused() {
        let options = Options {
            resume: true,
            ..Options::default()
        };
        let error = check_others(&options).unwrap_err().to_string();
        assert_eq!(error, "resume and nodes exclude each other");
    }
}
