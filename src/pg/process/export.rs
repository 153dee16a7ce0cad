//! Functions that the server finds by their names.

/// Exports the main functions of background workers, under names that are symbols of the library.
macro_rules! worker_mains {
    ($($(#[$attribute:meta])* $name:ident => $main:path;)*) => {$(
        $(#[$attribute])*
        #[allow(unsafe_code)]
        #[::pgrx::pg_guard]
        #[unsafe(no_mangle)]
        pub extern "C-unwind" fn $name(_argument: ::pgrx::pg_sys::Datum) {
            $main();
        }
    )*};
}

/// Exports the main functions of parallel workers ([`super::helper`]).
macro_rules! helper_mains {
    ($($name:ident => $main:path;)*) => {$(
        #[allow(unsafe_code)]
        #[::pgrx::pg_guard]
        #[unsafe(no_mangle)]
        pub extern "C-unwind" fn $name(
            segment: *mut ::pgrx::pg_sys::dsm_segment,
            toc: *mut ::pgrx::pg_sys::shm_toc,
        ) {
            // SAFETY: called by the server, in a parallel worker, with these arguments.
            unsafe { $crate::pg::process::helper::main(segment, toc, $main) };
        }
    )*};
}

pub(crate) use {helper_mains, worker_mains};
