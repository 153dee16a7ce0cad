//! The size of a data set, in its family's unit.

use serde::{Deserialize, Serialize, Serializer};
use std::fmt::{Display, Formatter};

/// A positive number; a family decides whether it may have a fraction.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Scale(f64);

impl Scale {
    /// No scale, where only the names of the tables matter.
    pub const NONE: Scale = Scale(0.0);

    pub fn new(value: f64) -> Scale {
        Scale(value)
    }

    pub fn value(self) -> f64 {
        self.0
    }

    /// As columns of type integer hold it; None if it has a fraction or is too large for them.
    pub fn whole(self) -> Option<i32> {
        let whole = self.0 as i32;
        (f64::from(whole) == self.0).then_some(whole)
    }

    /// The number if it has a fraction.
    pub fn fraction(self) -> Option<f64> {
        Some(self.0).filter(|_| self.whole().is_none())
    }

    /// As those columns hold it if it has a fraction: rounded up, so that it is never 0.
    pub fn rounded(self) -> i32 {
        self.0.ceil() as i32
    }
}

impl From<i32> for Scale {
    fn from(value: i32) -> Scale {
        Scale(f64::from(value))
    }
}

/// The value of `:scale`: an integer if it is whole.
impl From<Scale> for script::Value {
    fn from(scale: Scale) -> script::Value {
        scale
            .whole()
            .map_or(script::Value::Double(scale.0), |whole| {
                script::Value::Int(i64::from(whole))
            })
    }
}

/// A whole scale is stored as an integer, as it always was.
impl Serialize for Scale {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.whole() {
            Some(whole) => serializer.serialize_i32(whole),
            None => serializer.serialize_f64(self.0),
        }
    }
}

impl Display for Scale {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;
    use serde_json::json;

    #[test]
    fn whole_scales_are_stored_as_integers() {
        let stored = |scale: f64| serde_json::to_value(Scale::new(scale)).unwrap();
        assert_eq!(stored(20.0), json!(20));
        assert_eq!(stored(0.1), json!(0.1));
        for document in [json!(20), json!(20.0)] {
            assert_eq!(
                serde_json::from_value::<Scale>(document).unwrap(),
                20.into()
            );
        }
        assert_eq!(Scale::new(20.0).to_string(), "20");
        assert_eq!(Scale::new(0.5).whole(), None);
        assert_eq!(Scale::new(0.5).fraction(), Some(0.5));
        assert_eq!(Scale::new(5.0).fraction(), None);
        assert_eq!(Scale::new(0.5).rounded(), 1);
        assert_eq!(Scale::new(3e9).whole(), None);
    }
}
