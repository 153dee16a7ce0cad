//! The statements of a load, without a server; and that what a data set refers to exists.

use super::*;

static DATA_SET: Plain = Plain {
    tables: &[&PARENT, &CHILD, &LOG],
    indexes: &[
        Index::on(&PARENT, "name").unique(),
        Index::on(&CHILD, "amount, p"),
    ],
    foreign_keys: &[ForeignKey::new(&CHILD, "p", &PARENT)],
    busy: &[&CHILD],
    divided: &[],
};

static PARENT: Table = Table {
    name: "parent",
    columns: &[
        Typed::new("id", Type::Int8),
        Typed::new("name", Type::Varchar(64)),
    ],
    key: Some("id"),
    is_updated: false,
};

static CHILD: Table = Table {
    name: "child",
    columns: &[
        Typed::new("p", Type::Int8),
        Typed::new("n", Type::Int2),
        Typed::new(
            "amount",
            Type::Numeric {
                precision: 14,
                scale: 2,
            },
        )
        .nullable(),
    ],
    key: Some("p, n"),
    is_updated: true,
};

static LOG: Table = Table {
    name: "log",
    columns: &[Typed::new("note", Type::Text)],
    key: None,
    is_updated: false,
};

fn texts(step: &Step) -> Vec<&str> {
    let texts = step.actions.iter().flat_map(|action| match action {
        Action::Execute(statement) => vec![statement.sql.as_str()],
        Action::Each(statements) => statements.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    });
    texts.collect()
}

#[test]
fn tables_are_dropped_created_and_filled_together() {
    let drop = DATA_SET.drop_tables("s");
    assert_eq!((drop.effect, drop.in_transaction), (Effect::Drops, false));
    assert_eq!(
        texts(&drop),
        [r#"DROP TABLE IF EXISTS "s"."parent", "s"."child", "s"."log""#]
    );
    let create = DATA_SET.create_tables("s", 70);
    assert_eq!(
        (create.effect, create.in_transaction),
        (Effect::Creates, false)
    );
    assert_eq!(
        texts(&create),
        [
            r#"CREATE TABLE "s"."parent" (id bigint NOT NULL, name varchar(64) NOT NULL)"#,
            r#"CREATE TABLE "s"."child" (p bigint NOT NULL, n smallint NOT NULL, amount numeric(14, 2)) WITH (fillfactor = 70)"#,
            r#"CREATE TABLE "s"."log" (note text NOT NULL)"#,
        ]
    );
    let fill = DATA_SET.fill("s", [LOG.fill(3, |_, row| row.text("x"))]);
    assert_eq!((fill.effect, fill.in_transaction), (Effect::Fills, true));
    assert_eq!(
        texts(&fill),
        [r#"TRUNCATE "s"."parent", "s"."child", "s"."log""#]
    );
    assert!(matches!(&fill.actions[1], Action::Fill(fill) if fill.table == "log"));
    assert_eq!((fill.actions.len(), fill.rows()), (2, 3));
}

#[test]
fn keys_and_indexes_are_built_after_the_rows() {
    for (step, expected) in [
        (
            DATA_SET.primary_keys("s"),
            vec![
                r#"ALTER TABLE "s"."parent" ADD PRIMARY KEY (id)"#,
                r#"ALTER TABLE "s"."child" ADD PRIMARY KEY (p, n)"#,
            ],
        ),
        (
            DATA_SET.indexes("s"),
            vec![
                r#"CREATE UNIQUE INDEX ON "s"."parent" (name)"#,
                r#"CREATE INDEX ON "s"."child" (amount, p)"#,
            ],
        ),
        (
            DATA_SET.foreign_keys("s"),
            vec![r#"ALTER TABLE "s"."child" ADD FOREIGN KEY (p) REFERENCES "s"."parent""#],
        ),
        (
            DATA_SET.vacuum_all("s"),
            vec![
                r#"VACUUM (ANALYZE) "s"."parent""#,
                r#"VACUUM (ANALYZE) "s"."child""#,
                r#"VACUUM (ANALYZE) "s"."log""#,
            ],
        ),
    ] {
        assert_eq!((step.effect, step.in_transaction), (Effect::Keeps, false));
        assert_eq!(texts(&step), expected);
    }
    assert_eq!(DATA_SET.vacuum("s", false), [r#"VACUUM "s"."child""#]);
}

#[test]
fn a_row_count_names_the_scale() {
    let family = crate::workload::find("tatp").unwrap().family;
    let check = LOG.row_count(&Params::of_tables(family, "s", 7.into()), 700);
    assert_eq!(check.name, "log has 700 rows at scale 7");
    assert_eq!(
        check.sql,
        "SELECT actual.n = 700 AS passed, pg_catalog.format('%s rows', actual.n) AS detail \
         FROM (SELECT pg_catalog.count(*) AS n FROM \"s\".\"log\") AS actual"
    );
}

/// Fails unless keys and indexes are of columns that exist, and tables come before those that refer to them.
pub fn expect_consistent(set: &Plain) {
    let place = |table: &Table| {
        let mut names = set.tables.iter().map(|table| table.name);
        let place = names.position(|name| name == table.name);
        place.unwrap_or_else(|| panic!("{} is none of the tables", table.name))
    };
    let has = |table: &Table, columns: &str| {
        let is_column = |name: &str| table.columns.iter().any(|column| column.name == name);
        assert!(columns.split(", ").all(is_column), "{columns}");
    };
    for table in set.tables {
        if let Some(key) = table.key {
            has(table, key);
        }
    }
    for index in set.indexes {
        place(index.table);
        has(index.table, index.columns);
    }
    for key in set.foreign_keys {
        has(key.table, key.columns);
        let types = |table: &Table, columns: &str| -> Vec<Type> {
            let named = |name| table.columns.iter().find(|column| column.name == name);
            let found = columns.split(", ").filter_map(named);
            found.map(|column| column.kind).collect()
        };
        assert_eq!(
            types(key.table, key.columns),
            types(key.referenced, key.referenced.key.unwrap()),
            "{key:?}"
        );
        assert!(place(key.referenced) < place(key.table), "{key:?}");
    }
    for table in set.busy {
        place(table);
    }
    for divided in set.divided {
        place(divided.table);
        has(divided.table, divided.by);
    }
}

#[test]
fn what_is_consistent_passes() {
    expect_consistent(&DATA_SET);
}

#[test]
#[should_panic(expected = "log is none of the tables")]
fn a_table_that_is_missing_is_noticed() {
    static INCOMPLETE: Plain = Plain {
        tables: &[&PARENT],
        indexes: &[],
        foreign_keys: &[],
        busy: &[&LOG],
        divided: &[],
    };
    expect_consistent(&INCOMPLETE);
}
