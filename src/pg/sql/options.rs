//! The options of a call as one table: [`options!`] makes the struct that its arguments are read into, their defaults and
//! their list, in the order of the SQL declaration. A regression test compares the list with the catalog.

use super::interval::Seconds;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// An argument of an SQL function, as it is to be declared.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    pub name: &'static str,
    /// The SQL type.
    pub sql_type: &'static str,
    /// The default as the type's input reads it; None: NULL.
    pub default: Option<String>,
}

impl Argument {
    /// An argument whose default is this value.
    pub fn new<T: SqlValue>(name: &'static str, default: &T) -> Argument {
        Argument {
            name,
            sql_type: T::SQL_TYPE,
            default: default.text(),
        }
    }
}

/// All options of a call; see [`options!`].
pub trait Options {
    /// Their names, in the order of the declaration.
    const NAMES: &'static [&'static str];

    /// Names, types and defaults.
    fn arguments() -> Vec<Argument>;

    /// What each means, as it is written before it; empty: nothing is.
    #[cfg(test)]
    fn meanings() -> Vec<&'static str>;
}

/// The first name in JSON that is no argument of a call, as the reason of an error.
pub fn unknown(
    call: &str,
    given: &Map<String, Value>,
    known: impl Fn(&str) -> bool,
) -> Option<String> {
    let name = given.keys().find(|name| !known(name))?;
    Some(format!("{call} has no argument \"{name}\""))
}

/// The first of these options that JSON gives a value that it cannot have, as the reason of an error. What is no option is left out.
pub fn wrong_type<T: Options + DeserializeOwned>(given: &Map<String, Value>) -> Option<String> {
    T::arguments()
        .into_iter()
        .find_map(|Argument { name, sql_type, .. }| {
            let value = given.get(name)?;
            let alone = Map::from_iter([(name.to_owned(), value.clone())]);
            let error = serde_json::from_value::<T>(Value::Object(alone))
                .err()?
                .to_string();
            Some(match error.starts_with("invalid ") {
                // In serde's words, which name a type of Rust.
                true => format!("{name} must be of type {sql_type}, not {value}"),
                false => format!("{name}: {error}"),
            })
        })
}

/// A type of an option.
pub trait SqlValue {
    /// The type of the SQL argument.
    const SQL_TYPE: &'static str;

    /// The value as the type's input reads it; None: NULL.
    fn text(&self) -> Option<String>;
}

macro_rules! by_display {
    ($($type:ty: $name:literal),*) => {
        $(impl SqlValue for $type {
            const SQL_TYPE: &'static str = $name;

            fn text(&self) -> Option<String> {
                Some(self.to_string())
            }
        })*
    };
}

by_display!(String: "text", i32: "integer", i64: "bigint", bool: "boolean", f64: "double precision", Value: "jsonb");

impl<T: SqlValue> SqlValue for Option<T> {
    const SQL_TYPE: &'static str = T::SQL_TYPE;

    fn text(&self) -> Option<String> {
        self.as_ref().and_then(SqlValue::text)
    }
}

macro_rules! arrays {
    ($($type:ty: $name:literal),*) => {
        $(impl SqlValue for Vec<Option<$type>> {
            const SQL_TYPE: &'static str = $name;

            /// Of numbers, and of texts without quotes and commas.
            fn text(&self) -> Option<String> {
                let items = self.iter().map(|item| item.text().unwrap_or_else(|| "NULL".to_owned()));
                Some(format!("{{{}}}", items.collect::<Vec<_>>().join(",")))
            }
        })*
    };
}

arrays!(String: "text[]", i32: "integer[]", Seconds: "interval[]");

/// A struct of a call's options: `name: type = default` each, in the order of the SQL declaration, after what it means. What serde is to do
/// with the struct is written before it. After a semicolon there may be a field for all other arguments.
macro_rules! options {
    (
        $(#[$meta:meta])*
        $vis:vis struct $Name:ident {
            $($(#[doc = $doc:literal])* $field_vis:vis $field:ident: $type:ty = $default:expr,)*
            $(; $(#[$rest_meta:meta])* $rest_vis:vis $rest:ident: $rest_type:ty,)?
        }
    ) => {
        $(#[$meta])*
        $vis struct $Name {
            $($(#[doc = $doc])* $field_vis $field: $type,)*
            $($(#[$rest_meta])* $rest_vis $rest: $rest_type,)?
        }

        impl Default for $Name {
            fn default() -> Self {
                $Name {
                    $($field: $default,)*
                    $($rest: Default::default(),)?
                }
            }
        }

        impl $crate::pg::sql::options::Options for $Name {
            const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            fn arguments() -> Vec<$crate::pg::sql::options::Argument> {
                let default = Self::default();
                vec![$($crate::pg::sql::options::Argument::new(stringify!($field), &default.$field)),*]
            }

            #[cfg(test)]
            fn meanings() -> Vec<&'static str> {
                vec![$(concat!($($doc),*)),*]
            }
        }
    };
}

pub(crate) use options;

#[cfg(test)]
mod tests {
    use super::*;

    options! {
        struct Few {
            workload: Option<String> = None,
            clients: i32 = 1,
            counts: Option<Vec<Option<i32>>> = Some(vec![Some(1), None]),
        }
    }

    #[test]
    fn names_types_and_defaults_follow_from_the_struct() {
        let argument = |name, sql_type, default: Option<&str>| Argument {
            name,
            sql_type,
            default: default.map(str::to_owned),
        };
        assert_eq!(
            Few::arguments(),
            [
                argument("workload", "text", None),
                argument("clients", "integer", Some("1")),
                argument("counts", "integer[]", Some("{1,NULL}")),
            ]
        );
        assert_eq!(Few::NAMES, ["workload", "clients", "counts"]);
        let Few {
            workload,
            clients,
            counts,
        } = Few::default();
        assert!(workload.is_none() && clients == 1 && counts.is_some());
    }
}
