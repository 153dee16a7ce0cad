//! Every function and procedure of the extension, from the catalog, and arguments with which each of them works.

use crate::common::runs::Runs;
use postgres::Client;

/// A function or procedure.
pub struct Routine {
    /// With its input types: `pgperf.report(bigint,text)`.
    pub signature: String,
    /// As SQL calls it.
    pub name: String,
    pub is_procedure: bool,
    pub arguments: Vec<Argument>,
}

/// An input argument.
pub struct Argument {
    pub name: String,
    /// With its schema, so that no search_path leads elsewhere.
    pub type_name: String,
    pub has_default: bool,
}

const ROUTINES: &str = r"
SELECT p.oid::regprocedure::text, format('%I.%I', n.nspname, p.proname), p.prokind = 'p',
       a.name, quote_ident(tn.nspname) || '.' || quote_ident(t.typname), a.no > p.pronargs - p.pronargdefaults
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  LEFT JOIN LATERAL (
       SELECT row_number() OVER (ORDER BY u.no) AS no, u.name
         FROM unnest(p.proargnames, p.proargmodes) WITH ORDINALITY u (name, mode, no)
        WHERE COALESCE(u.mode, 'i') IN ('i', 'b', 'v')
       UNION ALL SELECT i, '' FROM generate_series(1, p.pronargs) i WHERE p.proargnames IS NULL) a ON a.no <= p.pronargs
  LEFT JOIN pg_type t ON t.oid = p.proargtypes[a.no - 1]
  LEFT JOIN pg_namespace tn ON tn.oid = t.typnamespace
 WHERE n.nspname = ANY ($1) AND p.prokind IN ('f', 'p')
       -- What SQL cannot call.
   AND p.prorettype NOT IN ('trigger'::regtype, 'internal'::regtype, 'cstring'::regtype)
   AND NOT p.proargtypes::oid[] && ARRAY['internal'::regtype, 'cstring'::regtype]::oid[]
 ORDER BY 1, a.no";

/// Those of some schemas.
pub fn routines(session: &mut Client, schemas: &[&str]) -> Vec<Routine> {
    let rows = session.query(ROUTINES, &[&schemas]).expect("the routines");
    let mut routines: Vec<Routine> = Vec::new();
    for row in rows {
        let signature: String = row.get(0);
        if routines
            .last()
            .is_none_or(|last| last.signature != signature)
        {
            routines.push(Routine {
                signature,
                name: row.get(1),
                is_procedure: row.get(2),
                arguments: Vec::new(),
            });
        }
        let argument: Option<String> = row.get(3);
        if let (Some(name), Some(routine)) = (argument, routines.last_mut()) {
            routine.arguments.push(Argument {
                name,
                type_name: row.get(4),
                has_default: row.get(5),
            });
        }
    }
    assert!(routines.len() > 50, "{}", routines.len());
    routines
}

impl Routine {
    /// The name without its schema.
    pub fn short_name(&self) -> &str {
        let (_, name) = self.name.split_once('.').expect("a schema");
        name.trim_matches('"')
    }

    /// The call with these values, in SQL, in the order of the arguments; None: that argument is left out.
    pub fn call(&self, values: &[Option<String>]) -> String {
        let given = self.arguments.iter().zip(values);
        let given: Vec<String> = given
            .filter_map(|(argument, value)| {
                let value = value.as_ref()?;
                let name = match argument.name.as_str() {
                    "" => String::new(),
                    name => format!("\"{name}\" => "),
                };
                Some(format!("{name}{value}::{}", argument.type_name))
            })
            .collect();
        let (name, given) = (&self.name, given.join(", "));
        match self.is_procedure {
            true => format!("CALL {name}({given})"),
            false => format!("SELECT * FROM {name}({given})"),
        }
    }
}

/// What there is to call functions about.
pub struct Laboratory {
    pub run: i64,
    /// One like it.
    pub other: i64,
    pub sweep: i64,
    pub other_sweep: i64,
}

/// The label of both runs.
pub const LABEL: &str = "baited";
/// A target, which is this server.
const TARGET: &str = "itself";
/// It, for superusers.
const MAKE_TARGET: &str = "DO $$ BEGIN EXECUTE pg_catalog.format('CREATE SERVER itself FOREIGN DATA WRAPPER pgperf_target OPTIONS (host %L, port %L)', \
    pg_catalog.current_setting('unix_socket_directories'), pg_catalog.current_setting('port')); END $$; CREATE USER MAPPING FOR PUBLIC SERVER itself";

impl Laboratory {
    /// Two runs and two sweeps of the session's role, and a target.
    pub fn of(superuser: &mut Client, session: &mut Client) -> Laboratory {
        superuser.batch_execute(MAKE_TARGET).expect("a target");
        let run = || {
            format!(
                "script => 'SELECT 1;', transactions_per_client => 5, label => '{LABEL}', \
                 sample_interval => '0.2 s', settings => '{{\"work_mem\": \"1MB\"}}'"
            )
        };
        let mut runs = [(); 2].map(|()| {
            let run = session.start_run(&run());
            superuser.wait_for_status(run, "finished");
            run
        });
        runs.sort_unstable();
        let sweeps = [(); 2].map(|()| {
            let sweep = session.number(
                "SELECT pgperf.start_sweep(script => 'SELECT 1;', transactions_per_client => 2, clients => '{1,2}', \
                                           repetitions => 2, label => 'laid')",
            );
            superuser.value(&format!("CALL pgperf.wait_sweep({sweep}, timeout => '60 s')"));
            sweep
        });
        Laboratory {
            run: runs[0],
            other: runs[1],
            sweep: sweeps[0],
            other_sweep: sweeps[1],
        }
    }

    /// A value with which a function works, in SQL; None: nobody has said one, so that the argument is left to its default.
    pub fn value(&self, routine: &Routine, argument: &Argument) -> Option<String> {
        let Laboratory {
            run,
            other,
            sweep,
            other_sweep,
        } = self;
        let (function, name) = (routine.short_name(), argument.name.as_str());
        let type_name = argument.type_name.trim_start_matches("pg_catalog.");
        let is_sweep = function.contains("sweep") || function == "compare_points";
        let (this, that) = match is_sweep {
            true => (sweep, other_sweep),
            false => (run, other),
        };
        let text = |text: &str| Some(format!("'{text}'"));
        let histogram = "(SELECT h.histogram FROM pgperf.run_intervals h WHERE h.histogram IS NOT NULL LIMIT 1)";
        let node = "(SELECT pgperf.local_node())";
        match (function, name, type_name) {
            // Of single functions.
            ("set_baseline", "runs", "_int8") => Some(format!("ARRAY[{run}, {other}]")),
            ("set_baseline", "runs", "_text") => Some(format!("ARRAY['{run}', '{other}']")),
            ("set_baseline" | "drop_baseline", "name", _) => text("base"),
            ("set_node_name", "name", _) => text("a node"),
            ("set_node_group", "group_name", _) => text("a group"),
            ("create_workload" | "drop_workload", "name", _) => text("w"),
            ("create_workload", "script", _) => text("SELECT 1;"),
            ("create_workload_from_statements", "name", _) => text("observed"),
            ("create_workload_from_statements", "replace", _) => text("true"),
            ("observed_rate", "workload", _) => text("observed"),
            ("check", "schema", _) => text("public"),
            ("init" | "start_load", "schema", _) => text("own"),
            ("report", "style", _) => text("pgbench"),
            ("pin_run", "pinned", _) => text("true"),
            ("gate", "max_regression", _) => text("100000%"),
            ("gate", "metrics", _) => text("{tps}"),
            ("report_junit", "baseline", _) => Some(format!("'{other}'")),
            ("import_run", "document", _) => Some(format!("(SELECT pgperf.export_run({run}))")),
            ("import_sweep", "document", _) => {
                Some(format!("(SELECT pgperf.export_sweep({sweep}))"))
            }
            ("import_results", "content", _) => Some(format!("${0}${1}${0}$", "o", PGBENCH)),
            ("delete_sweep", "runs", _) => text("true"),
            ("alter_run", "rate", _) => text("100"),
            ("snapshot_bloat", "relations", _) => text("{public.pgbench_branches}"),
            (_, "pair_by", _) => (!argument.has_default).then(|| "NULL".to_owned()),
            (
                "run" | "start_run" | "find_rate" | "start_sweep" | "find_best" | "calibrate"
                | "compare_servers",
                "script",
                _,
            ) => text("SELECT 1;"),
            ("run" | "start_run" | "start_sweep", "transactions_per_client", _) => text("5"),
            ("run" | "start_run", "disturbances", _) => {
                text(r#"[{"kind": "table_scan", "table": "public.pgbench_branches", "at": "0 s"}]"#)
            }
            ("run" | "start_run", "expect", _) => text(r#"{"failed": "= 0"}"#),
            ("start_sweep" | "calibrate" | "compare_servers", "repetitions", _) => text("1"),
            ("compare_servers", "servers", _) => text("{itself}"),
            ("find_best", "repetitions", _) => text("3"),
            ("start_sweep" | "find_best", "clients", _) => text("{1}"),
            ("start_sweep" | "find_best", "settings_grid", _) => {
                text(r#"{"work_mem": ["1MB", "2MB"]}"#)
            }
            ("find_best" | "calibrate" | "compare_servers", "duration", _) => text("1 s"),
            ("find_rate", "start_rate", _) => text("50"),
            ("find_rate", "max_rate", _) => text("100"),
            ("find_rate", "precision_percent", _) => text("50"),
            ("find_rate", "step" | "max_step", _) => text("5 s"),
            ("find_rate", "settle", _) => text("1 s"),
            ("find_rate", "max_time", _) => text("30 s"),
            ("wait_run" | "wait_sweep", "timeout", _) => text("60 s"),
            ("wait_run" | "wait_sweep", "progress", _) => text("true"),
            ("maintain", "budget", _) => text("10 s"),
            ("mean_interval", "sample", _) | ("welch_p_value", "a", _) => text("{1,2,3.5}"),
            ("welch_p_value", "b", _) | ("fit_scalability", "tps", _) => text("{100,190,260,300}"),
            ("fit_scalability", "clients", _) => text("{1,2,4,8}"),
            ("round", "value", _) => text("17"),
            ("round", "digits", _) => text("1"),
            ("history_compare" | "history_compare_html" | "history_compare_json", "a" | "b", _) => {
                Some(format!("'{}'", if name == "a" { run } else { other }))
            }
            // What a name means everywhere.
            ("import_capture", "document", _) => text(""),
            ("import_capture", "file", _) => text("in no folder"),
            ("export_capture", "file", _) => text("/nowhere/a"),
            ("start_capture" | "drop_capture" | "capture_report" | "export_capture", "name", _) => {
                text("a capture")
            }
            ("test_statements", "capture", _) => text("a capture"),
            (_, "run_id" | "sweep_id", "int8") => Some(format!("{this}")),
            (_, "run" | "sweep", "int8") => Some(format!("{this}")),
            (_, "run" | "sweep", "text") => Some(format!("'{this}'")),
            (_, "sweeps", _) => Some(format!("ARRAY['{sweep}', '{other_sweep}']")),
            (_, "baseline", "int8") => Some(format!("{this}")),
            (_, "baseline", "text") => Some(format!("'{this}'")),
            (_, "baseline", "_int8" | "_text") => Some(format!("ARRAY['{this}']")),
            (_, "candidate", "int8") => Some(format!("{that}")),
            (_, "candidate", "text") => Some(format!("'{that}'")),
            (_, "candidate", "_int8" | "_text") => Some(format!("ARRAY['{that}']")),
            (_, "note", "text") => text("a release"),
            // Here, as the other arguments say.
            ("run" | "start_run" | "start_sweep" | "init" | "start_load", "server", _) => None,
            (_, "server", "text") => text(TARGET),
            (_, "style", _) => text("markdown"),
            (_, "histogram", _) => Some(histogram.to_owned()),
            (_, "histograms", _) => Some(format!("ARRAY[{histogram}]")),
            (_, "quantile", _) => text("0.5"),
            (_, "quantiles", _) => text("{0.5,0.9}"),
            (_, "from_time" | "from_a" | "from_b", _) if !argument.has_default => {
                Some("(SELECT pg_catalog.min(s.taken_at) FROM pgperf.samples s)".to_owned())
            }
            (_, "to_time" | "to_a" | "to_b", _) if !argument.has_default => {
                Some("(SELECT pg_catalog.max(s.taken_at) FROM pgperf.samples s)".to_owned())
            }
            (_, "node_id", "uuid") if !argument.has_default => Some(node.to_owned()),
            _ => None,
        }
    }

    /// Values of all arguments of a function.
    ///
    /// # Errors
    /// The name of the first that needs one and that nobody has said.
    pub fn values(&self, routine: &Routine) -> Result<Vec<Option<String>>, String> {
        let all = routine.arguments.iter();
        all.map(|argument| match self.value(routine, argument) {
            None if !argument.has_default => Err(argument.name.clone()),
            value => Ok(value),
        })
        .collect()
    }
}

/// What pgbench prints.
const PGBENCH: &str = "pgbench (15.4)\ntransaction type: <builtin: TPC-B (sort of)>\nscaling factor: 1\nquery mode: simple\n\
number of clients: 1\nnumber of threads: 1\nmaximum number of tries: 1\nduration: 1 s\nnumber of transactions actually processed: 100\n\
number of failed transactions: 0 (0.000%)\nlatency average = 1.000 ms\ninitial connection time = 1.0 ms\n\
tps = 100.000000 (without initial connection time)\n";
