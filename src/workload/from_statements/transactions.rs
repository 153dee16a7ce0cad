//! Which statements belong to one transaction, as far as their calls tell: statements that were called equally often, while
//! BEGIN was called about as often.

/// What is known of a statement that becomes part of the workload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counted {
    pub calls: f64,
    /// Where it belongs in a transaction: a smaller one comes first.
    pub order: f64,
}

/// A script of the workload: the statements by number, with how often each is run.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub members: Vec<(usize, u32)>,
    pub calls: f64,
    pub is_transaction: bool,
}

/// Calls that differ by less are equal.
const TOLERANCE: f64 = 0.005;
/// The same for calls that are several times as many: other numbers come close to a whole one by chance.
const TOLERANCE_OF_MULTIPLES: f64 = 0.001;
/// How often a statement of a transaction is run in it at most.
const MAX_TIMES: f64 = 100.0;

/// What is known of the transactions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evidence {
    /// How often BEGIN was called.
    Begins(f64),
    /// Equal calls are enough.
    Calls,
    /// Each statement is a transaction.
    None,
}

/// Groups statements.
pub fn group(statements: &[Counted], evidence: Evidence) -> Vec<Group> {
    let begins = match evidence {
        Evidence::Begins(begins) => begins,
        Evidence::Calls => f64::INFINITY,
        Evidence::None => 0.0,
    };
    let mut order: Vec<usize> = (0..statements.len()).collect();
    order.sort_by(|a, b| statements[*b].calls.total_cmp(&statements[*a].calls));
    let mut groups: Vec<Group> = Vec::new();
    for number in order {
        let calls = statements[number].calls;
        match groups.last_mut().filter(|group| alike(group.calls, calls)) {
            Some(group) => group.members.push((number, 1)),
            None => groups.push(Group {
                members: vec![(number, 1)],
                calls,
                is_transaction: false,
            }),
        }
    }
    // The largest groups first: the BEGINs are theirs as long as there are enough.
    let mut candidates: Vec<usize> = (0..groups.len()).collect();
    candidates.sort_by_key(|at| std::cmp::Reverse(groups[*at].members.len()));
    let mut left = begins;
    for at in candidates {
        let group = &mut groups[at];
        let is_whole = group.members.len() > 1 || begins.is_finite() && alike(group.calls, begins);
        if is_whole && left > 0.0 && group.calls - left <= begins * TOLERANCE {
            left -= group.calls;
            group.is_transaction = true;
        }
    }
    let mut scripts = merged(groups, evidence);
    for script in &mut scripts {
        script.members.sort_by(|a, b| {
            let key = |member: &(usize, u32)| statements[member.0].order;
            key(a).total_cmp(&key(b)).then(a.0.cmp(&b.0))
        });
    }
    scripts
}

/// If all transactions are of one kind, statements that were called a whole number of times in each of them belong to them.
/// What belongs to no transaction is a script for each statement.
fn merged(groups: Vec<Group>, evidence: Evidence) -> Vec<Group> {
    let (mut transactions, others): (Vec<Group>, Vec<Group>) =
        groups.into_iter().partition(|group| group.is_transaction);
    let all = match (evidence, transactions.as_slice()) {
        (Evidence::Begins(begins), _) => begins,
        (_, [only]) => only.calls,
        _ => 0.0,
    };
    let mut scripts = Vec::new();
    for group in others {
        let times = (group.calls / all.max(1.0)).round();
        let fits = (2.0..=MAX_TIMES).contains(&times)
            && within(TOLERANCE_OF_MULTIPLES, group.calls, times * all);
        match transactions.as_mut_slice() {
            [only] if fits && alike(only.calls, all) => {
                let members = group.members.into_iter();
                only.members
                    .extend(members.map(|(number, _)| (number, times as u32)));
            }
            _ => scripts.extend(group.members.into_iter().map(|member| Group {
                members: vec![member],
                calls: group.calls,
                is_transaction: false,
            })),
        }
    }
    transactions.extend(scripts);
    transactions
}

fn alike(a: f64, b: f64) -> bool {
    within(TOLERANCE, a, b)
}

fn within(tolerance: f64, a: f64, b: f64) -> bool {
    (a - b).abs() <= tolerance * a.max(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(calls: &[f64], begins: f64) -> Vec<(Vec<(usize, u32)>, bool)> {
        let statements: Vec<Counted> = (calls.iter().zip(0..))
            .map(|(calls, number)| Counted {
                calls: *calls,
                order: -f64::from(number),
            })
            .collect();
        found(&statements, Evidence::Begins(begins))
    }

    fn found(statements: &[Counted], evidence: Evidence) -> Vec<(Vec<(usize, u32)>, bool)> {
        let groups = group(statements, evidence).into_iter();
        groups.map(|it| (it.members, it.is_transaction)).collect()
    }

    #[test]
    fn equal_calls_and_as_many_begins_are_a_transaction() {
        // As of pgbench's tpcb-like, in the order that is asked for.
        let all = [(2, 1), (1, 1), (0, 1)].to_vec();
        assert_eq!(grouped(&[1000.0, 1000.0, 999.0], 1001.0), [(all, true)]);
        // Without BEGIN each is one.
        assert_eq!(grouped(&[1000.0, 1000.0], 0.0).len(), 2);
        assert!(grouped(&[1000.0, 1000.0], 300.0).iter().all(|it| !it.1));
    }

    #[test]
    fn one_statement_may_be_a_transaction() {
        assert_eq!(grouped(&[1000.0], 1000.0), [(vec![(0, 1)], true)]);
        assert_eq!(grouped(&[1000.0], 10.0), [(vec![(0, 1)], false)]);
    }

    #[test]
    fn multiples_belong_to_the_only_transaction() {
        // As of sysbench's oltp_read_only.
        let all = [(2, 1), (1, 1), (0, 10)].to_vec();
        assert_eq!(grouped(&[10_000.0, 1000.0, 1000.0], 1000.0), [(all, true)]);
        // Not if there are several, nor for a part of a time.
        assert_eq!(grouped(&[10_400.0, 1000.0, 1000.0], 1000.0).len(), 2);
        assert_eq!(
            grouped(&[4000.0, 1000.0, 1000.0, 500.0, 500.0], 1500.0).len(),
            3
        );
    }

    #[test]
    fn transactions_of_several_kinds_share_the_begins() {
        let found = grouped(&[4500.0, 4500.0, 4300.0, 4300.0, 4300.0, 700.0], 8800.0);
        assert_eq!(
            found,
            [
                (vec![(1, 1), (0, 1)], true),
                (vec![(4, 1), (3, 1), (2, 1)], true),
                (vec![(5, 1)], false)
            ]
        );
    }

    #[test]
    fn the_evidence_may_be_given() {
        let counted = |calls: &[f64]| -> Vec<Counted> {
            let one = |calls: &f64| Counted {
                calls: *calls,
                order: 0.0,
            };
            calls.iter().map(one).collect()
        };
        let sysbench = counted(&[10_000.0, 1000.0, 1000.0]);
        let all = [(0, 10), (1, 1), (2, 1)].to_vec();
        assert_eq!(found(&sysbench, Evidence::Calls), [(all, true)]);
        assert_eq!(found(&sysbench, Evidence::None).len(), 3);
        let one = counted(&[1000.0]);
        assert_eq!(found(&one, Evidence::Calls), [(vec![(0, 1)], false)]);
    }

    #[test]
    fn nothing_is_no_script() {
        assert!(grouped(&[], 10.0).is_empty());
    }
}
