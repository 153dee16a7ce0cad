//! Replacements for characters that the encoding of the database lacks. No form has a quote or a backslash: it may
//! end up inside a JSON string.

/// The form of one character in a text: `->` for an arrow, `?` where there is none.
pub fn form(character: char) -> &'static str {
    match character {
        '\u{a0}' | '\u{2009}' | '\u{202f}' => " ",
        '\u{2190}' => "<-",
        '\u{2192}' => "->",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-",
        '\u{2018}' | '\u{2019}' | '\u{201c}'..='\u{201e}' => "'",
        '\u{2022}' | '\u{b7}' | '\u{22c5}' => "*",
        '\u{2026}' => "...",
        '\u{2248}' => "~",
        '\u{2260}' => "<>",
        '\u{2264}' => "<=",
        '\u{2265}' => ">=",
        '\u{b1}' => "+-",
        '\u{d7}' => "x",
        '\u{b2}' => "2",
        '\u{b5}' | '\u{3bc}' => "u",
        '\u{221a}' => "sqrt",
        '\u{3ba}' => "kappa",
        '\u{3bb}' => "lambda",
        '\u{3c3}' => "sigma",
        // Eighths of a block: lowest and highest remain distinct, and a bar keeps its end.
        '\u{2581}'..='\u{2588}' => EIGHTHS[character as usize - 0x2581],
        '\u{2589}'..='\u{258c}' => "#",
        '\u{258d}'..='\u{258f}' => " ",
        _ => "?",
    }
}

const EIGHTHS: [&str; 8] = ["_", ".", ":", "-", "=", "+", "*", "#"];

/// Whether a character turns the direction of all that follows it: a name that has one could disguise the text behind it.
pub fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A page as ASCII: all other characters, but those that no page may have, become character references of HTML and XML. So
/// the page is the same in whatever encoding it is received, stored or declared.
pub fn with_references(page: &str) -> String {
    let mut ascii = String::with_capacity(page.len());
    for c in page.chars() {
        match c {
            '\n' | '\r' | '\t' | ' '..='~' => ascii.push(c),
            _ if c.is_control() || super::escape::byte_of(c).is_some() || turns_direction(c) => {
                ascii.push_str("&#65533;")
            }
            _ => ascii.push_str(&format!("&#{};", u32::from(c))),
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_ascii_and_harmless_in_json() {
        for c in (0x80..=0x2FFF).filter_map(char::from_u32) {
            let form = form(c);
            assert!(!form.is_empty() && form.is_ascii(), "{c:?}");
            assert!(!form.contains(['"', '\\']), "{c:?}");
        }
        assert_eq!(form('→'), "->");
        assert_eq!(form('…'), "...");
        assert_eq!(form('本'), "?");
    }

    #[test]
    fn a_bar_keeps_its_width_and_its_heights_their_order() {
        let heights: String = ('\u{2581}'..='\u{2588}').map(form).collect();
        assert_eq!(heights, "_.:-=+*#");
        let bar: String = "██▌".chars().map(form).collect();
        assert_eq!(bar, "###");
    }

    #[test]
    fn pages_are_ascii() {
        assert_eq!(with_references("ä ± 3 <b>"), "&#228; &#177; 3 <b>");
        assert_eq!(with_references("\u{10FFE4}"), "&#65533;");
        assert_eq!(
            with_references("\t\u{1b}\u{7f}\u{85}\n"),
            "\t&#65533;&#65533;&#65533;\n"
        );
    }
}
