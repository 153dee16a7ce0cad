//! The result of a check.

/// How bad it is, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Ok,
    /// It cannot be seen.
    Unknown,
    /// Figures may differ from those of another server or run, or be harder to explain.
    Warning,
    /// Figures say little.
    Problem,
}

impl Status {
    /// As shown.
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Unknown => "unknown",
            Status::Warning => "warning",
            Status::Problem => "problem",
        }
    }
}

/// A row of `pgperf.doctor()`.
#[derive(Debug, Clone)]
pub struct Finding {
    pub check: &'static str,
    pub status: Status,
    pub detail: String,
    /// One statement.
    pub fix: Option<String>,
}

impl Finding {
    pub fn new(check: &'static str, status: Status, detail: String) -> Finding {
        Finding {
            check,
            status,
            detail,
            fix: None,
        }
    }

    pub fn ok(check: &'static str, detail: String) -> Finding {
        Finding::new(check, Status::Ok, detail)
    }

    pub fn unknown(check: &'static str, reason: impl ToString) -> Finding {
        Finding::new(check, Status::Unknown, reason.to_string())
    }

    /// The statement that fixes it, if there is one.
    pub fn mended_by(self, fix: Option<String>) -> Finding {
        let fix = fix.filter(|_| self.status > Status::Unknown);
        Finding { fix, ..self }
    }
}

/// A size in the largest unit that leaves at least two digits.
pub fn size(bytes: f64) -> String {
    let mut value = bytes;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if value.abs() < 10_240.0 {
            return format!("{value:.0} {unit}");
        }
        value /= 1024.0;
    }
    format!("{value:.1} TB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        assert_eq!(size(8192.0), "8192 bytes");
        assert_eq!(size(134_217_728.0), "128 MB");
        assert_eq!(size(3e13), "27.3 TB");
    }

    #[test]
    fn what_is_fine_needs_no_mending() {
        let fix = || Some("SELECT 1".to_owned());
        let of = |status| {
            Finding::new("x", status, String::new())
                .mended_by(fix())
                .fix
        };
        assert!(of(Status::Ok).is_none() && of(Status::Unknown).is_none());
        assert_eq!(of(Status::Warning), fix());
    }
}
