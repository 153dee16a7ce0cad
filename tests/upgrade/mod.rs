//! From an earlier release or an older major to this one.

mod draft;
mod dump;
mod fresh_and_updated;
mod pg_upgrade;
mod script;
mod what_ends;
mod what_is_kept;
mod what_stays;
