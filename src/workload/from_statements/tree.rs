//! The text of a query tree, as the server writes it (nodeToString), parsed into a tree of fields. So searches in it need no
//! server code.

/// A node of the tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// `<>`
    Nothing,
    /// A number, a name, a truth value.
    Atom(String),
    List(Vec<Node>),
    /// A tag and its fields in order.
    Struct(String, Vec<(String, Node)>),
}

static NOTHING: Node = Node::Nothing;

/// Deeper trees are not read, since reading one takes the stack.
const MOST_NESTED: usize = 1_000;

/// Whether a text is nested too deeply for [`Node::parse`].
pub fn is_too_deep(text: &str) -> bool {
    let mut tokens = Tokens { rest: text };
    let mut depth = 0_usize;
    while let Some(token) = tokens.next() {
        match token {
            "{" | "(" => depth += 1,
            "}" | ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MOST_NESTED {
            return true;
        }
    }
    false
}

impl Node {
    /// Reads a text; `Nothing` if it is no tree.
    pub fn parse(text: &str) -> Node {
        let mut tokens = Tokens { rest: text };
        tokens
            .next()
            .map_or(Node::Nothing, |token| tokens.node(token))
    }

    pub fn tag(&self) -> &str {
        match self {
            Node::Struct(tag, _) => tag,
            _ => "",
        }
    }

    pub fn is(&self, tag: &str) -> bool {
        self.tag() == tag
    }

    /// A field; `Nothing` if there is none of that name.
    pub fn field(&self, name: &str) -> &Node {
        let found = self.fields().iter().find(|(field, _)| field == name);
        found.map_or(&NOTHING, |(_, node)| node)
    }

    pub fn fields(&self) -> &[(String, Node)] {
        match self {
            Node::Struct(_, fields) => fields,
            _ => &[],
        }
    }

    /// A field that is an atom; empty if there is none.
    pub fn text(&self, name: &str) -> &str {
        match self.field(name) {
            Node::Atom(text) => text,
            _ => "",
        }
    }

    /// A field that is a number.
    pub fn number(&self, name: &str) -> i64 {
        self.text(name).parse().unwrap_or_default()
    }

    /// A field that is true.
    pub fn holds(&self, name: &str) -> bool {
        self.text(name) == "true"
    }

    /// The elements of a field that is a list.
    pub fn list(&self, name: &str) -> &[Node] {
        self.field(name).elements()
    }

    pub fn elements(&self) -> &[Node] {
        match self {
            Node::List(elements) => elements,
            _ => &[],
        }
    }

    /// All nodes directly below.
    pub fn children(&self) -> impl Iterator<Item = &Node> {
        let fields = self.fields().iter().map(|(_, node)| node);
        self.elements().iter().chain(fields)
    }
}

struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    /// A bracket, or what stands between blanks. A backslash makes a part of it of any character.
    fn next(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start();
        let first = text.chars().next()?;
        let length = match first {
            '{' | '}' | '(' | ')' => 1,
            '"' => quoted_length(text),
            _ => plain_length(text),
        };
        let (token, rest) = text.split_at(length);
        self.rest = rest;
        Some(token)
    }

    fn node(&mut self, token: &str) -> Node {
        match token {
            "{" => self.structure(),
            "(" => {
                let mut elements = Vec::new();
                while let Some(token) = self.next().filter(|token| *token != ")") {
                    elements.push(self.node(token));
                }
                Node::List(elements)
            }
            "<>" => Node::Nothing,
            atom => Node::Atom(plain(atom)),
        }
    }

    fn structure(&mut self) -> Node {
        let tag = self.next().unwrap_or_default().to_owned();
        let mut fields: Vec<(String, Node)> = Vec::new();
        // The bytes of a constant are several values; the first one, their number, is enough.
        while let Some(token) = self.next().filter(|token| *token != "}") {
            match token.strip_prefix(':') {
                Some(name) => {
                    let value = self.next().unwrap_or_default();
                    let value = self.node(value);
                    fields.push((name.to_owned(), value));
                }
                None => {
                    self.node(token);
                }
            }
        }
        Node::Struct(tag, fields)
    }
}

fn quoted_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

fn plain_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' | '}' | '(' | ')' => return at,
            blank if blank.is_whitespace() => return at,
            _ => {}
        }
    }
    text.len()
}

/// An atom without quotes and backslashes.
fn plain(atom: &str) -> String {
    let inner = atom
        .strip_prefix('"')
        .map(|it| it.strip_suffix('"').unwrap_or(it));
    let mut plain = String::new();
    let mut characters = inner.unwrap_or(atom).chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => plain.extend(characters.next()),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escaped_blank_ends_no_word() {
        assert_eq!(plain_length("\\ a b"), 3);
        assert_eq!(plain_length("a\\) b"), 3);
    }

    #[test]
    fn a_text_becomes_fields() {
        let text = "({QUERY :commandType 1 :utilityStmt <> :rtable ({RTE :eref {ALIAS :aliasname a\\ b :colnames \
                    (\"x\" \"y \\\"z\\\\\")} :relid 7 :cols (b 1 2)}) :value {CONST :isnull false :constvalue 4 [ 1 0 0 0 ] \
                    :location -1} :last true})";
        let tree = Node::parse(text);
        let query = &tree.elements()[0];
        assert!(query.is("QUERY") && query.holds("last"));
        assert_eq!(query.number("commandType"), 1);
        assert_eq!(query.field("utilityStmt"), &Node::Nothing);
        let entry = &query.list("rtable")[0];
        assert_eq!(entry.field("eref").text("aliasname"), "a b");
        let names = entry.field("eref").list("colnames");
        assert_eq!(names[1], Node::Atom("y \"z\\".to_owned()));
        assert_eq!(entry.text("relid"), "7");
        assert_eq!(entry.list("cols").len(), 3);
        let constant = query.field("value");
        assert_eq!(
            (constant.text("constvalue"), constant.number("location")),
            ("4", -1)
        );
        assert_eq!(constant.children().count(), 3);
    }

    #[test]
    fn what_is_no_tree_has_nothing() {
        for text in ["", "{", "(", "{A :b", "{A :b (", "\"", "\\"] {
            let node = Node::parse(text);
            assert_eq!(node.field("c"), &Node::Nothing, "{text}");
        }
        assert_eq!(Node::parse("<>"), Node::Nothing);
    }
}
