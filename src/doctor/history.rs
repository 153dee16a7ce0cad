//! The state of the stored history: its node, its samples, its publication to subscribers, and its runs.

use super::finding::{Finding, Status};
use super::settings::Settings;
use crate::error::Result;
use crate::pg::sql::quote::quote_literal;
use crate::pg::sql::spi;
use serde::Deserialize;

pub fn check(_: &Settings) -> Result<Vec<Finding>> {
    let mut findings = vec![node()?, samples()?, rows_without_a_run()?];
    findings.extend(targets()?);
    findings.extend(replication()?);
    Ok(findings)
}

/// Whether the server was promoted within the last week: then its former primary may go on with the same node.
fn node() -> Result<Finding> {
    const CHECK: &str = "node";
    #[derive(Deserialize)]
    struct Node {
        name: String,
        promoted_at: Option<String>,
    }
    let node: Option<Node> = spi::select_one(
        "SELECT n.name, CASE WHEN n.timeline > COALESCE(n.first_timeline, 1) AND n.timeline_since > pg_catalog.clock_timestamp() - '7 days'::pg_catalog.interval \
                             THEN pg_catalog.to_char(n.timeline_since, 'YYYY-MM-DD HH24:MI') END AS promoted_at \
         FROM pgperf.nodes n WHERE n.node_id = pgperf.local_node()",
        &[],
    )?;
    let Some(Node { name, promoted_at }) = node else {
        return Ok(Finding::unknown(CHECK, "the node cannot be read"));
    };
    Ok(match promoted_at {
        None => Finding::ok(CHECK, format!("the history is that of node \"{name}\"")),
        Some(at) => Finding::new(
            CHECK,
            Status::Warning,
            format!(
                "since {at} a promoted standby goes on with node \"{name}\"; if its former primary goes on, too, \
                 their histories mix where both are collected: call pgperf.new_node() on one of the two"
            ),
        ),
    })
}

/// The outcomes of the samples of the last hour.
fn samples() -> Result<Finding> {
    const CHECK: &str = "history";
    #[derive(Deserialize)]
    struct SampleCounts {
        samples: i64,
        failed: i64,
        last: Option<String>,
    }
    let seen: Option<SampleCounts> = spi::select_one(
        "SELECT pg_catalog.count(DISTINCT s.sample_id) AS samples, \
                pg_catalog.count(DISTINCT s.sample_id) FILTER (WHERE o.value ->> 'status' = 'failed') AS failed, \
                (pg_catalog.array_agg(o.key || ': ' || (o.value ->> 'reason') ORDER BY s.sample_id DESC) \
                    FILTER (WHERE o.value ->> 'status' = 'failed'))[1] AS last \
         FROM pgperf.samples s LEFT JOIN LATERAL pg_catalog.jsonb_each(s.outcomes) o ON true \
         WHERE s.taken_at > pg_catalog.clock_timestamp() - '1 hour'::pg_catalog.interval \
           AND s.node_id = pgperf.local_node()",
        &[],
    )?;
    let Some(seen) = seen else {
        return Ok(Finding::unknown(CHECK, "the samples cannot be read"));
    };
    Ok(match seen.last {
        None => Finding::ok(
            CHECK,
            format!("{} samples in the last hour, none failed", seen.samples),
        ),
        Some(last) => Finding::new(
            CHECK,
            Status::Problem,
            format!(
                "{} of the {} samples of the last hour are incomplete, because figures could not be read or stored; the last: {last}",
                seen.failed, seen.samples
            ),
        ),
    })
}

/// The targets that are to be sampled, if there are any.
fn targets() -> Result<Option<Finding>> {
    const CHECK: &str = "sampled_servers";
    #[derive(Deserialize)]
    struct Seen {
        targets: i64,
        running: bool,
        first: String,
        failing: i64,
        failures: Option<String>,
        unknown: Option<String>,
    }
    let seen: Option<Seen> = spi::select_one(
        "SELECT pg_catalog.count(*) AS targets, pg_catalog.bool_and(s.running) AS running, pg_catalog.min(s.server) AS first, \
                pg_catalog.count(*) FILTER (WHERE s.is_failing) AS failing, \
                pg_catalog.string_agg(pg_catalog.format('%s since %s: %s', s.server, pg_catalog.date_trunc('second', s.since), s.error), '; ' ORDER BY s.server) \
                    FILTER (WHERE s.is_failing AND s.place <= 10) AS failures, \
                pg_catalog.string_agg(pg_catalog.format('%s: %s', s.server, (SELECT pg_catalog.string_agg(u.key, ', ' ORDER BY u.key) \
                        FROM pg_catalog.jsonb_object_keys(s.unknown) u(key))), '; ' ORDER BY s.server) \
                    FILTER (WHERE s.unknown <> '{}' AND s.place <= 10) AS unknown \
           FROM (SELECT t.server, t.running, t.since, t.error, t.unknown, NOT t.connected AND t.error IS NOT NULL AS is_failing, \
                        pg_catalog.row_number() OVER (PARTITION BY NOT t.connected AND t.error IS NOT NULL ORDER BY t.server) AS place \
                   FROM pgperf.sampled_servers t) s HAVING pg_catalog.count(*) > 0",
        &[],
    )?;
    let Some(seen) = seen else {
        return Ok(None);
    };
    let all = seen.targets;
    if !seen.running {
        let start = format!(
            "SELECT pgperf.start_sampler(server => {})",
            quote_literal(&seen.first)
        );
        return Ok(Some(
            Finding::new(
                CHECK,
                Status::Problem,
                format!("no sampler runs for the {all} targets that are to be sampled"),
            )
            .mended_by(Some(start)),
        ));
    }
    Ok(Some(match seen.failures {
        Some(failures) => Finding::new(
            CHECK,
            Status::Problem,
            format!(
                "{} of {all} targets are not sampled: {failures}",
                seen.failing
            ),
        ),
        None => {
            let unknown = seen.unknown.map(|it| {
                format!("; not known of {it} (pgperf.sampled_servers.unknown has the reasons)")
            });
            Finding::ok(
                CHECK,
                format!("{all} targets are sampled{}", unknown.unwrap_or_default()),
            )
        }
    }))
}

/// No foreign key keeps rows with their run. The keys of each table are skipped through, so that millions of rows cost no
/// more than the number of runs.
fn rows_without_a_run() -> Result<Finding> {
    const CHECK: &str = "history_rows";
    #[derive(Deserialize)]
    struct HistoryTable {
        table_name: String,
        relation: String,
    }
    #[derive(Deserialize)]
    struct Orphans {
        runs: i64,
    }
    let tables: Vec<HistoryTable> = spi::select(
        "SELECT t.table_name, t.relation::pg_catalog.text AS relation FROM pgperf.run_tables t \
          WHERE t.kind = 'run' ORDER BY t.table_name",
        &[],
    )?;
    let mut found = Vec::new();
    for HistoryTable {
        table_name,
        relation,
    } in tables
    {
        let orphans: Option<Orphans> = spi::select_one(
            &format!(
                "WITH RECURSIVE k AS ( \
                    (SELECT t.node_id, t.run_id FROM {relation} t ORDER BY t.node_id, t.run_id LIMIT 1) \
                    UNION ALL \
                    SELECT n.node_id, n.run_id FROM k CROSS JOIN LATERAL ( \
                        SELECT t.node_id, t.run_id FROM {relation} t \
                         WHERE (t.node_id, t.run_id) > (k.node_id, k.run_id) \
                         ORDER BY t.node_id, t.run_id LIMIT 1) n) \
                 SELECT pg_catalog.count(*) AS runs FROM k WHERE NOT EXISTS ( \
                    SELECT FROM pgperf_internal.stored_runs r WHERE r.node_id = k.node_id AND r.run_id = k.run_id)"
            ),
            &[],
        )?;
        if let Some(orphans) = orphans.filter(|orphans| orphans.runs > 0) {
            found.push(format!("{table_name} ({} runs)", orphans.runs));
        }
    }
    Ok(match found.as_slice() {
        [] => Finding::ok(CHECK, "all rows belong to a stored run".to_owned()),
        _ => Finding::new(
            CHECK,
            Status::Warning,
            format!(
                "rows whose run is not stored here, as after an incomplete restore: {}",
                found.join(", ")
            ),
        ),
    })
}

/// Publications of this database that contain the history.
fn replication() -> Result<Vec<Finding>> {
    const CHECK: &str = "publications";
    #[derive(Deserialize)]
    struct PublishedName {
        name: String,
    }
    // Such as a partition that was restored from an earlier version of pgperf.
    let unidentified: Vec<PublishedName> = spi::select(
        "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) AS name FROM pg_catalog.pg_class c \
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
          WHERE n.nspname IN ('pgperf', 'pgperf_internal') AND c.relkind = 'r' AND c.relpersistence = 'p' \
            AND c.relreplident <> 'f' \
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid \
                AND (c.relreplident = 'd' AND i.indisprimary OR c.relreplident = 'i' AND i.indisreplident)) \
            AND EXISTS (SELECT FROM pg_catalog.pg_publication b WHERE (b.pubupdate OR b.pubdelete) \
                AND (b.puballtables OR EXISTS (SELECT FROM pg_catalog.pg_publication_tables p \
                                                WHERE p.pubname = b.pubname AND p.schemaname IN ('pgperf', 'pgperf_internal')))) \
          ORDER BY c.relname LIMIT 10",
        &[],
    )?;
    let by_partition: Vec<PublishedName> = spi::select(
        "SELECT pg_catalog.quote_ident(b.pubname) AS name FROM pg_catalog.pg_publication b \
          WHERE NOT b.pubviaroot AND EXISTS ( \
            SELECT FROM pg_catalog.pg_publication_tables p JOIN pgperf.history_partitions h ON h.partition_name = p.tablename \
             WHERE p.pubname = b.pubname AND p.schemaname = 'pgperf_internal') \
          ORDER BY b.pubname",
        &[],
    )?;
    let refused = unidentified.iter().map(|PublishedName { name }| {
        Finding::new(
            CHECK,
            Status::Problem,
            format!("{name} is published without a replica identity: the server refuses to update or delete its rows"),
        )
        .mended_by(Some(format!("ALTER TABLE {name} REPLICA IDENTITY FULL")))
    });
    let endangered = by_partition.iter().map(|PublishedName { name }| {
        Finding::new(
            CHECK,
            Status::Warning,
            format!(
                "publication {name} publishes the history partition by partition: its subscribers stop at the first partition \
                 that they lack, and a new one is created every day (subscribers then have to refresh the publication)"
            ),
        )
        .mended_by(Some(format!(
            "ALTER PUBLICATION {name} SET (publish_via_partition_root = true)"
        )))
    });
    let mut findings: Vec<Finding> = refused.chain(endangered).collect();
    if findings.is_empty() {
        findings.push(Finding::ok(
            CHECK,
            "no publication blocks the history".to_owned(),
        ));
    }
    Ok(findings)
}
