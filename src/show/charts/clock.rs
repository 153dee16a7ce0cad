//! A time axis with the time of day.

/// Where a chart's time is 0: seconds since 1970 in the time zone in which it is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    zero_s: f64,
}

const DAY: f64 = 86_400.0;
/// Distances of labels, in seconds: the least of which there are not more than [`LABELS`].
const STEPS: [f64; 18] = [
    1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1_800.0, 3_600.0, 7_200.0, 10_800.0,
    21_600.0, 43_200.0, 86_400.0, 172_800.0, 604_800.0,
];
const LABELS: f64 = 7.0;

impl Clock {
    /// Seconds from one moment as JSON has it to another, whatever their time zones; None: one is none.
    pub fn elapsed(from: &str, to: &str) -> Option<f64> {
        let second = |moment: &str| Some(Clock::at(moment)?.zero_s - offset(moment)?);
        Some(second(to)? - second(from)?)
    }

    /// That begins at a moment as JSON has it: `2026-11-22T12:00:00.5+01:00`, in that time zone.
    pub fn at(moment: &str) -> Option<Clock> {
        let (date, time) = moment.split_once(['T', ' '])?;
        let time = time.split(['+', '-', 'Z']).next()?;
        let numbers = |text: &str, separator| -> Option<[f64; 3]> {
            let numbers: Vec<f64> = (text.split(separator))
                .map(|part| part.parse().ok())
                .collect::<Option<_>>()?;
            numbers.try_into().ok()
        };
        let [year, month, day] = numbers(date, '-')?;
        let [hours, minutes, seconds] = numbers(time, ':')?;
        let days = days(year as i64, month as i64, day as i64);
        Some(Clock {
            zero_s: days as f64 * DAY + hours * 3_600.0 + minutes * 60.0 + seconds,
        })
    }

    /// The places of the labels between two times of the chart, and the labels: the day at each midnight.
    pub fn ticks(self, start_s: f64, end_s: f64) -> Vec<(f64, String)> {
        let span = (end_s - start_s).max(0.0);
        let step = STEPS.into_iter().find(|step| span / step <= LABELS);
        let step = step.unwrap_or_else(|| (span / LABELS / DAY).ceil() * DAY);
        let first = ((self.zero_s + start_s) / step).ceil() as i64;
        let last = ((self.zero_s + end_s) / step).floor() as i64;
        let label = |second: f64| match (second.rem_euclid(DAY) == 0.0, step < 60.0) {
            (true, _) => self::date(second),
            (false, true) => time(second),
            (false, false) => time(second).chars().take(5).collect(),
        };
        (first..=last)
            .map(|tick| tick as f64 * step)
            .map(|second| (second - self.zero_s, label(second)))
            .collect()
    }

    /// A time of the chart: `11-22 12:05:10`.
    pub fn moment(self, at_s: f64) -> String {
        let second = (self.zero_s + at_s).round();
        format!("{} {}", date(second), time(second))
    }
}

/// How far the time zone of a moment is ahead of UTC, in seconds: `+05:30`, `-03`, `Z`.
fn offset(moment: &str) -> Option<f64> {
    let (_, time) = moment.split_once(['T', ' '])?;
    let Some(at) = time.find(['+', '-']) else {
        return Some(0.0);
    };
    let (sign, offset) = time.split_at(at + 1);
    let parts = offset.split(':').map(|part| part.parse::<f64>().ok());
    let parts: Vec<f64> = parts.collect::<Option<_>>()?;
    let seconds = (parts.iter().zip([3_600.0, 60.0, 1.0])).map(|(part, seconds)| part * seconds);
    let seconds: f64 = seconds.sum();
    Some(if sign.ends_with('-') {
        -seconds
    } else {
        seconds
    })
}

/// Days since 1970-01-01 of the Gregorian calendar (Hinnant's days_from_civil): years begin in March, so that the leap day is the
/// last one.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// `11-22`: the month and day of a second since 1970 (Hinnant's civil_from_days).
fn date(second: f64) -> String {
    let days = (second / DAY).floor() as i64 + 719_468;
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    format!("{month:02}-{day:02}")
}

/// `12:05:10`.
fn time(second: f64) -> String {
    let second = second.rem_euclid(DAY) as i64;
    format!(
        "{:02}:{:02}:{:02}",
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stand_at_round_times_of_the_day() {
        let clock = Clock::at("2026-11-22T23:10:00.5+01:00").unwrap();
        let labels: Vec<String> = clock
            .ticks(0.0, 3_600.0)
            .into_iter()
            .map(|(_, label)| label)
            .collect();
        assert_eq!(
            labels,
            ["23:20", "23:30", "23:40", "23:50", "11-23", "00:10"]
        );
        assert_eq!(clock.ticks(0.0, 3_600.0)[0].0, 599.5);
        let month = clock.ticks(0.0, 30.0 * DAY);
        assert!(
            month.len() <= 8 && month[0].1.starts_with("11-2"),
            "{month:?}"
        );
        assert_eq!(clock.moment(3_000.0), "11-23 00:00:01");
    }

    #[test]
    fn moments_of_several_zones_are_compared() {
        let noon = "2026-10-25T12:00:00+02:00";
        assert_eq!(
            Clock::elapsed(noon, "2026-10-25T12:00:01.5+01:00"),
            Some(3_601.5)
        );
        assert_eq!(Clock::elapsed(noon, "2026-10-25T10:00:00Z"), Some(0.0));
        assert_eq!(Clock::elapsed(noon, "2026-10-25 06:30:00-03:30"), Some(0.0));
        assert_eq!(Clock::elapsed("infinity", noon), None);
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (text, day) in [
            ("1970-01-01", "01-01"),
            ("2000-02-29", "02-29"),
            ("2024-12-31", "12-31"),
            ("2100-03-01", "03-01"),
        ] {
            let clock = Clock::at(&format!("{text}T00:00:00Z")).unwrap();
            assert_eq!(clock.moment(0.0), format!("{day} 00:00:00"));
        }
        assert_eq!(days(1970, 1, 2), 1);
        assert_eq!(Clock::at("infinity"), None);
    }
}
