//! Intervals as numbers of seconds.

use super::arguments;
use super::options::SqlValue;
use super::spi;
use super::subxact::subtransaction;
use crate::error::{Result, invalid};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The longest interval: ten years, far from any overflow in nanoseconds.
pub const MAX_SECONDS: f64 = 315_360_000.0;

/// An interval argument, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seconds(pub f64);

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{} s", self.0))
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        arguments::seconds(&text)
            .map(Seconds)
            .ok_or_else(|| de::Error::custom(format_args!("not a number of seconds: {text}")))
    }
}

impl SqlValue for Seconds {
    const SQL_TYPE: &'static str = "interval";

    fn text(&self) -> Option<String> {
        Some(format!("{} s", self.0))
    }
}

/// Seconds of an interval argument, at least `least`.
pub fn in_range(name: &str, interval: Option<Seconds>, least: f64) -> Result<Option<f64>> {
    let Some(Seconds(seconds)) = interval else {
        return Ok(None);
    };
    if seconds < least || seconds > MAX_SECONDS {
        return Err(invalid(format!(
            "{name} must be from {least} to {MAX_SECONDS} seconds, but is {seconds}"
        )));
    }
    Ok(Some(seconds))
}

/// The seconds of an interval, as the server reads its text.
///
/// # Errors
/// The server's message, where it is none.
pub fn read(text: &str) -> Result<f64> {
    #[derive(Deserialize)]
    struct Read {
        seconds: f64,
    }
    let sql = "SELECT EXTRACT(epoch FROM $1::pg_catalog.interval)::pg_catalog.float8 AS seconds";
    let read = subtransaction(|| spi::select_one::<Read>(sql, &[text.into()]));
    let read = read.map_err(|error| invalid(error.message))??;
    Ok(read.map_or(0.0, |it| it.seconds))
}
