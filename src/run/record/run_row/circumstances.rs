//! Stored facts of a run besides the work of its clients: its server and machine, full samples before and after, and
//! the server's activity in between.

use super::StoredRun;
use crate::catalog::distributed;
use crate::collect::database_size;
use crate::collect::{Collector, Depth, Sample};
use crate::error::Result;
use crate::facts::metrics::{Counted, Metric};
use crate::facts::nodes::{Nodes, Together, Unknown};
use crate::facts::target::observer;
use crate::facts::{self, Footprint, Sizes, Span};
use crate::pg::process::latch;
use crate::pg::process::usage;
use crate::pg::server;
use crate::run::shared::first_client::Told;
use crate::subject::wal::collector::counts::{self, Counts};
use crate::subject::{Schedule, hit_curve, replication};
use pgrx::pg_sys::Oid;
use results::figures::Moment;

type Collectors = Vec<(&'static Collector, Depth)>;

/// The state with which the run's end is compared.
#[derive(Default)]
pub(super) struct Beginning {
    sizes: Option<Sizes>,
    /// The leader's own resources until the sample.
    own: Footprint,
    sample: Option<Sample>,
    counted: Option<Counted>,
    /// Of a target, in place of all these.
    pub(super) moment: Option<Moment>,
    nodes: Option<AskedNodes>,
}

/// The nodes of a cluster, and the leader's own resources until then.
struct AskedNodes {
    nodes: std::result::Result<Nodes, Unknown>,
    own: Footprint,
}

impl StoredRun {
    /// The full sample at the run's start or end. The work of this process is in the statistics by then.
    fn take_sample_at(&mut self, of: impl Fn(&Schedule) -> Collectors) -> Option<Sample> {
        latch::report_statistics(true);
        let schedule = Schedule::new(self.spec.collectors.as_deref());
        let mut sample = None;
        self.try_times(1, |run| {
            run.busy = false;
            let mut collectors = of(&schedule);
            if run.watched.hit_curve.is_some() {
                collectors.push((&hit_curve::COLLECTOR, Depth::Full));
            }
            sample = run.take_sample_stepwise(None, collectors);
            sample.is_some()
        });
        if sample.is_none() && !schedule.at_ends().is_empty() {
            self.lose_sample();
        }
        sample
    }

    /// What the run's leaders have used so far.
    pub fn footprint(&self) -> Footprint {
        let mut usage = usage::now().since(&self.usage_at_start);
        usage.wal_bytes += self.carried.own_wal_bytes;
        Footprint {
            usage,
            xids: self.xids + self.carried.own_xids,
            server_xids: server::next_full_xid().parse().unwrap_or_default(),
            server_position: server::insert_position(),
        }
    }

    /// Facts needed before the load begins: server and machine, sizes, and a full sample.
    ///
    /// Each in a transaction of its own: a failure affects nothing else. The facts are those of a run's first
    /// segment; changes during an interruption say nothing about the run, so the end of a further segment is compared
    /// with nothing.
    pub fn begin_facts(&mut self, told: &Told, role: Oid) {
        if let Some(server) = self.spec.targets.first().map(str::to_owned) {
            self.identify_servers(role);
            return self.begin_facts_of(&server, role);
        }
        let mut distributed = Vec::new();
        let mut has_receivers = false;
        self.store_once_free(|_| {
            distributed = distributed::tables()?;
            has_receivers = replication::collector::has_receivers()?;
            Ok(())
        });
        self.has_receivers = has_receivers;
        self.is_distributed = !distributed.is_empty() || self.spec.work.distributes();
        if self.carried.segments > 0 {
            self.take_sample_at(Schedule::at_start);
            return;
        }
        self.store_once_free(|run| {
            facts::settings::store(&run.node_id, run.run_id, &told.settings)
        });
        if !told.plans.is_empty() {
            self.store_once_free(|run| facts::plans::store(&run.node_id, run.run_id, &told.plans));
        }
        self.store_once_free(|run| facts::environment::store(&run.node_id, run.run_id));
        let before = self.footprint();
        let sample = self.take_sample_at(Schedule::at_start);
        let own = self.own_after_reading.unwrap_or(before);
        let nodes = self.ask_nodes();
        // The sample may have created partitions of the history.
        let mut sizes = None;
        let database = database_size().ok();
        self.store_once_free(|_| {
            sizes = sizes_now(database)?;
            Ok(())
        });
        self.beginning = Beginning {
            sizes,
            own,
            sample,
            counted: None,
            moment: None,
            nodes,
        };
        let mut counted = None;
        self.store_once_free(|run| {
            if let Some(sample) = &run.beginning.sample {
                counted = Some(Counted::read(&run.node_id, sample)?);
            }
            Ok(())
        });
        self.beginning.counted = counted;
    }

    /// Asks the nodes on which the tables are; None: all of them are here.
    fn ask_nodes(&mut self) -> Option<AskedNodes> {
        if !self.is_distributed {
            return None;
        }
        latch::report_statistics(true);
        let mut nodes = Err("they could not be asked".to_owned());
        self.store_once_free(|_| {
            nodes = Nodes::read();
            Ok(())
        });
        Some(AskedNodes {
            nodes,
            own: self.footprint(),
        })
    }

    /// What has changed in all nodes together since the beginning.
    fn end_of_nodes(
        &mut self,
        began: Option<AskedNodes>,
    ) -> std::result::Result<Together, Unknown> {
        let began = began.ok_or("the run was interrupted")?;
        let first = began.nodes?;
        // Their sessions, too, tell late what they have counted.
        observer::await_reports();
        let last = self.ask_nodes().ok_or("they could not be asked")?;
        last.nodes?.since(&first, &last.own.since(&began.own))
    }

    /// Stores what all nodes have used, in place of what the clients know of it, and whose figures the run's are.
    fn store_of_nodes(&mut self, together: &std::result::Result<Together, Unknown>) {
        let note = match together {
            Ok(together) => distributed::reason_of_nodes(together.nodes),
            Err(why) => format!("{} ({why})", distributed::REASON_OF_RUN),
        };
        self.store_once_free(|run| facts::nodes::store_note(&run.node_id, run.run_id, &note));
        if let Ok(together) = together {
            self.store_once_free(|run| run.store_usage(&together.usage()));
        }
    }

    /// This server knows only its own work on distributed tables: the figures of all nodes take its place.
    fn of_all_nodes(
        &self,
        metrics: &mut [Metric],
        together: &std::result::Result<Together, Unknown>,
    ) {
        if self.is_distributed {
            let figures = together.as_ref().ok().map(|together| &together.figures);
            metrics
                .iter_mut()
                .for_each(|metric| metric.take_from(figures));
        }
    }

    /// The sample and the figures after the load, in transactions of their own: a failure of one must not affect the
    /// others. `is_early`: the run did not get to its end.
    pub fn end_facts(&mut self, role: Oid, is_early: bool) {
        if let Some(server) = self.spec.targets.first().map(str::to_owned) {
            return self.end_facts_of(&server, role, is_early);
        }
        let own = self.footprint();
        let end = self.take_sample_at(Schedule::at_ends);
        let begin = std::mem::take(&mut self.beginning);
        let mut together = self.end_of_nodes(begin.nodes);
        let all = self.footprint();
        let database = database_size().ok();
        self.store_once_free(|run| {
            let mut metrics = vec![
                Metric::new("pgperf_wal_bytes", Some(all.usage.wal_bytes as f64)),
                Metric::new("pgperf_xids", Some(all.xids as f64)),
            ];
            if let (Some(before), Some(after)) = (begin.sizes, sizes_now(database)?) {
                if let Ok(together) = &mut together {
                    together.take_off("database_growth_bytes", after.pgperf - before.pgperf);
                }
                metrics.extend(facts::metrics::growth(before, after));
            }
            run.of_all_nodes(&mut metrics, &together);
            facts::metrics::store(&run.node_id, run.run_id, metrics)
        });
        if self.is_distributed {
            self.store_of_nodes(&together);
        }
        let (Some(start), Some(counted), Some(end)) = (&begin.sample, &begin.counted, &end) else {
            return;
        };
        let node_id = self.node_id.clone();
        let counts = self.count_wal(counted, begin.own.server_position, own.server_position);
        let span = Span {
            node_id: &node_id,
            run_id: self.run_id,
            start,
            counted,
            end,
            own: own.since(&begin.own),
            counts,
        };
        self.store_relations(&span);
        self.store_once_free(|_| facts::relations::forget_shells(&span));
        self.store_once_free(|run| {
            let mut metrics = facts::metrics::of_samples(&span)?;
            run.of_all_nodes(&mut metrics, &together);
            facts::metrics::store(span.node_id, span.run_id, metrics)
        });
    }

    /// Counts the records and images of the run's WAL, and stores whether they are known so. Not if the run does not ask for its WAL.
    fn count_wal(
        &mut self,
        counted: &Counted,
        from: u64,
        to: u64,
    ) -> std::result::Result<Counts, String> {
        if counted.of("wal_history").next().is_none() {
            return Err(String::new());
        }
        let counts = counts::between(self, from, to).unwrap_or_else(|error| Err(error.to_string()));
        let why = counts.as_ref().err();
        self.store_once_free(|run| {
            facts::metrics::store_wal_counts(&run.node_id, run.run_id, why.map(String::as_str))
        });
        counts
    }

    /// The activity of each relation, some per transaction: there may be many thousands.
    fn store_relations(&mut self, span: &Span) {
        let mut changed = Vec::new();
        self.store_once_free(|_| {
            changed = facts::relations::changed(span)?;
            Ok(())
        });
        for some in changed.chunks(facts::relations::AT_ONCE) {
            self.store_once_free(|_| facts::relations::store(span, some));
        }
    }
}

/// The sizes are unknown if the database's size is.
fn sizes_now(database: Option<u64>) -> Result<Option<Sizes>> {
    database.map_or(Ok(None), Sizes::now)
}
