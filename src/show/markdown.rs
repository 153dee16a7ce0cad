//! GitHub's Markdown, which GitLab reads as well.

/// The first column to the left, the others to the right.
pub fn table(heads: &[&str], rows: &[Vec<String>]) -> Vec<String> {
    let line = |cells: Vec<&str>| format!("| {} |", cells.join(" | "));
    let mut lines = vec![line(heads.to_vec())];
    lines.push(format!(
        "|---|{}",
        "--:|".repeat(heads.len().saturating_sub(1))
    ));
    lines.extend(
        rows.iter()
            .map(|row| line(row.iter().map(String::as_str).collect())),
    );
    lines
}

/// Text without a meaning to Markdown or HTML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '#' | '|' | '~' | '@'
            | '!' => {
                escaped.push('\\');
                escaped.push(character);
            }
            control if control.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

/// As code within a table, whatever backticks and bars it holds.
pub fn code(text: &str) -> String {
    let text = text.replace(char::is_control, " ").replace('|', "\\|");
    let longest = longest_row_of_backticks(&text);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// As a block of code in a language, whatever backticks it holds.
pub fn fenced(text: &str, language: &str) -> String {
    let fence = "`".repeat(3.max(1 + longest_row_of_backticks(text)));
    format!("{fence}{language}\n{text}\n{fence}")
}

fn longest_row_of_backticks(text: &str) -> usize {
    let rows = text.split(|character| character != '`').map(str::len);
    rows.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(
            escape("a|b <script> _x_ @me"),
            "a\\|b &lt;script&gt; \\_x\\_ \\@me"
        );
        assert_eq!(escape("a\nb\u{1b}[1m"), "a b \\[1m");
        assert_eq!(code("SELECT 1 | 2"), "`SELECT 1 \\| 2`");
        assert_eq!(code("SELECT ``x`"), "``` SELECT ``x` ```");
    }

    #[test]
    fn a_table_has_its_line_of_dashes() {
        let rows = [vec!["a".to_owned(), "1".to_owned()]];
        assert_eq!(
            table(&["x", "y"], &rows),
            ["| x | y |", "|---|--:|", "| a | 1 |"]
        );
    }
}
