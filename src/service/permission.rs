//! Whether the server allows load: the setting `pgperf.allow_load`.

use crate::guc;

/// Why a run must not continue, or begin.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    pub sqlstate: &'static str,
    pub message: String,
    pub hint: String,
}

/// The server's own switch: `pgperf.allow_load`.
pub fn forbidden() -> Option<Reason> {
    (!guc::allow_load()).then(|| Reason {
        sqlstate: "55000",
        message: "pgperf.allow_load is off on this server".to_owned(),
        hint: "Whoever runs the server decides that: ALTER SYSTEM SET pgperf.allow_load = on, and a reload."
            .to_owned(),
    })
}
