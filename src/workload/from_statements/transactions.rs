//! The statements of one transaction, guessed from their numbers of calls: statements that were called equally often, with
//! about as many calls of BEGIN.

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
    /// Of the script.
    pub calls: f64,
    /// How often all of them are run in it, one round after the other.
    pub rounds: u32,
    pub is_transaction: bool,
}

/// Calls that differ by less are equal.
const TOLERANCE: f64 = 0.005;
/// The same for calls that are several times as many: other numbers come close to a whole one by chance.
const TOLERANCE_OF_MULTIPLES: f64 = 0.001;
/// How often a statement of a transaction is run in it at most.
const MAX_TIMES: f64 = 100.0;

/// The transactions explain the BEGINs if these are so nearly as many.
const EXPLAINED: f64 = 0.001;
/// Pairs of statements that are called equally often by chance: so many are left out at most.
const MOST_PAIRS: usize = 2;

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
    for &number in &order {
        let calls = statements[number].calls;
        match groups.last_mut().filter(|group| alike(group.calls, calls)) {
            Some(group) => group.members.push((number, 1)),
            None => groups.push(alone(number, calls)),
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
    if begins.is_finite() && left > begins * TOLERANCE {
        groups = in_rounds(statements, &order, begins).unwrap_or(groups);
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

fn alone(number: usize, calls: f64) -> Group {
    Group {
        members: vec![(number, 1)],
        calls,
        rounds: 1,
        is_transaction: false,
    }
}

/// Transactions that explain the BEGINs to the last one, where one kind of them runs its statements several times: a delivery of ten orders
/// has ten calls of each. Only statements that were called exactly as often as another one belong to them, and all of these do, but for
/// pairs. `order`: the statements by their calls. None: there are none, or it is not clear which.
fn in_rounds(statements: &[Counted], order: &[usize], begins: f64) -> Option<Vec<Group>> {
    let equal: Vec<&[usize]> = order
        .chunk_by(|a, b| statements[*a].calls == statements[*b].calls)
        .collect();
    // Each kind by its first statement.
    let kinds = equal.iter().filter(|members| members.len() > 1);
    let pairs = kinds.clone().filter(|it| it.len() == 2).map(|it| it[0]);
    let chances = subsets(&pairs.collect::<Vec<_>>(), MOST_PAIRS);
    // The fewest of them that are left out for an explanation.
    let found = chances
        .chunk_by(|a, b| a.len() == b.len())
        .find_map(|left_out| {
            let all: Vec<(&Vec<usize>, usize, u32)> = (left_out.iter())
                .flat_map(|left_out| {
                    let first = kinds.clone().map(|it| it[0]);
                    let kept = first.filter(|it| !left_out.contains(it));
                    let kept = kept
                        .map(|it| (it, statements[it].calls))
                        .collect::<Vec<_>>();
                    let found = rounds(&kept, begins).into_iter();
                    found.map(move |(kind, rounds)| (left_out, kind, rounds))
                })
                .collect();
            (!all.is_empty()).then_some(all)
        })?;
    let [(left_out, repeated, rounds)] = found.as_slice() else {
        return None;
    };
    let mut groups = Vec::new();
    for members in equal {
        let kind = members[0];
        let calls = statements[kind].calls;
        if members.len() == 1 || left_out.contains(&kind) {
            groups.extend(members.iter().map(|it| alone(*it, calls)));
            continue;
        }
        let rounds = if kind == *repeated { *rounds } else { 1 };
        groups.push(Group {
            members: members.iter().map(|it| (*it, 1)).collect(),
            calls: calls / f64::from(rounds),
            rounds,
            is_transaction: true,
        });
    }
    Some(groups)
}

/// Which kind, with its calls, runs its statements how often, for all of them together to be as many as the BEGINs. One round if none does.
fn rounds(kinds: &[(usize, f64)], begins: f64) -> Vec<(usize, u32)> {
    let all: f64 = kinds.iter().map(|(_, calls)| calls).sum();
    let near = |sum: f64| (sum - begins).abs() <= EXPLAINED * begins;
    if near(all) {
        return vec![(0, 1)];
    }
    let of_one = |&(kind, calls): &(usize, f64)| {
        let rest = begins - (all - calls);
        let rounds = (calls / rest.max(1.0)).round();
        let fits = (2.0..=MAX_TIMES).contains(&rounds) && calls % rounds == 0.0;
        (fits && near(all - calls + calls / rounds)).then_some((kind, rounds as u32))
    };
    kinds.iter().filter_map(of_one).collect()
}

/// The subsets with so many elements at most, the smallest first.
fn subsets(of: &[usize], most: usize) -> Vec<Vec<usize>> {
    let mut subsets = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..most {
        let until = subsets.len();
        for at in from..until {
            let after = subsets[at].last().copied();
            let place = of.iter().position(|it| Some(*it) == after);
            for one in &of[place.map_or(0, |it| it + 1)..] {
                subsets.push([subsets[at].as_slice(), &[*one]].concat());
            }
        }
        from = until;
    }
    subsets
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
            [only] if fits && only.rounds == 1 && alike(only.calls, all) => {
                let members = group.members.into_iter();
                only.members
                    .extend(members.map(|(number, _)| (number, times as u32)));
            }
            _ => {
                let members = group.members.into_iter();
                scripts.extend(members.map(|(number, _)| alone(number, group.calls)));
            }
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

    /// As observed of a TPC-C-derived load: new orders, payments with a name and those without, deliveries of ten orders, the state of an
    /// order, the level of the stock, and changes of stock in one of ten ways, whose calls come near those of others.
    #[test]
    fn a_transaction_may_run_its_statements_several_times() {
        let delivered = |calls: &[f64]| {
            let statements: Vec<Counted> = (calls.iter())
                .map(|calls| Counted {
                    calls: *calls,
                    order: 0.0,
                })
                .collect();
            let groups = group(&statements, Evidence::Begins(3000.0)).into_iter();
            let transactions = groups.filter(|it| it.is_transaction);
            let mut found: Vec<(f64, usize, u32)> = transactions
                .map(|it| (it.calls, it.members.len(), it.rounds))
                .collect();
            found.sort_by(|a, b| b.0.total_cmp(&a.0));
            found
        };
        let of = |all: &[(f64, usize)]| -> Vec<f64> {
            let each = all.iter();
            each.flat_map(|(calls, times)| vec![*calls; *times])
                .collect()
        };
        let first = of(&[
            (14075.0, 1),
            (14062.0, 1),
            (1542.0, 1),
            (1394.0, 4),
            (1390.0, 1),
            (1241.0, 4),
            (1100.0, 6),
            (833.0, 1),
            (126.0, 3),
            (114.0, 2),
            (15.0, 4),
        ]);
        let known = [
            (1394.0, 4, 1),
            (1241.0, 4, 1),
            (126.0, 3, 1),
            (114.0, 2, 1),
            (110.0, 6, 10),
            (15.0, 4, 1),
        ];
        assert_eq!(delivered(&first), known);
        // Two ways of stock that came equally often by chance.
        assert_eq!(delivered(&[first, vec![1425.0; 2]].concat()), known);
        // New orders and payments that were nearly equally many.
        let second = of(&[
            (1300.0, 4),
            (1299.0, 4),
            (1295.0, 1),
            (1210.0, 6),
            (134.0, 2),
            (129.0, 3),
            (17.0, 4),
        ]);
        let known = [
            (1300.0, 4, 1),
            (1299.0, 4, 1),
            (134.0, 2, 1),
            (129.0, 3, 1),
            (121.0, 6, 10),
            (17.0, 4, 1),
        ];
        assert_eq!(delivered(&second), known);
        // Without an explanation, the largest groups as long as there are BEGINs.
        let unclear = delivered(&of(&[(1394.0, 4), (1241.0, 3), (1103.0, 6)]));
        assert_eq!(unclear, [(1394.0, 4, 1), (1103.0, 6, 1)]);
    }

    #[test]
    fn subsets_begin_with_the_smallest() {
        let all = subsets(&[7, 3, 5], 2);
        let known: [&[usize]; 7] = [&[], &[7], &[3], &[5], &[7, 3], &[7, 5], &[3, 5]];
        assert_eq!(all, known);
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
