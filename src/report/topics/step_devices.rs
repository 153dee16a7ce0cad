//! The devices under the server's files in each step of a load.

use crate::report::stored_run::StepDevice;
use crate::show::blocks::{Block, Listing, Topic, name, percent, plain, time};

const NOTE: &str = "As iostat shows them; kB are of 1024 bytes. Between two samples, the activity is spread evenly over the time: the figures of a \
    step that is shorter than a sample interval are estimates.";

/// None: nothing is known of them.
pub fn topic(steps: &[StepDevice]) -> Option<Topic> {
    let columns = vec![
        name("step", |it: &StepDevice| it.step.clone()),
        time("for", |it: &StepDevice| Some(it.seconds)).of_pages(),
        plain("r/s", |it: &StepDevice| Some(it.r_s)),
        plain("rkB/s", |it: &StepDevice| Some(it.rkb_s)),
        plain("r_await ms", |it: &StepDevice| it.r_await),
        plain("rareq-sz kB", |it: &StepDevice| it.rareq_sz).of_pages(),
        plain("w/s", |it: &StepDevice| Some(it.w_s)),
        plain("wkB/s", |it: &StepDevice| Some(it.wkb_s)),
        plain("w_await ms", |it: &StepDevice| it.w_await),
        plain("wareq-sz kB", |it: &StepDevice| it.wareq_sz).of_pages(),
        plain("f/s", |it: &StepDevice| it.f_s).of_pages(),
        plain("f_await ms", |it: &StepDevice| it.f_await).of_pages(),
        plain("aqu-sz", |it: &StepDevice| it.aqu_sz).of_pages(),
        percent("util", |it: &StepDevice| it.util),
    ];
    let names = steps.iter().map(|it| Some(device(it)));
    let table = Listing::of(steps, columns).grouped(names);
    let note = Block::Remark(NOTE.to_owned());
    Topic::of_rows("step-devices", "Devices, step by step", table, [note])
}

fn device(it: &StepDevice) -> String {
    match it.level {
        0 => format!("{} ({})", it.holds, it.device),
        _ => format!("beneath {} ({})", it.holds, it.device),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::text::WIDTH;
    use serde_json::json;

    #[test]
    fn each_step_is_a_line_below_its_device() {
        let step = |step: &str, device: &str, level: i64| -> StepDevice {
            serde_json::from_value(
                json!({"step": step, "seconds": 12.5, "holds": "data, wal", "device": device, "level": level, "r_s": 1234.5, "rkb_s": 123456.7,
                "r_await": 0.456, "w_s": 23456.7, "wkb_s": 1234567.8, "w_await": 12.345, "util": 99.9}),
            )
            .unwrap()
        };
        assert!(topic(&[]).is_none());
        let steps = [
            step("bulk generate", "sda1", 0),
            step("primary keys", "sda1", 0),
            step("bulk generate", "sda", 1),
        ];
        let lines = topic(&steps).unwrap().lines();
        assert!(
            lines.iter().all(|line| line.chars().count() <= WIDTH),
            "{lines:#?}"
        );
        let place = |text: &str| lines.iter().position(|line| line.contains(text)).unwrap();
        assert!(place("data, wal (sda1)") < place("primary keys"));
        assert!(place("primary keys") < place("beneath data, wal (sda)"));
    }
}
