//! Facts from the catalog: the extension, indexes, roles, user mappings, and names of databases and relations.

pub mod extension;
pub mod foreign;
pub mod index;
pub mod names;
pub mod role;
