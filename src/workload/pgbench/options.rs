//! The options of the load: those of `pgbench -i`, with its defaults.

use crate::error::{Result, invalid};
use crate::workload::distribution;
use crate::workload::option::{Definition, Given, Kind, When};
use crate::workload::params::Params;
use serde::Deserialize;
use serde_json::Value;

/// Teller numbers are int at any scale.
pub(super) const MAX_SCALE: i32 = i32::MAX / super::TELLERS.rows;
/// The plan of a load names each partition, and has to fit into memory.
const MAX_PARTITIONS: i32 = 10_000;

/// In the order of the arguments of `start_load`.
pub(super) static DEFINITIONS: [Definition; 10] = [
    Definition {
        name: "scale",
        kind: Kind::integer(1, MAX_SCALE),
        default: Given::Number(1.0),
        when: When::Load,
        doc: "100,000 accounts for each unit",
    },
    Definition {
        name: "steps",
        kind: Kind::Text,
        default: Given::Text("dtgvp"),
        when: When::Load,
        doc: "one letter for each step, in this order; spaces are ignored",
    },
    Definition {
        name: "fillfactor",
        kind: Kind::integer(10, 100),
        default: Given::Number(100.0),
        when: When::Load,
        doc: "percent of each page to fill, except in history",
    },
    Definition {
        name: "foreign_keys",
        kind: Kind::Boolean,
        default: Given::Boolean(false),
        when: When::Load,
        doc: "also create foreign keys, if steps does not",
    },
    Definition {
        name: "unlogged",
        kind: Kind::Boolean,
        default: Given::Boolean(false),
        when: When::Load,
        doc: "create unlogged tables",
    },
    Definition {
        name: "tablespace",
        kind: Kind::Tablespace,
        default: Given::Nothing,
        when: When::Load,
        doc: "of the tables",
    },
    Definition {
        name: "index_tablespace",
        kind: Kind::Tablespace,
        default: Given::Nothing,
        when: When::Load,
        doc: "of the indexes",
    },
    Definition {
        name: "partitions",
        kind: Kind::integer(0, MAX_PARTITIONS),
        default: Given::Number(0.0),
        when: When::Load,
        doc: "number of partitions of accounts; 0: not partitioned",
    },
    Definition {
        name: "partition_method",
        kind: Kind::Text,
        default: Given::Nothing,
        when: When::Load,
        doc: "range or hash; range by default, if there are partitions",
    },
    distribution::OPTION,
];

/// These options and the parameters that every load has, as the steps need them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct InitOptions {
    #[serde(skip)]
    pub schema: String,
    #[serde(skip)]
    pub scale: i32,
    /// See [`Params::target_version`].
    #[serde(skip)]
    pub target_version: Option<u32>,
    pub fillfactor: i32,
    pub steps: String,
    pub foreign_keys: bool,
    pub unlogged: bool,
    pub tablespace: Option<String>,
    pub index_tablespace: Option<String>,
    pub partitions: i32,
    pub partition_method: Option<PartitionMethod>,
    pub distribute: bool,
}

/// How the rows of a partitioned table are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PartitionMethod {
    Range,
    Hash,
}

/// Loads that older versions have stored lack later options.
impl Default for InitOptions {
    fn default() -> InitOptions {
        InitOptions {
            schema: "public".to_owned(),
            scale: 1,
            target_version: None,
            fillfactor: 100,
            steps: "dtgvp".to_owned(),
            foreign_keys: false,
            unlogged: false,
            tablespace: None,
            index_tablespace: None,
            partitions: 0,
            partition_method: None,
            distribute: false,
        }
    }
}

impl InitOptions {
    /// # Errors
    /// The partition method does not exist.
    pub fn of(params: &Params) -> Result<InitOptions> {
        let method = params
            .options
            .get("partition_method")
            .and_then(Value::as_str);
        if let Some(method) = method.filter(|method| !["range", "hash"].contains(method)) {
            return Err(invalid(format!(
                "invalid partition method, expecting \"range\" or \"hash\", got: \"{method}\""
            )));
        }
        Ok(InitOptions {
            schema: params.schema.clone(),
            scale: params.scale.rounded(),
            target_version: params.target_version,
            ..params.options()?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_said_alike() {
        let params = Params::of_tables(&super::super::Pgbench, "public", 1.into());
        assert_eq!(params.options.len() + 1, DEFINITIONS.len());
        assert_eq!(InitOptions::of(&params).unwrap(), InitOptions::default());
    }
}
