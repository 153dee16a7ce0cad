//! What a sample could not measure, in words.

use pgrx::pg_sys::errcodes::PgSqlErrorCode;

/// Reasons that are spelled out.
const SHOWN: usize = 3;

#[derive(Debug, Default)]
pub struct LeftOut {
    /// Of how many relations.
    pub total: i64,
    pub measured: i64,
    /// The budget in words, if there is one.
    pub budget: Option<String>,
    pub used_up: bool,
    /// The rest of the budget was not enough to read them.
    pub too_large: i64,
    pub skipped: i64,
    /// SQLSTATE and reason of the first that could not be read.
    reasons: Vec<(PgSqlErrorCode, String)>,
}

impl LeftOut {
    pub fn new(total: i64, budget: Option<String>) -> Self {
        LeftOut {
            total,
            budget,
            ..LeftOut::default()
        }
    }

    /// One that could not be read, and why.
    pub fn skip(&mut self, relation: &str, sqlstate: PgSqlErrorCode, reason: &str) {
        self.skipped += 1;
        if self.reasons.len() < SHOWN {
            self.reasons
                .push((sqlstate, format!("{relation}: {reason}")));
        }
    }

    /// SQLSTATE and reason of the first that could not be read.
    pub fn first(&self) -> Option<&(PgSqlErrorCode, String)> {
        self.reasons.first()
    }

    /// None: nothing was left out.
    pub fn note(&self) -> Option<String> {
        let mut parts = Vec::new();
        let left = self.total - self.measured - self.skipped;
        if left > 0 {
            let cause = match &self.budget {
                Some(budget) if self.used_up => format!("budget of {budget} used up"),
                Some(budget) if left == self.too_large => {
                    format!("budget of {budget} is too small")
                }
                _ => format!("limit of {} relations reached", super::MAX_RELATIONS),
            };
            parts.push(format!("{cause}: {left} of {} relations left", self.total));
            if self.too_large > 0 {
                parts.push(format!(
                    "{} of them too large for the budget",
                    self.too_large
                ));
            }
        }
        if self.skipped > 0 {
            let reasons: Vec<_> = self.reasons.iter().map(|(_, why)| why.as_str()).collect();
            let more = if self.skipped > SHOWN as i64 {
                "; …"
            } else {
                ""
            };
            parts.push(format!(
                "{} skipped: {}{more}",
                self.skipped,
                reasons.join("; ")
            ));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_missing_and_why() {
        let mut left_out = LeftOut {
            total: 10,
            measured: 7,
            ..LeftOut::default()
        };
        for name in ["a", "b", "c"] {
            left_out.skip(name, PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE, "locked");
        }
        assert_eq!(
            left_out.note().unwrap(),
            "3 skipped: a: locked; b: locked; c: locked"
        );
        left_out.skip("d", PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE, "locked");
        assert!(left_out.note().unwrap().ends_with("c: locked; …"));
        let budget = LeftOut {
            total: 10,
            measured: 3,
            budget: Some("2 s".to_owned()),
            used_up: true,
            ..LeftOut::default()
        };
        assert_eq!(
            budget.note().unwrap(),
            "budget of 2 s used up: 7 of 10 relations left"
        );
        assert_eq!(LeftOut::default().note(), None);
    }
}
