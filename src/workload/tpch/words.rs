//! Words that parameters are drawn from and that are too many for one list in a script.

/// The nations, by their keys, with their regions (TPC-H 4.2.3).
pub(super) const NATIONS: [(&str, &str); 25] = [
    ("ALGERIA", "AFRICA"),
    ("ARGENTINA", "AMERICA"),
    ("BRAZIL", "AMERICA"),
    ("CANADA", "AMERICA"),
    ("EGYPT", "MIDDLE EAST"),
    ("ETHIOPIA", "AFRICA"),
    ("FRANCE", "EUROPE"),
    ("GERMANY", "EUROPE"),
    ("INDIA", "ASIA"),
    ("INDONESIA", "ASIA"),
    ("IRAN", "MIDDLE EAST"),
    ("IRAQ", "MIDDLE EAST"),
    ("JAPAN", "ASIA"),
    ("JORDAN", "MIDDLE EAST"),
    ("KENYA", "AFRICA"),
    ("MOROCCO", "AFRICA"),
    ("MOZAMBIQUE", "AFRICA"),
    ("PERU", "AMERICA"),
    ("CHINA", "ASIA"),
    ("ROMANIA", "EUROPE"),
    ("SAUDI ARABIA", "MIDDLE EAST"),
    ("VIETNAM", "ASIA"),
    ("RUSSIA", "EUROPE"),
    ("UNITED KINGDOM", "EUROPE"),
    ("UNITED STATES", "AMERICA"),
];

/// The words of names of parts.
#[rustfmt::skip]
pub(super) const COLORS: [&str; 92] = [
    "almond", "antique", "aquamarine", "azure", "beige", "bisque", "black", "blanched", "blue", "blush",
    "brown", "burlywood", "burnished", "chartreuse", "chiffon", "chocolate", "coral", "cornflower", "cornsilk", "cream",
    "cyan", "dark", "deep", "dim", "dodger", "drab", "firebrick", "floral", "forest", "frosted",
    "gainsboro", "ghost", "goldenrod", "green", "grey", "honeydew", "hot", "indian", "ivory", "khaki",
    "lace", "lavender", "lawn", "lemon", "light", "lime", "linen", "magenta", "maroon", "medium",
    "metallic", "midnight", "mint", "misty", "moccasin", "navajo", "navy", "olive", "orange", "orchid",
    "pale", "papaya", "peach", "peru", "pink", "plum", "powder", "puff", "purple", "red",
    "rose", "rosy", "royal", "saddle", "salmon", "sandy", "seashell", "sienna", "sky", "slate",
    "smoke", "snow", "spring", "steel", "tan", "thistle", "tomato", "turquoise", "violet", "wheat",
    "white", "yellow",
];

/// How many words a choose() takes.
const LIST: usize = 15;

/// The expression of the word at a place, from 1. Of more words than fit in one list, the place says which list it is and which
/// word in it; the last list repeats its last word, so that each has a word at every place.
pub(super) fn chosen(place: &str, words: &[&str]) -> String {
    let list = |place: &str, words: &[&str], length: usize| {
        let last = words.last().copied().unwrap_or_default();
        let words = words.iter().copied().chain(std::iter::repeat(last));
        let words: Vec<_> = words.take(length).map(|word| format!("'{word}'")).collect();
        format!("choose({place}, {})", words.join(", "))
    };
    if words.len() <= LIST {
        return list(place, words, words.len());
    }
    let lists = words.len().div_ceil(LIST);
    let length = words.len().div_ceil(lists);
    let inner = format!("({place} - 1) % {length} + 1");
    let lists = words
        .chunks(length)
        .map(|words| list(&inner, words, length));
    let lists: Vec<_> = lists.collect();
    format!("choose(({place} - 1) / {length} + 1, {})", lists.join(", "))
}
