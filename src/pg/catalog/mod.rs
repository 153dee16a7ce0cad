//! Facts from the catalog: the extension, roles, and names of databases and relations.

pub mod extension;
pub mod names;
pub mod role;
