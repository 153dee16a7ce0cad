//! The history for people: what a server did over any stretch of time, as text, a page or a document.
//!
//! * [`window`]: a stretch of time, with the samples in it; [`samples`]: those of each collector that stand for it;
//! * [`section`]: what a part of a report is made of, as data; [`sections`]: all of them, with their SQL beside them;
//! * [`shared`]: what several sections and rules read, read once; [`sources`]: why a part has no data;
//! * [`ahead`]: the statements of a page, read by several processes at the same time;
//! * [`model`]: what was read; [`text`], [`page`]: how it is shown; [`functions`]: the calls;
//! * [`findings`]: what stands out in a window, by rules;
//! * [`metrics`]: the newest samples for Prometheus; [`compare`]: two windows side by side.

pub mod ahead;
mod compare;
#[cfg(test)]
mod dashboards;
mod error;
mod findings;
mod functions;
mod metrics;
mod model;
mod page;
mod samples;
mod sections;
mod shared;
mod sources;
mod text;
mod window;

pgrx::extension_sql_file!(
    "history.sql",
    name = "history_report",
    requires = ["sampler"]
);
