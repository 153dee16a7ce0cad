//! The server's data about its processes: the array behind `pg_stat_activity`.

use pgrx::pg_sys;

/// Information from the status of each process; processes without any are left out.
///
/// The server reads all at once and keeps the copy until the end of the transaction: it is read afresh, so that
/// waiting code sees changes, and released again.
pub fn read<T>(says: impl FnMut(&pg_sys::PgBackendStatus) -> Option<T>) -> Vec<T> {
    // SAFETY: reads this process's own copy of the backends' status.
    unsafe {
        pg_sys::pgstat_clear_backend_activity_snapshot();
        let said = (1..=pg_sys::pgstat_fetch_stat_numbackends())
            .filter_map(|i| {
                #[cfg(not(feature = "since16"))]
                let entry = pg_sys::pgstat_fetch_stat_local_beentry(i);
                #[cfg(feature = "since16")]
                let entry = pg_sys::pgstat_get_local_beentry_by_index(i);
                entry.as_ref().map(|entry| &entry.backendStatus)
            })
            .filter_map(says)
            .collect();
        pg_sys::pgstat_clear_backend_activity_snapshot();
        said
    }
}
