//! Lines that must not be in a server's log: a failed assertion, a crash, something left open.

/// Parts of such lines, one a line; tools/regress looks for them too. Assertions and damaged memory are noticed
/// by a server that was built for it: `make test-assertions`.
const TROUBLE: &str = include_str!("log_trouble.txt");

/// The lines that show trouble, except those with a text that the test expects.
pub fn trouble<'a>(log: &'a str, expected: &[&str]) -> Vec<&'a str> {
    let tells = |line: &&str| TROUBLE.lines().any(|text| line.contains(text));
    let is_expected = |line: &&str| expected.iter().any(|text| line.contains(text));
    log.lines()
        .filter(|line| tells(line) && !is_expected(line))
        .collect()
}
