//! The caches before a run: `caches => 'cold'` and `'warm'`.

use crate::collect::SERVER_MAJOR;
use crate::error::{Result, failure, hinted};
use crate::facts::store_rows;
use crate::pg::catalog::role;
use crate::pg::server;
use crate::pg::server::checkpoint;
use crate::pg::server::page_cache::Residency;
use crate::pg::sql::quote::quote_ident;
use crate::pg::sql::spi;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::{Deserialize, Serialize};

/// What is done to them before the clients start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Caches {
    /// Emptied.
    Cold,
    /// The tables and indexes of the database are read.
    Warm,
}

impl Caches {
    /// The argument, which a warm-up would contradict where they are to be cold.
    ///
    /// # Errors
    /// Another value, or a right that the caller lacks.
    pub fn parse(text: Option<&str>, warms_up: bool) -> Result<Option<Caches>> {
        let caches = match text {
            None => return Ok(None),
            Some("cold") => Caches::Cold,
            Some("warm") => Caches::Warm,
            Some(other) => {
                return Err(hinted(
                    format!("unknown caches \"{other}\""),
                    "Allowed values are: cold (emptied before the clients start), warm (tables and indexes are read before). Without it they stay as they are.",
                ));
            }
        };
        if caches == Caches::Cold && warms_up {
            return Err(hinted(
                "caches => 'cold' and warmup exclude each other".to_owned(),
                "A warm-up would fill the caches.",
            ));
        }
        if caches == Caches::Cold && !checkpoint::may_request(server::current_role()) {
            return Err(failure(
                PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                "caches => 'cold' needs the privileges of pg_checkpoint",
            )
            .hinting("GRANT pg_checkpoint to your role. Emptied caches slow down everybody on the server."));
        }
        Ok(Some(caches))
    }

    pub fn name(self) -> &'static str {
        match self {
            Caches::Cold => "cold",
            Caches::Warm => "warm",
        }
    }
}

/// What has become of shared_buffers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evicted {
    Buffers(i64),
    /// They were empty: the server was started, and no run has been since.
    Restart,
    /// Why they are as they were.
    Not(String),
}

/// The statement that evicts all buffers that nobody has pinned, or why there is none.
///
/// # Errors
/// The catalog cannot be read.
pub fn eviction() -> Result<std::result::Result<String, String>> {
    #[derive(Deserialize)]
    struct EvictionFunctions {
        schema: String,
        all: bool,
        each: bool,
    }
    // Only functions of the extension itself: in its schema others may create some of the same name.
    let found: Option<EvictionFunctions> = spi::select_one(
        "WITH own AS (SELECT p.proname, e.extnamespace \
             FROM pg_catalog.pg_extension e \
             LEFT JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid = e.oid \
                  AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.deptype = 'e' \
             LEFT JOIN pg_catalog.pg_proc p ON p.oid = d.objid \
             WHERE e.extname = 'pg_buffercache') \
         SELECT n.nspname AS schema, pg_catalog.bool_or(own.proname = 'pg_buffercache_evict_all') AS all, \
                pg_catalog.bool_or(own.proname = 'pg_buffercache_evict') AS each \
         FROM own JOIN pg_catalog.pg_namespace n ON n.oid = own.extnamespace GROUP BY n.nspname",
        &[],
    )?;
    let kept = |why: &str| Ok(Err(format!("shared_buffers kept what they had: {why}")));
    let sql = match found {
        Some(EvictionFunctions {
            schema, all: true, ..
        }) => format!(
            "SELECT buffers_evicted::pg_catalog.int8 AS evicted FROM {}.pg_buffercache_evict_all()",
            quote_ident(&schema)
        ),
        Some(EvictionFunctions {
            schema, each: true, ..
        }) => format!(
            "SELECT pg_catalog.count(*) FILTER (WHERE {0}.pg_buffercache_evict(b.bufferid)) AS evicted FROM {0}.pg_buffercache b \
              WHERE b.relfilenode IS NOT NULL",
            quote_ident(&schema)
        ),
        _ if SERVER_MAJOR < 17 => {
            return kept("only PostgreSQL 17 and later can empty them without a restart");
        }
        _ => return kept("the extension pg_buffercache is missing or older than 1.5"),
    };
    match server::is_superuser(role::extension_owner()) {
        true => Ok(Ok(sql)),
        false => kept("the owner of the extension is no superuser"),
    }
}

/// Evicts all buffers that nobody has pinned, where the server has a function for it, before this run.
///
/// # Errors
/// That of the function.
pub fn evict(node_id: &str, run_id: i64) -> Result<Evicted> {
    #[derive(Deserialize)]
    struct EvictedBuffers {
        evicted: i64,
    }
    let sql = match eviction()? {
        Ok(sql) => sql,
        Err(_) if is_first_since_start(node_id, run_id)? => return Ok(Evicted::Restart),
        Err(why) => return Ok(Evicted::Not(why)),
    };
    let count: Option<EvictedBuffers> = spi::select_one(&sql, &[])?;
    Ok(Evicted::Buffers(count.map_or(0, |count| count.evicted)))
}

/// Whether no other run or load has been since the server was started.
fn is_first_since_start(node_id: &str, run_id: i64) -> Result<bool> {
    #[derive(Deserialize)]
    struct RunOrder {
        first: bool,
    }
    let found: Option<RunOrder> = spi::select_one(
        "SELECT NOT EXISTS (SELECT FROM pgperf_internal.stored_runs r \
                 WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id <> $2 AND r.origin_node_id IS NULL \
                   AND COALESCE(r.ended_at, r.started_at, r.requested_at) > pg_catalog.pg_postmaster_start_time()) AS first",
        &[node_id.into(), run_id.into()],
    )?;
    Ok(found.is_some_and(|found| found.first))
}

/// The tables and indexes that a warm run reads: those of users.
pub fn relations() -> Result<Vec<u32>> {
    #[derive(Deserialize)]
    struct UserRelation {
        oid: u32,
    }
    let all: Vec<UserRelation> = spi::select(
        "SELECT c.oid::pg_catalog.int8 AS oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         WHERE c.relkind IN ('r', 'm', 'i', 't') AND c.relpersistence <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pgperf', 'pgperf_internal') \
         ORDER BY c.relkind = 'i', c.oid",
        &[],
    )?;
    Ok(all.into_iter().map(|relation| relation.oid).collect())
}

/// What was done, for the facts of the run.
#[derive(Debug, Default)]
pub struct Prepared {
    /// None: it has not come to that.
    pub evicted: Option<Evicted>,
    /// The files of the database in the operating system's cache, afterwards.
    pub residency: Option<Residency>,
    /// Bytes that were read.
    pub read: Option<u64>,
    /// What went wrong.
    pub trouble: Option<String>,
}

/// Stores it among the facts of the run.
pub fn store(node_id: &str, run_id: i64, caches: Caches, prepared: &Prepared) -> Result<()> {
    #[derive(Serialize)]
    struct CacheFact {
        category: &'static str,
        name: &'static str,
        value: Option<String>,
        unit: Option<&'static str>,
        note: Option<String>,
    }
    let row = |name, value: Option<String>, unit| CacheFact {
        category: "memory",
        name,
        value,
        unit,
        note: None,
    };
    let (buffers, kept) = match &prepared.evicted {
        Some(Evicted::Buffers(count)) => (Some(*count), None),
        Some(Evicted::Not(why)) => (None, Some(why.clone())),
        Some(Evicted::Restart) | None => (None, None),
    };
    let note = prepared.trouble.clone().or(kept);
    let mut rows = vec![CacheFact {
        note,
        ..row("caches", Some(caches.name().to_owned()), None)
    }];
    rows.extend(buffers.map(|count| row("caches.evicted_buffers", Some(count.to_string()), None)));
    if prepared.evicted == Some(Evicted::Restart) {
        rows.push(row("caches.restart", Some("on".to_owned()), None));
    }
    if let Some(found) = prepared.residency {
        rows.push(row(
            "caches.files",
            Some(found.bytes.to_string()),
            Some("bytes"),
        ));
        let resident = Some(found.resident.to_string());
        rows.push(row("caches.files_in_memory", resident, Some("bytes")));
    }
    rows.extend(
        prepared
            .read
            .map(|bytes| row("caches.read", Some(bytes.to_string()), Some("bytes"))),
    );
    spi::execute(
        "DELETE FROM pgperf.run_environment \
          WHERE node_id = $1::pg_catalog.uuid AND run_id = $2 AND category = 'memory' AND name ~ '^caches'",
        &[node_id.into(), run_id.into()],
    )?;
    store_rows("pgperf.run_environment", node_id, run_id, rows)
}
