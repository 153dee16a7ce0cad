//! Relations' pages, read without waiting, and the buffers they are in.

pub mod btree_page;
pub mod buffers;
#[cfg(test)]
mod damaged_pages;
pub mod heap_page;
pub mod index_page;
pub mod page;
pub mod relation;
mod rewritten;
