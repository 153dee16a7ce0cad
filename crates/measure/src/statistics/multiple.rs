//! Many metrics tested at once.

/// The p-values corrected for their number, in the same order (Benjamini and Hochberg, Journal of the Royal
/// Statistical Society B 57, 1995; R's `p.adjust(p, "BH")`).
///
/// Of all differences shown at a corrected 0.05, at most one in twenty is expected to be false; and where nothing
/// differs at all, one comparison in twenty shows any. Holm's correction would keep the second promise for each
/// metric whatever else differs, but would hardly ever find one of eighty metrics over five runs; a comparison of
/// versions or settings rather asks which of many differ.
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let count = p_values.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| p_values[b].total_cmp(&p_values[a]));
    let mut corrected = vec![1.0; count];
    let mut smallest = 1.0_f64;
    for (above, &index) in order.iter().enumerate() {
        let rank = (count - above) as f64;
        smallest = smallest.min(p_values[index] * count as f64 / rank);
        corrected[index] = smallest;
    }
    corrected
}

/// The p-values, in the same order, corrected so that with probability 0.95 none of those below 0.05 is due to
/// chance, whatever the others are (Holm, Scandinavian Journal of Statistics 6, 1979; R's `p.adjust(p, "holm")`).
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let count = p_values.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![1.0; count];
    let mut largest = 0.0_f64;
    for (below, &index) in order.iter().enumerate() {
        largest = largest.max(p_values[index] * (count - below) as f64);
        corrected[index] = largest.min(1.0);
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R: `p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.5), "BH")` gives 0.025 0.05 0.05 0.025 0.5.
    #[test]
    fn corrected_as_r_does() {
        let corrected = benjamini_hochberg(&[0.01, 0.04, 0.03, 0.005, 0.5]);
        for (corrected, expected) in corrected.iter().zip([0.025, 0.05, 0.05, 0.025, 0.5]) {
            assert!((corrected - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn one_test_needs_no_correction() {
        assert_eq!(benjamini_hochberg(&[0.03]), [0.03]);
        assert!(benjamini_hochberg(&[]).is_empty());
        assert_eq!(holm(&[0.03]), [0.03]);
        assert!(holm(&[]).is_empty());
    }

    /// R: `p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.5), "holm")` gives 0.040 0.090 0.090 0.025 0.500.
    #[test]
    fn holm_is_that_of_r() {
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005, 0.5]);
        for (corrected, expected) in corrected.iter().zip([0.04, 0.09, 0.09, 0.025, 0.5]) {
            assert!((corrected - expected).abs() < 1e-12);
        }
        assert_eq!(holm(&[0.7, 0.8]), [1.0, 1.0]);
    }
}
