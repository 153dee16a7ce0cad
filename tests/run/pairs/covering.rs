//! A covering array: rows of one level for each factor, such that each pair of levels of two factors is in some row.

/// A level of a factor, both by their numbers.
pub type Choice = (usize, usize);

/// Rows in which each pair of choices occurs, but for those that exclude each other. `levels`: how many each factor has. Made
/// greedily, the same each time. Any choice of some factors that exclude nothing must fit some level of each other factor.
pub fn covering(levels: &[usize], excluded: impl Fn(Choice, Choice) -> bool) -> Vec<Vec<usize>> {
    let mut missing = pairs(levels);
    missing.retain(|&(a, b)| !excluded(a, b));
    let mut rows = Vec::new();
    while let Some(&(a, b)) = missing.first() {
        let mut row: Vec<Option<usize>> = vec![None; levels.len()];
        row[a.0] = Some(a.1);
        row[b.0] = Some(b.1);
        for factor in 0..levels.len() {
            if row[factor].is_none() {
                row[factor] = Some(best(factor, levels[factor], &row, &missing, &excluded));
            }
        }
        let row: Vec<usize> = row.into_iter().flatten().collect();
        missing.retain(|&(a, b)| !(row[a.0] == a.1 && row[b.0] == b.1));
        rows.push(row);
    }
    rows
}

/// All pairs of choices of two factors.
pub fn pairs(levels: &[usize]) -> Vec<(Choice, Choice)> {
    let choices = || (0..levels.len()).flat_map(|f| (0..levels[f]).map(move |l| (f, l)));
    choices()
        .flat_map(|a| choices().map(move |b| (a, b)))
        .filter(|(a, b)| a.0 < b.0)
        .collect()
}

/// The level that brings the most pairs with what was chosen; of equal ones that which has the most left.
fn best(
    factor: usize,
    levels: usize,
    row: &[Option<usize>],
    missing: &[(Choice, Choice)],
    excluded: &impl Fn(Choice, Choice) -> bool,
) -> usize {
    let chosen = |choice: Choice| row[choice.0] == Some(choice.1);
    let fits = |level: &usize| {
        let others = row.iter().enumerate();
        let mut others = others.filter_map(|(other, level)| Some((other, (*level)?)));
        others.all(|other| !excluded(other, (factor, *level)) && !excluded((factor, *level), other))
    };
    let gain = |level: usize| {
        let own = (factor, level);
        let with = missing.iter().filter(|(a, b)| *a == own || *b == own);
        let new = (with.clone()).filter(|(a, b)| chosen(*a) || chosen(*b));
        (new.count(), with.count(), levels - level)
    };
    let fitting = (0..levels).filter(fits);
    let best = fitting.max_by_key(|level| gain(*level));
    best.unwrap_or_else(|| panic!("no level of factor {factor} fits {row:?}"))
}

#[test]
fn each_pair_occurs_unless_it_is_excluded() {
    let levels = [2, 3, 3, 2, 4];
    let excluded = |a: Choice, b: Choice| (a, b) == ((1, 2), (4, 3)) || (a, b) == ((0, 1), (1, 1));
    let rows = covering(&levels, excluded);
    for (a, b) in pairs(&levels) {
        let occurs = rows.iter().any(|row| row[a.0] == a.1 && row[b.0] == b.1);
        assert_eq!(occurs, !excluded(a, b), "{a:?} {b:?}");
    }
    // 4 x 3 pairs need as many rows; all combinations would be 144.
    assert!((11..=18).contains(&rows.len()), "{} rows", rows.len());
}
