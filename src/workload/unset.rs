//! Variables that statements use and nothing sets. They are NULL, as in pgbench, and mostly a typing error.

use super::scripts::{ScriptSpec, parse};
use crate::error::Result;
use crate::pg::session::QueryMode;
use engine::BUILT_IN;
use script::Symbols;
use std::collections::BTreeMap;

/// What begins the names of variables that are pgperf's own.
const OWN: &str = "pgperf_";

/// A sentence about the variables of the extended and prepared modes that neither a command of these scripts sets, which are one
/// client's, nor the run. None: all are set. In the simple mode such a statement is an error of the server's.
pub fn notice(
    scripts: &[ScriptSpec],
    variables: &BTreeMap<String, String>,
    query_mode: QueryMode,
) -> Result<Option<String>> {
    let mut symbols = Symbols::new();
    let parsed = parse(scripts, &mut symbols)?;
    let is_set = |name: &str| {
        name.starts_with(OWN) || BUILT_IN.contains(&name) || variables.contains_key(name)
    };
    let mut unset = BTreeMap::new();
    for (script, given) in parsed.iter().zip(scripts) {
        if given.query_mode(query_mode) == QueryMode::Simple {
            continue;
        }
        for (line, id) in script.parameters() {
            let name = symbols.name(id);
            if !is_set(name) && !parsed.iter().any(|script| script.may_set(id, name)) {
                let place = || format!("\"{name}\" (line {line} of script \"{}\")", script.name);
                unset.entry(name).or_insert_with(place);
            }
        }
    }
    let places: Vec<String> = unset.into_values().collect();
    let (variables, they_are) = match places.len() {
        0 => return Ok(None),
        1 => ("variable", "it is"),
        _ => ("variables", "they are"),
    };
    let places = places.join(", ");
    Ok(Some(format!(
        "nothing sets the {variables} {places}, so {they_are} NULL"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(scripts: &[&str], mode: QueryMode) -> Option<String> {
        let scripts = scripts.iter().enumerate();
        let scripts: Vec<ScriptSpec> = scripts
            .map(|(i, text)| ScriptSpec::new(&format!("s{}", i + 1), text, 1))
            .collect();
        let given = BTreeMap::from([("given".to_owned(), "1".to_owned())]);
        notice(&scripts, &given, mode).unwrap()
    }

    #[test]
    fn what_nothing_sets_is_named_once_with_its_first_place() {
        let script = "\\set id 1\nSELECT :id,\n :idd, :idd;\nSELECT :idd, :other;";
        assert_eq!(
            found(&[script], QueryMode::Prepared).as_deref(),
            Some(
                "nothing sets the variables \"idd\" (line 2 of script \"s1\"), \"other\" (line 4 of script \"s1\"), so they are NULL"
            )
        );
        assert_eq!(found(&[script], QueryMode::Simple), None);
    }

    #[test]
    fn other_scripts_results_and_the_run_set_variables() {
        let scripts = [
            "SELECT :here, :got_it, :given, :scale, :client_id, :pgperf_clients;",
            "\\set here 1\nSELECT 1 AS it \\gset got_",
        ];
        assert_eq!(found(&scripts, QueryMode::Extended), None);
        assert!(
            found(&scripts[..1], QueryMode::Extended).is_some_and(|text| text.contains("got_it"))
        );
        // Any name may be that of a column.
        assert_eq!(
            found(&["SELECT :x;\nSELECT 1 AS y \\gset"], QueryMode::Extended),
            None
        );
    }
}
