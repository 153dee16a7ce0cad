//! The text of which all comments are pieces (TPC-H 4.2.2.10): 300 MB of sentences. The crate `tpchgen` keeps it as it is read; here
//! it is one byte a word, so that each process that fills tables needs a quarter of that.

use std::sync::OnceLock;
use tpchgen::distribution::{Distribution, Distributions};
use tpchgen::random::RowRandomInt;

/// How many bytes a comment may be taken from. The beginning has all that unit tests ask of it.
pub(super) const BYTES: i32 = if cfg!(test) { 3 << 20 } else { 300 << 20 };
const SEED: i64 = 933_588_178;
/// The longest word with what comes behind it.
const WORD: usize = 22;
/// Of so many bytes the first one can be found at once.
const BLOCK: usize = 64;
/// A piece with the rest of its block and of the words at both ends.
const BUFFER: usize = 384;

/// As many words as a byte can name.
pub(super) struct Text {
    words: Vec<Word>,
    /// The text as numbers of words.
    tokens: Vec<u8>,
    /// For each block, the token that its first byte is of, and how many bytes of that come before.
    blocks: Vec<u32>,
}

/// Bits of an entry of `blocks` that count bytes.
const BEFORE: u32 = 5;

/// A word as it stands in the text, with the blank behind it.
#[derive(Clone, Copy)]
struct Word {
    bytes: [u8; WORD],
    len: u8,
    /// Whether it takes the place of the blank before it, as a full stop does.
    is_attached: bool,
}

/// Where a piece is put together.
pub(super) type Buffer = [u8; BUFFER];

pub(super) const fn buffer() -> Buffer {
    [0; BUFFER]
}

/// The whole text, made when this process first needs it.
pub(super) fn text() -> &'static Text {
    static TEXT: OnceLock<Text> = OnceLock::new();
    TEXT.get_or_init(|| Text::new(BYTES as usize))
}

impl Text {
    fn new(bytes: usize) -> Text {
        let mut writer = Writer::new(bytes);
        while writer.end < bytes {
            writer.sentence();
        }
        writer.text
    }

    /// A piece of the text.
    pub(super) fn piece<'a>(
        &self,
        offset: usize,
        len: usize,
        buffer: &'a mut Buffer,
    ) -> &'a mut [u8] {
        let block = self.blocks[offset / BLOCK];
        let first = block >> BEFORE;
        let start = (block % (1 << BEFORE)) as usize + offset % BLOCK;
        let mut end = 0_usize;
        for token in &self.tokens[first as usize..] {
            let word = &self.words[usize::from(*token)];
            end = end.saturating_sub(usize::from(word.is_attached));
            buffer[end..end + WORD].copy_from_slice(&word.bytes);
            end += usize::from(word.len);
            // With one byte more, which the next word may replace.
            if end > start + len {
                break;
            }
        }
        &mut buffer[start..start + len]
    }
}

/// Writes the text, sentence by sentence, with the numbers that dbgen draws.
struct Writer {
    text: Text,
    /// How many bytes it has.
    end: usize,
    random: RowRandomInt,
    all: &'static Distributions,
    nouns: Drawn,
    verbs: Drawn,
    adjectives: Drawn,
    adverbs: Drawn,
    auxiliaries: Drawn,
    prepositions: Drawn,
    terminators: Drawn,
    comma: u8,
}

/// The numbers of a list's words, each as often as its weight says.
type Drawn = Vec<u8>;

impl Writer {
    fn new(bytes: usize) -> Writer {
        let all = Distributions::static_default();
        let mut words = Vec::new();
        let mut list = |of: &Distribution, behind: &str, is_attached| {
            let mut drawn = Vec::new();
            for (i, word) in of.get_values().iter().enumerate() {
                drawn.resize(of.get_weight(i) as usize, words.len() as u8);
                words.push(Word::new(&[word, behind].concat(), is_attached));
            }
            drawn
        };
        let nouns = list(all.nouns(), " ", false);
        let verbs = list(all.verbs(), " ", false);
        let adjectives = list(all.adjectives(), " ", false);
        let adverbs = list(all.adverbs(), " ", false);
        let auxiliaries = list(all.auxiliaries(), " ", false);
        let prepositions = list(all.prepositions(), " the ", false);
        let terminators = list(all.terminators(), " ", true);
        let comma = words.len() as u8;
        words.push(Word::new(", ", true));
        Writer {
            text: Text {
                words,
                // A word has six bytes at least, on average.
                tokens: Vec::with_capacity(bytes / 6),
                blocks: Vec::with_capacity(bytes / BLOCK + 8),
            },
            end: 0,
            random: RowRandomInt::new(SEED, i32::MAX),
            all,
            nouns,
            verbs,
            adjectives,
            adverbs,
            auxiliaries,
            prepositions,
            terminators,
            comma,
        }
    }

    fn sentence(&mut self) {
        let all = self.all;
        for part in all.grammar().random_value(&mut self.random).bytes() {
            match part {
                b'V' => self.verb_phrase(),
                b'N' => self.noun_phrase(),
                b'P' => {
                    self.word(|lists| &lists.prepositions);
                    self.noun_phrase();
                }
                b'T' => self.word(|lists| &lists.terminators),
                _ => {}
            }
        }
    }

    fn verb_phrase(&mut self) {
        let all = self.all;
        for part in all.verb_phrase().random_value(&mut self.random).bytes() {
            match part {
                b'D' => self.word(|lists| &lists.adverbs),
                b'V' => self.word(|lists| &lists.verbs),
                b'X' => self.word(|lists| &lists.auxiliaries),
                _ => {}
            }
        }
    }

    fn noun_phrase(&mut self) {
        let all = self.all;
        for part in all.noun_phrase().random_value(&mut self.random).bytes() {
            match part {
                b'J' => self.word(|lists| &lists.adjectives),
                b'D' => self.word(|lists| &lists.adverbs),
                b'N' => self.word(|lists| &lists.nouns),
                b',' => self.push(self.comma),
                _ => {}
            }
        }
    }

    fn word(&mut self, list: impl Fn(&Writer) -> &Drawn) {
        let last = list(self).len() as i32 - 1;
        let place = self.random.next_int(0, last) as usize;
        self.push(list(self)[place]);
    }

    fn push(&mut self, token: u8) {
        let Text {
            words,
            tokens,
            blocks,
        } = &mut self.text;
        let word = &words[usize::from(token)];
        let start = self.end - usize::from(word.is_attached);
        self.end = start + usize::from(word.len);
        while blocks.len() * BLOCK < self.end {
            let before = (blocks.len() * BLOCK - start) as u32;
            blocks.push((tokens.len() as u32) << BEFORE | before);
        }
        tokens.push(token);
    }
}

impl Word {
    fn new(text: &str, is_attached: bool) -> Word {
        let mut bytes = [0; WORD];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Word {
            bytes,
            len: text.len() as u8,
            is_attached,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tpchgen::text::TextPool;

    #[test]
    fn pieces_are_those_of_the_whole_text() {
        const PART: i32 = 300_000;
        let whole = TextPool::new(PART, Distributions::static_default());
        let text = Text::new(PART as usize);
        let mut buffer = buffer();
        for offset in 0..PART {
            for len in [1, 25, 198] {
                let end = (offset + len).min(PART);
                let piece = text.piece(offset as usize, (end - offset) as usize, &mut buffer);
                assert_eq!(piece, whole.text(offset, end).as_bytes(), "{offset} {len}");
            }
        }
    }
}
