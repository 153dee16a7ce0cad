//! Metrics for Prometheus, as data: each source is a statement whose columns are labels and families.

/// How a family is read. There is no `info`: readers of Prometheus's older text format, such as node_exporter, refuse that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only grows, and begins again at 0 when the server's statistics do.
    Counter,
    Gauge,
}

/// Samples of one name.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Without the prefix `pgperf_`; a unit is the last part.
    pub name: &'static str,
    pub kind: Kind,
    /// What it is: a phrase, of one source for the first family with its limits.
    pub help: &'static str,
}

impl Family {
    /// The base unit: that of the name. OpenMetrics wants both to agree.
    pub fn unit(&self) -> Option<&'static str> {
        ["seconds", "bytes", "ratio"]
            .into_iter()
            .find(|unit| self.name.rsplit('_').next() == Some(*unit))
    }
}

/// Families with the same labels, read by one statement.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The heading under which the page has them, which a test writes.
    #[cfg_attr(not(test), expect(dead_code))]
    pub topic: &'static str,
    pub sql: &'static str,
    pub labels: &'static [&'static str],
    pub families: &'static [Family],
}

pub const fn counter(name: &'static str, help: &'static str) -> Family {
    let kind = Kind::Counter;
    Family { name, kind, help }
}

pub const fn gauge(name: &'static str, help: &'static str) -> Family {
    let kind = Kind::Gauge;
    Family { name, kind, help }
}
