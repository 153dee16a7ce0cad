//! Calling SQL and being called by it: [`spi`] and transactions; [`named`] rows; arguments, results, texts and documents; quoting;
//! [`foreign_code`].

pub mod aggregate;
pub mod analysis;
pub mod arguments;
pub mod called;
pub mod document;
pub mod foreign_code;
pub mod generic_plan;
pub mod interval;
pub mod json;
pub mod jsonb;
pub mod moment;
pub mod named;
pub mod object;
pub mod options;
pub mod procedure;
pub mod quote;
pub mod rows;
pub mod size;
pub mod spi;
pub mod subxact;
pub mod text;
pub mod texts;
pub mod xact;
