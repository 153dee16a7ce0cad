use crate::Format;
use crate::described::compare;

#[test]
fn every_figure_of_published_and_own_outputs() {
    for name in ["0.4", "0.5", "1.0", "1.0-rate", "1.0-mysql", "1.1"] {
        compare(&format!("sysbench-{name}"), Format::Sysbench);
    }
}
