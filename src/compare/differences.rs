//! Settings and circumstances that differ, as pairs of texts. A long text is cut to the part that differs.

use super::row::Row;
use crate::show::text::one_line;

/// Characters shown before the first difference.
const BEFORE: usize = 12;

/// A row's name, preceded by its object.
pub fn name(row: &Row) -> String {
    match &row.object {
        Some(object) => format!("{object}.{}", row.metric),
        None => row.metric.clone(),
    }
}

/// Both texts on one line of at most `width` characters each: complete if they fit, otherwise from a little before
/// their first difference, with `...` for omitted parts.
pub fn cut_to_difference(before: &str, after: &str, width: usize) -> (String, String) {
    let [before, after] = [before, after].map(|text| one_line(text, usize::MAX));
    let length = |text: &str| text.chars().count();
    if length(&before).max(length(&after)) <= width {
        return (before, after);
    }
    let same = before
        .chars()
        .zip(after.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let begin = same.saturating_sub(BEFORE);
    let cut = |text: &str| {
        let rest: String = text.chars().skip(begin).collect();
        match begin {
            0 => one_line(&rest, width),
            _ => format!("...{}", one_line(&rest, width.saturating_sub(3))),
        }
    };
    (cut(&before), cut(&after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_show_where_they_differ() {
        assert_eq!(
            cut_to_difference("a\n b", "c", 20),
            ("a b".to_owned(), "c".to_owned())
        );
        let configure = |flags: &str| {
            format!(
                "--prefix=/usr --with-openssl --with-llvm CFLAGS={flags} --with-everything-else-there-is"
            )
        };
        let (before, after) = cut_to_difference(&configure("-O2"), &configure("-O3"), 40);
        assert_eq!(before, "...vm CFLAGS=-O2 --with-everything-el...");
        assert_eq!(after, "...vm CFLAGS=-O3 --with-everything-el...");
        assert!(before.chars().count() <= 40);
        // The shorter one may end where the other continues.
        let long = "x".repeat(50);
        let (before, after) = cut_to_difference(&long, &format!("{long}yz"), 20);
        assert_eq!(before, format!("...{}", "x".repeat(12)));
        assert_eq!(after, format!("...{}yz", "x".repeat(12)));
        let (before, _) = cut_to_difference(&format!("a{long}"), &format!("b{long}"), 20);
        assert_eq!(before, format!("a{}...", "x".repeat(16)));
    }
}
