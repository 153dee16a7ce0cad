//! A statement on its way into a workload: where it gets the values of its parameters.

use super::calls::{self, Done};
use super::facts::{Facts, Wanted};
use super::new_keys::new_keys;
use super::pools::Pool;
use super::popularity;
use super::preference;
use super::ranges;
use super::rows::PoolKey;
use super::scripts::{self, IncludedStatement, Pools, fresh};
use super::source::Observed;
use super::trial;
use super::uses::{Command, Use, Uses};
use super::values::{Plan, plan};
use crate::error::Result;
use std::collections::BTreeSet;

/// A statement of a script has no more.
const MAX_VARIABLES: usize = 255;

/// A statement whose values are being sought.
pub struct Candidate {
    pub observed: Observed,
    /// As it was analyzed.
    pub text: String,
    pub uses: Uses,
    /// Of the parameters.
    pub types: Vec<u32>,
}

/// What all statements are looked at with.
pub struct Look<'f> {
    facts: &'f Facts,
    writes: bool,
    pool_rows: i64,
    /// Tables that the workload gives new keys.
    growing: BTreeSet<u32>,
}

impl<'f> Look<'f> {
    /// At these statements.
    pub fn new<'c>(
        candidates: impl Iterator<Item = &'c Candidate>,
        facts: &'f Facts,
        writes: bool,
        pool_rows: i64,
    ) -> Look<'f> {
        let gets_new = |it: &&Candidate| {
            writes && new_keys(&it.uses, facts).is_ok_and(|columns| !columns.is_empty())
        };
        let growing = candidates.filter(gets_new);
        Look {
            facts,
            writes,
            pool_rows,
            growing: growing.filter_map(|it| it.uses.target).collect(),
        }
    }
}

/// What has to be known of the catalog.
pub fn wanted<'c>(candidates: impl Iterator<Item = &'c Candidate>) -> Wanted {
    let mut wanted = Wanted::default();
    let wide =
        |oids: &BTreeSet<u32>| -> Vec<i64> { oids.iter().map(|oid| i64::from(*oid)).collect() };
    for candidate in candidates {
        wanted.relations.extend(wide(&candidate.uses.relations));
        wanted.functions.extend(wide(&candidate.uses.functions));
        let types = candidate.types.iter();
        let types = types.chain(&candidate.uses.types);
        let types = types.chain(&candidate.uses.column_types);
        wanted.types.extend(types.map(|oid| i64::from(*oid)));
        for found in candidate.uses.parameters.values() {
            if let Use::Compared { operator, .. }
            | Use::Listed { operator, .. }
            | Use::Array { operator, .. }
            | Use::Offset { operator, .. }
            | Use::Added { operator, .. } = found
            {
                wanted.operators.insert(i64::from(*operator));
            }
        }
    }
    wanted
}

/// A statement with the values of its parameters, or why it has none.
pub fn part(
    candidate: &Candidate,
    look: &Look,
    pools: &mut Pools,
) -> Result<std::result::Result<IncludedStatement, String>> {
    let facts = look.facts;
    let types: Option<Vec<_>> = candidate
        .types
        .iter()
        .map(|oid| facts.types.get(oid))
        .collect();
    let Some(types) = types else {
        return Ok(Err("the type of a parameter is not known".to_owned()));
    };
    let mut plan = match plan(&candidate.uses, facts, types.len(), look.writes) {
        Ok(plan) => plan,
        Err(reason) => return Ok(Err(reason)),
    };
    let variables = plan.draws.values().filter(|it| it.literal().is_none());
    let variables = variables.count();
    if variables > MAX_VARIABLES {
        return Ok(Err(format!(
            "it has {variables} parameters, more than {MAX_VARIABLES}"
        )));
    }
    if let Some(reason) = facts.foreign_of_tables(&candidate.uses) {
        return Ok(Err(reason));
    }
    if let Some(target) = candidate.uses.target {
        popularity::find(&mut plan, target, candidate.observed.calls, facts)?;
    }
    if let Err(reason) = read(&plan, look, pools)? {
        return Ok(Err(reason));
    }
    if let Err(reason) = ranges::find_steps(&mut plan, facts)? {
        return Ok(Err(reason));
    }
    let observed = &candidate.observed;
    let mut part = IncludedStatement {
        text: candidate.text.clone(),
        plan,
        rows: observed.rows_per_call().round() as i64,
        changes: (candidate.uses.target)
            .filter(|_| matches!(candidate.uses.command, Command::Update | Command::Delete)),
        finds_changes: false,
        take_zero: types.iter().map(|it| it.takes_zero).collect(),
    };
    if let Err(reason) = scripts::check(&part, pools) {
        return Ok(Err(reason));
    }
    let foreign = facts.foreign(&candidate.uses, &candidate.types);
    let names: Vec<String> = types.iter().map(|it| it.name.clone()).collect();
    if part.plan.is_uncertain {
        if let Some(foreign) = foreign {
            return Ok(Err(format!(
                "its values would have to be tried, which calls {foreign} of another role"
            )));
        }
        // What it decides counts only if it becomes part of the workload, and for all that come later.
        let mut decided = pools.clone();
        match trial::settle(&mut part, observed, &mut decided, &names)? {
            Ok(done) => part.finds_changes = Done::of(observed).finds_changes(done),
            Err(reason) => return Ok(Err(reason)),
        }
        ranges::settle(&mut part.plan);
        if let Err(reason) = read(&part.plan, look, &mut decided)? {
            return Ok(Err(reason));
        }
        *pools = decided;
        for key in part.plan.pools() {
            if let Some((_, pool)) = pools.get_mut(&key) {
                pool.decide(None);
            }
        }
    } else if candidate.uses.command == Command::Select && foreign.is_none() {
        preference::find(&part, observed, pools, &names)?;
        if look.writes {
            let alone = calls::does(&part, observed, pools, &names)?;
            part.finds_changes = alone.is_some_and(|it| Done::of(observed).finds_changes(it));
        }
    } else {
        part.plan.set_width(part.rows);
    }
    for (of, key) in part.plan.settle_lists() {
        if let Some(lists) = pools.get(&of).map(|(_, pool)| pool.lists(key.clone())) {
            add(pools, key, lists, facts);
        }
    }
    Ok(Ok(part))
}

/// Makes the pools that values come from, unless they are there.
fn read(plan: &Plan, look: &Look, pools: &mut Pools) -> Result<std::result::Result<(), String>> {
    for key in plan.pools() {
        if pools.contains_key(&key) {
            continue;
        }
        let grows = look.growing.contains(&key.relation);
        match Pool::make(&key, look.facts, look.pool_rows, grows)? {
            Ok(pool) => add(pools, key, pool, look.facts),
            Err(reason) => return Ok(Err(reason)),
        }
    }
    Ok(Ok(()))
}

/// Gives a pool a name, unless it has one.
fn add(pools: &mut Pools, key: PoolKey, pool: Pool, facts: &Facts) {
    if !pools.contains_key(&key) {
        let mut taken: BTreeSet<String> = pools.values().map(|(name, _)| name.clone()).collect();
        let relation = facts.relations.get(&key.relation);
        let name = fresh(relation.map_or("", |it| &it.name), &mut taken);
        pools.insert(key, (name, pool));
    }
}

/// From so many reads from disk per call on, a statement is the first of its transaction to touch its rows.
const FIRST_TOUCH: f64 = 0.05;

/// Its place in a transaction: when it was first seen, if that is known. Otherwise what reads from disk comes first, then
/// other reads, then changes of large tables, so that rows that many wait for are locked late, and what finds changed rows.
pub fn order(candidate: &Candidate, part: &IncludedStatement, facts: &Facts) -> f64 {
    if let Some(since) = candidate.observed.since {
        return since;
    }
    if part.finds_changes {
        return 2.5;
    }
    let reads = candidate.observed.read / candidate.observed.calls.max(1.0);
    if reads >= FIRST_TOUCH {
        return -reads;
    }
    let target = candidate
        .uses
        .target
        .and_then(|oid| facts.relations.get(&oid));
    let pages = target.map_or(0.0, |it| it.pages);
    match candidate.uses.command {
        Command::Select => 0.0,
        Command::Update | Command::Merge => 1.0 + 1.0 / (1.0 + pages),
        Command::Insert => 3.0,
        Command::Delete => 4.0,
    }
}
