//! The arguments of `init` that are options of the first family, beside those in `options`.

use super::distribution;
use super::given::{Given, find, not_of_load, scale_as_option};
use super::option::{Definition, SCALE};
use super::{Family, families};
use crate::error::{Error, Result, hinted};
use serde_json::Value;

/// The options of the family whose options are also arguments of `init`: those of its own, not what several families have.
pub fn all() -> impl Iterator<Item = &'static Definition> {
    let of_family = families()[0].options().iter();
    of_family.filter(|option| option.name != distribution::OPTION.name)
}

/// Whether the options of this family are also arguments of `init`.
pub fn has_arguments(family: &dyn Family) -> bool {
    family.name() == families()[0].name()
}

/// Whether `init` has an argument of this name for an option.
pub fn is_argument(name: &str) -> bool {
    all().any(|option| option.name == name)
}

/// Whether an argument has its default as declared in SQL. Such an argument counts as not given.
pub fn is_default(name: &str, value: &Value) -> bool {
    all()
        .find(|option| option.name == name)
        .is_some_and(|option| option.default() == *value)
}

/// The error for an option that is given as an argument and in `options`.
pub fn given_twice(option: &str) -> Error {
    hinted(
        format!("{option} is both an argument and in options"),
        "Give it once.",
    )
}

/// The options of a load: those in `options`, and the arguments of `init` that are options of the first family.
///
/// # Errors
/// An option is given in both ways, or an argument is no option of this family.
pub fn of_load(family: &dyn Family, arguments: &Given, options: &Given) -> Result<Given> {
    if options.contains_key(SCALE) {
        return Err(scale_as_option());
    }
    let mut all = options.clone();
    let given = arguments
        .iter()
        .filter(|(name, value)| !value.is_null() && !is_default(name, value));
    for (name, value) in given {
        if !has_arguments(family) {
            return Err(match find(family, name) {
                Some(Definition { name, .. }) => hinted(
                    format!(
                        "{name} is not an argument for the tables of \"{}\"",
                        family.name()
                    ),
                    &format!("Give it in options => '{{\"{name}\": {value}}}'."),
                ),
                None => not_of_load(family, name),
            });
        }
        if options.get(name).is_some_and(|value| !value.is_null()) {
            return Err(given_twice(name));
        }
        all.insert(name.clone(), value.clone());
    }
    Ok(all)
}
