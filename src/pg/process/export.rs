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

pub(crate) use worker_mains;
