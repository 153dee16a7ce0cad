//! The segments of a run that was interrupted.

use crate::report::stored_run::Segment;
use crate::show::blocks::{Listing, Topic, count, name, time};
use crate::show::text::moment;

/// None: it was not.
pub fn topic(segments: &[Segment]) -> Option<Topic> {
    let columns = vec![
        count("segment", |segment: &Segment| Some(segment.segment_no)),
        name("began", |segment: &Segment| moment(&segment.started_at)),
        time("for", |segment: &Segment| Some(segment.seconds)),
        count("transactions", |segment: &Segment| {
            Some(segment.transactions)
        }),
        time("after a gap of", |segment: &Segment| segment.gap_s),
    ];
    let topic = Topic::of_rows("segments", "Segments", Listing::of(segments, columns), []);
    topic.filter(|_| segments.len() > 1)
}

/// One sentence.
pub fn interruption(segments: &[Segment]) -> Option<String> {
    let times = match segments.len() {
        0 | 1 => return None,
        2 => "once".to_owned(),
        count => format!("{} times", count - 1),
    };
    let gaps: f64 = segments.iter().filter_map(|segment| segment.gap_s).sum();
    Some(format!(
        "The run was interrupted {times}; the {gaps:.1} s between are not in the figures."
    ))
}
