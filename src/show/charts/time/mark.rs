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

    /// Those of a run and those of a window of the history are never in one chart.
    pub(super) fn look(self) -> Look {
        let look = |name, color, key, path| Look {
            name,
            color,
            key,
            path,
        };
        match self {
            MarkKind::Autovacuum => look("autovacuum", 2, "mark", TRIANGLE),
            MarkKind::Autoanalyze => look("autoanalyze", 8, "rhomb", RHOMB),
            MarkKind::Disturbance => look("disturbance", 4, "area", "M-4 -28h8v8h-8z"),
            MarkKind::DisturbanceEnd => {
                look("disturbance end", 4, "rhomb", "M0 -28l4 4l-4 4l-4 -4z")
            }
            MarkKind::Note => look("note", 1, "mark", TRIANGLE),
            MarkKind::Restart => look("restart", 4, "rhomb", RHOMB),
            // A pole with a flag.
            MarkKind::Step => look("step", 1, "area", "M-1 0v-38h10l-3 4l3 4h-8v30z"),
        }
    }
}

/// A triangle, and a rhomb above it: vacuum and analyze often end in the same moment. Above both, a square and its end.
const TRIANGLE: &str = "M0 -9l5 9h-10z";
const RHOMB: &str = "M0 -19l4 4l-4 4l-4 -4z";

/// How a kind of marks is drawn.
pub(super) struct Look {
    pub name: &'static str,
    pub color: u8,
    /// Its class in the legend.
    pub key: &'static str,
    pub path: &'static str,
}
