//! The options, with YCSB's names and defaults where it has them.

use crate::error::Result;
use crate::workload::option::{Definition, Given, Kind, When, bad_value};
use crate::workload::params::Params;
use serde::Deserialize;

/// YCSB's scrambled zipfian distribution draws from so many items, however many records there are.
pub(super) const ITEMS: i64 = 10_000_000_000;

const RECORD_COUNT: i32 = 1_000;
const MAX_SCAN_LENGTH: i32 = 100;
/// YCSB's, which is no property there.
const ZIPFIAN_CONSTANT: f64 = 0.99;

pub(super) static DEFINITIONS: [Definition; 7] = [
    Definition {
        name: "scale",
        kind: Kind::integer(1, i32::MAX),
        default: Given::Number(1.0),
        when: When::Load,
        doc: "times recordcount records",
    },
    Definition {
        name: "recordcount",
        kind: Kind::integer(1, i32::MAX),
        default: Given::Number(RECORD_COUNT as f64),
        when: When::Load,
        doc: "records for each unit of scale",
    },
    Definition {
        name: "insertorder",
        kind: Kind::Choice(&["hashed", "ordered"]),
        default: Given::Text("hashed"),
        when: When::Load,
        doc: "whether keys have a hash of their number, or the number itself",
    },
    Definition {
        name: "fillfactor",
        kind: Kind::integer(10, 100),
        default: Given::Number(100.0),
        when: When::Load,
        doc: "percent of each page to fill; YCSB has no such option",
    },
    Definition {
        name: "requestdistribution",
        kind: Kind::Choice(&["zipfian", "latest", "uniform"]),
        default: Given::Nothing,
        when: When::Run,
        doc: "which records are requested; the workload's own if not given, which is latest for ycsb-d and otherwise zipfian",
    },
    Definition {
        name: "zipfianconstant",
        kind: Kind::Number {
            min: 0.0,
            max: 10.0,
            is_whole: false,
        },
        default: Given::Number(ZIPFIAN_CONSTANT),
        when: When::Run,
        doc: "constant of zipfian and latest: the n-th most requested record has a weight of n to the power of minus this; \
              no property of YCSB",
    },
    Definition {
        name: "maxscanlength",
        kind: Kind::integer(1, 1_000_000),
        default: Given::Number(MAX_SCAN_LENGTH as f64),
        when: When::Run,
        doc: "records of the longest scan; each length is drawn equally often",
    },
];

/// The options, and the parameters of every data set, as steps and scripts need them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct YcsbOptions {
    #[serde(skip)]
    pub schema: String,
    /// After a load.
    #[serde(skip)]
    pub records: i64,
    pub recordcount: i64,
    pub insertorder: InsertOrder,
    pub fillfactor: i32,
    pub requestdistribution: Option<Distribution>,
    pub zipfianconstant: f64,
    pub maxscanlength: i32,
}

impl Default for YcsbOptions {
    fn default() -> YcsbOptions {
        YcsbOptions {
            schema: String::new(),
            records: RECORD_COUNT.into(),
            recordcount: RECORD_COUNT.into(),
            insertorder: InsertOrder::Hashed,
            fillfactor: 100,
            requestdistribution: None,
            zipfianconstant: ZIPFIAN_CONSTANT,
            maxscanlength: MAX_SCAN_LENGTH,
        }
    }
}

/// What a key has behind "user".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum InsertOrder {
    Hashed,
    Ordered,
}

/// Which records are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Distribution {
    /// Some more often than others, wherever they are.
    Zipfian,
    /// The last ones more often.
    Latest,
    Uniform,
}

impl YcsbOptions {
    /// # Errors
    /// A value that the family does not accept; more records than the zipfian distribution draws from.
    pub fn of(params: &Params) -> Result<YcsbOptions> {
        let options: YcsbOptions = params.options()?;
        let records = options.recordcount as f64 * params.scale.value().max(1.0);
        if records > ITEMS as f64 {
            return Err(bad_value(
                "recordcount times scale",
                &format!("at most {ITEMS}"),
                records,
                "Use a smaller scale.",
            ));
        }
        Ok(YcsbOptions {
            schema: params.schema.clone(),
            records: records as i64,
            ..options
        })
    }
}
