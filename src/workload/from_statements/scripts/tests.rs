use super::super::popularity::Popularity;
use super::super::ranges::{Measure, Step};
use super::super::text::parts;
use super::*;

fn pools(kinds: &[(u32, &[i16], bool)]) -> Pools {
    let pool = |(relation, columns, is_range): &(u32, &[i16], bool)| {
        let key = PoolKey {
            relation: *relation,
            columns: columns.to_vec(),
            ..PoolKey::default()
        };
        let pool = Pool {
            key: key.clone(),
            query: format!("SELECT {relation}"),
            is_range: *is_range,
            names: columns.iter().map(|number| format!("c{number}")).collect(),
            types: Vec::new(),
            are_integers: columns.iter().map(|number| *number < 5).collect(),
            sample: Vec::new(),
            undecided: None,
            values: String::new(),
        };
        (key, (format!("t{relation}"), pool))
    };
    kinds.iter().map(pool).collect()
}

fn row(relation: u32, columns: &[i16], number: usize) -> Row {
    Row {
        pool: PoolKey {
            relation,
            columns: columns.to_vec(),
            ..PoolKey::default()
        },
        is_written: false,
        number,
    }
}

fn part(text: &str, draws: Vec<Draw>) -> IncludedStatement {
    IncludedStatement {
        text: text.to_owned(),
        take_zero: vec![true; draws.len()],
        plan: Plan {
            draws: (1..).zip(draws).collect(),
            ..Plan::default()
        },
        rows: 10,
        changes: None,
        finds_changes: false,
    }
}

fn value(row: Row, column: usize) -> Draw {
    Draw::Value { row, column }
}

fn group(members: &[(usize, u32)], is_transaction: bool) -> Group {
    Group {
        members: members.to_vec(),
        calls: 1.0,
        rounds: 1,
        is_transaction,
    }
}

#[test]
fn values_of_one_row_stay_together_and_are_shared_in_a_transaction() {
    let pools = pools(&[(7, &[1, 5], false), (8, &[1], true)]);
    let parts = [
        part(
            "SELECT 1 FROM t7 WHERE c1 = $1 AND c5 = $2",
            vec![value(row(7, &[1, 5], 0), 0), value(row(7, &[1, 5], 0), 1)],
        ),
        part(
            "UPDATE t8 SET n = n + $1 WHERE c1 = $2",
            vec![Draw::Small, value(row(8, &[1], 0), 0)],
        ),
        part(
            "SELECT 2 FROM t8 WHERE c1 = $1;",
            vec![value(row(8, &[1], 0), 0)],
        ),
    ];
    let text = script(&group(&[(0, 1), (1, 1), (2, 1)], true), &parts, &pools);
    assert_eq!(
        text,
        "\\pool t7 SELECT 7\n\\pool t8 SELECT 8\nBEGIN;\n\
         \\set t7_row random(1, pool_rows('t7'))\n\
         \\set c1 pool('t7', :t7_row, 1)\n\
         \\set c5 pool('t7', :t7_row, 2)\n\
         SELECT 1 FROM t7 WHERE c1 = :c1 AND c5 = :'c5';\n\
         \\set added random(-100, 100)\n\
         \\set c1_2 random(pool('t8', 1, 1), pool('t8', 1, 2))\n\
         UPDATE t8 SET n = n + :added WHERE c1 = :c1_2;\n\
         SELECT 2 FROM t8 WHERE c1 = :c1_2;\nEND;\n"
    );
    assert_eq!(places(&text), [6, 9, 10]);
}

#[test]
fn statements_that_change_rows_of_a_table_have_a_row_each() {
    let pools = pools(&[(7, &[1], false)]);
    let of = |text: &str, changes| IncludedStatement {
        changes,
        ..part(text, vec![value(row(7, &[1], 0), 0)])
    };
    let parts = [
        of("UPDATE t7 SET n = 1 WHERE c1 = $1", Some(7)),
        of("SELECT 1 FROM t7 WHERE c1 = $1", None),
        of("DELETE FROM t7 WHERE c1 = $1", Some(7)),
    ];
    assert_eq!(
        script(&group(&[(0, 1), (1, 1), (2, 1)], true), &parts, &pools),
        "\\pool t7 SELECT 7\nBEGIN;\n\
         \\set t7_row random(1, pool_rows('t7'))\n\
         \\set c1 pool('t7', :t7_row, 1)\n\
         UPDATE t7 SET n = 1 WHERE c1 = :c1;\n\
         SELECT 1 FROM t7 WHERE c1 = :c1;\n\
         \\set t7_row_2 random(1, pool_rows('t7'))\n\
         \\set c1_2 pool('t7', :t7_row_2, 1)\n\
         DELETE FROM t7 WHERE c1 = :c1_2;\nEND;\n"
    );
}

#[test]
fn rows_that_are_changed_in_order_are_those_that_the_transaction_reads() {
    let mut pools = pools(&[(7, &[1], false)]);
    let drawn = row(7, &[1], 0);
    let (_, mut pool) = pools[&drawn.pool].clone();
    pool.query = "SELECT 7 in order".to_owned();
    let in_order = drawn.pool.choosing(Choice::Neighbours);
    pools.insert(in_order, ("t7_2".to_owned(), pool));
    let reads = part(
        "SELECT 1 FROM t7 WHERE c1 = $1",
        vec![value(drawn.clone(), 0)],
    );
    let mut changes = part(
        "UPDATE t7 SET n = 1 WHERE c1 = $1",
        vec![value(drawn.clone(), 0)],
    );
    changes.plan.in_order.insert(drawn.pool);
    changes.plan.is_in_order = true;
    let mut parts = [reads, changes];
    assert_eq!(
        script(&group(&[(0, 1), (1, 1)], true), &parts, &pools),
        "\\pool t7_2 SELECT 7 in order\nBEGIN;\n\
         \\set pgperf_t7_2 CASE WHEN :{?pgperf_t7_2} THEN :pgperf_t7_2 % pool_rows('t7_2') + 1 ELSE 1 END\n\
         \\set t7_2_row :pgperf_t7_2\n\
         \\set c1 pool('t7_2', :t7_2_row, 1)\n\
         SELECT 1 FROM t7 WHERE c1 = :c1;\n\
         UPDATE t7 SET n = 1 WHERE c1 = :c1;\nEND;\n"
    );
    // Elsewhere the same statement reads any row.
    let alone = script(&group(&[(0, 1)], false), &parts, &pools);
    assert!(alone.contains("random(1, pool_rows('t7'))"), "{alone}");
    assert_eq!(check(&parts[1], &pools), Ok(()));
    // Perhaps in order, it is so beside one that is.
    parts[1].plan.is_in_order = false;
    let perhaps = script(&group(&[(0, 1), (1, 1)], true), &parts, &pools);
    assert!(perhaps.contains("random(1, pool_rows('t7'))"), "{perhaps}");
    parts[0].plan.is_in_order = true;
    let beside = script(&group(&[(0, 1), (1, 1)], true), &parts, &pools);
    assert!(beside.contains("SELECT 7 in order"), "{beside}");
}

#[test]
fn popular_rows_are_those_of_the_script_that_changes_them() {
    let mut pools = pools(&[(7, &[1], false)]);
    let drawn = row(7, &[1], 0);
    let popularity = Popularity {
        count: "n".to_owned(),
        least: 0,
        of_any: "0.5".to_owned(),
    };
    let (_, mut pool) = pools[&drawn.pool].clone();
    pool.query = "SELECT popular".to_owned();
    let popular = drawn.pool.choosing(Choice::Popular(popularity.clone()));
    pools.insert(popular, ("t7_2".to_owned(), pool));
    let reads = part(
        "SELECT 1 FROM t7 WHERE c1 = $1",
        vec![value(drawn.clone(), 0)],
    );
    let mut changes = part(
        "UPDATE t7 SET n = n + $1 WHERE c1 = $2",
        vec![Draw::Constant(1), value(drawn.clone(), 0)],
    );
    changes.plan.popular.insert(drawn.pool.clone(), popularity);
    let mut parts = [reads, changes];
    assert_eq!(
        script(&group(&[(0, 1), (1, 1)], true), &parts, &pools),
        "\\pool t7_2 SELECT popular\nBEGIN;\n\
         \\set t7_2_row random(1, pool_rows('t7_2'))\n\
         \\set c1 pool('t7_2', :t7_2_row, 1)\n\
         SELECT 1 FROM t7 WHERE c1 = :c1;\n\
         UPDATE t7 SET n = n + 1 WHERE c1 = :c1;\nEND;\n"
    );
    let alone = script(&group(&[(0, 1)], false), &parts, &pools);
    assert!(alone.starts_with("\\pool t7 SELECT 7\n"), "{alone}");
    assert_eq!(check(&parts[1], &pools), Ok(()));
    // Rows that are changed one after the other are not drawn.
    parts[0].plan.in_order.insert(drawn.pool.clone());
    parts[0].plan.is_in_order = true;
    let choices = choices(&[&parts[0].plan, &parts[1].plan]);
    assert_eq!(choices[&drawn.pool], Choice::Neighbours);
}

#[test]
fn a_repeated_statement_draws_its_own_values() {
    let pools = pools(&[(8, &[1], true)]);
    let parts = [
        part(
            "SELECT 1 FROM t8 WHERE c1 = $1",
            vec![value(row(8, &[1], 0), 0)],
        ),
        part(
            "SELECT 2 FROM t8 WHERE c1 BETWEEN $1 AND $2 LIMIT $3",
            vec![
                value(row(8, &[1], 0), 0),
                Draw::Above {
                    parameter: 1,
                    by: Some(99),
                    step: Step::of(Measure::Whole),
                },
                Draw::Rows,
            ],
        ),
    ];
    let text = script(&group(&[(0, 10), (1, 1)], false), &parts, &pools);
    assert_eq!(
        text,
        "\\pool t8 SELECT 8\n\\set i 1\n\\while :i <= 10\n\
         \\set c1 random(pool('t8', 1, 1), pool('t8', 1, 2))\n\
         SELECT 1 FROM t8 WHERE c1 = :c1;\n\\set i :i + 1\n\\endwhile\n\
         \\set c1_2 random(pool('t8', 1, 1), pool('t8', 1, 2))\n\
         \\set rows 10\n\\set c1_2_to :c1_2 + 99\n\
         SELECT 2 FROM t8 WHERE c1 BETWEEN :c1_2 AND :c1_2_to LIMIT :rows;\n"
    );
    assert_eq!(places(&text), [4, 10]);
}

#[test]
fn a_transaction_runs_its_statements_in_rounds() {
    let pools = pools(&[(7, &[1], false)]);
    let drawn = || vec![value(row(7, &[1], 0), 0)];
    let parts = [
        part("SELECT 1 FROM t7 WHERE c1 = $1", drawn()),
        part("UPDATE t7 SET n = 1 WHERE c1 = $1", drawn()),
    ];
    let rounds = Group {
        rounds: 10,
        ..group(&[(0, 1), (1, 1)], true)
    };
    let text = script(&rounds, &parts, &pools);
    assert_eq!(
        text,
        "\\pool t7 SELECT 7\nBEGIN;\n\\set i 1\n\\while :i <= 10\n\
         \\set t7_row random(1, pool_rows('t7'))\n\
         \\set c1 pool('t7', :t7_row, 1)\n\
         SELECT 1 FROM t7 WHERE c1 = :c1;\n\
         UPDATE t7 SET n = 1 WHERE c1 = :c1;\n\
         \\set i :i + 1\n\\endwhile\nEND;\n"
    );
    assert_eq!(places(&text), [6, 7]);
}

#[test]
fn a_statement_keeps_its_text_or_is_none() {
    let pools = pools(&[(8, &[1], true)]);
    let drawn = || vec![value(row(8, &[1], 0), 0)];
    for text in [
        "SELECT 1",
        "SELECT a FROM t WHERE b = $1 -- the end",
        "SELECT 'it''s; \\set', a::int FROM t WHERE b = $1;",
        "/* a */ SELECT \"a b\"\nFROM t WHERE b=$1",
    ] {
        let draws = match parts(text).len() {
            1 => Vec::new(),
            _ => drawn(),
        };
        assert_eq!(check(&part(text, draws), &pools), Ok(()), "{text}");
    }
    let refused = Err("a script cannot have its text".to_owned());
    // As in pgbench, quotes hide no variable.
    for text in [
        "SELECT a[1:b] FROM t WHERE b = $1",
        "SELECT \"a:b\" FROM t WHERE b = $1",
        "SELECT 1; SELECT 2",
    ] {
        assert_eq!(check(&part(text, drawn()), &pools), refused, "{text}");
    }
}

#[test]
fn names_are_letters_digits_and_underscores_and_differ() {
    let mut taken = BTreeSet::new();
    let names = ["größe", "größe", "1a", "", "i"].map(|hint| fresh(hint, &mut taken));
    assert_eq!(names, ["gr__e", "gr__e_2", "v1a", "v", "i"]);
}

#[test]
fn new_keys_differ_in_all_clients_and_scripts() {
    let key = PoolKey {
        relation: 8,
        columns: vec![1],
        is_top: true,
        ..PoolKey::default()
    };
    let (_, (_, pool)) = pools(&[(8, &[1], false)]).pop_first().unwrap();
    let pools: Pools = [(key.clone(), ("t8".to_owned(), pool))].into();
    let parts = [part(
        "INSERT INTO t8 VALUES ($1)",
        vec![Draw::New { pool: key }],
    )];
    assert_eq!(check(&parts[0], &pools), Ok(()));
    let text = script(&group(&[(0, 1)], false), &parts, &pools);
    assert_eq!(
        text,
        "\\pool t8 SELECT 8\n\
         \\set pgperf_t8 2 * :pgperf_clients + CASE WHEN :{?pgperf_t8} THEN :pgperf_t8 \
         ELSE pool('t8', 1, 1) / (2 * :pgperf_clients) * 2 * :pgperf_clients + 2 * :client_id + :pgperf_part % 2 END\n\
         \\set c1 :pgperf_t8\n\
         INSERT INTO t8 VALUES (:c1);\n"
    );
}
