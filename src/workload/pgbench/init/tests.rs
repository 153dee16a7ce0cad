//! Steps, options and statements of `init`.

use super::super::Pgbench;
use super::super::options::MAX_SCALE;
use super::*;
use crate::error::Error;
use crate::workload::{Family, Params, Scale};
use serde_json::{Map, Value, json};

fn sql(options: &InitOptions) -> Vec<String> {
    let steps = plan(options).unwrap();
    let actions = steps.into_iter().flat_map(|step| step.actions);
    actions
        .flat_map(|action| match action {
            Action::Execute(statement) => vec![statement],
            Action::Fill(Fill {
                contents: Contents::Alike { instead, .. },
                ..
            }) => instead,
            other => panic!("{other:?}"),
        })
        .map(|statement| statement.sql)
        .collect()
}

fn with_steps(steps: &str) -> InitOptions {
    InitOptions {
        steps: steps.to_owned(),
        ..InitOptions::default()
    }
}

#[test]
fn the_default_load() {
    let steps = plan(&InitOptions::default()).unwrap();
    let summary: Vec<_> = steps
        .iter()
        .map(|step| {
            (
                step.title,
                step.effect,
                step.actions.len(),
                step.rows(),
                step.in_transaction,
            )
        })
        .collect();
    assert_eq!(
        summary,
        [
            ("drop tables", Effect::Drops, 1, 0, false),
            ("create tables", Effect::Creates, 4, 0, false),
            ("bulk generate", Effect::Fills, 4, 100_011, true),
            ("vacuum", Effect::Keeps, 4, 0, false),
            ("primary keys", Effect::Keeps, 3, 0, false),
        ]
    );
}

#[test]
fn every_name_is_qualified_and_quoted() {
    let options = InitOptions {
        schema: "My \"set\"".to_owned(),
        ..with_steps("dtgvpf")
    };
    for statement in sql(&options) {
        let tables = statement.matches("pgbench_").count() - statement.matches("_fkey").count();
        assert_eq!(
            statement.matches("\"My \"\"set\"\"\".\"pgbench_").count(),
            tables,
            "{statement}"
        );
    }
}

#[test]
fn options_show_in_the_statements() {
    let options = InitOptions {
        fillfactor: 70,
        unlogged: true,
        tablespace: Some("fast disk".to_owned()),
        index_tablespace: Some("ix".to_owned()),
        ..with_steps("tp")
    };
    assert_eq!(
        sql(&options)[2..],
        [
            "CREATE UNLOGGED TABLE \"public\".\"pgbench_accounts\" (aid int NOT NULL, bid int, abalance int, filler char(84)) WITH (fillfactor = 70) TABLESPACE \"fast disk\"",
            "CREATE UNLOGGED TABLE \"public\".\"pgbench_history\" (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22)) TABLESPACE \"fast disk\"",
            "ALTER TABLE \"public\".\"pgbench_branches\" ADD PRIMARY KEY (bid) USING INDEX TABLESPACE \"ix\"",
            "ALTER TABLE \"public\".\"pgbench_tellers\" ADD PRIMARY KEY (tid) USING INDEX TABLESPACE \"ix\"",
            "ALTER TABLE \"public\".\"pgbench_accounts\" ADD PRIMARY KEY (aid) USING INDEX TABLESPACE \"ix\"",
        ]
    );
}

#[test]
fn account_numbers_are_bigint_from_scale_20000() {
    let of_scale = |scale| {
        sql(&InitOptions {
            scale,
            ..with_steps("t")
        })
        .join("\n")
    };
    assert_eq!(of_scale(19_999).matches("bigint").count(), 0);
    assert_eq!(of_scale(20_000).matches("aid bigint").count(), 2);
    assert_eq!(of_scale(20_000).matches("bigint").count(), 2);
}

#[test]
fn chunks_cover_all_accounts_once() {
    for scale in [1, 2, 10, 10_000, 10_001, 25_000, MAX_SCALE] {
        let steps = plan(&InitOptions {
            scale,
            ..with_steps("g")
        })
        .unwrap();
        let Some(Action::Fill(Fill {
            rows,
            contents: Contents::Alike {
                instead: accounts, ..
            },
            ..
        })) = steps[0].actions.last()
        else {
            panic!("no accounts")
        };
        assert_eq!(*rows, scale as u64 * 100_000);
        assert!(accounts.len() <= MAX_CHUNKS as usize);
        assert_eq!(
            accounts.iter().map(|statement| statement.rows).sum::<u64>(),
            scale as u64 * 100_000
        );
        let mut next = 1_u64;
        for statement in accounts {
            let end = next + statement.rows - 1;
            assert!(
                statement
                    .sql
                    .contains(&format!("generate_series({next}, {end})"))
            );
            next = end + 1;
        }
    }
}

#[test]
fn in_bulk_the_same_rows_as_by_statements() {
    let sql = |steps| sql(&with_steps(steps));
    assert_eq!(sql("g"), sql("G"));
}

#[test]
fn foreign_keys_are_a_step_or_an_option() {
    let titles = |steps: &str| -> Vec<&str> {
        let options = InitOptions {
            foreign_keys: true,
            ..with_steps(steps)
        };
        plan(&options)
            .unwrap()
            .iter()
            .map(|step| step.title)
            .collect()
    };
    assert_eq!(titles("dtgvp").last(), Some(&"foreign keys"));
    assert_eq!(titles("dtgvp").len(), 6);
    let expected = [
        "drop tables",
        "create tables",
        "server-side generate",
        "primary keys",
        "foreign keys",
        "vacuum",
    ];
    assert_eq!(titles("d t G p f v"), expected);
    assert_eq!(
        sql(&with_steps("f"))[4],
        "ALTER TABLE \"public\".\"pgbench_history\" ADD CONSTRAINT pgbench_history_aid_fkey FOREIGN KEY (aid) REFERENCES \"public\".\"pgbench_accounts\""
    );
}

/// The error of a load with these arguments.
fn refused(scale: i32, given: Value) -> Error {
    let given: Map<String, Value> = given.as_object().cloned().unwrap_or_default();
    let schema = "public".to_owned();
    Params::of_load(&Pgbench, schema, Scale::from(scale), 1, &given)
        .and_then(|params| Pgbench.data_set(&params))
        .unwrap_err()
}

#[test]
fn wrong_options_are_refused() {
    for (scale, given, message) in [
        (1, json!({"steps": ""}), "no initialization steps specified"),
        (
            1,
            json!({"steps": "  "}),
            "no initialization steps specified",
        ),
        (
            1,
            json!({"partition_method": "hash"}),
            "partition_method requires partitions greater than zero",
        ),
        (
            1,
            json!({"partitions": 2, "partition_method": "list"}),
            "invalid partition method, expecting \"range\" or \"hash\", got: \"list\"",
        ),
        (
            1,
            json!({"fillfactor": 9}),
            "fillfactor must be an integer from 10 to 100 (default 100), not 9",
        ),
        (
            1,
            json!({"fillfactor": 101}),
            "fillfactor must be an integer from 10 to 100 (default 100), not 101",
        ),
        (
            i32::MIN,
            json!({}),
            "scale must be an integer from 1 to 214748364 (default 1), not -2147483648",
        ),
        (
            0,
            json!({}),
            "scale must be an integer from 1 to 214748364 (default 1), not 0",
        ),
        (
            MAX_SCALE + 1,
            json!({}),
            "scale must be an integer from 1 to 214748364 (default 1), not 214748365",
        ),
    ] {
        assert_eq!(refused(scale, given).to_string(), message);
    }
    let unknown = refused(1, json!({"steps": "dtX"}));
    assert_eq!(
        unknown.to_string(),
        "unrecognized initialization step \"X\""
    );
    assert_eq!(
        unknown.hint().as_deref(),
        Some("Allowed step characters are: \"dtgGvpf\".")
    );
}

/// The parameters as 1.0.0 stored them with a load.
#[test]
fn stored_loads_stay_readable() {
    let stored = json!({"schema": "public", "scale": 3, "fillfactor": 90, "steps": "dtgvp", "foreign_keys": false,
        "unlogged": false, "tablespace": null, "index_tablespace": null, "partitions": 0, "partition_method": null,
        "jobs": 2});
    let params: Params = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(Pgbench.data_set(&params).unwrap().len(), 5);
    assert_eq!(serde_json::to_value(&params).unwrap(), stored);
}
