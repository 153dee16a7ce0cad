//! Privileges; docs/security.md names these tests.

mod calls;
mod catalog;
mod default_privileges;
mod odd_arguments;
mod own_load;
mod planted;
mod recipes;
mod session;
mod session_settings;
mod texts;
mod traps;
mod visibility;
