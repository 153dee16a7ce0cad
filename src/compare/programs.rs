//! Runs of different programs, or whose clients reach the server in different ways.
//!
//! The connection to the server is a part of every transaction, often the larger one, and it is what mostly differs between
//! such runs. So they are compared only on request ([`guc::compare_programs`](crate::guc::compare_programs)). Then the first
//! line of every form of the comparison says so.

use super::compared_run::Run;
use std::collections::BTreeSet;

/// The name of the setting by which a session asks for it.
pub const SETTING: &str = "pgperf.compare_programs";

/// How the runs differ, for example `different programs (pgbench, pgperf)`; None: they do not, as far as is known.
pub fn unlike<'a>(runs: impl Iterator<Item = &'a Run> + Clone) -> Option<String> {
    let differing = |what: &str, values: BTreeSet<&str>| {
        let values: Vec<&str> = values.into_iter().collect();
        (values.len() > 1).then(|| format!("different {what} ({})", values.join(", ")))
    };
    differing("programs", runs.clone().map(Run::program).collect())
        .or_else(|| differing("transports", runs.filter_map(Run::transport).collect()))
}

/// The caution above a comparison; `why`: [`unlike`].
pub fn caution(why: &str, compared: bool) -> String {
    match compared {
        true => format!(
            "caution: {why}: the way to the server is part of each figure, and may be all of the difference"
        ),
        false => format!(
            "{why}: the way to the server is part of each figure; SET {SETTING} = on compares them nevertheless"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compared_run::{Origin, Spec};

    fn run(program: Option<&str>, transport: Option<&str>) -> Run {
        let origin = program.map(|program| Origin {
            program: program.to_owned(),
            transport: transport.map(str::to_owned),
        });
        Run {
            spec: Spec {
                results: origin,
                ..Spec::default()
            },
            ..Run::default()
        }
    }

    #[test]
    fn programs_and_known_transports_are_told_apart() {
        let differ = |runs: &[Run]| unlike(runs.iter());
        let (own, pgbench) = (run(None, None), run(Some("pgbench"), None));
        assert_eq!(differ(&[own.clone(), own.clone()]), None);
        assert_eq!(
            differ(&[own, pgbench.clone()]).as_deref(),
            Some("different programs (pgbench, pgperf)")
        );
        let wire = Run {
            spec: Spec {
                transport: Some("wire".to_owned()),
                ..Spec::default()
            },
            ..Run::default()
        };
        assert_eq!(
            differ(&[run(None, None), wire.clone()]).as_deref(),
            Some("different transports (inside the server, wire)")
        );
        assert_eq!(differ(&[wire.clone(), wire]), None);
        let (socket, tcp) = (
            run(Some("pgbench"), Some("socket")),
            run(Some("pgbench"), Some("tcp")),
        );
        assert_eq!(
            differ(&[tcp, socket.clone()]).as_deref(),
            Some("different transports (socket, tcp)")
        );
        // Of one of them nothing is known.
        assert_eq!(differ(&[socket, pgbench]), None);
    }
}
