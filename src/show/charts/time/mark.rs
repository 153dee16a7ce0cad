//! Moments that are marked below a chart.

/// A moment that is marked below the chart.
#[derive(Debug, Clone)]
pub struct Mark {
    pub at_s: f64,
    pub kind: MarkKind,
    pub text: String,
}

/// The event at a marked moment: shown by colour and shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    Autovacuum,
    Autoanalyze,
    /// The beginning of a disturbance, and its end.
    Disturbance,
    DisturbanceEnd,
    /// What somebody noted, and a restart of the server.
    Note,
    Restart,
    /// The beginning of a step of a load.
    Step,
}

impl MarkKind {
    pub(super) const ALL: [MarkKind; 7] = [
        MarkKind::Autovacuum,
        MarkKind::Autoanalyze,
        MarkKind::Disturbance,
        MarkKind::DisturbanceEnd,
        MarkKind::Note,
        MarkKind::Restart,
        MarkKind::Step,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            MarkKind::Autovacuum => "autovacuum",
            MarkKind::Autoanalyze => "autoanalyze",
            MarkKind::Disturbance => "disturbance",
            MarkKind::DisturbanceEnd => "disturbance end",
            MarkKind::Note => "note",
            MarkKind::Restart => "restart",
            MarkKind::Step => "step",
        }
    }

    pub(super) fn color(self) -> u8 {
        match self {
            MarkKind::Autovacuum => 2,
            MarkKind::Autoanalyze => 8,
            MarkKind::Disturbance | MarkKind::DisturbanceEnd | MarkKind::Restart => 4,
            MarkKind::Note | MarkKind::Step => 1,
        }
    }

    /// A triangle, a rhomb above it (vacuum and analyze often end in the same moment), or a square and its end above both. Those of a
    /// run and those of a window of the history are never in one chart.
    pub(super) fn path(self) -> &'static str {
        match self {
            MarkKind::Autovacuum | MarkKind::Note => "M0 -9l5 9h-10z",
            MarkKind::Autoanalyze | MarkKind::Restart => "M0 -19l4 4l-4 4l-4 -4z",
            MarkKind::Disturbance => "M-4 -28h8v8h-8z",
            MarkKind::DisturbanceEnd => "M0 -28l4 4l-4 4l-4 -4z",
            // A pole with a flag.
            MarkKind::Step => "M-1 0v-38h10l-3 4l3 4h-8v30z",
        }
    }

    /// Its class in the legend.
    pub(super) fn key(self) -> &'static str {
        match self {
            MarkKind::Autovacuum | MarkKind::Note => "mark",
            MarkKind::Autoanalyze | MarkKind::DisturbanceEnd | MarkKind::Restart => "rhomb",
            MarkKind::Disturbance | MarkKind::Step => "area",
        }
    }
}
