//! A second family of workloads beside pgbench, `src/workload/toy`, which only a library with the feature `toy` has
//! (`make test-families`): what is true of a family, whichever it is.

mod toy;
