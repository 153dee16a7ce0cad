//! A row of numbers as a row of characters.

/// From the lowest to the highest.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 8] = ['_', '.', ',', '-', '=', '+', '*', '#'];

/// At most `width` characters: of more values each stands for the mean of several. 0 is the lowest one, whatever
/// the values are, so that a steady rate looks steady. Empty without values.
pub fn sparkline(values: &[f64], width: usize, unicode: bool) -> String {
    let levels = if unicode { BLOCKS } else { ASCII };
    let each = values.len().div_ceil(width.max(1)).max(1);
    let means: Vec<f64> = values
        .chunks(each)
        .map(|part| part.iter().sum::<f64>() / part.len() as f64)
        .collect();
    let highest = means.iter().copied().fold(0.0, f64::max);
    means
        .into_iter()
        .map(|mean| {
            let share = if highest > 0.0 { mean / highest } else { 0.0 };
            let level = (share * (levels.len() - 1) as f64).round() as usize;
            levels[level.min(levels.len() - 1)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_value_is_the_highest_block() {
        assert_eq!(sparkline(&[0.0, 50.0, 100.0], 10, true), "▁▅█");
        assert_eq!(sparkline(&[0.0, 50.0, 100.0], 10, false), "_=#");
        assert_eq!(sparkline(&[990.0, 1000.0], 10, true), "██");
        assert_eq!(sparkline(&[0.0, 0.0], 10, true), "▁▁");
        assert_eq!(sparkline(&[], 10, true), "");
    }

    #[test]
    fn many_values_fit_in_the_width() {
        let values: Vec<f64> = (0..3600).map(f64::from).collect();
        let line = sparkline(&values, 60, false);
        assert_eq!(line.len(), 60);
        assert!(line.starts_with('_') && line.ends_with('#'));
    }
}
