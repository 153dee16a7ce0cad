//! The hit ratio at larger shared_buffers.

use crate::report::hit_curve::size;
use crate::report::model::hit_curve::HitRatio;
use crate::show::blocks::{Block, Listing, Topic, bar, figure, percent};

const NOTE: &str = "The first size is the present one, with the ratio that was counted. The others are estimated from observations of a \
    sample of the buffers, with a 95 % interval.";

/// None: the run did not ask for it.
pub fn topic(curve: &[HitRatio]) -> Option<Topic> {
    let shared_buffers = |ratio: &HitRatio| Some(size(ratio.shared_buffers_bytes));
    let columns = vec![
        figure("shared_buffers", shared_buffers),
        bar(|ratio: &HitRatio| ratio.hit_percent),
        percent("found in them", |ratio: &HitRatio| ratio.hit_percent),
        percent("at least", |ratio: &HitRatio| ratio.low),
        percent("at most", |ratio: &HitRatio| ratio.high),
    ];
    let limit = curve.iter().find_map(|ratio| ratio.note.as_deref());
    let limit = limit.map(|note| format!("In this run: {note}."));
    let notes = std::iter::once(NOTE.to_owned()).chain(limit);
    let table = Listing::of(curve, columns);
    let title = "Hit ratio by shared_buffers";
    Topic::of_rows("hit-curve", title, table, notes.map(Block::Remark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_line_for_each_size_and_the_note() {
        let at = |times: i64, hit_percent, low| HitRatio {
            shared_buffers_bytes: times << 24,
            times: times as f64,
            hit_percent,
            low,
            high: Some(77.25),
            note: Some("some pages left unseen".to_owned()),
        };
        assert!(topic(&[]).is_none());
        let curve = [at(1, Some(50.04), None), at(2, Some(75.5), Some(74.0))];
        let lines = topic(&curve).unwrap().lines();
        let cells = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(cells(&lines[2]), "16 MB 50.0 % - 77.2 %", "{lines:?}");
        assert_eq!(cells(&lines[3]), "32 MB 75.5 % 74.0 % 77.2 %");
        assert_eq!(
            lines.last().unwrap(),
            "  In this run: some pages left unseen."
        );
    }
}
