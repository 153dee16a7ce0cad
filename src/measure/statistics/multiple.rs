//! Many metrics tested at once.

/// The p-values corrected for their number, in the same order (Benjamini and Hochberg, Journal of the Royal
/// Statistical Society B 57, 1995; R's `p.adjust(p, "BH")`).
///
/// Of all differences shown at a corrected 0.05, at most one in twenty is expected to be none; and where
/// nothing differs at all, one comparison in twenty shows any. Holm's correction would keep the second
/// promise for each metric whatever else differs, at the price of hardly ever finding one of eighty metrics
/// over five runs; a comparison of versions or settings is rather about which of many do differ.
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
    }
}
