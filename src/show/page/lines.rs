//! Short lines of a page, and short tags. psql's aligned format pads every line of a saved page to the length of the longest one.
//!
//! A line is broken only where that is invisible: at white space of a text or within a tag. In a text with significant white
//! space (`pre`, `code`), and in a long word, it is broken within a comment. The style sheet is left as it is. Elements of charts that have
//! no content have no end tag.

/// Characters that a line has at most.
pub const WIDTH: usize = 160;
/// Parts that cannot be broken are not longer than this, so that a line has room for one.
const PIECE: usize = 60;
/// A comment across two lines: in a page it is nothing.
const COMMENT: (&str, &str) = ("<!--", "-->");
/// Elements that may end with their own tag, as those of HTML may not.
const SHAPES: [&str; 4] = ["rect", "line", "path", "circle"];

/// How a line may be broken before a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Break {
    No,
    /// At a space, which the new line replaces.
    Space,
    /// The new line is added.
    Here,
    Comment,
}

struct Lines {
    text: String,
    column: usize,
}

impl Lines {
    fn push(&mut self, part: &str, before: Break) {
        // A comment has to begin on this line still, and another one may follow.
        let room = WIDTH - COMMENT.0.len() - COMMENT.1.len();
        let space = usize::from(matches!(before, Break::Space));
        let too_long = self.column + space + part.len() > room;
        match before {
            Break::Space if too_long => self.new_line(),
            Break::Space => self.add(" "),
            Break::Here if too_long => self.new_line(),
            Break::Comment if too_long && self.ends_with_tag() => {
                let end = self.end_of_tag();
                self.text.truncate(self.text.len() - end.len());
                self.new_line();
                self.add(end);
            }
            Break::Comment if too_long => {
                self.add(COMMENT.0);
                self.new_line();
                self.add(COMMENT.1);
            }
            Break::No | Break::Here | Break::Comment => {}
        }
        self.add(part);
    }

    /// Whether a tag may be broken before its end: in a text a `>` is a reference.
    fn ends_with_tag(&self) -> bool {
        self.text.ends_with('>') && !self.text.ends_with(COMMENT.1)
    }

    /// What ends the tag. With white space in it, `/>` would not end an element: what follows would be its content.
    fn end_of_tag(&self) -> &'static str {
        if self.text.ends_with("/>") { "/>" } else { ">" }
    }

    /// Ends the element whose tag has just been added.
    fn close(&mut self) {
        if self.text.pop().is_some() {
            self.text.push_str("/>");
            self.column += 1;
        }
    }

    fn add(&mut self, part: &str) {
        self.text.push_str(part);
        self.column = match part.rfind('\n') {
            Some(end) => part.len() - end - 1,
            None => self.column + part.len(),
        };
    }

    fn new_line(&mut self) {
        self.text.push('\n');
        self.column = 0;
    }
}

/// The same page in lines of at most [`WIDTH`] characters; it is in ASCII.
pub fn short(page: &str) -> String {
    let mut lines = Lines {
        text: String::with_capacity(page.len() + page.len() / 64),
        column: 0,
    };
    // How many open elements keep their white space.
    let mut kept = 0_usize;
    // Whether a comment would be text.
    let mut title = false;
    // The tag before, if nothing follows it.
    let mut last = "";
    let mut rest = page;
    while !rest.is_empty() {
        let Some(start) = rest.find('<') else {
            text(&mut lines, rest, kept > 0, title);
            break;
        };
        text(&mut lines, &rest[..start], kept > 0, title);
        let end = end_of_tag(&rest[start..]) + start;
        let tag = &rest[start..end];
        rest = &rest[end..];
        if start == 0 && SHAPES.contains(&last) && name(tag).strip_prefix('/') == Some(last) {
            lines.close();
            last = "";
            continue;
        }
        last = name(tag);
        match name(tag) {
            "pre" | "code" => kept += 1,
            "/pre" | "/code" => kept = kept.saturating_sub(1),
            "title" => title = true,
            "/title" => title = false,
            "style" => {
                // The next tag is the style sheet's end.
                let end = rest.find("</style").unwrap_or(rest.len());
                self::tag(&mut lines, tag, false);
                lines.new_line();
                lines.add(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            _ => {}
        }
        self::tag(&mut lines, tag, title || name(tag) == "/title");
    }
    lines.text
}

/// Behind its `>`, which may stand in the value of an attribute.
fn end_of_tag(rest: &str) -> usize {
    let mut quoted = false;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'>' if !quoted => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// `/td` of `</td>`.
fn name(tag: &str) -> &str {
    let name = tag.trim_start_matches('<');
    let end = name.find(|c: char| c == '>' || c.is_ascii_whitespace());
    &name[..end.unwrap_or(name.len())]
}

/// Between its attributes, at the spaces of their values, and before its end.
fn tag(lines: &mut Lines, tag: &str, title: bool) {
    let (inside, end) = match tag.strip_suffix('>') {
        Some(inside) => (inside, ">"),
        None => (tag, ""),
    };
    // A comment may stand wherever a tag may, but in a title.
    let first = if title { Break::No } else { Break::Comment };
    for (number, word) in inside.split(' ').enumerate() {
        let before = if number == 0 { first } else { Break::Space };
        word_in_pieces(lines, word, before, Break::Here);
    }
    lines.push(end, Break::Here);
}

fn text(lines: &mut Lines, text: &str, kept: bool, title: bool) {
    if text.is_empty() {
        return;
    }
    if kept {
        for line in text.split_inclusive('\n') {
            word_in_pieces(lines, line, Break::Comment, Break::Comment);
        }
        return;
    }
    let within = if title { Break::Here } else { Break::Comment };
    for (number, word) in text.split(' ').enumerate() {
        let before = if number == 0 { within } else { Break::Space };
        word_in_pieces(lines, word, before, within);
    }
}

/// A word, whose parts of [`PIECE`] characters may stand on different lines; a character reference stays whole.
fn word_in_pieces(lines: &mut Lines, word: &str, before: Break, within: Break) {
    let mut rest = word;
    let mut before = before;
    while rest.len() > PIECE {
        let mut end = PIECE;
        if let Some(start) = rest[..end].rfind('&')
            && !rest[start..end].contains(';')
            && rest[start..].find(';').is_some_and(|length| length < 12)
            && start > 0
        {
            end = start;
        }
        lines.push(&rest[..end], before);
        rest = &rest[end..];
        before = within;
    }
    lines.push(rest, before);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest(page: &str) -> usize {
        page.lines().map(str::len).max().unwrap_or(0)
    }

    /// What a reader sees of it: without comments, and with each white space as one space.
    fn seen(page: &str) -> String {
        let page = page.replace("<!--\n-->", "");
        page.split_ascii_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace(" >", ">")
            .replace("></path>", "/>")
            .replace(" />", "/>")
    }

    #[test]
    fn texts_tags_and_paths_are_broken_where_nothing_shows() {
        let row = "<tr><td class=\"number\">1</td><td>a b</td></tr>".repeat(50);
        let path = format!("<path d=\"{}\"></path>", "M0 1L100 1".repeat(80));
        let page = format!(
            "<p>{}</p>{row}{path}<em>a</em><b>b</b>",
            "some words ".repeat(60)
        );
        let broken = short(&page);
        assert!(longest(&broken) <= WIDTH, "{}", longest(&broken));
        assert_eq!(seen(&broken), seen(&page));
        // No white space comes between inline elements.
        assert!(!broken.contains(">\n<"));
    }

    #[test]
    fn what_keeps_its_white_space_is_broken_in_comments_only() {
        let query = format!("SELECT {}\n  FROM t", "x, ".repeat(200));
        for element in ["pre", "code"] {
            let page = format!("<{element}>{query}</{element}>");
            let broken = short(&page);
            assert!(longest(&broken) <= WIDTH, "{}", longest(&broken));
            assert!(broken.replace("<!--\n-->", "").contains(&query), "{broken}");
        }
    }

    #[test]
    fn long_words_are_broken_but_no_reference_is() {
        let word = "&#128024;".repeat(100);
        let broken = short(&format!("<h1>{word}</h1>"));
        assert!(longest(&broken) <= WIDTH, "{}", longest(&broken));
        assert!(broken.replace("<!--\n-->", "").contains(&word));
        let label = short(&format!("<svg aria-label=\"{word}\"></svg>"));
        assert!(longest(&label) <= WIDTH, "{}", longest(&label));
        assert_eq!(
            label.replace('\n', ""),
            format!("<svg aria-label=\"{word}\"></svg>")
        );
    }

    #[test]
    fn cells_of_long_words_fit() {
        let page =
            "<td class=\"number\">/dev/shm/some/folder/data/pg_ident.conf</td><td></td>".repeat(30);
        let broken = short(&page);
        assert!(longest(&broken) <= WIDTH, "{broken}");
        assert_eq!(seen(&broken), seen(&page));
    }

    #[test]
    fn a_shape_without_content_has_no_end_tag() {
        assert_eq!(
            short("<rect x=\"1\"></rect><td></td><path d=\"M0 1\"><title>a</title></path>"),
            "<rect x=\"1\"/><td></td><path d=\"M0 1\"><title>a</title></path>"
        );
        let many = "<line y2=\"200\"></line>".repeat(50);
        let broken = short(&many);
        assert!(longest(&broken) <= WIDTH, "{broken}");
        assert_eq!(seen(&broken), "<line y2=\"200\"/>".repeat(50));
    }

    /// In `/ >` the slash is nothing: the shapes behind it would be in this one, where none is drawn.
    #[test]
    fn the_end_of_a_shape_stays_together() {
        for width in 0..200 {
            let before = "x".repeat(width);
            let shapes = "<line y2=\"1\"></line><rect x=\"1\"></rect><g></g>".repeat(20);
            let broken = short(&format!("<p>{before}</p>{shapes}"));
            assert!(longest(&broken) <= WIDTH, "{width}: {broken}");
            assert_eq!(broken.matches("/>").count(), 40, "{width}: {broken}");
        }
    }

    /// In a title neither its end nor a comment breaks the line.
    #[test]
    fn a_line_has_room_for_the_end_of_a_title() {
        for width in 0..200 {
            let before = "x".repeat(width);
            let broken = short(&format!(
                "<p>{before}</p><title>CLOG records: 120 bytes</title>"
            ));
            assert!(longest(&broken) <= WIDTH, "{width}: {broken}");
        }
    }

    #[test]
    fn a_title_has_no_comment() {
        let broken = short(&format!("<title>{}</title>", "x".repeat(500)));
        assert!(
            longest(&broken) <= WIDTH && !broken.contains('!'),
            "{broken}"
        );
    }

    #[test]
    fn a_style_sheet_has_a_line_of_its_own() {
        let sheet = ":root {\n  --bg: #ffffff;\n}\n".to_owned() + &"x".repeat(140);
        for width in 0..200 {
            let title = "x".repeat(width);
            let broken = short(&format!(
                "<p>{title}</p><title>a</title><style>{sheet}</style>"
            ));
            assert!(broken.contains(&sheet), "{width}: {broken}");
            assert!(longest(&broken) <= WIDTH, "{width}: {broken}");
        }
    }

    #[test]
    fn the_style_sheet_is_left_alone() {
        let page = format!("<style>{}</style>", "a > b { x: \"<\"; } ".repeat(3));
        assert!(short(&page).contains(&"a > b { x: \"<\"; } ".repeat(3)));
        assert_eq!(short(""), "");
    }
}
