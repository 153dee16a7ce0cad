//! The generators of the crate `tpchgen`, part `part` of `of` of each table. Their comments are pieces of a short text, for which
//! [`super::comments`] has the right ones.

use super::comments::short_text;
use tpchgen::distribution::Distributions;
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator,
    PartSuppGenerator, RegionGenerator, SupplierGenerator,
};

fn lists() -> &'static Distributions {
    Distributions::static_default()
}

pub(super) fn regions() -> RegionGenerator<'static> {
    RegionGenerator::new_with_distributions_and_text_pool(lists(), short_text())
}

pub(super) fn nations() -> NationGenerator<'static> {
    NationGenerator::new_with_distributions_and_text_pool(lists(), short_text())
}

/// One of a table that is made in parts.
macro_rules! in_parts {
    ($name:ident, $generator:ident) => {
        pub(super) fn $name(scale: f64, part: i32, of: i32) -> $generator<'static> {
            $generator::new_with_distributions_and_text_pool(scale, part, of, lists(), short_text())
        }
    };
}

in_parts!(suppliers, SupplierGenerator);
in_parts!(parts, PartGenerator);
in_parts!(customers, CustomerGenerator);
in_parts!(orders, OrderGenerator);
in_parts!(lines, LineItemGenerator);

pub(super) fn part_suppliers(scale: f64, part: i32, of: i32) -> PartSuppGenerator<'static> {
    PartSuppGenerator::new_with_text_pool(scale, part, of, short_text())
}
