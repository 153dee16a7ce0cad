//! Transaction ids and multixacts: ages, forecast, and who held the horizon.

mod collector;
mod metrics;

use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Section, Source, Table, column, key, line};
pub use collector::{COLLECTOR, holders as horizon_holders};
pub use metrics::METRICS;

/// The last of the limits, as the SQL of the forecast names it.
pub const LAST_LIMIT: &str = "the server assigns no more ids";

/// See the module.
pub const SECTION: Section = Section {
    name: "wraparound",
    title: "Wraparound",
    reading: "Ages fall when vacuum freezes; an age that only rises, with a holder below that has been there for long, ends at a limit of the forecast.",
    call: "SELECT * FROM pgperf.wraparound_forecast('7 days')",
    sources: &[Source::Collector(&COLLECTOR)],
    tables: &[
        Table {
            name: "forecast",
            title: "Forecast at the rate of the window, if nothing is frozen meanwhile",
            collector: "wraparound",
            sql: include_str!("forecast.sql"),
            keys: &[key("id_kind", "ids"), key("limit_name", "limit")],
            columns: &[
                column("ids_left", "ids left", Kind::Count).higher(),
                column("per_s", "per s", Kind::Number).lower(),
                column("left_s", "reached in", Kind::Seconds).higher(),
                column("left_low_s", "at least", Kind::Seconds).higher(),
                column("left_high_s", "at most", Kind::Seconds).wide(),
                column("limit_age", "at age", Kind::Count).wide(),
            ],
            limit: 10,
            note: "Of the database that reaches each limit first. The band is a 95 % interval.",
            ..Table::EMPTY
        },
        Table {
            name: "objects",
            title: "Ages at the end",
            collector: "wraparound",
            sql: include_str!("objects.sql"),
            each: "list",
            keys: &[key("object", "of")],
            columns: &[
                column("xid_age", "transactions", Kind::Count).lower(),
                column("xid_percent", "of freeze_max_age", Kind::Percent).lower(),
                column("multixact_age", "multixacts", Kind::Count).lower(),
                column("multixact_percent", "of its limit", Kind::Percent)
                    .lower()
                    .wide(),
            ],
            limit: 40,
            ..Table::EMPTY
        },
        Table {
            name: "holders",
            title: "Who held the horizon",
            collector: "wraparound",
            sql: include_str!("../tables/holders.sql"),
            keys: &[key("holder", "holder"), key("detail", "")],
            columns: &[
                column("age", "transactions", Kind::Count).lower(),
                column("held_s", "for", Kind::Seconds).lower(),
                column("since", "since", Kind::Moment),
                column("seen_at", "last seen", Kind::Moment).wide(),
            ],
            limit: 10,
            ..Table::EMPTY
        },
    ],
    charts: &[
        Chart {
            name: "ages",
            title: "Ages of the oldest ids, and of the horizon",
            collector: "wraparound",
            sql: include_str!("ages.sql"),
            unit: Unit::Count("ids"),
            lines: &[
                line("xid_age", "oldest transaction id", 1),
                line("multixact_age", "oldest multixact", 4),
                line("horizon_age", "horizon", 2),
            ],
            ..Chart::EMPTY
        },
        Chart {
            name: "tables",
            title: "Ages of tables",
            collector: "wraparound",
            sql: include_str!("tables.sql"),
            unit: Unit::Count("ids"),
            lines: &[line("age", "relfrozenxid", 1)],
            each: "object",
            note: "Those of the tables that changed, which the collector tables stores: an age falls when a vacuum freezes.",
        },
    ],
    of_runs: &["forecast", "ages", "tables"],
    nothing: "no age is known",
    ..Section::EMPTY
};
