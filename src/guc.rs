//! The settings of pgperf, each with why this default. All are of the server's configuration (a reload suffices): they
//! decide what the server does by itself, so no session may change them for its own.

use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};
use std::ffi::CString;

/// Empty: preloading the library alone must not begin to write to any database.
static SAMPLER_DATABASES: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// 1 % of one core: twice what the collectors cost at their default intervals in a database of a few hundred relations
/// (0.15 % seen, and at most 0.33 % for bloat), and too little to be felt where a collector turns out to be expensive.
static SAMPLER_BUDGET_PERCENT: GucSetting<f64> = GucSetting::<f64>::new(1.0);

/// Tells the server of them, when the library is loaded.
pub fn define() {
    GucRegistry::define_string_guc(
        c"pgperf.sampler_databases",
        c"Databases that have a continuous sampler, separated by commas.",
        c"Needs pgperf in shared_preload_libraries. Names as they are, in double quotes if they hold a comma.",
        &SAMPLER_DATABASES,
        GucContext::Sighup,
        GucFlags::default(),
    );
    GucRegistry::define_float_guc(
        c"pgperf.sampler_budget_percent",
        c"What a continuous sampler may cost, in percent of one core.",
        c"Collectors that cost more are taken less often.",
        &SAMPLER_BUDGET_PERCENT,
        0.01,
        100.0,
        GucContext::Sighup,
        GucFlags::default(),
    );
}

/// `pgperf.sampler_databases`.
pub fn sampler_databases() -> Vec<String> {
    let list = SAMPLER_DATABASES.get().unwrap_or_default();
    split_names(&list.to_string_lossy())
}

/// `pgperf.sampler_budget_percent`, as a part of one.
pub fn sampler_budget() -> f64 {
    SAMPLER_BUDGET_PERCENT.get() / 100.0
}

/// Names between commas, once each; double quotes keep commas and spaces, two of them stand for one.
fn split_names(list: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut rest = list.chars().peekable();
    while rest.peek().is_some() {
        let (mut name, mut quoted, mut was_quoted) = (String::new(), false, false);
        while let Some(c) = rest.next() {
            match c {
                '"' if quoted && rest.peek() == Some(&'"') => {
                    rest.next();
                    name.push('"');
                }
                '"' => {
                    quoted = !quoted;
                    was_quoted = true;
                }
                ',' if !quoted => break,
                c if !quoted && c.is_whitespace() && (was_quoted || name.is_empty()) => {}
                c => name.push(c),
            }
        }
        if !was_quoted {
            name.truncate(name.trim_end().len());
        }
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_commas() {
        assert!(split_names("").is_empty() && split_names(" , ").is_empty());
        assert_eq!(split_names("app, Sales ,app"), ["app", "Sales"]);
        assert_eq!(
            split_names("\"a,b\" , \" c \"\"d\"\"\",e f"),
            ["a,b", " c \"d\"", "e f"]
        );
    }
}
