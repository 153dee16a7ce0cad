//! Forms of results: reports, their pages, comparisons, documents of runs.

mod compare;
mod comparison_pages;
mod export;
mod forged_documents;
mod histograms;
mod history_pages;
mod long_pages;
mod others_results;
mod query_pages;
mod report_pages;
mod reproduce;
mod server_figures;
mod sweep_documents;
