//! The scripts: statements as sysbench sends them, so that the server sees the same queries (and pg_stat_statements the
//! same queryids). sysbench declares parameters as bigint and varchar, hence the casts.

use super::draws::{C_PATTERN, PAD_PATTERN, draw};
use super::options::SysbenchOptions;
use std::fmt::Display;

/// A script while it is written.
pub(super) struct Text<'a> {
    options: &'a SysbenchOptions,
    text: String,
}

impl<'a> Text<'a> {
    fn new(options: &'a SysbenchOptions) -> Text<'a> {
        Text {
            options,
            text: String::new(),
        }
    }

    fn line(&mut self, line: impl Display) {
        self.text += &format!("{line}\n");
    }

    /// Lines that begin and end a transaction, unless each statement is one.
    fn in_transaction(mut self, body: impl FnOnce(&mut Self)) -> String {
        let is_explicit = !self.options.skip_trx;
        if is_explicit {
            self.line("BEGIN;");
        }
        body(&mut self);
        if is_explicit {
            self.line("COMMIT;");
        }
        self.text
    }

    /// Chooses a table. Returns its name, or the beginning of its name and the variable with the rest.
    fn table(&mut self) -> &'static str {
        match self.options.tables {
            1 => "sbtest1",
            tables => {
                self.line(format_args!("\\set t random(1, {tables})"));
                "sbtest:t"
            }
        }
    }

    fn draw(&mut self, variable: &str) {
        let rows = self.options.rows;
        let draw = draw(&self.options.distribution, "1", &rows.to_string());
        self.line(format_args!("\\set {variable} {draw}"));
    }

    fn texts(&mut self) {
        self.line(format_args!("\\set c random_string('{C_PATTERN}')"));
    }

    fn pad(&mut self) {
        self.line(format_args!("\\set pad random_string('{PAD_PATTERN}')"));
    }

    /// Queries of one kind: all of them on the same table.
    fn queries(&mut self, count: i32, body: impl FnOnce(&mut Self, &'static str)) {
        if count == 0 {
            return;
        }
        let table = self.table();
        if count == 1 {
            return body(self, table);
        }
        self.line("\\set i 1");
        self.line(format_args!("\\while :i <= {count}"));
        body(self, table);
        self.line("\\set i :i + 1");
        self.line("\\endwhile");
    }

    fn point_selects(&mut self, count: i32) {
        self.queries(count, |text, table| {
            text.draw("id");
            text.line(format_args!("SELECT c FROM {table} WHERE id=:id::bigint;"));
        });
    }

    fn ranges(&mut self) {
        let options = self.options;
        if !options.range_selects {
            return;
        }
        for (count, select, order) in [
            (options.simple_ranges, "c", ""),
            (options.sum_ranges, "SUM(k)", ""),
            (options.order_ranges, "c", " ORDER BY c"),
            (options.distinct_ranges, "DISTINCT c", " ORDER BY c"),
        ] {
            self.queries(count, |text, table| {
                text.draw("id");
                text.line(format_args!("\\set last :id + {} - 1", options.range_size));
                text.line(format_args!(
                    "SELECT {select} FROM {table} WHERE id BETWEEN :id::bigint AND :last::bigint{order};"
                ));
            });
        }
    }

    fn index_updates(&mut self, count: i32) {
        self.queries(count, |text, table| {
            text.draw("id");
            text.line(format_args!(
                "UPDATE {table} SET k=k+1 WHERE id=:id::bigint;"
            ));
        });
    }

    fn non_index_updates(&mut self, count: i32) {
        self.queries(count, |text, table| {
            text.texts();
            text.draw("id");
            text.line(format_args!(
                "UPDATE {table} SET c=:'c'::varchar WHERE id=:id::bigint;"
            ));
        });
    }

    fn delete_inserts(&mut self) {
        self.queries(self.options.delete_inserts, |text, table| {
            text.draw("id");
            text.draw("k");
            text.texts();
            text.pad();
            text.line(format_args!("DELETE FROM {table} WHERE id=:id::bigint;"));
            text.line(format_args!(
                "INSERT INTO {table} (id, k, c, pad) VALUES (:id::bigint, :k::bigint, :'c'::varchar, :'pad'::varchar);"
            ));
        });
    }

    /// Draws an id that the loaded rows do not have, and that neither this client nor another one draws again in this run. The
    /// measured part takes every second number, its warm-up every second one of the others, and so on.
    fn unique_id(&mut self) {
        let rows = i64::from(self.options.rows);
        let others = (1_i64 << 32) - rows;
        self.line("\\set inserts CASE WHEN :{?inserts} THEN :inserts + 1 ELSE 0 END");
        self.line("\\set place :inserts * :pgperf_clients + :client_id");
        self.line("\\set place (:place << :pgperf_part + 1) + (1 << :pgperf_part) - 1");
        self.line(format_args!(
            "\\set id permute(:place, {others}) - 2147483648"
        ));
        self.line(format_args!(
            "\\set id CASE WHEN :id > 0 THEN :id + {rows} ELSE :id END"
        ));
    }

    fn reads(&mut self) {
        self.point_selects(self.options.point_selects);
        self.ranges();
    }

    fn writes(&mut self) {
        self.index_updates(self.options.index_updates);
        self.non_index_updates(self.options.non_index_updates);
        self.delete_inserts();
    }

    /// Values from the part of the table that belongs to this client.
    fn own_values(&mut self, count: i32) {
        let rows = self.options.rows;
        self.line(format_args!(
            "\\set first {rows} * :client_id / :pgperf_clients"
        ));
        self.line(format_args!(
            "\\set last {rows} * (:client_id + 1) / :pgperf_clients"
        ));
        let draw = draw(&self.options.distribution, ":first", ":last");
        for number in 1..=count {
            self.line(format_args!("\\set p{number} {draw}"));
        }
    }
}

pub(super) fn read_only(options: &SysbenchOptions) -> String {
    Text::new(options).in_transaction(Text::reads)
}

pub(super) fn read_write(options: &SysbenchOptions) -> String {
    Text::new(options).in_transaction(|text| {
        text.reads();
        text.writes();
    })
}

pub(super) fn write_only(options: &SysbenchOptions) -> String {
    Text::new(options).in_transaction(Text::writes)
}

/// One select, whatever `point_selects` is.
pub(super) fn point_select(options: &SysbenchOptions) -> String {
    let mut text = Text::new(options);
    text.point_selects(1);
    text.text
}

pub(super) fn update_index(options: &SysbenchOptions) -> String {
    let mut text = Text::new(options);
    text.index_updates(options.index_updates);
    text.text
}

pub(super) fn update_non_index(options: &SysbenchOptions) -> String {
    let mut text = Text::new(options);
    text.non_index_updates(options.non_index_updates);
    text.text
}

pub(super) fn delete(options: &SysbenchOptions) -> String {
    let mut text = Text::new(options);
    let table = text.table();
    text.draw("id");
    text.line(format_args!("DELETE FROM {table} WHERE id=:id::bigint;"));
    text.text
}

/// Without a sequence, sysbench takes ids from a permutation of all integers, so that none comes twice. So does this, without the
/// ids of loaded rows: client c takes place c of each round in which every client takes one.
pub(super) fn insert(options: &SysbenchOptions) -> String {
    let mut text = Text::new(options);
    let table = text.table();
    text.draw("k");
    text.texts();
    text.pad();
    if options.auto_inc {
        text.line(format_args!(
            "INSERT INTO {table} (k, c, pad) VALUES (:k, :'c', :'pad');"
        ));
    } else {
        text.unique_id();
        text.line(format_args!(
            "INSERT INTO {table} (id, k, c, pad) VALUES (:id, :k, :'c', :'pad');"
        ));
    }
    text.text
}

pub(super) fn random_points(options: &SysbenchOptions) -> String {
    let mut text = Text::new(options);
    text.own_values(options.random_points);
    let points: Vec<String> = (1..=options.random_points)
        .map(|number| format!(":p{number}::bigint"))
        .collect();
    text.line(format_args!(
        "SELECT id, k, c, pad FROM sbtest1 WHERE k IN ({});",
        points.join(", ")
    ));
    text.text
}

pub(super) fn random_ranges(options: &SysbenchOptions) -> String {
    let mut text = Text::new(options);
    text.own_values(options.number_of_ranges);
    let mut ranges = Vec::new();
    for number in 1..=options.number_of_ranges {
        text.line(format_args!(
            "\\set q{number} :p{number} + {}",
            options.delta
        ));
        ranges.push(format!(
            "k BETWEEN :p{number}::bigint AND :q{number}::bigint"
        ));
    }
    text.line(format_args!(
        "SELECT count(k) FROM sbtest1 WHERE {};",
        ranges.join(" OR ")
    ));
    text.text
}
