//! The argument `alternate`: settings or scripts that alternate within a run. They are settings of the clients' sessions or
//! of the server, as in `'{"wal_compression": ["off", "lz4"]}'`, or scripts of the run, as in
//! `'{"workload": ["tpcb-like", "simple-update"]}'`.

mod of_scripts;
mod of_server;

pub use of_scripts::{Kind, ScriptSides};

use super::mix::Mix;
use super::options::Options;
use super::spec::Spec;
use crate::error::{Error, Result, hinted, invalid};
use crate::pg::sql::interval::in_range;
use crate::pg::sql::object::{some_members, text};
use engine::Sides;
use measure::turns::{BLOCK, Side};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

const ARGUMENT: &str = "alternate";
const EXAMPLE: &str = "For example: '{\"wal_compression\": [\"off\", \"lz4\"]}'.";
const TWO_VALUES: &str = "with two values for each setting";
const DEFAULT_EVERY_S: f64 = 5.0;
const DEFAULT_SETTLE_S: f64 = 0.5;
/// The shortest part of a turn that counts.
const MIN_COUNTED_S: f64 = 0.1;
/// With fewer blocks nothing is known of their spread.
const FEWEST_BLOCKS: u64 = 2;

/// Two sides that take turns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Turns"))]
pub struct Alternation {
    /// The values of each setting on sides A and B.
    pub settings: BTreeMap<String, [String; 2]>,
    /// Those of them that belong to the server: the leader sets them, not the clients.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub of_server: BTreeSet<String>,
    /// The scripts of both sides; null: the same on both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scripts: Option<ScriptSides>,
    /// How long a turn lasts.
    pub every_s: f64,
    /// How much of the beginning of each turn belongs to no side.
    pub settle_s: f64,
}

impl Alternation {
    /// What the arguments ask for; None: no turns. `settings`: those that are the same all the time.
    ///
    /// # Errors
    /// Sides or times that are not possible.
    pub fn new(
        options: &Options,
        settings: &BTreeMap<String, String>,
        duration_s: Option<f64>,
    ) -> Result<Option<Alternation>> {
        let Some(given) = &options.alternate else {
            let times = [
                ("alternate_every", options.alternate_every.is_some()),
                ("settle", options.settle.is_some()),
            ];
            return match times.iter().find(|(_, is_given)| *is_given) {
                Some((name, _)) => Err(hinted(format!("{name} needs {ARGUMENT}"), EXAMPLE)),
                None => Ok(None),
            };
        };
        let every_s = in_range("alternate_every", options.alternate_every, MIN_COUNTED_S)?;
        let settle_s = in_range("settle", options.settle, 0.0)?;
        let every_s = every_s.unwrap_or(DEFAULT_EVERY_S);
        let mut fields = some_members(ARGUMENT, TWO_VALUES, given, EXAMPLE)?.clone();
        let alternation = Alternation {
            scripts: of_scripts::take(&mut fields)?,
            settings: sides(&fields)?,
            of_server: BTreeSet::new(),
            every_s,
            settle_s: settle_s.unwrap_or(DEFAULT_SETTLE_S.min(every_s / 10.0)),
        };
        alternation.check(options, settings, duration_s)?;
        Ok(Some(alternation))
    }

    fn check(
        &self,
        options: &Options,
        settings: &BTreeMap<String, String>,
        duration_s: Option<f64>,
    ) -> Result<()> {
        if let Some(name) = self
            .settings
            .keys()
            .find(|name| settings.contains_key(*name))
        {
            return Err(invalid(format!(
                "setting \"{name}\" is both in settings and in {ARGUMENT}"
            )));
        }
        if options.resume {
            return Err(hinted(
                format!("{ARGUMENT} and resume exclude each other"),
                "The sides would not meet the same conditions before and after an interruption.",
            ));
        }
        let Alternation {
            every_s, settle_s, ..
        } = self;
        // Sums of decimal fractions are not exact.
        if settle_s + MIN_COUNTED_S > every_s + 1e-9 {
            return Err(hinted(
                format!(
                    "settle must be at least {MIN_COUNTED_S} s shorter than alternate_every, but is {settle_s} of {every_s} s"
                ),
                "Only what is left of a turn after its settle time counts.",
            ));
        }
        let shortest = (FEWEST_BLOCKS * BLOCK) as f64 * every_s;
        match duration_s.filter(|&duration| duration < shortest) {
            Some(duration) => Err(hinted(
                format!(
                    "{ARGUMENT} needs a duration of at least {shortest} s, {FEWEST_BLOCKS} blocks of {BLOCK} turns, not {duration} s"
                ),
                "Ask for a longer duration, or for shorter turns: alternate_every => '1 s'.",
            )),
            None => Ok(()),
        }
    }

    /// Finds the scripts of both sides in the mix of the run.
    ///
    /// # Errors
    /// A side has none, or a script belongs to no side.
    pub fn find_scripts(&mut self, mix: &Mix) -> Result<()> {
        match &mut self.scripts {
            Some(scripts) => scripts.find(mix),
            None => Ok(()),
        }
    }

    /// The argument where the scripts of the run are given by their texts; None: it stays as it is.
    pub fn spelled_out(&self) -> Option<Value> {
        let scripts = self.scripts.as_ref()?.spelled_out();
        let settings =
            (self.settings.iter()).map(|(name, both)| (name.clone(), both.to_vec().into()));
        let scripts = (Kind::Script.name().to_owned(), scripts);
        Some(Value::Object(settings.chain([scripts]).collect()))
    }

    /// The settings of a side that the clients' sessions have.
    fn side(&self, side: Side) -> impl Iterator<Item = (String, String)> + '_ {
        (self.values(side)).filter(move |(name, _)| !self.of_server.contains(name))
    }

    /// All settings of a side.
    fn values(&self, side: Side) -> impl Iterator<Item = (String, String)> + '_ {
        self.settings.iter().map(move |(name, [a, b])| {
            let value = match side {
                Side::A => a,
                Side::B => b,
            };
            (name.clone(), value.clone())
        })
    }
}

impl Spec {
    /// The settings of sessions that take turns; None: there are no turns.
    pub fn sides(&self) -> Option<Sides> {
        let alternation = self.alternate.as_ref()?;
        Some(Sides {
            a: alternation.side(Side::A).collect(),
            b: alternation.side(Side::B).collect(),
            weights: (alternation.scripts.as_ref()).map(|scripts| scripts.weights.clone()),
            seed: self.random_seed as u64,
        })
    }

    /// All settings of a client's session in a turn.
    pub fn settings_in(&self, turn: u64) -> BTreeMap<String, String> {
        let mut settings = self.settings.clone();
        if let Some(sides) = self.sides() {
            settings.extend(sides.settings(turn).iter().cloned());
        }
        settings
    }
}

fn wrong() -> Error {
    hinted(
        format!("{ARGUMENT} must be a JSON object {TWO_VALUES}"),
        EXAMPLE,
    )
}

/// The values of each setting, by its name.
fn sides(fields: &Map<String, Value>) -> Result<BTreeMap<String, [String; 2]>> {
    let mut settings = BTreeMap::new();
    for (name, values) in fields {
        let Some([a, b]) = values.as_array().map(Vec::as_slice) else {
            return Err(wrong());
        };
        let both = [text(ARGUMENT, name, a)?, text(ARGUMENT, name, b)?];
        if settings.insert(name.to_ascii_lowercase(), both).is_some() {
            return Err(invalid(format!(
                "setting \"{name}\" is in {ARGUMENT} twice"
            )));
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pg::sql::interval::Seconds;
    use serde_json::json;

    fn read(options: Options, duration_s: f64) -> Result<Option<Alternation>> {
        Alternation::new(&options, &BTreeMap::new(), Some(duration_s))
    }

    fn alternating(sides: Value) -> Options {
        Options {
            alternate: Some(sides),
            ..Options::default()
        }
    }

    #[test]
    fn each_setting_has_a_value_for_each_side() {
        let sides = json!({"Work_Mem": ["4MB", 65536], "enable_seqscan": [true, false]});
        let read = read(alternating(sides), 60.0).unwrap().unwrap();
        assert_eq!((read.every_s, read.settle_s), (5.0, 0.5));
        let a: Vec<_> = read.side(Side::A).map(|(_, value)| value).collect();
        let b: Vec<_> = read.side(Side::B).collect();
        assert_eq!(a, ["true", "4MB"]);
        assert_eq!(b[1], ("work_mem".to_owned(), "65536".to_owned()));
    }

    #[test]
    fn anything_else_is_refused() {
        for wrong in [
            json!({}),
            json!([]),
            json!({"work_mem": "4MB"}),
            json!({"work_mem": ["4MB"]}),
            json!({"work_mem": ["4MB", "8MB", "16MB"]}),
            json!({"work_mem": ["4MB", null]}),
            json!({"work_mem": [1, 2], "WORK_MEM": [1, 2]}),
        ] {
            assert!(read(alternating(wrong.clone()), 60.0).is_err(), "{wrong}");
        }
        let common = BTreeMap::from([("work_mem".to_owned(), "4MB".to_owned())]);
        let both = alternating(json!({"work_mem": ["4MB", "8MB"]}));
        assert!(Alternation::new(&both, &common, None).is_err());
    }

    #[test]
    fn scripts_take_turns_too() {
        let sides = json!({"workload": ["tpcb-like", "simple-update"], "work_mem": ["4MB", "8MB"]});
        let found = read(alternating(sides), 60.0).unwrap().unwrap();
        assert_eq!(found.settings.len(), 1);
        let scripts = found.scripts.unwrap();
        assert_eq!(scripts.names, [["tpcb-like"], ["simple-update"]]);
        for wrong in [
            json!({"script": ["a", "b"], "workload": ["a", "b"]}),
            json!({"script": "a"}),
            json!({"script": ["a", 1]}),
            json!({"script": ["a", ["b", null]]}),
            json!({"script": ["a"]}),
        ] {
            assert!(read(alternating(wrong.clone()), 60.0).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_have_to_fit() {
        let sides = || alternating(json!({"work_mem": ["4MB", "8MB"]}));
        let timed = |every, settle, duration_s| {
            let options = Options {
                alternate_every: Some(Seconds(every)),
                settle: Some(Seconds(settle)),
                ..sides()
            };
            read(options, duration_s).is_ok()
        };
        assert!(timed(1.0, 0.5, 8.0));
        assert!(!timed(1.0, 0.5, 7.9), "no two blocks");
        assert!(!timed(1.0, 0.95, 60.0), "nothing left");
        assert!(!timed(1.0, -0.1, 60.0));
        let without = Options {
            settle: Some(Seconds(1.0)),
            ..Options::default()
        };
        assert!(read(without, 60.0).is_err());
        let resumed = Options {
            resume: true,
            ..sides()
        };
        assert!(read(resumed, 60.0).is_err());
        // A settle time that is not given is short beside a short turn.
        let short = Options {
            alternate_every: Some(Seconds(1.0)),
            ..sides()
        };
        assert_eq!(read(short, 60.0).unwrap().unwrap().settle_s, 0.1);
    }
}
