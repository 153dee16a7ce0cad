//! Comments are those that the generators make if they have the whole text.

use super::super::comments::{self, CommentColumn};
use super::super::refresh::number;
use super::super::{generators, text};
use tpchgen::distribution::Distributions;
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator,
    PartSuppGenerator, RegionGenerator, SupplierGenerator,
};
use tpchgen::text::TextPool;

/// Each with the number of its row.
fn expect<T: AsRef<str>>(column: &CommentColumn, expected: impl Iterator<Item = (i64, T)>) {
    let mut comments = column.comments();
    let mut count = 0;
    for (row, comment) in expected {
        assert_eq!(comments.of(row), comment.as_ref().as_bytes(), "{row}");
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn they_are_pieces_of_the_text_as_generators_draw_them() {
    let lists = Distributions::static_default();
    let text = TextPool::new(text::BYTES, lists);
    // A part that is not the first one.
    macro_rules! generate {
        ($generator:ident) => {
            $generator::new_with_distributions_and_text_pool(0.01, 2, 3, lists, &text).iter()
        };
    }
    let regions = RegionGenerator::new_with_distributions_and_text_pool(lists, &text);
    expect(
        &comments::REGION,
        regions.iter().map(|it| (it.r_regionkey + 1, it.r_comment)),
    );
    let nations = NationGenerator::new_with_distributions_and_text_pool(lists, &text);
    expect(
        &comments::NATION,
        nations.iter().map(|it| (it.n_nationkey + 1, it.n_comment)),
    );
    expect(
        &comments::PART,
        generate!(PartGenerator).map(|it| (it.p_partkey, it.p_comment)),
    );
    let suppliers = PartSuppGenerator::new_with_text_pool(0.01, 2, 3, &text);
    expect(
        &comments::PARTSUPP,
        suppliers.iter().map(|it| (it.ps_partkey, it.ps_comment)),
    );
    expect(
        &comments::CUSTOMER,
        generate!(CustomerGenerator).map(|it| (it.c_custkey, it.c_comment)),
    );
    expect(
        &comments::ORDERS,
        generate!(OrderGenerator).map(|it| (number(it.o_orderkey), it.o_comment)),
    );
    expect(
        &comments::LINEITEM,
        generate!(LineItemGenerator).map(|it| (number(it.l_orderkey), it.l_comment)),
    );
}

#[test]
fn remarks_on_suppliers_are_where_generators_write_them() {
    let lists = Distributions::static_default();
    let text = TextPool::new(text::BYTES, lists);
    let expected = SupplierGenerator::new_with_distributions_and_text_pool(1.0, 1, 1, lists, &text);
    let mut found = comments::SUPPLIER.comments();
    let mut remarks = [0, 0];
    for (supplier, expected) in generators::suppliers(1.0, 1, 1).iter().zip(expected) {
        let comment = found.of_supplier(supplier.s_suppkey, &supplier.s_comment);
        assert_eq!(comment, expected.s_comment.as_bytes());
        for (count, remark) in remarks.iter_mut().zip(["Complaints", "Recommends"]) {
            *count += i32::from(expected.s_comment.contains(remark));
        }
    }
    assert!(remarks[0] > 0 && remarks[1] > 0, "{remarks:?}");
}
