//! Where a client's scripts begin: what its choice of scripts and its draws go by, and the variables it begins with.

use crate::run::request::spec::Spec;
use crate::workload::Scale;
use script::{Prng, Symbols, Value, Variables};

/// Where a part of a run begins, the warm-up or the measured one.
pub struct ScriptStart {
    /// Of the scripts to choose from.
    pub weights: Vec<u32>,
    pub choice: Prng,
    pub prng: Prng,
    pub variables: Variables,
}

impl ScriptStart {
    /// A client's streams are those that pgbench gives it for the same seed; its variables are pgbench's own,
    /// unless the run sets them.
    pub fn new(spec: &Spec, client: usize, symbols: &mut Symbols) -> ScriptStart {
        let streams = spec.streams();
        let built_in = [
            ("scale", scale(spec.scale.unwrap_or(Scale::from(1)))),
            ("client_id", Value::Int(client as i64)),
            ("default_seed", Value::Int(streams.default_seed)),
            ("random_seed", Value::Int(spec.random_seed)),
        ];
        let mut variables = Variables::new(symbols);
        for (name, value) in built_in {
            variables.set(symbols.intern(name), value);
        }
        for (name, value) in &spec.variables {
            variables.set(symbols.intern(name), Value::Text(value.as_str().into()));
        }
        let fallback = Prng::new(spec.random_seed as u64);
        ScriptStart {
            weights: spec.scripts.iter().map(|script| script.weight).collect(),
            choice: streams
                .threads
                .get(client)
                .map_or(fallback, |thread| thread.choice),
            prng: streams.clients.get(client).copied().unwrap_or(fallback),
            variables,
        }
    }

    /// Where the warm-up begins. Its draws are another seed's: it neither takes draws from the measured part
    /// nor touches beforehand the very rows that are measured later. The variables are the run's, since
    /// default_seed decides which rows are the frequent ones.
    pub fn of_warmup(&self, spec: &Spec, client: usize, symbols: &mut Symbols) -> ScriptStart {
        let mut warmup = Spec {
            random_seed: !spec.random_seed,
            ..spec.clone()
        };
        let mut variables = self.variables.clone();
        if !spec.warmup_scripts.is_empty() {
            warmup.scripts.clone_from(&spec.warmup_scripts);
            if let (Some(scale), None) = (spec.warmup_scale, spec.variables.get("scale")) {
                variables.set(symbols.intern("scale"), self::scale(scale));
            }
        }
        ScriptStart {
            variables,
            ..ScriptStart::new(&warmup, client, symbols)
        }
    }
}

/// As scripts see it: an integer where it is one.
fn scale(scale: Scale) -> Value {
    scale.whole().map_or(Value::Double(scale.value()), |whole| {
        Value::Int(i64::from(whole))
    })
}
