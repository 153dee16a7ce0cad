//! The history for people: what a server did over any stretch of time, as text, a page or a document.
//!
//! * [`window`]: a stretch of time as somebody asked for it; what is shown of it is in [`crate::subject`];
//! * [`model`]: what was read; [`text`], [`page`]: how it is shown; [`functions`]: the calls; [`former`]: those of earlier releases;
//! * [`glance`]: the eight figures with which it begins; [`timeline`]: what happened when;
//! * [`findings`]: what stands out in a window, by rules;
//! * [`nodes`]: whose samples are stored; [`fleet`]: all of them in one window;
//! * [`metrics`]: the newest samples for Prometheus; [`compare`]: two windows side by side.

mod compare;
#[cfg(test)]
mod dashboards;
mod findings;
mod fleet;
mod former;
mod functions;
mod glance;
mod metrics;
mod model;
mod nodes;
mod page;
mod text;
mod timeline;
mod window;
