//! Which statements are tested, with which of their executions.

use crate::pg::encoding;
use capture::record::{Parameter, Work};
use capture::{Capture, Statement, Step};
use std::collections::HashMap;

/// A statement that is tested.
pub struct Chosen<'c> {
    pub text: String,
    pub calls: i64,
    pub took_ms: f64,
    pub samples: Vec<Sample<'c>>,
}

/// An execution of it.
#[derive(Clone, Copy)]
pub struct Sample<'c> {
    pub parameters: &'c [Parameter],
    /// Settings of its session.
    pub settings: &'c [(String, String)],
    /// The role that logged in.
    pub login: &'c str,
}

impl Sample<'_> {
    /// The role whose rights it had.
    pub fn role(&self) -> Option<&str> {
        let set = self.settings.iter().find(|(name, _)| name == "role");
        let set = set
            .map(|(_, role)| role.as_str())
            .filter(|&role| !role.is_empty() && role != "none");
        set.or(Some(self.login)).filter(|role| !role.is_empty())
    }
}

/// An execution with what it took, microseconds.
struct Executed<'c> {
    took: i64,
    sample: Sample<'c>,
}

/// The statements that took most of the time, so many at most, each with so many of its executions.
pub fn choose(capture: &Capture, count: usize, samples: usize, writes: bool) -> Vec<Chosen<'_>> {
    let mut by_text: HashMap<u64, Vec<Executed>> = HashMap::new();
    for session in &capture.sessions {
        for step in &session.steps {
            if let Step::Statement { statement, .. } = step
                && is_testable(statement, writes)
            {
                by_text.entry(statement.hash).or_default().push(Executed {
                    took: statement.outcome.took.max(1),
                    sample: Sample {
                        parameters: &statement.parameters,
                        settings: &session.start.settings,
                        login: &session.start.role,
                    },
                });
            }
        }
    }
    let text_of = |hash: &u64| Some(encoding::decode(capture.texts.get(hash)?).into_owned());
    let mut chosen: Vec<Chosen> = (by_text.iter_mut())
        .filter_map(|(hash, executed)| {
            Some(Chosen {
                text: text_of(hash)?,
                calls: executed.len() as i64,
                took_ms: executed.iter().map(|it| it.took).sum::<i64>() as f64 / 1000.0,
                samples: by_time(executed, samples),
            })
        })
        .collect();
    chosen.sort_by(|a, b| {
        b.took_ms
            .total_cmp(&a.took_ms)
            .then_with(|| a.text.cmp(&b.text))
    });
    chosen.truncate(count);
    chosen
}

fn is_testable(statement: &Statement, writes: bool) -> bool {
    let outcome = &statement.outcome;
    let is_wanted = match statement.work {
        Work::Reads => true,
        Work::Changes => writes,
        _ => false,
    };
    is_wanted && outcome.sqlstate.is_none() && outcome.unrecorded.is_none()
}

/// Executions at equal steps of their time, so that slow ones count as they do: so many at most, none twice.
fn by_time<'c>(executed: &mut [Executed<'c>], count: usize) -> Vec<Sample<'c>> {
    executed.sort_by_key(|it| it.took);
    let total: i64 = executed.iter().map(|it| it.took).sum();
    let mut passed = 0;
    let mut next = 0;
    let mut samples = Vec::new();
    for it in executed {
        passed += it.took;
        if passed as f64 > (next as f64 + 0.5) / count as f64 * total as f64 {
            samples.push(it.sample);
            while next < count && passed as f64 > (next as f64 + 0.5) / count as f64 * total as f64
            {
                next += 1;
            }
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executed(took: i64) -> Executed<'static> {
        let sample = Sample {
            parameters: &[],
            settings: &[],
            login: "app",
        };
        Executed { took, sample }
    }

    #[test]
    fn samples_are_at_equal_steps_of_time() {
        let mut alike: Vec<Executed> = (0..100).map(|_| executed(10)).collect();
        assert_eq!(by_time(&mut alike, 20).len(), 20);
        // One that took all the time is one sample.
        let mut one = vec![executed(1), executed(1), executed(1_000_000)];
        assert_eq!(by_time(&mut one, 20).len(), 1);
        let mut few = vec![executed(5), executed(5)];
        assert_eq!(by_time(&mut few, 20).len(), 2);
    }
}
