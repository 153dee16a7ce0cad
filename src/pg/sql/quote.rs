//! Identifiers and literals in SQL text, quoted without a server.

/// `name` as a quoted identifier. Always quoted, so that it need not be known which words are
/// reserved.
pub fn quote_ident(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text as a literal, whatever standard_conforming_strings is.
pub fn quote_literal(text: &str) -> String {
    let quoted = text.replace('\'', "''");
    match quoted.contains('\\') {
        true => format!("E'{}'", quoted.replace('\\', "\\\\")),
        false => format!("'{quoted}'"),
    }
}

/// `schema.name`, both quoted.
pub fn qualified(schema: &str, name: &str) -> String {
    format!("{}.{}", quote_ident(schema), quote_ident(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_doubled() {
        assert_eq!(quote_ident("bench"), "\"bench\"");
        assert_eq!(
            quote_ident("My \"own\" set; --"),
            "\"My \"\"own\"\" set; --\""
        );
        assert_eq!(quote_literal("it's"), "'it''s'");
        assert_eq!(quote_literal("a\\b"), "E'a\\\\b'");
        assert_eq!(qualified("a.b", "c\""), "\"a.b\".\"c\"\"\"");
    }
}
