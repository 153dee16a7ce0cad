//! The scripts that a run draws from, and how often it draws each.

mod spread;

use self::spread::{spread, tell_apart};
use super::alternate::Kind;
use super::options::Options;
use super::weighted::{self, joined};
use crate::error::{Result, hinted};
use crate::workload::given::Given;
use crate::workload::scripts::{ScriptSpec, check_count, check_weights, given_scripts};
use crate::workload::stored::Definition;
use crate::workload::{self, Family, Named, Params, Scale, named};
use serde_json::Value;
use std::collections::BTreeMap;
use std::iter::repeat_n;

/// The scripts of a run with their weights.
#[derive(Debug, Clone, Default)]
pub struct Mix {
    pub scripts: Vec<ScriptSpec>,
    /// The name of the workload, as stored with the run.
    pub name: String,
    /// The variables of the scripts of each stored workload, by its name.
    pub variables: Vec<(String, BTreeMap<String, String>)>,
    /// The workloads; none if the call gives scripts.
    workloads: Vec<Named>,
    /// Their weights.
    weights: Vec<u32>,
    /// The numbers of scripts of each of them, which follow each other.
    counts: Vec<usize>,
    /// The parameters of the tables for which the scripts were made, one entry for each workload.
    params: Vec<Params>,
}

impl Mix {
    /// No scripts, as for a load.
    pub fn none() -> Mix {
        Mix::default()
    }

    /// The scripts that the arguments ask for. `given`: their options of workload families.
    pub fn of(options: &Options, given: &Given) -> Result<Mix> {
        let sources = [
            ("workload", options.workload.is_some()),
            ("script", options.script.is_some()),
            ("scripts", options.scripts.is_some()),
        ];
        let sources: Vec<&str> = sources
            .iter()
            .filter(|(_, is)| *is)
            .map(|(n, _)| *n)
            .collect();
        if let [first, second, ..] = sources.as_slice() {
            return Err(hinted(
                format!("{second} and {first} exclude each other"),
                "Give the name of a workload, the text of a script, or several scripts.",
            ));
        }
        match given_scripts(
            options.script.as_deref(),
            options.scripts.as_deref(),
            options.weights.as_deref(),
            "script",
        )? {
            Some(scripts) => Ok(Mix {
                name: joined(
                    scripts
                        .iter()
                        .map(|script| (script.name.as_str(), script.weight)),
                ),
                scripts,
                ..Mix::default()
            }),
            None => Mix::parse(
                options
                    .workload
                    .as_deref()
                    .unwrap_or(workload::default().name),
                given,
            ),
        }
    }

    /// The mix that the warm-up runs in place of the run's own scripts. If it has no scripts, the warm-up runs those.
    pub fn of_warmup(options: &Options, given: &Given) -> Result<Mix> {
        match &options.warmup_workload {
            Some(text) => Mix::parse(text, given),
            None => Ok(Mix::none()),
        }
    }

    /// `'tpcb-like'`, or several with their weights: `'tpcb-like@1, select-only@9'`. The scripts are those for tables of
    /// which nothing is known yet.
    fn parse(text: &str, given: &Given) -> Result<Mix> {
        let (mut workloads, mut weights) = (Vec::new(), Vec::new());
        for part in text.split(',') {
            let (name, weight) = weighted::parse(part, "workload", 0)?;
            weights.push(weight);
            workloads.push(named(name)?);
        }
        let names = workloads.iter().map(Named::name);
        let mut mix = Mix {
            name: joined(names.zip(weights.iter().copied())),
            workloads,
            weights,
            ..Mix::default()
        };
        check_weights(mix.weights.iter().copied())?;
        let none = Given::new();
        let params =
            |workload: &Named| Params::of_run(workload.family(), "", Scale::NONE, &none, given);
        let params: Vec<Params> = mix.workloads.iter().map(params).collect();
        mix.make_scripts(&params)?;
        Ok(mix)
    }

    /// Makes the scripts and their variables anew, for tables with these parameters: one entry for each of the workloads.
    ///
    /// # Errors
    /// There are too many scripts, or their weights need too large numbers.
    pub fn make_scripts(&mut self, params: &[Params]) -> Result<()> {
        if self.workloads.is_empty() {
            return Ok(());
        }
        let members = || self.workloads.iter().zip(params);
        let scripts = members().map(|(workload, params)| workload.scripts(params));
        let mut parts: Vec<_> = self.weights.iter().copied().zip(scripts).collect();
        let names: Vec<&str> = self.workloads.iter().map(Named::name).collect();
        tell_apart(&names, &mut parts);
        let stored = members().filter(|(workload, _)| workload.stored().is_some());
        self.variables = stored
            .map(|(workload, params)| (workload.name().to_owned(), workload.variables(params)))
            .collect();
        self.params = params.to_vec();
        self.counts = parts.iter().map(|(_, scripts)| scripts.len()).collect();
        self.scripts = spread(&parts)?;
        check_count(self.scripts.len())
    }

    /// Whether clients do the same by both, which are of the same workloads.
    pub fn does_the_same(&self, other: &Mix) -> bool {
        let order = |mix: &Mix| (mix.sequences(1), mix.terminals(&mix.params), mix.undo());
        (&self.scripts, &self.variables) == (&other.scripts, &other.variables)
            && order(self) == order(other)
    }

    pub fn workloads(&self) -> &[Named] {
        &self.workloads
    }

    /// Their families.
    pub fn families(&self) -> Vec<&dyn Family> {
        self.workloads.iter().map(Named::family).collect()
    }

    /// The first workload that has a data set.
    pub fn data_workload(&self) -> Option<&Named> {
        let mut workloads = self.workloads.iter();
        workloads.find(|workload| workload.family().has_data_set())
    }

    /// The order in which each of so many clients runs the scripts; none: they are drawn by weight, as those of several workloads
    /// always are.
    pub fn sequences(&self, clients: usize) -> Vec<Vec<usize>> {
        match (self.workloads.as_slice(), self.params.as_slice()) {
            ([workload], [params]) => workload.family().sequences(params, clients),
            _ => Vec::new(),
        }
    }

    /// For each script its own name, or that of its workload; none of scripts that are of no workload.
    pub fn names(&self, kind: Kind) -> Vec<&str> {
        let workloads = self.workloads.iter().map(Named::name);
        match kind {
            Kind::Script => self.scripts.iter().map(|it| it.name.as_str()).collect(),
            Kind::Workload => (workloads.zip(&self.counts))
                .flat_map(|(name, &count)| repeat_n(name, count))
                .collect(),
        }
    }

    /// The statements that undo what a stopped run has left in its tables.
    pub fn undo(&self) -> Vec<String> {
        let each = self.families().into_iter().zip(&self.params);
        each.flat_map(|(family, params)| family.undo(params))
            .collect()
    }

    /// Whether a run of it stores its plans if nothing is said.
    pub fn has_plans_of_interest(&self) -> bool {
        self.families().iter().any(|it| it.has_plans_of_interest())
    }

    /// The names of the families of built-in workloads, each once.
    pub fn family_names(&self) -> Vec<String> {
        let built_in = self.workloads.iter().filter(|it| it.stored().is_none());
        let mut names: Vec<&str> = built_in.map(|it| it.family().name()).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(str::to_owned).collect()
    }

    /// Checks the number of clients of a run with these parameters, one entry for each of its workloads.
    ///
    /// # Errors
    /// A workload has tables for fewer clients.
    pub fn check_clients(&self, params: &[Params], clients: usize) -> Result<()> {
        let mut each = self.families().into_iter().zip(params);
        each.try_for_each(|(family, params)| family.check_clients(params, clients))
    }

    /// The terminals of a run with these parameters, one entry for each of its workloads.
    pub fn terminals(&self, params: &[Params]) -> Option<u32> {
        let each = self.families().into_iter().zip(params);
        each.filter_map(|(family, params)| family.terminals(params))
            .max()
    }

    /// The stored workloads in the mix.
    pub fn stored(&self) -> Vec<&Definition> {
        self.workloads.iter().filter_map(Named::stored).collect()
    }

    /// The queries that measure a run of its workloads.
    pub fn metrics_sql(&self) -> Vec<String> {
        let queries = self.stored().into_iter();
        queries
            .filter_map(|stored| stored.own.metrics_sql.clone())
            .collect()
    }

    /// The arguments that reproduce a mix with stored workloads, whose names may stand for different ones by then.
    pub fn spelled_out(&self) -> [(&'static str, Value); 2] {
        let scripts = self.scripts.iter();
        let texts: Vec<&str> = scripts.clone().map(|script| script.text.as_str()).collect();
        let weights: Vec<u32> = scripts.map(|script| script.weight).collect();
        [("scripts", texts.into()), ("weights", weights.into())]
    }

    /// The transaction type that the report shows, in pgbench's words.
    pub fn transaction_type(&self) -> String {
        match (self.scripts.as_slice(), self.workloads.as_slice()) {
            (_, [Named::BuiltIn(workload)]) => workload.description.to_owned(),
            ([_], [] | [Named::Stored(_)]) => self.name.clone(),
            _ => "multiple scripts".to_owned(),
        }
    }
}

/// The call's own values, and those of the stored workloads, each with its name, for names that the call does not give.
pub fn with_defaults<'a>(
    argument: &str,
    given: BTreeMap<String, String>,
    stored: impl Iterator<Item = (&'a str, &'a BTreeMap<String, String>)>,
) -> Result<BTreeMap<String, String>> {
    let mut defaults: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for (workload, values) in stored {
        for (name, value) in values {
            let before = defaults.insert(name, (value, workload));
            if let Some((_, other)) = before.filter(|(before, _)| before != value)
                && !given.contains_key(name)
            {
                return Err(hinted(
                    format!(
                        "workloads \"{other}\" and \"{workload}\" have different {argument} \"{name}\""
                    ),
                    &format!("Say which value to use: {argument} => '{{\"{name}\": ...}}'."),
                ));
            }
        }
    }
    let mut all: BTreeMap<String, String> = defaults
        .into_iter()
        .map(|(name, (value, _))| (name.to_owned(), value.to_owned()))
        .collect();
    all.extend(given);
    Ok(all)
}

/// The variables of a run: those of the call come before those of its workloads.
///
/// # Errors
/// Two workloads disagree.
pub fn variables(
    given: BTreeMap<String, String>,
    mix: &Mix,
    warmup: &Mix,
) -> Result<BTreeMap<String, String>> {
    let all = mix.variables.iter().chain(&warmup.variables);
    let all = all.map(|(workload, variables)| (workload.as_str(), variables));
    with_defaults("variables", given, all)
}
