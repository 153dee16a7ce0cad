//! Standbys, subscriptions, and the history beside logical replication.

mod catch_up;
mod collector;
mod drain;
mod kinds;
mod publication;
mod receivers;
mod repository;
mod second_receiver;
