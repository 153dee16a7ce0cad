//! What is shown of runs, sweeps and windows of the history, byte for byte as before. `documents` has runs and sweeps that release 1.2.0 made
//! and exported, `shown` everything that this release shows of them. A change of what is shown writes it anew
//! (`PGPERF_WRITE_GOLDENS=1 tools/integration goldens::shown::`), and the commit's diff is what it does.

mod documents;
mod formats;
mod shown;

use std::path::PathBuf;

use crate::common::checkout;

fn folder(name: &str) -> PathBuf {
    checkout().join("tests/goldens").join(name)
}
