//! Finds the run that the user means, and checks the right to see it.

use super::error::UnknownRun;
use super::node;
use crate::error::{Error, Result, failure};
use crate::pg::catalog::role::as_owner;
use crate::pg::server;
use crate::pg::sql::spi;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::{
    ERRCODE_INSUFFICIENT_PRIVILEGE, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
};

use serde::Deserialize;

/// A run that exists: its key, and the role it runs as.
#[derive(Debug, Clone, Deserialize)]
pub struct ExistingRun {
    /// uuid as text.
    pub node_id: String,
    pub run_id: i64,
    pub role: String,
}

/// The run of that number here, see `pgperf_internal.find_run`; None: the newest that this node has run itself.
///
/// # Errors
/// There is none.
pub fn by_id(run_id: Option<i64>) -> Result<ExistingRun> {
    find(run_id)?.ok_or_else(|| {
        UnknownRun {
            run: run_id.map(|id| id.to_string()),
        }
        .into()
    })
}

fn find(run_id: Option<i64>) -> Result<Option<ExistingRun>> {
    as_owner(|| {
        spi::select_one(
            "SELECT r.node_id, r.run_id, r.role FROM pgperf_internal.find_run($1) f \
               JOIN pgperf_internal.stored_runs r ON r.node_id = f.node_id AND r.run_id = f.found_id",
            &[run_id.into()],
        )
    })
}

/// The run that an argument of type text means; None: the newest that this node has run itself.
///
/// # Errors
/// There is none.
pub fn named(name: Option<&str>) -> Result<ExistingRun> {
    name.map_or_else(|| by_id(None), by_name)
}

/// The run of that number here; otherwise the one written as `node name/run_id`, with the node's name or id, by its number on that node or,
/// if it was imported, by the one here; otherwise the newest run with that label, of any node. So no label hides a run. Nor can anybody take
/// another user's label away: of runs that share one, those visible to the current user come first.
///
/// # Errors
/// There is none.
pub fn by_name(name: &str) -> Result<ExistingRun> {
    let number: Option<i64> = name.trim().parse().ok();
    let identified = match (number, node_and_id(name)) {
        (Some(run_id), _) => find(Some(run_id))?,
        (None, Some((node, run_id))) => of_node(node, run_id)?,
        (None, None) => None,
    };
    let found = match identified {
        None => labelled(name)?,
        found => found,
    };
    found.ok_or_else(|| {
        let quoted = || format!("\"{name}\"");
        UnknownRun {
            run: Some(number.map_or_else(quoted, |run_id| run_id.to_string())),
        }
        .into()
    })
}

fn of_node(node: &str, run_id: i64) -> Result<Option<ExistingRun>> {
    as_owner(|| {
        spi::select_one(
            "SELECT r.node_id, r.run_id, r.role \
             FROM pgperf_internal.stored_runs r JOIN pgperf.nodes n USING (node_id) \
             WHERE (n.name = $1 OR n.node_id::pg_catalog.text = pg_catalog.lower($1)) AND (r.origin_run_id = $2 OR r.run_id = $2) \
             ORDER BY n.name = $1 DESC, COALESCE(r.origin_run_id, r.run_id) = $2 DESC, r.run_id LIMIT 1",
            &[node.into(), run_id.into()],
        )
    })
}

fn labelled(label: &str) -> Result<Option<ExistingRun>> {
    let caller = server::current_role();
    as_owner(|| {
        spi::select_one(
            &format!(
                "SELECT r.node_id, r.run_id, r.role FROM pgperf_internal.stored_runs r WHERE r.label = $1 \
                 ORDER BY ({}) DESC, r.requested_at DESC, r.run_id DESC LIMIT 1",
                may_see_sql("$2", "r.role")
            ),
            &[label.into(), caller.into()],
        )
    })
}

/// Keeps the run from being deleted until the transaction ends, before something that refers to it is stored.
///
/// # Errors
/// It has been deleted meanwhile.
pub fn hold(run: &ExistingRun) -> Result<()> {
    let held = as_owner(|| {
        spi::execute(
            "SELECT 1 FROM pgperf_internal.stored_runs r \
              WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2 FOR KEY SHARE",
            &[run.node_id.as_str().into(), run.run_id.into()],
        )
    })?;
    match held {
        0 => Err(UnknownRun {
            run: Some(run.run_id.to_string()),
        }
        .into()),
        _ => Ok(()),
    }
}

/// Splits at the last slash: a node's name may hold slashes itself.
fn node_and_id(name: &str) -> Option<(&str, i64)> {
    let (node, run_id) = name.rsplit_once('/')?;
    Some((node, run_id.parse().ok()?))
}

impl ExistingRun {
    /// Whether this server ran it, or runs it, as its node or a former one: its leader can only be here then.
    ///
    /// # Errors
    /// Those of SQL.
    pub fn is_of_this_server(&self) -> Result<bool> {
        node::is_of_this_server(&self.node_id)
    }

    /// The error of a call that only the run's own server can do.
    pub fn elsewhere(&self, what: &str) -> Error {
        failure(
            ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!(
                "cannot {what} run {} here: it is another node's",
                self.run_id
            ),
        )
        .hinting("Call it on the server where the run was started; pgperf.nodes lists the nodes.")
    }

    /// Fails unless the current user may see runs of the run's role.
    pub fn check_visible(&self) -> Result<()> {
        if may_see(&self.role)? {
            return Ok(());
        }
        Err(failure(
            ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!("permission denied for run {}", self.run_id),
        )
        .hinting(format!(
            "It runs as role \"{}\": members of that role and of pg_monitor can see it.",
            self.role
        )))
    }

    /// A run belongs to its role: that role, its members and superusers stop, resume and delete it.
    pub fn check_control(&self) -> Result<()> {
        if server::caller_controls(&self.role) {
            return Ok(());
        }
        Err(failure(
            ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!(
                "must be a member of role \"{}\" to control run {}",
                self.role, self.run_id
            ),
        ))
    }
}

/// Whether the current user has the privileges of that role or of pg_monitor (a superuser has them all). A dropped
/// role has no members.
pub fn may_see(role: &str) -> Result<bool> {
    permits(
        &may_see_sql("$1", "$2"),
        &[server::current_role().into(), role.into()],
    )
}

/// Whether a role may see everything: measurements of the server, and the runs of all roles.
pub fn may_see_all(role: pg_sys::Oid) -> Result<bool> {
    permits(
        "pg_catalog.pg_has_role($1, 'pg_monitor', 'USAGE')",
        &[role.into()],
    )
}

/// Whether a condition on roles holds. It takes no transaction id: a standby has none to give.
fn permits(condition: &str, args: &[DatumWithOid]) -> Result<bool> {
    #[derive(Deserialize)]
    struct Permission {
        holds: bool,
    }
    let answer: Option<Permission> =
        as_owner(|| spi::select_one(&format!("SELECT {condition} AS holds"), args))?;
    Ok(answer.is_some_and(|answer| answer.holds))
}

/// A condition in SQL: the role with the oid `caller` may see what belongs to the role named `role`.
pub fn may_see_sql(caller: &str, role: &str) -> String {
    format!(
        "pg_catalog.pg_has_role({caller}, 'pg_monitor', 'USAGE') \
         OR COALESCE(pg_catalog.pg_has_role({caller}, \
             pg_catalog.to_regrole(pg_catalog.quote_ident({role})), 'USAGE'), false)"
    )
}

#[cfg(test)]
mod tests {
    use super::node_and_id;

    #[test]
    fn a_run_of_another_node_is_named_by_node_and_id() {
        assert_eq!(node_and_id("db1/7"), Some(("db1", 7)));
        assert_eq!(node_and_id("rack/db1/7"), Some(("rack/db1", 7)));
        assert_eq!(node_and_id("nightly"), None);
        assert_eq!(node_and_id("nightly/x"), None);
    }
}
