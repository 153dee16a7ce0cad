//! The initial state of a client's scripts: the random streams for its choices and draws, and its variables.

use crate::choice::Choice;
use crate::spec::{RunSpec, ScriptSpec, Warmup};
use script::{Prng, Streams, Symbols, Value, Variables};

/// The variables that every client has, beside those whose names begin with `pgperf_`: pgbench's.
pub const BUILT_IN: [&str; 4] = ["scale", "client_id", "default_seed", "random_seed"];

/// The variable with the number of the part of a run, in which the variables begin anew.
const PART: &str = "pgperf_part";

/// A measured part has an even number, its warm-up the next one.
fn part(spec: &RunSpec, is_warmup: bool) -> Value {
    Value::Int(2 * i64::from(spec.segment) + i64::from(is_warmup))
}

/// Where a part of a run begins, the warm-up or the measured one.
pub struct ScriptStart {
    pub choice: Choice,
    pub prng: Prng,
    pub variables: Variables,
}

impl ScriptStart {
    /// A client's streams are those that pgbench gives it for the same seed; its variables are pgbench's own,
    /// unless the run sets them. In an order of scripts it goes on behind the transactions of earlier segments.
    pub fn new(spec: &RunSpec, client: usize, ended: u64, symbols: &mut Symbols) -> ScriptStart {
        let streams = spec.streams(spec.random_seed);
        let built_in = [
            spec.script_scale.clone(),
            Value::Int(spec.client_id(client) as i64),
            Value::Int(streams.default_seed),
            Value::Int(spec.random_seed),
        ];
        // These are none of pgbench's, hence their names.
        let own = [
            ("pgperf_clients", Value::Int(spec.all_clients() as i64)),
            (PART, part(spec, false)),
        ];
        let mut variables = Variables::new(symbols);
        for (name, value) in BUILT_IN.into_iter().zip(built_in).chain(own) {
            variables.set(symbols.intern(name), value);
        }
        for (name, value) in &spec.variables {
            variables.set(symbols.intern(name), Value::Text(value.as_str().into()));
        }
        ScriptStart::at(&spec.scripts, spec.random_seed, &streams, client, variables)
            .in_order(spec.sequence(client), ended as usize)
    }

    /// Where the warm-up begins. Its draws are another seed's: it neither takes draws from the measured part
    /// nor touches beforehand the very rows that are measured later. The variables are the run's, since
    /// default_seed decides which rows are the frequent ones.
    pub fn of_warmup(
        &self,
        spec: &RunSpec,
        warmup: &Warmup,
        client: usize,
        symbols: &mut Symbols,
    ) -> ScriptStart {
        let seed = !spec.random_seed;
        let mut variables = self.variables.clone();
        if !spec.variables.contains_key(PART) {
            variables.set(symbols.intern(PART), part(spec, true));
        }
        let (mut scripts, mut order) = (&spec.scripts, spec.sequence(client));
        if !warmup.scripts.is_empty() {
            (scripts, order) = (&warmup.scripts, &[]);
            if let (Some(scale), None) = (&warmup.scale, spec.variables.get("scale")) {
                variables.set(symbols.intern("scale"), scale.clone());
            }
        }
        ScriptStart::at(scripts, seed, &spec.streams(seed), client, variables).in_order(order, 0)
    }

    fn in_order(self, order: &[usize], chosen: usize) -> ScriptStart {
        ScriptStart {
            choice: self.choice.in_order(order.to_vec(), chosen),
            ..self
        }
    }

    fn at(
        scripts: &[ScriptSpec],
        seed: i64,
        streams: &Streams,
        client: usize,
        variables: Variables,
    ) -> ScriptStart {
        let fallback = Prng::new(seed as u64);
        let weights = scripts.iter().map(|script| script.weight).collect();
        let thread = streams.threads.get(client);
        ScriptStart {
            choice: Choice::by_weight(weights, thread.map_or(fallback, |thread| thread.choice)),
            prng: streams.clients.get(client).copied().unwrap_or(fallback),
            variables,
        }
    }
}
