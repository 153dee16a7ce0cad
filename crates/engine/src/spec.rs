//! What the clients of a run do.

use crate::rate::Rate;
use crate::transport::QueryMode;
use measure::turns::{Side, side_of};
use script::{ParseError, Prng, Script, Streams, Symbols, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A script of a run, as it is stored, too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScriptSpec {
    /// Its name, for messages.
    pub name: String,
    /// Its commands, in pgbench's language.
    pub text: String,
    /// How often it is chosen, in proportion to the others.
    pub weight: u32,
    /// Whether its statements go in simple mode, whatever the run's query mode is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simple: bool,
    /// The SQLSTATEs of errors that belong to the workload: they fail a transaction, not its client.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub survives: Vec<String>,
    /// How long the user of a terminal takes, in a run with terminals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<Pace>,
}

/// The times of a terminal's user around a transaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// To key it in.
    pub keying_ms: f64,
    /// The mean of the time to think after it.
    pub think_ms: f64,
}

impl Pace {
    /// The mean of both together.
    pub fn mean_ns(self) -> f64 {
        (self.keying_ms + self.think_ms) * 1e6
    }
}

impl ScriptSpec {
    /// A script of this name and text, to be chosen so often.
    pub fn new(name: &str, text: &str, weight: u32) -> ScriptSpec {
        ScriptSpec {
            name: name.to_owned(),
            text: text.to_owned(),
            weight,
            simple: false,
            survives: Vec::new(),
            pace: None,
        }
    }

    /// How its statements reach the server in a run of this mode.
    pub fn query_mode(&self, of_run: QueryMode) -> QueryMode {
        if self.simple {
            QueryMode::Simple
        } else {
            of_run
        }
    }
}

/// Parses scripts that share their variables.
///
/// # Errors
/// The first one that cannot be parsed.
pub fn parse_scripts(
    scripts: &[ScriptSpec],
    symbols: &mut Symbols,
) -> Result<Vec<Script>, ParseError> {
    scripts
        .iter()
        .map(|script| script::parse(&script.name, &script.text, symbols))
        .collect()
}

/// What a warm-up has of its own.
#[derive(Debug, Clone, Default)]
pub struct Warmup {
    /// Its scripts; none: those of the run.
    pub scripts: Vec<ScriptSpec>,
    /// `:scale` of those.
    pub scale: Option<Value>,
}

/// What takes turns, on both sides: settings, scripts, or both.
#[derive(Debug, Clone, Default)]
pub struct Sides {
    /// The settings of side A: names and values.
    pub a: Vec<(String, String)>,
    /// Those of side B.
    pub b: Vec<(String, String)>,
    /// The weights of all scripts of the run, on side A and on side B. None: those that the scripts have, all the time.
    pub weights: Option<[Vec<u32>; 2]>,
    /// Decides which blocks are mirrored.
    pub seed: u64,
}

impl Sides {
    /// The settings of the side whose turn it is.
    pub fn settings(&self, turn: u64) -> &[(String, String)] {
        match side_of(turn, self.seed) {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }

    /// The weights of the scripts on the side whose turn it is; None: they are the same on both.
    pub fn weights(&self, turn: u64) -> Option<&[u32]> {
        let [a, b] = self.weights.as_ref()?;
        Some(match side_of(turn, self.seed) {
            Side::A => a,
            Side::B => b,
        })
    }
}

/// How many transactions a client does in a run of so many per client. If clients run their scripts in orders, the number is that of
/// the first order; a client whose order is shorter or longer does so many fewer or more that all come to their ends together.
pub fn transactions_of(client: usize, sequences: &[Vec<usize>], per_client: u64) -> u64 {
    let [first, ..] = sequences else {
        return per_client;
    };
    let own = sequences[client % sequences.len()].len() as u128;
    let all = (u128::from(per_client) * own).div_ceil(first.len().max(1) as u128);
    u64::try_from(all).unwrap_or(u64::MAX)
}

/// The place of a run's clients among those of runs on other servers that share its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// How many come before them.
    pub first_client: usize,
    /// How many there are in all.
    pub clients: usize,
}

/// What the clients of a run do, as far as that concerns a client. It is stored as a part of the run's specification, but for what
/// follows from other parts of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunSpec {
    /// The scripts to choose from.
    pub scripts: Vec<ScriptSpec>,
    /// The numbers of the scripts in the order in which a client runs them, again and again: client n takes the n-th of these orders,
    /// and after the last the first again. None: each transaction draws its script by weight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sequences: Vec<Vec<usize>>,
    /// None: the measured part comes first.
    #[serde(skip)]
    pub warmup: Option<Warmup>,
    /// How many clients there are: they share the rate, and the streams of random numbers depend on it.
    pub clients: usize,
    /// The share of its clients in those of several runs; None: it is on its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// pgbench's `--random-seed`.
    pub random_seed: i64,
    /// Which segment of a run that was resumed this is, from 0.
    #[serde(default)]
    pub segment: u32,
    /// `:scale`.
    #[serde(skip)]
    pub script_scale: Value,
    /// Variables of the call.
    pub variables: BTreeMap<String, String>,
    /// How statements reach the server.
    pub query_mode: QueryMode,
    /// Transactions per second to schedule over all clients; None: as fast as they go.
    pub rate: Option<Rate>,
    /// How much of the measured part came before this segment: the rate may go by that.
    #[serde(default)]
    pub elapsed_s: f64,
    /// How many terminals the clients serve together, each with keying and think times; None: each client runs one transaction after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminals: Option<u32>,
    /// What is slower is late, and neither begun nor tried again when it cannot be faster any more.
    pub latency_limit_ms: Option<f64>,
    /// How often a transaction is tried at most; 0: without limit.
    pub max_tries: u32,
    /// Any error of a statement fails its transaction only, not its client.
    pub continue_on_error: bool,
    /// Transactions after which a client is done; see [`transactions_of`].
    pub transactions_per_client: Option<u64>,
    /// How long a client pauses after each transaction.
    pub think_time_s: f64,
    /// How long a client waits after each statement that leaves a transaction open, as if for the network.
    pub round_trip_s: f64,
    /// After how many transactions a client gets a new session; None: it keeps its own.
    pub reconnect: Option<u64>,
    /// Whether a client whose session is lost gets another one. The transaction that was under way has failed.
    #[serde(default)]
    pub reconnect_on_loss: bool,
    /// Which part of the transactions is logged; None: there is no log.
    pub sampling_rate: Option<f64>,
    /// None: there are no turns.
    #[serde(skip)]
    pub sides: Option<Sides>,
    /// Whether the run continues after an interruption. Then the statistics of commands and scripts are reported about once a second,
    /// not at the end alone.
    #[serde(default)]
    pub resume: bool,
}

impl RunSpec {
    /// `:client_id` of a client.
    pub fn client_id(&self, client: usize) -> usize {
        self.share.map_or(0, |share| share.first_client) + client
    }

    /// How many clients there are, with those of runs that share its work.
    pub fn all_clients(&self) -> usize {
        self.share.map_or(self.clients, |share| share.clients)
    }

    /// The order in which a client runs the scripts; empty: it draws them.
    pub(crate) fn sequence(&self, client: usize) -> &[usize] {
        match self.sequences.len() {
            0 => &[],
            several => &self.sequences[client % several],
        }
    }

    /// How many transactions a client does; None: no number ends it.
    pub(crate) fn transactions(&self, client: usize) -> Option<u64> {
        let per_client = self.transactions_per_client?;
        Some(transactions_of(client, &self.sequences, per_client))
    }

    /// The latency limit as it is compared.
    pub fn latency_limit_ns(&self) -> Option<u64> {
        self.latency_limit_ms.map(|ms| (ms * 1e6).round() as u64)
    }

    /// Whether transactions are due at moments that do not depend on when the client is ready.
    pub fn is_scheduled(&self) -> bool {
        self.rate.is_some() || self.terminals.is_some()
    }

    /// Whether clients wait for moments of a schedule, or for a while.
    pub fn has_pauses(&self) -> bool {
        self.is_scheduled() || self.round_trip_s > 0.0 || self.think_time_s > 0.0
    }

    /// The random streams that pgbench derives from a seed. A default_seed among the variables saves a draw, whatever it is.
    ///
    /// Those of a further segment derive from its number, too: what it draws is not what was drawn before. The
    /// default_seed stays, since it decides which rows are the frequent ones.
    pub(crate) fn streams(&self, seed: i64) -> Streams {
        let derive =
            |seed, default_seed| Streams::derive(seed, self.clients, self.clients, default_seed);
        let default_seed = self.variables.get("default_seed");
        let seed = seed as u64;
        let streams = derive(
            seed,
            default_seed.map(|seed| seed.parse().unwrap_or_default()),
        );
        match self.segment {
            0 => streams,
            segment => {
                let seed = Prng::new(seed ^ u64::from(segment)).next_u64();
                derive(seed, Some(streams.default_seed))
            }
        }
    }
}
