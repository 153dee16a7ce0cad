//! A run of the array: its call, and what it has to do for that.

use super::options::FACTORS;

/// What the sleep of each transaction takes at least, in seconds.
pub const SLEEP_S: f64 = 0.01;
pub const THINK_S: f64 = 0.01;
/// Longer than most transactions, so that without it the mean latency is below the sleep and three of these.
pub const ROUND_TRIP_S: f64 = 0.008;
pub const WARMUP_S: f64 = 0.3;
pub const EVERY_S: f64 = 0.2;
/// Of the occurrences of a disturbance.
pub const OFTEN_S: f64 = 0.15;
pub const RECONNECT: i64 = 5;
/// Every so many attempts of a script conflict; each value that is a multiple is an error.
pub const CONFLICT: i64 = 7;
pub const ERROR: i64 = 5;
pub const TIGHT_MS: f64 = 15.0;
pub const WIDE_MS: f64 = 60_000.0;
/// The first look of a run with `until_precise`, in intervals.
pub const LOOK: f64 = 30.0;
/// The number of the warm-up's own script.
pub const WARMING: i64 = 9;

/// A run with its number in the array.
#[derive(Debug, Clone)]
pub struct Case {
    pub number: usize,
    pub row: Vec<usize>,
}

impl Case {
    /// The name of the level of a factor.
    pub fn level(&self, factor: &str) -> &'static str {
        let found = FACTORS
            .iter()
            .zip(&self.row)
            .find(|(f, _)| f.name == factor);
        let (factor, level) = found.unwrap_or_else(|| panic!("no factor {factor}"));
        factor.levels[*level]
    }

    pub fn is(&self, factor: &str, level: &str) -> bool {
        self.level(factor) == level
    }

    /// Whether a factor has another level than its first.
    pub fn has(&self, factor: &str) -> bool {
        !FACTORS
            .iter()
            .any(|f| f.name == factor && f.levels[0] == self.level(factor))
    }

    /// The levels that are not the first ones.
    pub fn describe(&self) -> String {
        let all = FACTORS.iter().zip(&self.row);
        let others = all.filter(|(_, level)| **level > 0);
        let named =
            others.map(|(factor, level)| format!("{} {}", factor.name, factor.levels[*level]));
        format!("{}: {}", self.label(), named.collect::<Vec<_>>().join(", "))
    }

    pub fn label(&self) -> String {
        format!("pair {}", self.number)
    }

    pub fn clients(&self) -> i64 {
        if self.is("clients", "one") { 1 } else { 3 }
    }

    pub fn scripts(&self) -> usize {
        if self.is("scripts", "one") { 1 } else { 2 }
    }

    pub fn interval_s(&self) -> f64 {
        match self.level("interval") {
            "short" => 0.1,
            "odd" => 0.13,
            _ => 3600.0,
        }
    }

    /// As long as it takes for the other options to have an effect.
    pub fn duration_s(&self) -> f64 {
        let wanted = [
            ("alternate", 9.0 * EVERY_S),
            ("precise", (LOOK + 1.5) * self.interval_s().min(0.2)),
            ("rate", 0.7),
            ("disturbances", 0.6),
        ];
        let wanted = wanted.iter().filter(|(factor, _)| self.has(factor));
        let interrupted = if self.is("resume", "interrupted") {
            1.5
        } else {
            0.5
        };
        wanted.map(|(_, s)| *s).fold(interrupted, f64::max)
    }

    /// Transactions of each client.
    pub fn transactions(&self) -> Option<i64> {
        let count = if self.is("resume", "interrupted") {
            100
        } else {
            20
        };
        self.is("end", "count").then_some(count)
    }

    /// How many transactions are due in this time, on average; None: there is no rate.
    pub fn due(&self, seconds: f64) -> Option<f64> {
        match self.level("rate") {
            "none" => None,
            "constant" => Some(60.0 * seconds),
            _ => Some(40.0 * seconds.min(0.3) + 90.0 * (seconds - 0.3).max(0.0)),
        }
    }

    pub fn limit_ms(&self) -> Option<f64> {
        match self.level("limit") {
            "none" => None,
            "wide" => Some(WIDE_MS),
            _ => Some(TIGHT_MS),
        }
    }

    fn script(&self, number: usize) -> String {
        let run = self.number;
        let conflicts = if self.has("conflicts") { CONFLICT } else { 0 };
        let errors = if self.has("errors") { ERROR } else { 0 };
        format!(
            "$script$\\set value random(1, 1000000000)\n\
             \\if :{{?extra}}\n\\set seen :extra\n\\else\n\\set seen 0\n\\endif\n\
             BEGIN;\n\
             INSERT INTO done (run, script, client, part, value, extra) VALUES ({run}, {number}, :client_id, :pgperf_part, :value, :seen);\n\
             SELECT attempt({run}, {number}, :pgperf_part, {conflicts}, {errors}, :value);\n\
             END;\n$script$"
        )
    }

    /// What a test has to create before the call.
    pub fn preparation(&self) -> String {
        let run = self.number;
        let sequences = (0..self.scripts()).flat_map(|script| {
            [0, 1].map(|part| format!("CREATE SEQUENCE tried_{run}_{script}_{part};"))
        });
        let mut all: String = sequences.collect();
        if self.is("warmup", "other") {
            all += &format!(
                "SELECT pgperf.create_workload('warming {run}', script => \
                 'INSERT INTO done (run, script, client, part) VALUES ({run}, {WARMING}, :client_id, :pgperf_part); SELECT pg_sleep({SLEEP_S});');"
            );
        }
        all
    }

    /// The arguments of `start_run`.
    pub fn arguments(&self) -> String {
        let run = self.number;
        let mut all = vec![
            format!("label => '{}'", self.label()),
            format!("clients => {}", self.clients()),
            format!("sample_interval => '{} s'", self.interval_s()),
            format!("query_mode => '{}'", self.level("mode")),
            format!("result_mode => '{}'", self.level("results")),
        ];
        all.push(match self.transactions() {
            Some(count) => format!("transactions_per_client => {count}"),
            None => format!("duration => '{} s'", self.duration_s()),
        });
        all.push(match self.scripts() {
            1 => format!("script => {}", self.script(0)),
            _ => format!(
                "scripts => ARRAY[{}, {}], weights => '{{1, 3}}'",
                self.script(0),
                self.script(1)
            ),
        });
        let texts = FACTORS.iter().zip(&self.row);
        let texts = texts.map(|(factor, level)| match (factor.name, factor.levels[*level]) {
            ("warmup", "own") => format!("warmup => '{WARMUP_S} s'"),
            ("warmup", "other") => {
                format!("warmup => '{WARMUP_S} s', warmup_workload => 'warming {run}'")
            }
            ("rate", "constant") => "rate => 60".to_owned(),
            ("rate", "steps") => r#"rate => '{"0 s": 40, "0.3 s": 90}'"#.to_owned(),
            ("limit", "wide" | "tight") => {
                format!("latency_limit => '{} ms'", self.limit_ms().unwrap_or(0.0))
            }
            ("resume", "on" | "interrupted") => "resume => true".to_owned(),
            ("caches", "warm") => "caches => 'warm'".to_owned(),
            ("caches", "cold") => "caches => 'cold'".to_owned(),
            ("alternate", "setting") => format!(
                r#"alternate => '{{"pairs.side": ["A", "B"]}}', alternate_every => '{EVERY_S} s', settle => '0.04 s'"#
            ),
            ("alternate", "script") => format!(
                r#"alternate => '{{"script": ["script 1", "script 2"]}}', alternate_every => '{EVERY_S} s', settle => '0.04 s'"#
            ),
            ("conflicts", "retried") => "max_tries => 3".to_owned(),
            ("log", "all") => "transaction_log => true".to_owned(),
            ("log", "half") => "transaction_log => true, sampling_rate => 0.5".to_owned(),
            ("collectors", "none") => "collectors => '{}'".to_owned(),
            ("collectors", "one") => "collectors => '{wal}'".to_owned(),
            ("collectors", "three") => "collectors => '{wal, database, settings}'".to_owned(),
            ("precise", "on") => "until_precise => '50%'".to_owned(),
            ("errors", "on") => "continue_on_error => true".to_owned(),
            ("disturbances", "some") => format!(
                r#"disturbances => '[{{"name": "beside", "sql": "INSERT INTO beside VALUES ({run})", "at": "0 s", "every": "{OFTEN_S} s", "sessions": 2}}]'"#
            ),
            ("hit curve", "on") => "hit_curve => true".to_owned(),
            ("plans", "on") => "plans => true".to_owned(),
            ("think", "some") => format!("think_time => '{THINK_S} s'"),
            ("round trip", "some") => format!("round_trip => '{ROUND_TRIP_S} s'"),
            ("reconnect", "often") => format!("reconnect => {RECONNECT}"),
            ("seed", "given") => "random_seed => 7".to_owned(),
            ("settings", "some") => {
                r#"settings => '{"pairs.setting": "given", "work_mem": "3MB"}'"#.to_owned()
            }
            ("name", "given") => "application_name => 'shop'".to_owned(),
            ("variables", "some") => r#"variables => '{"extra": 42}'"#.to_owned(),
            ("beside", "both") => format!(
                "before_sql => 'INSERT INTO marks VALUES ({run}, ''before'')', after_sql => 'INSERT INTO marks VALUES ({run}, ''after'')'"
            ),
            ("drain", "sql") => {
                format!("drain_sql => 'SELECT count(*) > 0 FROM done WHERE run = {run}'")
            }
            ("limits", "far") => r#"limits => '{"errors": 1000000, "wal": "1TB"}'"#.to_owned(),
            ("abort", "on") => "exit_on_abort => true".to_owned(),
            ("transport", "wire") => "transport => 'wire', workers => 2".to_owned(),
            ("expect", "met") => r#"expect => '{"failed": ">= 0"}'"#.to_owned(),
            _ => String::new(),
        });
        all.extend(texts.filter(|text| !text.is_empty()));
        all.join(", ")
    }
}
