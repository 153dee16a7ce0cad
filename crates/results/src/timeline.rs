//! Cells along the time, which become wider where there would be too many.

use std::collections::BTreeMap;

/// The most cells.
const CELLS: i64 = 1_000;

/// Something that two cells can be joined of.
pub trait Cell: Default {
    fn join(&mut self, later: Self);
}

/// Cells of equal width. Only those that were asked for are there.
#[derive(Debug)]
pub struct Timeline<C> {
    width: i64,
    cells: BTreeMap<i64, C>,
}

impl<C: Cell> Default for Timeline<C> {
    fn default() -> Self {
        Timeline {
            width: 1,
            cells: BTreeMap::new(),
        }
    }
}

impl<C: Cell> Timeline<C> {
    /// The cell of a moment, which counts units of the first width.
    pub fn at(&mut self, moment: i64) -> &mut C {
        loop {
            let number = moment.div_euclid(self.width);
            let first = self.cells.keys().next().map_or(number, |key| *key);
            let last = self.cells.keys().next_back().map_or(number, |key| *key);
            if last.max(number) - first.min(number) < CELLS {
                break;
            }
            self.width *= 2;
            for (number, cell) in std::mem::take(&mut self.cells) {
                self.cells
                    .entry(number.div_euclid(2))
                    .or_default()
                    .join(cell);
            }
        }
        self.cells.entry(moment.div_euclid(self.width)).or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// How many units a cell covers.
    pub fn width(&self) -> i64 {
        self.width
    }

    /// All cells from the first to the last, each with its first moment, those between that nobody asked for too.
    pub fn filled(mut self) -> Vec<(i64, C)> {
        let (Some(first), Some(last)) = (
            self.cells.keys().next().copied(),
            self.cells.keys().next_back().copied(),
        ) else {
            return Vec::new();
        };
        (first..=last)
            .map(|number| {
                let cell = self.cells.remove(&number).unwrap_or_default();
                (number * self.width, cell)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Count(u64);

    impl Cell for Count {
        fn join(&mut self, later: Count) {
            self.0 += later.0;
        }
    }

    #[test]
    fn cells_grow_and_nothing_is_lost() {
        let mut timeline = Timeline::<Count>::default();
        for moment in (0..5_000).rev() {
            timeline.at(1_000_000_000 + moment).0 += 1;
        }
        assert_eq!(timeline.width(), 8);
        let cells = timeline.filled();
        assert_eq!(cells.len(), 625);
        assert!(cells.iter().all(|(_, count)| count.0 == 8));
        assert_eq!(cells[1].0, 1_000_000_008);
    }

    #[test]
    fn gaps_are_cells_without_anything() {
        let mut timeline = Timeline::<Count>::default();
        assert!(timeline.is_empty());
        timeline.at(-1).0 += 1;
        timeline.at(2).0 += 1;
        let counts: Vec<_> = timeline.filled().iter().map(|(at, c)| (*at, c.0)).collect();
        assert_eq!(counts, [(-1, 1), (0, 0), (1, 0), (2, 1)]);
        let mut far = Timeline::<Count>::default();
        far.at(0).0 += 1;
        far.at(i64::MAX / 4).0 += 1;
        assert!(far.filled().len() <= 1_000);
        assert!(Timeline::<Count>::default().filled().is_empty());
    }
}
