//! What has to hold before a source can be subscribed.

use crate::catalog::node;
use crate::error::{Error, Result, failure};
use crate::pg::sql::quote::quote_literal;
use crate::pg::sql::spi;
use crate::target::control::Control;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::{
    ERRCODE_CONFIGURATION_LIMIT_EXCEEDED, ERRCODE_DUPLICATE_OBJECT, ERRCODE_FEATURE_NOT_SUPPORTED,
    ERRCODE_INSUFFICIENT_PRIVILEGE, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
    ERRCODE_UNDEFINED_OBJECT,
};
use serde::Deserialize;

/// What a source says of itself.
#[derive(Debug, Deserialize)]
pub struct Source {
    /// Its node first, then the targets that it samples.
    pub nodes: Vec<String>,
    pub database_oid: u32,
    wal_level: String,
    free_slots: i64,
    free_senders: i64,
    may_replicate: bool,
    is_repository: bool,
    /// The oldest day with every sample, counted from today.
    first_day: Option<i32>,
}

/// Days back, at most, of which partitions are made before samples are copied; maintain() makes those of others.
const MOST_DAYS: i32 = 31;

/// The names of a source's publications, of runs and of samples.
pub fn publications(publication: &str) -> [String; 2] {
    [publication.to_owned(), format!("{publication}_samples")]
}

#[derive(Deserialize)]
struct Extension {
    version: Option<Vec<u32>>,
}

const EXTENSION: &str = "SELECT (SELECT string_to_array(extversion, '.')::int8[] FROM pg_extension WHERE extname = 'pgperf') AS version";

#[derive(Deserialize)]
struct Published {
    publication: String,
}

const PUBLISHED: &str = "SELECT p.publication FROM pgperf_internal.publications p JOIN pg_publication b ON b.pubname = p.publication";

/// Once something is published, there is a local node.
const FACTS: &str = "SELECT \
        (SELECT array_agg(n.node_id ORDER BY n.node_id <> l, n.node_id) FROM pgperf.nodes n WHERE l IN (n.node_id, n.sampled_by)) AS nodes, \
        (SELECT oid::int8 FROM pg_database WHERE datname = current_database()) AS database_oid, \
        current_setting('wal_level') AS wal_level, \
        current_setting('max_replication_slots')::int8 - (SELECT count(*) FROM pg_replication_slots) AS free_slots, \
        current_setting('max_wal_senders')::int8 - (SELECT count(*) FROM pg_stat_replication) AS free_senders, \
        (SELECT rolreplication OR rolsuper FROM pg_roles WHERE rolname = current_user) AS may_replicate, \
        EXISTS (SELECT FROM pgperf_internal.sources WHERE subscription IS NOT NULL) AS is_repository, \
        (SELECT min((p.starts_at AT TIME ZONE 'UTC')::date) - (now() AT TIME ZONE 'UTC')::date FROM pgperf.history_partitions p \
          WHERE p.table_name = 'samples' AND p.level = 'raw') AS first_day \
     FROM pgperf.local_node() l";

impl Source {
    /// Asks a source, and checks what it says.
    ///
    /// # Errors
    /// What is missing there, each with its remedy.
    pub fn read(control: &mut Control, server: &str, publication: &str) -> Result<Source> {
        let Extension { version } = control.select_one(EXTENSION)?;
        let Some(version) = version else {
            return Err(failure(
                ERRCODE_UNDEFINED_OBJECT,
                format!("pgperf is not installed in the database of server \"{server}\""),
            )
            .hinting("There: CREATE EXTENSION pgperf CASCADE; SELECT pgperf.publish_history();"));
        };
        check_version(server, &version)?;
        check_publications(control, server, publication)?;
        let source: Source = control.select_one(FACTS)?;
        source.check(server)?;
        Ok(source)
    }

    fn check(&self, server: &str) -> Result<()> {
        let unfit = |message: String, hint: &str| {
            Err(failure(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message).hinting(hint))
        };
        let short = |message: String, hint: &str| {
            Err(failure(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED, message).hinting(hint))
        };
        if self.is_repository {
            return unfit(
                format!("server \"{server}\" is a repository itself"),
                "Subscribe its sources.",
            );
        }
        if self.wal_level != "logical" {
            return unfit(
                format!(
                    "wal_level of server \"{server}\" is {}, not logical",
                    self.wal_level
                ),
                "There: ALTER SYSTEM SET wal_level = logical; then restart it.",
            );
        }
        if !self.may_replicate {
            return Err(failure(
                ERRCODE_INSUFFICIENT_PRIVILEGE,
                format!("the role that connects to server \"{server}\" may not replicate"),
            )
            .hinting("There: ALTER ROLE … REPLICATION; GRANT pg_monitor TO …;"));
        }
        if self.free_slots < 2 {
            return short(
                format!(
                    "server \"{server}\" has no two free replication slots: one that stays, and one during this call"
                ),
                "There: raise max_replication_slots, or drop slots that nobody uses; then restart it.",
            );
        }
        if self.free_senders < 1 {
            return short(
                format!("server \"{server}\" has no free process for a subscription"),
                "There: raise max_wal_senders, and restart it.",
            );
        }
        Ok(())
    }

    /// All nodes whose rows it publishes, as an array of uuid.
    pub fn node_array(&self) -> String {
        format!("{{{}}}", self.nodes.join(","))
    }

    /// The node of the source itself.
    ///
    /// # Errors
    /// It has none.
    pub fn node(&self) -> Result<&str> {
        let first = self.nodes.first().map(String::as_str);
        first.ok_or(Error::NotInstalled)
    }

    /// The first day for whose samples there should be partitions here, counted from today: the oldest one of which every sample comes.
    ///
    /// # Errors
    /// Those of SQL.
    pub fn first_day(&self) -> Result<i32> {
        #[derive(Deserialize)]
        struct Newest {
            day: Option<i32>,
        }
        let newest: Option<Newest> = spi::select_one(
            "SELECT pg_catalog.max((s.taken_at AT TIME ZONE 'UTC')::pg_catalog.date) \
                    - (pg_catalog.now() AT TIME ZONE 'UTC')::pg_catalog.date AS day \
               FROM pgperf.samples s WHERE s.node_id = $1::pg_catalog.uuid AND s.complete",
            &[self.node()?.into()],
        )?;
        let newest = newest.and_then(|newest| newest.day).unwrap_or(i32::MIN);
        Ok(self.first_day.unwrap_or(0).max(newest).clamp(-MOST_DAYS, 0))
    }

    /// Whether its history can come here: its node is neither the local one nor subscribed already.
    ///
    /// # Errors
    /// It is.
    pub fn check_here(&self, server: &str) -> Result<()> {
        #[derive(Deserialize)]
        struct Known {
            subscription: String,
        }
        let id = self.node()?;
        if node::known()?.as_deref() == Some(id) {
            return Err(failure(
                ERRCODE_DUPLICATE_OBJECT,
                format!("server \"{server}\" has the node of this database"),
            )
            .detailed("It is this database, or one of both is a copy of the other.")
            .hinting("A copy becomes a node of its own by SELECT pgperf.new_node();"));
        }
        let known: Option<Known> = spi::select_one(
            "SELECT s.subscription FROM pgperf_internal.sources s \
              WHERE s.node_id = $1::pg_catalog.uuid AND s.subscription IS NOT NULL \
                AND EXISTS (SELECT FROM pg_catalog.pg_subscription p WHERE p.subname = s.subscription \
                    AND p.subdbid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()))",
            &[id.into()],
        )?;
        if let Some(Known { subscription }) = known {
            return Err(failure(
                ERRCODE_DUPLICATE_OBJECT,
                format!("the node of server \"{server}\" is subscribed already, as \"{subscription}\""),
            )
            .hinting("If that server is another one, one is a copy: SELECT pgperf.new_node() there. To begin anew: SELECT pgperf.unsubscribe_history(…) first."));
        }
        self.check_imported(server)?;
        check_room()
    }

    /// Imported runs have numbers of this server, under the node of the source: its own runs come to have the same ones.
    fn check_imported(&self, server: &str) -> Result<()> {
        #[derive(Deserialize)]
        struct Imported {
            runs: Option<String>,
        }
        let imported: Option<Imported> = spi::select_one(
            "SELECT pg_catalog.string_agg(pg_catalog.format('%s/%s', n.name, r.run_id), ', ' ORDER BY n.name, r.run_id) AS runs \
               FROM pgperf.runs r JOIN pgperf.nodes n ON n.node_id = r.node_id \
              WHERE r.node_id = ANY ($1::pg_catalog.uuid[]) AND r.origin_node_id IS NOT NULL",
            &[self.node_array().into()],
        )?;
        match imported.and_then(|imported| imported.runs) {
            None => Ok(()),
            Some(runs) => Err(failure(
                ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("runs of server \"{server}\" were imported here: {runs}"),
            )
            .hinting(
                "Its subscription brings them: SELECT pgperf.delete_run('node name/run_id') first.",
            )),
        }
    }
}

fn check_publications(control: &mut Control, server: &str, publication: &str) -> Result<()> {
    let published: Vec<Published> = control.select(PUBLISHED)?;
    let is_there = |name: &String| published.iter().any(|it| it.publication == *name);
    let wanted = publications(publication);
    match wanted.iter().find(|name| !is_there(name)) {
        None => Ok(()),
        Some(missing) => Err(failure(
            ERRCODE_UNDEFINED_OBJECT,
            format!("server \"{server}\" has no publication \"{missing}\" of its history"),
        )
        .hinting(format!(
            "There: SELECT pgperf.publish_history({});",
            quote_literal(publication)
        ))),
    }
}

/// Rows of a newer version may have columns that are unknown here.
fn check_version(server: &str, there: &[u32]) -> Result<()> {
    let here: Option<Extension> = spi::select_one(
        "SELECT pg_catalog.string_to_array(e.extversion, '.')::pg_catalog.int8[] AS version \
           FROM pg_catalog.pg_extension e WHERE e.extname = 'pgperf'",
        &[],
    )?;
    let here = here.and_then(|it| it.version).unwrap_or_default();
    let text = |version: &[u32]| {
        let parts: Vec<String> = version.iter().map(u32::to_string).collect();
        parts.join(".")
    };
    // A source of 1.2 has nothing of this.
    match there <= here.as_slice() && there >= [1, 3].as_slice() {
        true => Ok(()),
        false => Err(failure(
            ERRCODE_FEATURE_NOT_SUPPORTED,
            format!(
                "server \"{server}\" has pgperf {}, this database {}",
                text(there),
                text(&here)
            ),
        )
        .hinting("A source has 1.3 or later, and no later version than its repository: update the repository first.")),
    }
}

/// Whether this server can take another subscription.
fn check_room() -> Result<()> {
    #[derive(Deserialize)]
    struct Room {
        workers: i64,
        origins: i64,
    }
    let room: Option<Room> = spi::select_one(
        "SELECT pg_catalog.current_setting('max_logical_replication_workers')::pg_catalog.int8 \
                - (SELECT pg_catalog.count(*) FROM pg_catalog.pg_subscription s WHERE s.subenabled) AS workers, \
            COALESCE(pg_catalog.current_setting('max_active_replication_origins', true), \
                     pg_catalog.current_setting('max_replication_slots'))::pg_catalog.int8 \
                - (SELECT pg_catalog.count(*) FROM pg_catalog.pg_replication_origin_status) AS origins",
        &[],
    )?;
    let short = |setting: &str, what: &str| {
        Err(failure(
            ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
            format!("this server has {what} for another subscription"),
        )
        .hinting(format!(
            "Raise {setting} here, and restart the server: a subscription takes one of each."
        )))
    };
    match room {
        Some(Room { workers: ..=0, .. }) => short(
            "max_logical_replication_workers (and max_worker_processes)",
            "no worker",
        ),
        Some(Room { origins: ..=0, .. }) => short(
            "max_active_replication_origins (before 18: max_replication_slots)",
            "no replication origin",
        ),
        _ => Ok(()),
    }
}

/// The name of the slot on a source: of this repository's node and the source's database.
pub fn slot_name(repository: &str, source: &Source) -> String {
    let node = repository.replace('-', "");
    format!("pgperf_{node}_{}", source.database_oid)
}
