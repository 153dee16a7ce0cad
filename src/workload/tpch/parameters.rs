//! The parameters of the queries: how each is drawn, by the rule that the clause of its query gives, and the value with which the
//! published answers were made. The values are expressions of scripts.

use super::words::{COLORS, NATIONS, chosen};

/// A variable of a query's script.
pub(super) struct Parameter {
    pub name: &'static str,
    draw: Draw,
    pub validation: &'static str,
}

enum Draw {
    Expression(&'static str),
    /// The nation at this place, from 1.
    Nation(&'static str),
    /// The region of the nation at this place.
    RegionOf(&'static str),
    /// The color at this place.
    Color(&'static str),
}

impl Parameter {
    /// The expression that draws it.
    pub fn drawn(&self) -> String {
        let nations = |name: fn(&(&'static str, &'static str)) -> &'static str| -> Vec<&str> {
            NATIONS.iter().map(name).collect()
        };
        match self.draw {
            Draw::Expression(expression) => expression.to_owned(),
            Draw::Nation(place) => chosen(place, &nations(|nation| nation.0)),
            Draw::RegionOf(place) => chosen(place, &nations(|nation| nation.1)),
            Draw::Color(place) => chosen(place, &COLORS),
        }
    }
}

const fn drawn(
    name: &'static str,
    expression: &'static str,
    validation: &'static str,
) -> Parameter {
    Parameter {
        name,
        draw: Draw::Expression(expression),
        validation,
    }
}

const fn nation(name: &'static str, place: &'static str, validation: &'static str) -> Parameter {
    Parameter {
        name,
        draw: Draw::Nation(place),
        validation,
    }
}

const fn color(name: &'static str, place: &'static str, validation: &'static str) -> Parameter {
    Parameter {
        name,
        draw: Draw::Color(place),
        validation,
    }
}

/// A number from which different ones follow, by a permutation of those to draw from.
const SEED: Parameter = drawn("seed", "random(0, 9007199254740991)", "0");
/// One of the 25 nations, or of the 92 colors.
const NATION_NO: Parameter = drawn("nation_no", "random(1, 25)", "0");
const COLOR_NO: Parameter = drawn("color_no", "random(1, 92)", "0");
/// The first day of a year from 1993 to 1997.
const YEAR: Parameter = drawn(
    "date",
    "concat(random(1993, 1997), '-01-01')",
    "'1994-01-01'",
);

/// Months are counted from January 1993.
const fn month(first_and_last: &'static str) -> Parameter {
    drawn("month", first_and_last, "0")
}

const fn first_of_month(validation: &'static str) -> Parameter {
    drawn(
        "date",
        "concat(1993 + :month / 12, '-', :month % 12 + 1, '-01')",
        validation,
    )
}

const REGION: &str = "choose(random(1, 5), 'AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST')";
const BRAND: &str = "concat('Brand#', random(1, 5), random(1, 5))";
const METAL: &str = "choose(random(1, 5), 'TIN', 'NICKEL', 'BRASS', 'STEEL', 'COPPER')";
const FINISHED: &str = "concat(choose(random(1, 6), 'STANDARD', 'SMALL', 'MEDIUM', 'LARGE', 'ECONOMY', 'PROMO'), ' ', \
     choose(random(1, 5), 'ANODIZED', 'BURNISHED', 'PLATED', 'POLISHED', 'BRUSHED'))";

/// Two of the seven ways to ship.
const MODE1: &str =
    "choose(permute(0, 7, :seed) + 1, 'REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB')";
const MODE2: &str =
    "choose(permute(1, 7, :seed) + 1, 'REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB')";

/// Those of each query, in the order in which they are set.
pub(super) static PARAMETERS: [&[Parameter]; 22] = [
    &[drawn("delta", "random(60, 120)", "90")],
    &[
        drawn("size", "random(1, 50)", "15"),
        drawn("type", METAL, "'BRASS'"),
        drawn("region", REGION, "'EUROPE'"),
    ],
    &[
        drawn(
            "segment",
            "choose(random(1, 5), 'AUTOMOBILE', 'BUILDING', 'FURNITURE', 'MACHINERY', 'HOUSEHOLD')",
            "'BUILDING'",
        ),
        drawn("date", "concat('1995-03-', random(1, 31))", "'1995-03-15'"),
    ],
    // January 1993 to October 1997.
    &[month("random(0, 57)"), first_of_month("'1993-07-01'")],
    &[drawn("region", REGION, "'ASIA'"), YEAR],
    &[
        YEAR,
        drawn("discount", "concat('0.0', random(2, 9))", "0.06"),
        drawn("quantity", "random(24, 25)", "24"),
    ],
    &[
        SEED,
        nation("nation1", "permute(0, 25, :seed) + 1", "'FRANCE'"),
        nation("nation2", "permute(1, 25, :seed) + 1", "'GERMANY'"),
    ],
    &[
        NATION_NO,
        nation("nation", ":nation_no", "'BRAZIL'"),
        Parameter {
            name: "region",
            draw: Draw::RegionOf(":nation_no"),
            validation: "'AMERICA'",
        },
        drawn("finished", FINISHED, "'ECONOMY ANODIZED'"),
        drawn("metal", METAL, "'STEEL'"),
        drawn(
            "type",
            "concat(:finished, ' ', :metal)",
            "'ECONOMY ANODIZED STEEL'",
        ),
    ],
    &[COLOR_NO, color("color", ":color_no", "'green'")],
    // February 1993 to January 1995.
    &[month("random(1, 24)"), first_of_month("'1993-10-01'")],
    &[
        NATION_NO,
        nation("nation", ":nation_no", "'GERMANY'"),
        drawn("fraction", "0.0001 / :scale", "0.0001 / :scale"),
    ],
    &[
        SEED,
        drawn("mode1", MODE1, "'MAIL'"),
        drawn("mode2", MODE2, "'SHIP'"),
        YEAR,
    ],
    &[
        drawn(
            "word1",
            "choose(random(1, 4), 'special', 'pending', 'unusual', 'express')",
            "'special'",
        ),
        drawn(
            "word2",
            "choose(random(1, 4), 'packages', 'requests', 'accounts', 'deposits')",
            "'requests'",
        ),
    ],
    // January 1993 to December 1997.
    &[month("random(0, 59)"), first_of_month("'1995-09-01'")],
    &[month("random(0, 57)"), first_of_month("'1996-01-01'")],
    &[
        drawn("brand", BRAND, "'Brand#45'"),
        drawn("type", FINISHED, "'MEDIUM POLISHED'"),
        SEED,
        drawn("size1", "permute(0, 50, :seed) + 1", "49"),
        drawn("size2", "permute(1, 50, :seed) + 1", "14"),
        drawn("size3", "permute(2, 50, :seed) + 1", "23"),
        drawn("size4", "permute(3, 50, :seed) + 1", "45"),
        drawn("size5", "permute(4, 50, :seed) + 1", "19"),
        drawn("size6", "permute(5, 50, :seed) + 1", "3"),
        drawn("size7", "permute(6, 50, :seed) + 1", "36"),
        drawn("size8", "permute(7, 50, :seed) + 1", "9"),
    ],
    &[
        drawn("brand", BRAND, "'Brand#23'"),
        drawn(
            "container",
            "concat(choose(random(1, 5), 'SM', 'LG', 'MED', 'JUMBO', 'WRAP'), ' ', \
             choose(random(1, 8), 'CASE', 'BOX', 'BAG', 'JAR', 'PKG', 'PACK', 'CAN', 'DRUM'))",
            "'MED BOX'",
        ),
    ],
    &[drawn("quantity", "random(312, 315)", "300")],
    &[
        drawn("brand1", BRAND, "'Brand#12'"),
        drawn("brand2", BRAND, "'Brand#23'"),
        drawn("brand3", BRAND, "'Brand#34'"),
        drawn("quantity1", "random(1, 10)", "1"),
        drawn("quantity2", "random(10, 20)", "10"),
        drawn("quantity3", "random(20, 30)", "20"),
    ],
    &[
        COLOR_NO,
        color("color", ":color_no", "'forest'"),
        YEAR,
        NATION_NO,
        nation("nation", ":nation_no", "'CANADA'"),
    ],
    &[NATION_NO, nation("nation", ":nation_no", "'SAUDI ARABIA'")],
    // Country codes are ten more than the numbers of nations, from 0.
    &[
        SEED,
        drawn("code1", "permute(0, 25, :seed) + 10", "13"),
        drawn("code2", "permute(1, 25, :seed) + 10", "31"),
        drawn("code3", "permute(2, 25, :seed) + 10", "23"),
        drawn("code4", "permute(3, 25, :seed) + 10", "29"),
        drawn("code5", "permute(4, 25, :seed) + 10", "30"),
        drawn("code6", "permute(5, 25, :seed) + 10", "18"),
        drawn("code7", "permute(6, 25, :seed) + 10", "17"),
    ],
];
