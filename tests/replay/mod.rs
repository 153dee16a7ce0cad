//! Captures that are played again.

mod captured;
mod made_up;
