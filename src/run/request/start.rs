//! `start_run`: everything is checked before anything is stored. Then the leader is registered. The start is transactional:
//! it takes effect when the calling transaction commits.

use super::alternate::Alternation;
use super::expectation;
use super::mix::{Mix, variables};
use super::of_this_server;
use super::options::Options;
use super::places::Places;
use super::preconditions::check_limits;
use super::spec::Spec;
use crate::catalog::node;
use crate::error::{Error, Result, hinted, invalid};
use crate::pg::catalog::role;
use crate::pg::error::say;
use crate::pg::process::lock::{self, Starting};
use crate::pg::process::{clock, worker};
use crate::pg::server;
use crate::pg::sql::text::Json;
use crate::pg::sql::{spi, xact};
use crate::run::client::here;
use crate::run::disturbance::check::{disturbances, find_tables};
use crate::run::replay;
use crate::run::resume;
use crate::service::launch::LeaderLaunch;
use crate::service::preconditions::{check_slots, check_starter, no_slots};
use crate::service::start::{await_start, refuse_two_phase_commit};
use crate::service::starting;
use crate::workload::given::{self, Given, check_run};
use crate::workload::run_data;
use crate::workload::script_checks::check_scripts;
use crate::workload::tables::data_scale;
use crate::workload::unset;
use crate::workload::{Named, Scale};
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Checks everything, and starts the run as the current role.
pub fn run(options: Options) -> Result<i64> {
    check_starter()?;
    if let Some(capture) = replay::start::named(&options) {
        let (label, workload) = (options.label.clone(), options.workload.clone());
        let spec = replay::start::check(&capture, options)?;
        check_slots(spec.workers())?;
        return start(&workload.unwrap_or_default(), label.as_deref(), &spec);
    }
    begin(&check(options)?.with_tables()?)
}

/// Starts a run that has been checked, if there are workers for it.
pub fn begin(checked: &Checked) -> Result<i64> {
    check_slots(checked.spec.workers())?;
    for unset in checked.unset_variables()? {
        say(PgLogLevel::NOTICE, unset);
    }
    checked.start()
}

/// A run whose arguments have been checked.
pub struct Checked {
    pub spec: Spec,
    /// How many clients were asked for; a workload may add some.
    clients: i32,
    mix: Mix,
    warmup: Mix,
    /// The options of workload families.
    given: Given,
    /// The variables of the call.
    variables: BTreeMap<String, String>,
    schema: Option<String>,
    label: Option<String>,
    /// Where it runs.
    places: Places,
}

/// Checks everything but the tables, the role and the worker slots.
pub fn check(options: Options) -> Result<Checked> {
    // If no seed is given, it differs from run to run. It is stored, so that the run can be repeated.
    let seed = options
        .random_seed
        .unwrap_or_else(|| i64::from(clock::now() as u32));
    let given = given::parse(options.options.as_ref())?;
    let mix = Mix::of(&options, &given)?;
    let warmup = Mix::of_warmup(&options, &given)?;
    // The names of a workload's own metrics are known only when a run has them.
    expectation::check_argument(options.expect.as_ref(), !mix.metrics_sql().is_empty())?;
    check_run(&[mix.families(), warmup.families()].concat(), &given)?;
    let (schema, label) = (options.schema.clone(), options.label.clone());
    let variables = options.given_variables()?;
    let clients = options.clients;
    of_this_server::check(&options)?;
    let mut places = Places::open(&options.targets()?)?;
    let search_path = places.first.search_path(schema.as_deref());
    let drain = options.drain(&search_path)?;
    let disturbing = options.disturbances.clone();
    let mut spec = options.into_spec(seed, &mix, &warmup)?;
    if spec.targets.is_here() && !spec.transport.is_inside() {
        here::check()?;
        here::check_room(spec.clients)?;
    }
    places.check_settings(&spec.settings)?;
    for scripts in [&spec.scripts, &spec.warmup_scripts] {
        check_scripts(scripts, &spec.variables, &spec.settings, spec.query_mode)?;
    }
    if let Some(alternation) = &mut spec.alternate {
        for place in places.all() {
            alternation.check_settings(place)?;
        }
        alternation.find_scripts(&mix)?;
    }
    spec.disturbances = disturbances(disturbing.as_ref(), spec.duration_s)?;
    spec.search_path = search_path;
    (spec.targets).set_search_paths(places.search_paths(schema.as_deref()));
    spec.drain = drain;
    check_limits(&spec.limits, spec.duration_s)?;
    Ok(Checked {
        spec,
        clients,
        mix,
        warmup,
        given,
        variables,
        schema,
        label,
        places,
    })
}

impl Checked {
    /// The name of the workload, as stored with the run.
    pub fn workload(&self) -> &str {
        &self.mix.name
    }

    /// The workload whose tables it runs on, the first if there are several.
    pub fn data_workload(&self) -> Option<&str> {
        self.mix.data_workload().map(Named::name)
    }

    /// Checks the tables as well, and adds what the run has to know about them. The scripts are made anew, for these
    /// tables.
    pub fn with_tables(mut self) -> Result<Checked> {
        let (spec, schema) = (&mut self.spec, self.schema.as_deref());
        let (mix, warmup) = (&mut self.mix, &mut self.warmup);
        let places = &mut self.places;
        let found = places.find_tables(mix, schema, &self.given)?;
        spec.scale = data_scale(mix.workloads(), &found, spec.scale);
        mix.check_clients(&found, spec.client_id(spec.clients))?;
        spec.sequences = mix.sequences(self.clients as usize);
        spec.undo_sql = mix.undo();
        spec.data = run_data::of(&mut *places.first, mix.workloads(), &found)?;
        spec.terminals = mix.terminals(&found);
        check_terminals(spec)?;
        if let Some(alternation) = &mut spec.alternate {
            alternation.find_scripts(mix)?;
            let ordered = !spec.run.sequences.is_empty() || spec.run.terminals.is_some();
            alternation.check_order(ordered)?;
        }
        let found = places.find_tables(warmup, schema, &self.given)?;
        spec.warmup_scale = data_scale(warmup.workloads(), &found, None).or(spec.scale);
        warmup.check_clients(&found, spec.client_id(spec.clients))?;
        spec.variables = variables(self.variables.clone(), mix, warmup)?;
        for (checked, made) in [
            (&mut spec.run.scripts, &mix.scripts),
            (&mut spec.warmup_scripts, &warmup.scripts),
        ] {
            if checked != made {
                check_scripts(
                    made,
                    &spec.run.variables,
                    &spec.settings,
                    spec.run.query_mode,
                )?;
                checked.clone_from(made);
            }
        }
        find_tables(&mut spec.disturbances, &spec.search_path)?;
        spec.transaction_type = mix.transaction_type();
        spec.vacuum_sql =
            places.vacuum_sql(spec.vacuum, mix.data_workload(), schema, &self.given)?;
        if !mix.stored().is_empty() {
            let scale = spec.scale.map(serde_json::to_value).transpose()?;
            let scale = scale.map(|scale| ("scale", scale));
            let variables = match spec.variables.is_empty() {
                true => None,
                false => Some(("variables", serde_json::to_value(&spec.variables)?)),
            };
            let alternate = spec.alternate.as_ref().and_then(Alternation::spelled_out);
            let alternate = alternate.map(|sides| ("alternate", sides));
            let changed = (mix.spelled_out().into_iter().chain(scale))
                .chain(variables)
                .chain(alternate);
            spec.call
                .extend(changed.map(|(name, value)| (name.to_owned(), value)));
        }
        Ok(self)
    }

    /// Sentences about the variables that nothing sets, if there are any. Those of a warm-up are others than those of what is measured.
    pub fn unset_variables(&self) -> Result<BTreeSet<String>> {
        let spec = &self.spec;
        let parts = [&spec.scripts, &spec.warmup_scripts].into_iter();
        let notices = parts.map(|scripts| unset::notice(scripts, &spec.variables, spec.query_mode));
        notices.filter_map(Result::transpose).collect()
    }

    /// Starts it, however many workers there are.
    pub fn start(&self) -> Result<i64> {
        start(&self.mix.name, self.label.as_deref(), &self.spec)
    }
}

/// # Errors
/// Terminals have schedules of their own, and a client without a terminal would do nothing.
fn check_terminals(spec: &Spec) -> Result<()> {
    let Some(terminals) = spec.terminals else {
        return Ok(());
    };
    let others = [
        ("rate", spec.rate.is_some()),
        ("think_time", spec.think_time_s > 0.0),
        ("reconnect", spec.reconnect.is_some()),
    ];
    if let Some((other, _)) = others.iter().find(|(_, is_given)| *is_given) {
        return Err(invalid(format!("{other} and terminals exclude each other")));
    }
    if (terminals as usize) < spec.clients {
        return Err(hinted(
            format!(
                "terminals must be at least the number of clients, {}, not {terminals}",
                spec.clients
            ),
            "Each client serves one terminal or more.",
        ));
    }
    Ok(())
}

/// By which the parts of a run on several nodes know it.
pub fn group_id(node_id: &str, run_id: i64) -> String {
    format!("{node_id}/{run_id}")
}

/// Registers the leader, waits until it is alive, and stores the run. A rollback undoes all of this.
pub fn start(workload: &str, label: Option<&str>, spec: &Spec) -> Result<i64> {
    #[derive(Deserialize)]
    struct NewRun {
        node_id: String,
        run_id: i64,
    }
    let caller = server::current_role();
    let node_id = node::local_node()?;
    let named: Option<NewRun> = role::as_owner(|| {
        spi::select_one(
            "SELECT $1::pg_catalog.uuid AS node_id, \
                    pgperf_internal.next_number('pgperf_internal.run_id_seq') AS run_id",
            &[node_id.into()],
        )
    })?;
    let NewRun { node_id, run_id } = named.ok_or(Error::NotInstalled)?;
    let mut spec = spec.clone();
    if !spec.nodes.is_empty() {
        spec.group_id = Some(group_id(&node_id, run_id));
    }
    let spec = &spec;
    refuse_two_phase_commit("run");
    let leader_pid = start_leader(run_id, caller)?;
    role::as_owner(|| {
        spi::execute(
            "INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, label, workload, role, clients, \
                query_mode, scale, random_seed, spec, leader_pid) \
             SELECT $1::pg_catalog.uuid, $2, $3, $4, $5, $6, $7, \
                (CASE WHEN $12 THEN $8::pg_catalog.jsonb ->> 'query_mode' END), $9, $10, $8, $11",
            &[
                node_id.as_str().into(),
                run_id.into(),
                spec.work.kind().into(),
                label.into(),
                workload.into(),
                server::role_name(caller).into(),
                (spec.clients as i32).into(),
                Json(serde_json::to_value(spec)?).into(),
                spec.scale.map(Scale::rounded).into(),
                Some(spec.random_seed).filter(|_| spec.work.draws()).into(),
                leader_pid.into(),
                spec.work.has_query_mode().into(),
            ],
        )?;
        if spec.resume {
            resume::points::make_point(&node_id, run_id, caller)?;
        }
        Ok::<(), Error>(())
    })?;
    let extension = server::extension_oid()?;
    starting::stopped_unless_lives(
        Starting::Run,
        &node_id,
        run_id,
        extension,
        resume::points::forget,
    );
    Ok(run_id)
}

/// Starts the leader of a run whose clients run as `caller`, and waits until it holds its lock, so that a run never
/// shows as interrupted before it has begun. Returns the leader's process id.
pub fn start_leader(run_id: i64, caller: Oid) -> Result<i32> {
    let launch = LeaderLaunch {
        database: server::database(),
        owner: role::extension_owner(),
        caller,
        extension: server::extension_oid()?,
        xid: xact::current_subtransaction_id(),
        run_id,
    };
    let name = format!("pgperf run {} leader", launch.run_id);
    let leader = worker::register(
        &name,
        "pgperf leader",
        "pgperf_leader_main",
        &launch.encode(),
    )
    .ok_or_else(|| no_slots(1, 0, worker::slots()))?;
    await_start(&leader, "the leader of the run", || {
        lock::leader_lives(launch.run_id)
    })
}
