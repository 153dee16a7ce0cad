//! Facts from the catalog: the extension, indexes, roles, and names of databases and relations.

pub mod extension;
pub mod index;
pub mod names;
pub mod role;
