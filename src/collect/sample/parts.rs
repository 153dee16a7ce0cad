//! Reading in parts: work that takes longer than some milliseconds releases its snapshot and locks in between. So it does not
//! hold back vacuum's horizon, or sessions that wait for a catalog, for all of its duration.

use crate::collect::collector::Collector;
use crate::error::Result;
use std::time::{Duration, Instant};

/// How the steps are run.
pub trait Steps {
    /// With a snapshot and as the extension's owner; committed afterwards, or rolled back after an error.
    fn in_transaction<T>(&mut self, body: impl FnOnce() -> Result<T>) -> Result<T>;

    /// In a transaction without a snapshot: for reading a relation's pages.
    fn without_snapshot<T>(&mut self, body: impl FnOnce() -> Result<T>) -> Result<T>;

    /// After a collector, before the next one.
    fn after(&mut self, _collector: &Collector) {}
}

/// How a reading's parts are run.
pub trait Parts {
    /// With a snapshot; snapshot and locks are released afterwards.
    fn run(&mut self, body: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Without a snapshot: for what needs no SQL.
    fn run_apart(&mut self, body: &mut dyn FnMut() -> Result<()>) -> Result<()>;
}

impl dyn Parts + '_ {
    /// One part, and what it read.
    pub fn part<T: Default>(&mut self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        once(body, |body| self.run(body))
    }

    /// The same without a snapshot.
    pub fn apart<T: Default>(&mut self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        once(body, |body| self.run_apart(body))
    }
}

fn once<T: Default>(
    body: impl FnOnce() -> Result<T>,
    run: impl FnOnce(&mut dyn FnMut() -> Result<()>) -> Result<()>,
) -> Result<T> {
    let (mut body, mut value) = (Some(body), T::default());
    run(&mut || {
        if let Some(body) = body.take() {
            value = body()?;
        }
        Ok(())
    })?;
    Ok(value)
}

/// All parts in the current transaction: one SELECT, whose snapshot lasts as long as it does.
pub struct OneTransaction;

impl Parts for OneTransaction {
    fn run(&mut self, body: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        body()
    }

    fn run_apart(&mut self, body: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        body()
    }
}

/// Each part in a transaction of its own.
pub struct Transactions<'a, S>(pub &'a mut S);

impl<S: Steps> Parts for Transactions<'_, S> {
    fn run(&mut self, body: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.0.in_transaction(body)
    }

    fn run_apart(&mut self, body: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.0.without_snapshot(body)
    }
}

/// Number of objects of the next part, chosen so that it takes about [`AIM`] on this machine and with this catalog.
pub struct Pace {
    size: u32,
}

/// Target duration of a part.
const AIM: Duration = Duration::from_millis(15);
/// Objects in a part: in the first, and at least and at most.
const FIRST: u32 = 250;
const LEAST: u32 = 25;
const MOST: u32 = 5_000;

impl Pace {
    pub fn new() -> Pace {
        Pace { size: FIRST }
    }

    /// Number of objects for the next part.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Runs a part and learns from the time that it takes.
    pub fn part<T: Default>(
        &mut self,
        parts: &mut dyn Parts,
        body: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let started = Instant::now();
        let value = parts.part(body)?;
        self.learn(started.elapsed());
        Ok(value)
    }

    /// At most twice as many as before: the first objects may have been the cheap ones.
    fn learn(&mut self, took: Duration) {
        let fitting = f64::from(self.size) * AIM.as_secs_f64() / took.as_secs_f64().max(1e-6);
        let size = fitting.min(2.0 * f64::from(self.size)) as u32;
        self.size = size.clamp(LEAST, MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_shrink_where_they_take_long_and_grow_slowly() {
        let mut pace = Pace::new();
        assert_eq!(pace.size(), FIRST);
        pace.learn(2 * AIM);
        assert_eq!(pace.size(), FIRST / 2);
        pace.learn(AIM / 100);
        assert_eq!(pace.size(), FIRST);
        pace.learn(1000 * AIM);
        assert_eq!(pace.size(), LEAST);
        for _ in 0..20 {
            pace.learn(Duration::ZERO);
        }
        assert_eq!(pace.size(), MOST);
    }

    #[test]
    fn what_a_part_reads_is_returned_and_its_error_is_too() {
        let parts: &mut dyn Parts = &mut OneTransaction;
        assert_eq!(parts.part(|| Ok(7)).unwrap(), 7);
        assert_eq!(parts.apart(|| Ok("x".to_owned())).unwrap(), "x");
        assert!(
            parts
                .part::<u8>(|| Err(crate::error::Error::NotInstalled))
                .is_err()
        );
    }
}
